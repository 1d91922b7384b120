/* analyze/record/run.c - see run.h.
 *
 * RATIONALE: a signal sent to the process group (by the terminal, by timeout(1), by a batch system)
 * also reaches the launcher. Forwarding it again does harm: Open MPI's mpirun takes a second
 * SIGTERM or SIGINT as the order to leave at once, and leaves its ranks behind. No field of a
 * signal says whether the whole group got it. So a witness, an otherwise idle process of the same
 * group, notes the signals that reach it. A signal that the witness has got is not forwarded. */
#include "analyze/record/run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyze/print/command.h"
#include "sync/base/status.h"

#define WITNESS_WAIT_NS 200000000 /* time for the witness to be scheduled, on a busy machine */

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { FORWARDED_COUNT = sizeof forwarded / sizeof forwarded[0] };

/* The state of this process before, which the command gets. */
struct inherited {
    sigset_t mask;
    struct sigaction child_action;
};

struct witness {
    pid_t pid;  /* -1: there is no witness */
    int report; /* pipe with one byte for each signal; -1: none */
};

static void forwarded_set(sigset_t *set)
{
    sigemptyset(set);
    for (int i = 0; i < FORWARDED_COUNT; i++)
        sigaddset(set, forwarded[i]);
}

static void release_signals(const struct inherited *inherited)
{
    sigaction(SIGCHLD, &inherited->child_action, NULL);
    sigprocmask(SIG_SETMASK, &inherited->mask, NULL);
}

/* ---- the witness ---- */

static struct witness start_witness(void)
{
    struct witness witness = {.pid = -1, .report = -1};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return witness;
    witness.pid = fork();
    if (witness.pid == 0) {
        /* A process that waits for the end of our output must not wait for the witness. */
        for (int fd = 0; fd <= STDERR_FILENO; fd++)
            close(fd);
        /* In the witness, with signals blocked; does not return. */
        sigset_t set;
        forwarded_set(&set);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;) {
            int signal_number = sigwaitinfo(&set, NULL);
            unsigned char byte = (unsigned char)signal_number;
            if (signal_number > 0 && write(ends[1], &byte, 1) != 1)
                _exit(0);
        }
    }
    close(ends[1]);
    witness.report = ends[0];
    return witness;
}

/* ---- the command ---- */

/* Starts the command. Returns its process, or -1. *exec_errno: the error if it could not be
 * executed. */
static pid_t start_command(char *const *command, const struct inherited *inherited, int *exec_errno)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        /* In the child; does not return. The pipe closes when the command starts. */
        release_signals(inherited);
        syn_restore_size_signal();
        execvp(command[0], command);
        int error_number = errno;
        while (write(report[1], &error_number, sizeof error_number) < 0 && errno == EINTR)
            ;
        _exit(record_exec_status(error_number));
    }
    close(report[1]);
    while (pid > 0 && read(report[0], exec_errno, sizeof *exec_errno) < 0 && errno == EINTR)
        ;
    close(report[0]);
    return pid;
}

static void hand_on(pid_t pid, const siginfo_t *info, const struct witness *witness)
{
    const struct timespec wait = {0, WITNESS_WAIT_NS};
    if (info->si_code == SI_KERNEL)
        return; /* from the terminal, which sends it to the whole foreground group */
    nanosleep(&wait, NULL);
    unsigned char byte;
    bool seen = false;
    while (witness->report >= 0 && read(witness->report, &byte, 1) == 1)
        seen |= byte == info->si_signo;

    if (!seen)
        kill(pid, info->si_signo);
    /* Discard a second one: the signal may be sent to this process and to its group at once. */
    sigset_t set;
    const struct timespec at_once = {0, 0};
    sigemptyset(&set);
    sigaddset(&set, info->si_signo);
    while (sigtimedwait(&set, NULL, &at_once) > 0)
        ;
}

double record_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

long long record_unix_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Plan: block signals; start the witness and the command; serve the command until it ends; unblock
 * signals. */
int record_run(char *const *command, const struct record_chore *chore, struct record_run *out)
{
    struct inherited inherited;
    double start_s = record_now_s();
    *out = (struct record_run){.exec_errno = 0};
    /* Signals are waited for and not handled. A signal that was ignored (nohup) stays ignored, in
     * the command, too. */
    sigset_t held;
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    forwarded_set(&held);
    sigaddset(&held, SIGCHLD);
    sigprocmask(SIG_BLOCK, &held, &inherited.mask);
    /* If SIGCHLD were ignored, children would leave no exit status. */
    sigaction(SIGCHLD, &standard, &inherited.child_action);
    struct witness witness = start_witness();
    pid_t pid = start_command(command, &inherited, &out->exec_errno);
    int error_number = errno;
    if (pid > 0) {
        /* Forward signals until the command has ended. */
        bool *interrupted = &out->interrupted;
        int status = 0;
        sigset_t set;
        const struct timespec second = {1, 0};
        forwarded_set(&set);
        sigaddset(&set, SIGCHLD);
        while (waitpid(pid, &status, WNOHANG) == 0) {
            siginfo_t info;
            int signal_number =
                chore ? sigtimedwait(&set, &info, &second) : sigwaitinfo(&set, &info);
            if (signal_number < 0 && errno == EAGAIN &&
                (signal_number = chore->each_second(chore->ctx)))
                kill(pid, signal_number);
            else if (signal_number > 0 && signal_number != SIGCHLD) {
                *interrupted |= signal_number != SIGUSR1 && signal_number != SIGUSR2;
                hand_on(pid, &info, &witness);
            }
        }
        out->exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        out->interrupted |= WIFSIGNALED(status);
    }
    if (witness.pid > 0) {
        kill(witness.pid, SIGKILL);
        while (waitpid(witness.pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    if (witness.report >= 0)
        close(witness.report);
    release_signals(&inherited);
    out->seconds = record_now_s() - start_s;
    errno = error_number;
    return pid > 0 ? SYN_OK : SYN_EIO;
}

int record_exec_status(int exec_errno)
{
    return exec_errno == ENOENT || exec_errno == ENOTDIR ? 127 : 126;
}
