/* preload/base/say.h - the recorder's messages on stderr: one line for each cause. */
#ifndef SYN_BASE_SAY_H
#define SYN_BASE_SAY_H

/* Causes, as bits. A process writes at most one message for each. */
enum syn_cause {
    SYN_SAY_START = 1,
    SYN_SAY_END = 2,
    SYN_SAY_FAILURE = 4,
    SYN_SAY_CLOCK = 8,
    SYN_SAY_OPTION = 16,    /* shifted left by the number of the variable (options.c) */
    SYN_SAY_LATE = 1 << 25, /* above the bits of all variables */
    SYN_SAY_ALIGN = 1 << 26,
    SYN_SAY_CUT = 1 << 27,
    SYN_SAY_LAUNCH = 1 << 28,
    SYN_SAY_SPAWNED = 1 << 29,
    SYN_SAY_SPILL = 1 << 30
};

/* Notes the file that is stderr now. Call it at the program's first MPI call. Messages go to this
 * file only: if another file has the descriptor later, nothing is written. */
void syn_say_begin(void);
/* Suppresses SYN_SAY_START and SYN_SAY_END if `quiet` is not 0. Failures are always reported. */
void syn_say_quiet(int quiet);

/* Writes "syncopate: " TEXT "\n" in one write; control characters become '?'. With SYN_SAY_START
 * the line is "syncopate " TEXT, and the text begins with the version. */
void syn_say(enum syn_cause cause, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
