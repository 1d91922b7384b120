/* preload/base/say.h - messages of the profiler on stderr: one line a cause, never twice. */
#ifndef SYN_BASE_SAY_H
#define SYN_BASE_SAY_H

/* Bits: each cause is said at most once by a process. */
enum syn_cause {
    SYN_SAY_START = 1,
    SYN_SAY_END = 2,
    SYN_SAY_FAILURE = 4,
    SYN_SAY_CLOCK = 8,
    SYN_SAY_OPTION = 16,    /* shifted left by the number of the variable (options.c) */
    SYN_SAY_LATE = 1 << 25, /* above all of these */
    SYN_SAY_ALIGN = 1 << 26,
    SYN_SAY_CUT = 1 << 27,
    SYN_SAY_LAUNCH = 1 << 28,
    SYN_SAY_SPAWNED = 1 << 29,
    SYN_SAY_SPILL = 1 << 30
};

/* At the program's first MPI call: what is said goes to what stderr is now, and nowhere once
 * another file has its number. */
void syn_say_begin(void);
/* Silence SYN_SAY_START and SYN_SAY_END; failures are always said. */
void syn_say_quiet(int quiet);

/* "syncopate: " text "\n", written with one write; SYN_SAY_START begins with the version instead:
 * "syncopate " text. */
void syn_say(enum syn_cause cause, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
