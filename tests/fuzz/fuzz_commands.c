/* tests/fuzz/fuzz_commands.c - every command over arbitrary traces: files in a directory in memory,
 * the command's own function, and a judge of what it printed. The first byte of an input says
 * which. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/cli/cli.h"
#include "analyze/print/command.h"
#include "fuzz.h"
#include "fuzz_capture.h"
#include "fuzz_judge.h"

const bool fuzz_one_file = false;

#define ARGUMENTS_MAX 12
#define PATH_BYTES    160

/* "@" is the trace (or experiment); "<" and ">" are its two runs, or twice the trace. */
static const struct {
    const struct syn_cli_command *command;
    enum fuzz_format format;
    const char *arguments[ARGUMENTS_MAX];
} commands[] = {
#define READS(name)             {&syn_command_##name, FUZZ_TEXT, {#name, "@"}},
#define STARTS(name)            /* no programs are started here */
#define SYN_COMMAND(name, kind) kind(name)
#include "analyze/commands.def"
#undef SYN_COMMAND
    {&syn_command_report, FUZZ_JSON, {"report", "--format", "json", "@"}},
    {&syn_command_report, FUZZ_CSV, {"report", "--format", "csv", "@"}},
    {&syn_command_report, FUZZ_HTML, {"report", "--format", "html", "@"}},
    {&syn_command_report,
     FUZZ_JSON,
     {"report", "--format", "json", "--by", "op,rank", "--all", "@"}},
    {&syn_command_report,
     FUZZ_TEXT,
     {"report", "--by", "node,run", "--sort", "wait", "--top", "0", "@"}},
    {&syn_command_report,
     FUZZ_CSV,
     {"report", "--by", "op", "--format", "csv", "--confidence", "0.99", "@"}},
    {&syn_command_info, FUZZ_TEXT, {"info", "--rules", "@"}},
    {&syn_command_info, FUZZ_JSON, {"info", "--rules", "--format", "json", "@"}},
    {&syn_command_report,
     FUZZ_TEXT,
     {"report", "--precision", "5%", "--skip-warmup", "--pairs", "--ci", "exact", "@"}},
    {&syn_command_report,
     FUZZ_JSON,
     {"report", "--format", "json", "--pairs", "--precision", "5%", "--ci", "block", "@"}},
    {&syn_command_info, FUZZ_JSON, {"info", "--format", "json", "@"}},
    {&syn_command_export, FUZZ_CSV, {"export", "--format", "csv", "@"}},
    {&syn_command_export, FUZZ_JSON, {"export", "--format", "perfetto", "@"}},
    {&syn_command_diff, FUZZ_TEXT, {"diff", "<", "--", ">"}},
    {&syn_command_diff,
     FUZZ_JSON,
     {"diff", "--format", "json", "--metric", "wait_share", "<", "--", ">"}},
    {&syn_command_diff, FUZZ_CSV, {"diff", "--format", "csv", "--adjust", "bh", "<", "--", ">"}},
    {&syn_command_diff, FUZZ_HTML, {"diff", "--format", "html", "@", "--", "<"}},
    {&syn_command_diff, FUZZ_TEXT, {"diff", "--aa", "@", "--", ">"}},
    {&syn_command_diff,
     FUZZ_JSON,
     {"diff", "--format", "json", "--by", "op,rank", "--quantiles", "0.1,0.9", "<", "--", ">"}},
    {&syn_command_diff, FUZZ_TEXT, {"diff", "--by", "node", "--sort", "bytes", "<", "--", ">"}},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static char base[64]; /* the directory that holds all */

/* ---- the trace ---- */

static void run_path(char path[PATH_BYTES], const struct fuzz_trace *trace, int run)
{
    snprintf(path, PATH_BYTES, trace->run[1].exists && run >= 0 ? "%s/trace/run-000%d" : "%s/trace",
             base, run + 1);
}

static void write_file(const char *directory, const char *name, const struct fuzz_file *file)
{
    char path[2 * PATH_BYTES];
    if (!file->exists)
        return;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    fuzz_require(descriptor >= 0 && write(descriptor, file->content.data, file->content.count) ==
                                        (ssize_t)file->content.count,
                 "no file in memory");
    close(descriptor);
}

static void write_run(const char *directory, const struct fuzz_run *run)
{
    fuzz_require(mkdir(directory, 0700) == 0 || errno == EEXIST, "no directory in memory");
    for (int rank = 0; rank < FUZZ_RANKS; rank++)
        for (int part = 0; part < 2; part++) {
            char name[40];
            snprintf(name, sizeof name, "rank-%06d.syn%s", rank, part ? ".part" : "");
            write_file(directory, name, &run->rank[rank][part]);
        }
    write_file(directory, "manifest", &run->manifest);
    write_file(directory, "symbols", &run->symbols);
}

static void write_trace(const struct fuzz_trace *trace)
{
    char path[PATH_BYTES];
    run_path(path, trace, -1);
    mkdir(path, 0700);
    for (int run = 0; run < FUZZ_RUNS; run++) {
        run_path(path, trace, run);
        if (trace->run[run].exists)
            write_run(path, &trace->run[run]);
    }
}

static void remove_run(const char *path)
{
    DIR *stream = opendir(path);
    for (struct dirent *entry; stream && (entry = readdir(stream));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(stream), entry->d_name, 0);
    if (stream)
        closedir(stream);
    rmdir(path);
}

static void remove_trace(const struct fuzz_trace *trace)
{
    char path[PATH_BYTES];
    for (int run = trace->run[1].exists ? 1 : -1; run >= -1; run--) {
        run_path(path, trace, run);
        remove_run(path);
    }
}

/* ---- a command ---- */

static const struct fuzz_printed *run_command(size_t which, const struct fuzz_trace *trace)
{
    static char paths[ARGUMENTS_MAX][PATH_BYTES];
    char *argv[ARGUMENTS_MAX + 1] = {NULL};
    int argc = 0;
    for (; argc < ARGUMENTS_MAX && commands[which].arguments[argc]; argc++) {
        const char *argument = commands[which].arguments[argc];
        argv[argc] = (char *)argument;
        if (argument[1] || !strchr("@<>", argument[0]))
            continue;
        run_path(paths[argc], trace, argument[0] == '@' ? -1 : argument[0] == '<' ? 0 : 1);
        argv[argc] = paths[argc];
    }
    return fuzz_capture(commands[which].command->run, argv);
}

static void judge(enum fuzz_format format, const struct fuzz_printed *printed)
{
    const char *wrong = fuzz_judge(format, printed->out, printed->out_bytes);
    if (!wrong)
        wrong = fuzz_judge(FUZZ_TEXT, printed->err, printed->err_bytes);
    if (wrong)
        fprintf(stderr, "%s\n%s\n", printed->out, printed->err);
    fuzz_require(!wrong, wrong);
    fuzz_require(printed->status >= SYN_EXIT_OK && printed->status <= SYN_EXIT_BAD, "exit status");
    fuzz_require(printed->status != SYN_EXIT_BAD || printed->err_bytes > 0,
                 "failed without a word");
}

/* Checks a trace that recover called done: no file has a fault inside. Ranks without a readable
 * file stay so. */
static void judge_recovered(const struct fuzz_trace *trace)
{
    size_t check = 0;
    static const char *const faults[] = {" at byte ", "no end frame", "not in it",
                                         "no manifest: ", "its manifest says"};
    while (commands[check].command != &syn_command_check)
        check++;
    const struct fuzz_printed *printed = run_command(check, trace);
    fuzz_require(printed->status != SYN_EXIT_BAD, "recovered, and no trace");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        bool found = strstr(printed->out, faults[i]) != NULL;
        if (found)
            fprintf(stderr, "%s", printed->out);
        fuzz_require(!found, "recovered, and not whole");
    }
}

