/* tests/mpi/endings.c - the ways a run may end.
 * usage: endings HOW; first 10 collectives on every rank, then HOW:
 *   finalize  MPI_Finalize, and rank 0 exits with 7
 *   return    from main, without MPI_Finalize
 *   exit      exit(3) without MPI_Finalize
 *   late      the same, half a second and 10 collectives later
 *   atexit    MPI_Finalize in a function that exit() calls
 *   abort     MPI_Abort(5) on the last rank
 *   abort()   a signal's death of the last rank
 *   fork      children that exec, exit and _exit
 *   thread    MPI_Init_thread and MPI_Finalize
 *   remove    the directory $REMOVE goes meanwhile
 *   handler   exit(4) in a signal handler
 *   limit     a limit on the size of files
 *   segv      an invalid address, on the last rank
 *   term      SIGTERM to the last rank
 *   kill      SIGKILL to the last rank
 *   wait      for somebody to end it
 *   exec      another program in place of the last rank
 *   _exit     _exit(3), with no word to anybody
 *   own       the program's own handlers, one set before MPI_Init and one after, are its own */
#include <locale.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size;

static void work(void)
{
    for (int i = 0; i < 5; i++) {
        double in = rank, out;
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) {
        printf("worked\n");
        fflush(stdout);
    }
}

static void finalize(void)
{
    int done = 0;
    MPI_Finalize();
    MPI_Finalized(&done);
    if (rank == 0)
        printf("finalized %d\n", done);
}

static void children(void)
{
    for (int how = 0; how < 4; how++) {
        const pid_t child = fork();
        if (child == 0) {
            if (how == 0)
                execl("/bin/sh", "sh", "-c", "exit 9", (char *)NULL);
            if (how == 1)
                exit(8);
            if (how == 2)
                abort();
            /* A child's calls are not its parent's, and the parent's file is not its own. */
            for (int i = 0; i < 5000; i++)
                MPI_Barrier(MPI_COMM_SELF);
            _exit(7);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (rank == 0)
            printf("child %d %d\n", WEXITSTATUS(status),
                   WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    }
    if (rank == 0)
        printf("system %d\n", WEXITSTATUS(system("exit 6")));
}

static void leave(int signal_number)
{
    (void)signal_number;
    exit(4);
}

static volatile sig_atomic_t own_count;

static void count_own(int signal_number)
{
    own_count += signal_number == SIGTERM ? 1 : 100;
}

static int is_own(int signal_number)
{
    struct sigaction now;
    sigaction(signal_number, NULL, &now);
    return !(now.sa_flags & SA_SIGINFO) && now.sa_handler == count_own;
}

static void own_handlers(void)
{
    signal(SIGHUP, count_own);
    const int both = is_own(SIGTERM) && is_own(SIGHUP);
    raise(SIGTERM);
    raise(SIGHUP);
    if (rank == 0)
        printf("own %d, called %d\n", both, (int)own_count);
}

static int *volatile address = (int *)8;

static void die(const char *how)
{
    if (!strcmp(how, "segv"))
        *address = 1;
    if (!strcmp(how, "term"))
        kill(getpid(), SIGTERM);
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(how, "exec"))
        execl("/bin/sleep", "sleep", "0.1", (char *)NULL);
}

static int end(const char *how)
{
    const int by_one = !strcmp(how, "segv") || !strcmp(how, "term") || !strcmp(how, "kill") ||
                       !strcmp(how, "exec");
    if (by_one || !strcmp(how, "_exit")) {
        PMPI_Barrier(MPI_COMM_WORLD); /* not recorded: the others are out of the last that is */
        if (rank == size - 1)
            die(how);
    }
    if (!strcmp(how, "wait")) {
        printf("rank %d waits\n", rank);
        fflush(stdout);
    }
    if (by_one || !strcmp(how, "wait"))
        sleep(strcmp(how, "exec") && strcmp(how, "wait") ? 60 : 3);
    if (!strcmp(how, "_exit") || !strcmp(how, "wait") || by_one)
        _exit(3);
    if (!strcmp(how, "own"))
        own_handlers();
    if (!strcmp(how, "return"))
        return 0;
    if (!strcmp(how, "late")) {
        usleep(500000);
        work();
    }
    if (!strcmp(how, "exit") || !strcmp(how, "late"))
        exit(3);
    if (!strncmp(how, "abort", 5))
        sleep(1); /* the launcher may drop what was printed right before */
    if (!strcmp(how, "abort") && rank == size - 1)
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (!strcmp(how, "abort()") && rank == size - 1)
        abort();
    if (!strncmp(how, "abort", 5))
        sleep(60);
    if (!strcmp(how, "handler")) {
        signal(SIGUSR2, leave);
        raise(SIGUSR2);
    }
    if (!strcmp(how, "atexit"))
        atexit(finalize);
    if (!strcmp(how, "fork"))
        children();
    if (!strcmp(how, "remove") && rank == 0) {
        char command[4096];
        snprintf(command, sizeof command, "rm -rf '%s'", getenv("REMOVE"));
        if (system(command))
            return 1;
    }
    if (!strcmp(how, "limit"))
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){1024, 1024});
    if (strcmp(how, "atexit"))
        finalize();
    /* Rank 0 alone: a launcher kills the others when one fails, and rank 0 is the one that prints.
     */
    return strcmp(how, "finalize") || rank ? 0 : 7;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "finalize";
    int provided;
    if (getenv("GO") && chdir(getenv("GO")))
        return 2;
    setlocale(LC_ALL, ""); /* as many programs do */
    if (!strcmp(how, "own"))
        signal(SIGTERM, count_own);
    if (!strcmp(how, "thread"))
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    work();
    return end(how);
}
