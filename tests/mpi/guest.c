/* tests/mpi/guest.c - a program that does with its process what programs may do.
 * usage: guest HOW[,HOW...]; 300 collectives, each HOW, 2,000 collectives, then the end. What it
 * has to say goes to $OWN/RANK.*, files of its own, which recording must not change:
 *
 *   plain    nothing
 *   take     puts files of its own at every number at which a file or a directory is open
 *   pipes    where $TRACE says that somebody may have some, puts a file at the two ends of the last
 *            pipe, and calls from code that no unwinder knows
 *   close    closes every file and directory from 3 on, and opens files of its own
 *   streams  closes 0, 1 and 2 and opens files there
 *   wander   changes its directory and its umask
 *   rename   rank 0 renames the directory $TRACE to $TRACE.moved
 *   full     opens files until there is no number left, and keeps them
 *   limit    sets its soft limit on descriptors to 3
 *   lost     close and rename
 *   root     changes its root directory, and its user where it may
 *   chain    sets a handler that calls the one before; by default it ends itself as textbooks say;
 *            rank 0 alone
 *   chain0   the same, but where the one before was the default it goes on
 *   query    writes down what sigaction and signal say of each signal
 *   count    writes down which numbers below 900 are those of files and directories */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank;

/* Most of them alone: where ranks share a processor and spin, each call of all of them takes a time
 * slice of a rank. */
static void calls(int count)
{
    for (int i = 0; i < count; i++) {
        int in = rank, out;
        MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, i % 64 == 0 ? MPI_COMM_WORLD : MPI_COMM_SELF);
    }
}

/* A file of the program's own, with a word in it. */
static int own_file(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.%s", getenv("OWN"), rank, name);
    const int file = open(path, O_RDWR | O_CREAT | O_APPEND, 0666);
    if (file < 0 || write(file, "mine\n", 5) != 5)
        MPI_Abort(MPI_COMM_WORLD, 9);
    return file;
}

static int is_file_or_directory(int number)
{
    struct stat state;
    return fstat(number, &state) == 0 && (S_ISREG(state.st_mode) || S_ISDIR(state.st_mode));
}

static void take(void)
{
    const int file = own_file("taken");
    for (int number = 3; number < 1024; number++)
        if (number != file && (is_file_or_directory(number) || (number >= 200 && number < 210)))
            dup2(file, number);
}

/* Code without unwind information, with something else in the frame pointer: whoever unwinds it has
 * to guess, and to try that address. */
void call_from_nowhere(void (*function)(int), int argument, void *frame);
#if defined(__x86_64__)
__asm__(".text\n"
        ".type call_from_nowhere, @function\n"
        "call_from_nowhere:\n"
        "    pushq %rbp\n"
        "    movq %rdx, %rbp\n"
        "    movq %rdi, %rax\n"
        "    movl %esi, %edi\n"
        "    call *%rax\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size call_from_nowhere, . - call_from_nowhere\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".type call_from_nowhere, @function\n"
        "call_from_nowhere:\n"
        "    stp x29, x30, [sp, #-16]!\n"
        "    mov x9, x0\n"
        "    mov w0, w1\n"
        "    mov x29, x2\n"
        "    blr x9\n"
        "    ldp x29, x30, [sp], #16\n"
        "    ret\n"
        ".size call_from_nowhere, . - call_from_nowhere\n");
#else
void call_from_nowhere(void (*function)(int), int argument, void *frame)
{
    (void)frame;
    function(argument);
}
#endif

static int is_pipe_of(int number, struct stat *state)
{
    return fstat(number, state) == 0 && S_ISFIFO(state->st_mode);
}

/* Both numbers of the last pipe. */
static void take_last_pipe(int file, int taken[2])
{
    struct stat one, other;
    for (int number = 200; number > 3; number--) {
        if (!is_pipe_of(number, &one) || !is_pipe_of(number - 1, &other) ||
            one.st_ino != other.st_ino)
            continue;
        for (int i = 0; i < 2; i++)
            taken[i] = dup2(file, number - i);
        return;
    }
}