/* Opening a file is bounded by reader.h; the commands keep some bytes for each event of it, and a
 * chunk may expand by its factor of compression. */
static size_t memory_max(const struct fuzz_trace *trace)
{
    return ((size_t)64 << 20) + ((size_t)64 << 10) * trace->bytes;
}

static void clean_up(void)
{
    char path[PATH_BYTES];
    for (int run = 1; run <= 2; run++) {
        snprintf(path, sizeof path, "%s/trace/run-000%d", base, run);
        remove_run(path);
    }
    snprintf(path, sizeof path, "%s/trace", base);
    remove_run(path);
    rmdir(base);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    snprintf(base, sizeof base, "/dev/shm/syncopate-fuzz.XXXXXX");
    fuzz_require(mkdtemp(base) != NULL, "/dev/shm: no directory");
    atexit(clean_up);
    setlocale(LC_CTYPE, "C.UTF-8");
    setenv("COLUMNS", "120", 1);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct fuzz_trace trace;
    fuzz_build(data, bytes, &trace);
    size_t which = trace.options % COMMAND_COUNT;
    write_trace(&trace);
    fuzz_memory_begin();
    const struct fuzz_printed *printed = run_command(which, &trace);
    fuzz_require(fuzz_memory_peak() <= memory_max(&trace),
                 "more memory than the files' sizes allow");
    judge(commands[which].format, printed);
    if (commands[which].command == &syn_command_recover && printed->status == SYN_EXIT_OK)
        judge_recovered(&trace);
    remove_trace(&trace);
    return 0;
}
