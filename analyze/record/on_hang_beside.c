/* analyze/record/on_hang_beside.c - runs the watcher as a process of its own, inside a launcher.
 *
 *     record (a rank's process) --fork--> middle --fork--> watcher
 *       |                                   ends at once      |
 *       becomes the program                                   the first one of its machine that
 *                                                             binds a name; the others end
 *
 * The watcher follows one process of the run. When that process is gone, it follows another one
 * that maps a raw file of the same run. It ends when there is none. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/hang/process.h"
#include "analyze/record/on_hang_parts.h"
#include "sync/base/hash.h"

/* Tries, one a second: a watcher of an earlier run in the same directory ends a second after that
 * run's last rank. */
#define BIND_TRIES 3

/* The process that is followed. Its start time tells it from a later process of the same number. */
struct followed {
    int pid;
    unsigned long long started;
};

/* Returns when a process started, in the kernel's clock ticks; 0: it is gone, or a zombie. */
static unsigned long long start_of(int pid)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%d", pid);
    const struct syn_process process = syn_process_now(digits);
    return process.state == 'Z' || process.state == 'X' ? 0 : process.started;
}

static bool is_there(const struct followed *followed)
{
    return followed->started && start_of(followed->pid) == followed->started;
}

static void follow(void *ctx, int32_t rank, const char *pid)
{
    struct followed *followed = ctx;
    (void)rank;
    if (!followed->started)
        *followed = (struct followed){atoi(pid), start_of(atoi(pid))};
}

/* Binds the name of this user's watcher of the directory. Returns false if another watcher has it.
 * Any other failure does not prevent watching. */
static bool bind_name(const char *directory, const struct followed *followed)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int length =
        snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "syncopate-watch-%u-%016llx",
                 (unsigned)geteuid(), (unsigned long long)syn_hash64(directory, strlen(directory)));
    const socklen_t bytes =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1) + (socklen_t)length;
    const int held = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool bound = false;
    for (int i = 0; i < BIND_TRIES && !bound && is_there(followed); i++) {
        if (i > 0)
            sleep(1);
        bound = held < 0 || bind(held, (const struct sockaddr *)&name, bytes) == 0 ||
                errno != EADDRINUSE;
    }
    return bound;
}

/* Detaches the watcher. RATIONALE: the launcher waits for the ends of its pipes, and of all else
 * that its child has open. */
static void let_go(void)
{
    struct rlimit limit = {0};
    setsid();
    prctl(PR_SET_NAME, "syncopate-watch");
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    if (syscall(SYS_close_range, 0U, ~0U, 0U) != 0 && getrlimit(RLIMIT_NOFILE, &limit) == 0)
        for (rlim_t fd = 0; fd < limit.rlim_cur; fd++)
            close((int)fd);
    for (int fd = 0; fd >= 0 && fd < STDERR_FILENO;)
        fd = open("/dev/null", O_RDWR);
    if (chdir("/") != 0)
        return; /* it keeps its working directory busy, nothing worse */
}

void record_watch_beside(const char *directory, const struct record_on_hang *wish)
{
    const struct followed rank = {getpid(), start_of(getpid())};
    const pid_t middle = fork();
    if (middle == 0) {
        if (fork() == 0) {
            let_go();
            struct followed followed = rank;
            struct record_watcher *watcher =
                bind_name(directory, &followed) ? record_watcher_new(directory, wish) : NULL;
            while (watcher && followed.started) {
                (void)record_watcher_tick(watcher, followed.pid);
                sleep(1);
                if (is_there(&followed))
                    continue;
                followed = (struct followed){0};
                if (record_watcher_trace(watcher))
                    syn_hang_each_process(record_watcher_trace(watcher), follow, &followed);
            }
            record_watcher_free(watcher);
        }
        _exit(0);
    }
    if (middle > 0)
        waitpid(middle, NULL, 0);
}
