/* analyze/record/run.h - start a command, wait for it, hand signals on. */
#ifndef SYN_RECORD_RUN_H
#define SYN_RECORD_RUN_H

#include <stdbool.h>

struct record_run {
    int exec_errno;   /* 0, or why it could not be started */
    int exit_status;  /* as a shell gives it: 128 + N where signal N ended it */
    bool interrupted; /* a signal ended it, or one reached us meanwhile */
    double seconds;
};

/* A function that is called once a second while the command runs. Returns a signal for it, 0: none.
 */
struct record_chore {
    int (*each_second)(void *ctx);
    void *ctx;
};

/* Runs command[0] (looked up in PATH) with this process's environment, files and process group.
 * SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 sent to this process go on to the command,
 * 0.2 s later; those that the command has got already (typed at the terminal, or sent to the whole
 * process group) do not. `chore`: NULL, none. Returns 0, or SYN_EIO (errno) where no process could
 * be made. */
int record_run(char *const *command, const struct record_chore *chore, struct record_run *out);

/* As a shell: 127 for a command that is not there, 126 for one that cannot be executed. */
int record_exec_status(int exec_errno);

#endif
