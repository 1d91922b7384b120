/* analyze/record/run.h - starts a command, waits for it, and forwards signals to it. */
#ifndef SYN_RECORD_RUN_H
#define SYN_RECORD_RUN_H

#include <stdbool.h>

struct record_run {
    int exec_errno;   /* 0, or the error of the exec that failed */
    int exit_status;  /* as in a shell: 128 + N if signal N ended it */
    bool interrupted; /* a signal ended it, or this process was sent one other than SIGUSR1 and
                         SIGUSR2 */
    double seconds;
};

/* A function that is called once a second while the command runs. It returns a signal to send to
 * the command; 0: none. */
struct record_chore {
    int (*each_second)(void *ctx);
    void *ctx;
};

/* Runs command[0] (looked up in PATH) with this process's environment, files and process group.
 * SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 that are sent to this process are forwarded
 * to the command 0.2 s later, unless the command has got the signal, too (typed at the terminal, or
 * sent to the whole process group). `chore` may be NULL. Returns 0, or SYN_EIO (with errno) if no
 * process could be made. */
int record_run(char *const *command, const struct record_chore *chore, struct record_run *out);

/* Return seconds of a clock that never jumps, and the time of day in ns. */
double record_now_s(void);
long long record_unix_ns(void);

/* Returns the exit status of a shell: 127 if the command does not exist, 126 if it cannot be
 * executed. */
int record_exec_status(int exec_errno);

#endif
