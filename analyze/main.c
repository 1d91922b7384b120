/* analyze/main.c - the command `syncopate`: finds the subcommand. Nothing else in analyze/ exits.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../trace/reader.h"
#include "command.h"
#include "compare/compare.h"
#include "record/record.h"

static const struct {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"record", syn_command_record, "run an MPI program and record its collectives"},
    {"report", syn_command_report, "where the time went, who was late, every group's figures"},
    {"diff", syn_command_diff, "what differs between two programs, by their runs"},
    {"compare", syn_command_compare, "record two programs in turn and diff them"},
    {"info", syn_command_info, "how a trace came about: factors, clocks, what was lost"},
    {"check", syn_command_check, "is a trace whole? (exit status 0 yes, 1 no, 2 no trace)"},
    {"export", syn_command_export, "every event, for other programs"},
    {"recover", syn_command_recover, "a whole trace out of what a killed program left behind"},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static int print_help(void)
{
    printf("usage: syncopate COMMAND [OPTION...] [ARGUMENT...]\n\n"
           "A profiler for MPI collectives with synchronized clocks and sound statistics.\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  %-8s  %s\n", commands[i].name, commands[i].help);
    printf("\nsyncopate COMMAND --help says more. To begin with:\n\n"
           "  syncopate record -- mpirun -n 4 ./program\n"
           "  syncopate report syncopate-trace\n");
    return SYN_EXIT_OK;
}

/* A descriptor that was closed would be given to the first file that is opened, and what is printed
 * would land in it. Opened for reading, so that printing to a closed output still fails. */
static void keep_outputs_apart(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", O_RDONLY);
}

/* A full disk behind standard output may be noticed as late as here. */
static int finish(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    return syn_bad_input("standard output: %s", errno ? strerror(errno) : "cannot be written");
}

static int run(int argc, char **argv)
{
    if (argc < 2)
        return syn_bad_input("no command given (see syncopate --help)");
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return print_help();
    if (strcmp(name, "--version") == 0)
        return printf("syncopate %s\n", SYN_VERSION) < 0;
    syn_rank_look_in(getenv("SYNCOPATE_SPILL"));
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].function(argc - 1, argv + 1);
    return syn_bad_input("no command \"%s\" (see syncopate --help)", name);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); /* is the terminal UTF-8? Numbers stay as in C */
    bool starts_programs =
        argc > 1 && (strcmp(argv[1], "record") == 0 || strcmp(argv[1], "compare") == 0);
    if (starts_programs) /* which are to find what we found, and whose status is to be ours */
        return run(argc, argv);
    keep_outputs_apart();
    return finish(run(argc, argv));
}
