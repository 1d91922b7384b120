/* analyze/main.c - the command `syncopate`: finds the subcommand, and returns its exit status. No
 * subcommand calls exit(). */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/cli/cli.h"
#include "analyze/print/command.h"
#include "trace/read/reader.h"

static const struct syn_cli_command *const commands[] = {
#define SYN_COMMAND(name, kind) &syn_command_##name,
#include "analyze/commands.def"
#undef SYN_COMMAND
};
static const enum {
    READS,
    STARTS
} kinds[] = {
#define SYN_COMMAND(name, kind) kind,
#include "analyze/commands.def"
#undef SYN_COMMAND
};
static const struct syn_cli_program program = {
    .name = "syncopate",
    .summary = "A profiler for MPI collectives with synchronized clocks and sound statistics.",
    .notes = "syncopate COMMAND --help says more. To begin with:\n\n"
             "  syncopate record -- mpirun -n 4 ./program\n"
             "  syncopate report syncopate-trace",
    .command = commands,
    .count = sizeof commands / sizeof *commands,
};

/* Returns NULL, after an error line, if there is no such command. */
static const struct syn_cli_command *find_command(const char *name)
{
    SYN_CLEANUP(syn_text_free) struct syn_text names = {0};
    char nearest[32];
    for (size_t i = 0; i < program.count; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return commands[i];
    for (size_t i = 0; i < program.count; i++)
        syn_text_format(&names, "%s ", commands[i]->name);
    const char *meant = syn_cli_nearest(name, syn_text_chars(&names), nearest, sizeof nearest);
    syn_bad_input("no command \"%s\"%s%s%s (see syncopate --help)", name,
                  meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
    return NULL;
}

static int print(struct syn_text *text)
{
    const bool failed = fputs(syn_text_chars(text), stdout) < 0;
    syn_text_free(text);
    return failed ? SYN_EXIT_BAD : SYN_EXIT_OK;
}

/* Runs `help` and `help COMMAND`, and the two forms that the build uses to make pages from the same
 * tables: `help --man [COMMAND]` and `help --completion SHELL`. */
static int help(int argc, char **argv)
{
    struct syn_text text = {0};
    const bool man = argc > 1 && strcmp(argv[1], "--man") == 0;
    if (argc > 2 && strcmp(argv[1], "--completion") == 0)
        return syn_cli_completion(&program, argv[2], &text)
                   ? syn_bad_usage("help", "--completion %s: expected bash, zsh or fish", argv[2])
                   : print(&text);
    const char *name = argc > 1 + man ? argv[1 + man] : NULL;
    const struct syn_cli_command *command = name ? find_command(name) : NULL;
    if (name && !command)
        return SYN_EXIT_BAD;
    if (man)
        syn_cli_man(&program, command, &text);
    else if (command)
        syn_cli_help(command, &text);
    else
        syn_cli_help_all(&program, &text);
    return print(&text);
}

static int run(int argc, char **argv)
{
    if (argc < 2)
        return syn_bad_input("no command given (see syncopate --help)");
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(1, argv);
    if (strcmp(name, "help") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return printf("syncopate %s\n", SYN_VERSION) < 0;
    const struct syn_cli_command *command = find_command(name);
    if (!command)
        return SYN_EXIT_BAD;
    syn_rank_look_in(getenv("SYNCOPATE_SPILL"));
    return command->run(argc - 1, argv + 1);
}

static bool starts_programs(const char *name)
{
    for (size_t i = 0; i < program.count; i++)
        if (strcmp(name, commands[i]->name) == 0)
            return kinds[i] == STARTS;
    return false;
}

int main(int argc, char **argv)
{
    syn_ignore_size_signal();
    setlocale(LC_CTYPE, ""); /* tells whether the terminal is UTF-8; numbers stay as in C */
    if (argc > 1 &&
        starts_programs(
            argv[1])) /* they get the descriptors as we got them, and we return their status */
        return run(argc, argv);
    /* Open /dev/null in place of each standard descriptor that is closed. Else the first file that
     * is opened would get that descriptor, and printed text would land in the file. RATIONALE:
     * opened for reading, so that printing to a closed output still fails. */
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", O_RDONLY);
    /* Flush standard output. RATIONALE: a full disk may be noticed only here. */
    const int status = run(argc, argv);
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    return syn_bad_input("standard output: %s", errno ? strerror(errno) : "cannot be written");
}