static void pipes(void)
{
    const int file = own_file("pipe");
    int taken[2] = {file, file};
    if (getenv("TRACE"))
        take_last_pipe(file, taken);
    lseek(file, 0, SEEK_SET); /* who reads, gets something */
    for (int i = 0; i < 10; i++) {
        void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page != MAP_FAILED)
            call_from_nowhere(calls, 1, page);
    }
    for (int i = 0; i < 2; i++)
        if (write(taken[i], "still mine\n", 11) != 11)
            MPI_Abort(MPI_COMM_WORLD, 9);
}

static void close_all(void)
{
    for (int number = 3; number < 1024; number++)
        if (is_file_or_directory(number))
            close(number);
    for (int i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "file%d", i);
        fcntl(own_file(name), F_DUPFD, 985);
    }
}

static void streams(void)
{
    const char *const names[] = {"in", "out", "err"};
    for (int number = 0; number < 3; number++)
        close(number);
    for (int number = 0; number < 3; number++)
        own_file(names[number]);
}

static void move_trace(void)
{
    char to[4096];
    if (rank == 0 && getenv("TRACE")) {
        snprintf(to, sizeof to, "%s.moved", getenv("TRACE"));
        if (rename(getenv("TRACE"), to) && errno != ENOENT)
            MPI_Abort(MPI_COMM_WORLD, 9);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void fill_numbers(void)
{
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){1024, 1024});
    own_file("full");
    while (open("/dev/null", O_RDONLY) >= 0)
        continue;
}

static void change_root(void)
{
    own_file("root");
    if (chroot(getenv("OWN")) || chdir("/") || setgid(65534) || setuid(65534))
        dprintf(own_file("no_root"), "not root\n");
}

/* ---- signals ---- */

static struct sigaction before;
static int goes_on;

static void handler(int number, siginfo_t *info, void *context)
{
    (void)!write(own_file("signals"), "handled\n", 8);
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler == SIG_DFL && !goes_on) {
        signal(number, SIG_DFL);
        raise(number);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    }
}

/* Only rank 0 raises a signal that ends it: how far others would come until the launcher kills
 * them, varies. */
static void chain(void)
{
    if (!goes_on && rank > 0)
        return;
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGTERM, &action, &before);
    raise(SIGTERM);
}

static void query(void)
{
    const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGPROF};
    FILE *file = fdopen(own_file("dispositions"), "a");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction now;
        sigaction(numbers[i], NULL, &now);
        void (*old)(int) = signal(numbers[i], SIG_IGN);
        fprintf(file, "%d: %s, flags %x; signal says %s\n", numbers[i],
                now.sa_handler == SIG_DFL ? "default" : "other", (unsigned)now.sa_flags,
                old == SIG_DFL ? "default" : "other");
        sigaction(numbers[i], &now, NULL);
    }
    fclose(file);
}

static void count(void)
{
    int files = 0;
    for (int number = 0; number < 900; number++)
        files += is_file_or_directory(number);
    dprintf(own_file("count"), "%d\n", files);
}

static void do_it(const char *how)
{
    if (!strcmp(how, "take"))
        take();
    if (!strcmp(how, "pipes"))
        pipes();
    if (!strcmp(how, "close") || !strcmp(how, "lost"))
        close_all();
    if (!strcmp(how, "streams"))
        streams();
    if (!strcmp(how, "wander")) {
        umask(0777);
        if (chdir("/"))
            MPI_Abort(MPI_COMM_WORLD, 9);
    }
    if (!strcmp(how, "rename") || !strcmp(how, "lost"))
        move_trace();
    if (!strcmp(how, "full"))
        fill_numbers();
    if (!strcmp(how, "limit"))
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){3, 1024});
    if (!strcmp(how, "root"))
        change_root();
    goes_on = !strcmp(how, "chain0");
    if (!strncmp(how, "chain", 5))
        chain();
    if (!strcmp(how, "query"))
        query();
    if (!strcmp(how, "count"))
        count();
}

static void do_all(const char *list)
{
    char ways[256], *rest = NULL;
    snprintf(ways, sizeof ways, "%s", list);
    for (char *how = strtok_r(ways, ",", &rest); how; how = strtok_r(NULL, ",", &rest))
        do_it(how);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *how = argc > 1 ? argv[1] : "plain";
    calls(300);
    do_all(how);
    calls(2000);
    if (rank == 0 && strcmp(how, "streams")) {
        printf("%s: done\n", how);
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
