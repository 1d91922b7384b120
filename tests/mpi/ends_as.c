/* tests/mpi/ends_as.c - runs a rank's program and writes how it ended: ends_as DIRECTORY PROGRAM
 * [ARGUMENT...]
 *
 * DIRECTORY/RANK has "exit STATUS" or "signal NUMBER", or "told" where the launcher ended the rank
 * because of another one; it is absent where the launcher used SIGKILL. The launcher's exit status
 * says less: which rank it speaks of varies from run to run. (The program's connection to the
 * launcher stays open here, for MPICH's kills who closes it.) */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t told;
static volatile pid_t child;

static void pass_on(int signal_number)
{
    told = 1;
    if (child > 0)
        kill(child, signal_number);
}

static void write_ending(const char *directory, int status)
{
    char path[PATH_MAX];
    const char *rank = getenv("PMI_RANK");
    if (!rank)
        rank = getenv("OMPI_COMM_WORLD_RANK");
    snprintf(path, sizeof path, "%s/%s", directory, rank ? rank : "unknown");
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    if (told)
        fprintf(file, "told\n");
    else if (WIFSIGNALED(status))
        fprintf(file, "signal %d\n", WTERMSIG(status));
    else
        fprintf(file, "exit %d\n", WEXITSTATUS(status));
    fclose(file);
}

int main(int argc, char **argv)
{
    const int passed_on[] = {SIGTERM, SIGINT, SIGHUP};
    const struct rlimit no_core = {0, 0};
    int status;
    if (argc < 3)
        return 2;
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        signal(passed_on[i], pass_on); /* that of the program is the default again: it is exec'd */
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0)
        ;
    write_ending(argv[1], status);
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    setrlimit(RLIMIT_CORE, &no_core);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}
