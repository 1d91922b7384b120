/* analyze/record/run.c */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../sync/status.h"

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { FORWARDED_COUNT = sizeof forwarded / sizeof forwarded[0] };

/* A signal handler has no argument of ours. */
static volatile sig_atomic_t child;
static volatile sig_atomic_t last_signal;

static void forward(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    int error_number = errno;
    last_signal = signal_number;
    /* The kernel's own ones come from the terminal, which sends them to the whole foreground group.
     */
    if (info->si_code != SI_KERNEL && child > 0)
        kill((pid_t)child, signal_number);
    errno = error_number;
}

static void forwarded_set(sigset_t *set)
{
    sigemptyset(set);
    for (int i = 0; i < FORWARDED_COUNT; i++)
        sigaddset(set, forwarded[i]);
}

/* What was ignored (nohup) stays ignored, here and in the command. */
static void install(struct sigaction old[FORWARDED_COUNT])
{
    struct sigaction action = {.sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART};
    forwarded_set(&action.sa_mask);
    for (int i = 0; i < FORWARDED_COUNT; i++) {
        sigaction(forwarded[i], NULL, &old[i]);
        if (old[i].sa_handler != SIG_IGN)
            sigaction(forwarded[i], &action, NULL);
    }
}

static void restore(const struct sigaction old[FORWARDED_COUNT])
{
    for (int i = 0; i < FORWARDED_COUNT; i++)
        sigaction(forwarded[i], &old[i], NULL);
}

/* In the child; does not return. The pipe closes by itself when the command starts. */
static void become(char *const *command, const struct sigaction old[FORWARDED_COUNT],
                   const sigset_t *mask, int report)
{
    restore(old);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(command[0], command);
    int error_number = errno;
    while (write(report, &error_number, sizeof error_number) < 0 && errno == EINTR)
        ;
    _exit(record_exec_status(error_number));
}

static int read_exec_errno(int report)
{
    int error_number = 0;
    ssize_t got;
    do
        got = read(report, &error_number, sizeof error_number);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof error_number ? error_number : 0;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void wait_for(pid_t pid, struct record_run *out)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    out->exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    out->interrupted = WIFSIGNALED(status) || last_signal == SIGINT || last_signal == SIGTERM ||
                       last_signal == SIGHUP || last_signal == SIGQUIT;
}

/* Signals are held back until it is known whom to hand them to. */
static pid_t start(char *const *command, const struct sigaction old[FORWARDED_COUNT], int report[2])
{
    sigset_t held, mask;
    forwarded_set(&held);
    sigprocmask(SIG_BLOCK, &held, &mask);
    pid_t pid = fork();
    if (pid == 0)
        become(command, old, &mask, report[1]);
    child = pid > 0 ? (sig_atomic_t)pid : 0;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return pid;
}

int record_run(char *const *command, struct record_run *out)
{
    struct sigaction old[FORWARDED_COUNT];
    int report[2];
    *out = (struct record_run){.exec_errno = 0};
    if (pipe2(report, O_CLOEXEC) != 0)
        return SYN_EIO;
    double start_s = now_s();
    last_signal = 0;
    install(old);
    pid_t pid = start(command, old, report);
    close(report[1]);
    if (pid > 0) {
        out->exec_errno = read_exec_errno(report[0]);
        wait_for(pid, out);
    }
    child = 0;
    restore(old);
    close(report[0]);
    out->seconds = now_s() - start_s;
    return pid > 0 ? SYN_OK : SYN_EIO;
}

int record_exec_status(int exec_errno)
{
    return exec_errno == ENOENT || exec_errno == ENOTDIR ? 127 : 126;
}
