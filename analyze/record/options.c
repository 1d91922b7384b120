/* analyze/record/options.c - parses and checks the command line of `record`. Settings are checked
 * here so that a mistake is found before the run. They are passed on unchanged, and the recorder
 * reads them by the same rules (preload/base/options.c). */
#include "analyze/record/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyze/print/command.h"
#include "sync/base/status.h"
#include "trace/base/ops.h"
#include "trace/directory/lists.h"
#include "trace/directory/output_name.h"

#define DEFAULT_DIRECTORY "syncopate-trace"
#define RUN_COUNT_MAX     9999 /* run-0001 ... run-9999 */

/* ---- values ---- */

static bool is_whole(const char *text, long low, long high)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    bool digits = isdigit((unsigned char)text[0]) || text[0] == '-';
    return digits && errno == 0 && *end == '\0' && value >= low && value <= high;
}

static bool is_one_of(const char *words, const char *text)
{
    return syn_cli_choice(words, text) >= 0;
}

#define METHODS "auto hca hca2 hca3 jk skampi netgauge none"

/* Accepts 0, or a number of seconds from `least` to `most`. */
static bool is_seconds(const char *text, double least, double most)
{
    char *end;
    const double seconds = strtod(text, &end);
    return isdigit((unsigned char)text[0]) && *end == '\0' &&
           (seconds == 0 || (seconds >= least && seconds <= most));
}

/* Accepts a number, followed by K, M, G (powers of 1024) or nothing. */
static bool is_buffer(const char *text)
{
    char *end;
    errno = 0;
    unsigned long long count = strtoull(text, &end, 10);
    const char *letter = *end != '\0' ? strchr("KMG", toupper((unsigned char)*end)) : NULL;
    if (!isdigit((unsigned char)text[0]) || errno != 0 ||
        (*end != '\0' && (!letter || end[1] != '\0')))
        return false;
    int shift = !letter ? 0 : *letter == 'K' ? 10 : *letter == 'M' ? 20 : 30;
    return count <= UINT64_MAX >> (shift + 1) && count << shift >= (UINT64_C(64) << 10);
}

/* Accepts 1 us to 1 s: a number, followed by ns, us, ms, s or nothing (seconds). */
static bool is_window(const char *text)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"", 1e9}};
    char *end;
    double number = strtod(text, &end);
    for (size_t i = 0; isdigit((unsigned char)text[0]) && i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].name) == 0)
            return number * units[i].ns >= 1e3 && number * units[i].ns <= 1e9;
    return false;
}

static bool is_alignment(const char *text)
{
    static const char prefix[] = "window=";
    return is_one_of("none barrier window", text) ||
           (strncmp(text, prefix, sizeof prefix - 1) == 0 && is_window(text + sizeof prefix - 1));
}

static bool is_operation_list(const char *text)
{
    char list[4096], *rest = NULL;
    size_t name_count = 0;
    if (strcasecmp(text, "all") == 0)
        return true;
    text += text[0] == '-' || text[0] == '^';
    if (strlen(text) >= sizeof list)
        return false;
    strcpy(list, text);
    for (char *name = strtok_r(list, ", ", &rest); name;
         name = strtok_r(NULL, ", ", &rest), name_count++) {
        bool rows[SYN_ROW_COUNT];
        if (syn_ops_select(name, true, rows) != 0)
            return false;
    }
    return name_count > 0;
}

/* ---- options ---- */

/* The recorder's settings: the option, and the check of its value. Each sets the variable
 * SYNCOPATE_<OPTION>. */
#define SETTINGS(X)                                                   \
    X(sync, is_one_of(METHODS, text))                                 \
    X(fitpoints, is_whole(text, 1, 1000000))                          \
    X(exchanges, is_whole(text, 1, 1000000))                          \
    X(sync_budget, is_seconds(text, 0, 3600))                         \
    X(resync, is_seconds(text, 0.01, 86400))                          \
    X(clock, is_one_of("tsc monotonic mpi", text))                    \
    X(stack, is_whole(text, 0, 64))                                   \
    X(buffer, is_buffer(text))                                        \
    X(spill, text[0] != '\0')                                         \
    X(level, is_whole(text, -7, 22))                                  \
    X(align, is_alignment(text))                                      \
    X(ops, is_operation_list(text))                                   \
    X(ranks, strlen(text) < 4096 && syn_rank_list_check(text) == 0)   \
    X(phases, strlen(text) < 2048 && syn_phase_list_check(text) == 0) \
    X(signals, is_one_of("on off", text))                             \
    X(files, is_one_of("auto node rank", text))                       \
    X(messages, is_one_of("events sums on off", text))                \
    X(samples, is_one_of("on off", text))

enum setting {
#define SETTING_NUMBER(name, holds) SETTING_##name,
    SETTINGS(SETTING_NUMBER) SETTING_COUNT
};
_Static_assert(SETTING_COUNT == SYN_RECORD_SETTING_COUNT, "one place for each setting's value");

#define SETTING_TAKE(name, holds)                                                 \
    static int take_##name(void *target, const char *text)                        \
    {                                                                             \
        ((struct record_options *)target)->settings[SETTING_##name].value = text; \
        return (holds) ? 0 : SYN_EINVAL;                                          \
    }
SETTINGS(SETTING_TAKE)

/* Returns "SYNCOPATE_SYNC_BUDGET" for "sync_budget". The names are made once. */
static const char *variable_of(enum setting setting)
{
    static const char *const names[] = {
#define SETTING_NAME(name, holds) #name,
        SETTINGS(SETTING_NAME)};
    static char variables[SETTING_COUNT][64];
    char *variable = variables[setting];
    if (!*variable) {
        char *end = variable + snprintf(variable, sizeof variables[0], "SYNCOPATE_");
        for (const char *c = names[setting]; *c; c++)
            *end++ = (char)toupper((unsigned char)*c);
    }
    return variable;
}

static int take_directory(void *target, const char *value)
{
    char name[PATH_MAX], unknown;
    ((struct record_options *)target)->directory = value;
    return *value ? syn_output_name(value, name, sizeof name, &unknown) : SYN_EINVAL;
}

static int take_runs(void *target, const char *value)
{
    struct record_options *options = target;
    if (!is_whole(value, 1, RUN_COUNT_MAX))
        return SYN_EINVAL;
    options->run_count = atoi(value);
    options->runs_given = true;
    return 0;
}

static int take_until(void *target, const char *value)
{
    return record_until_take_share(&((struct record_options *)target)->until, value);
}

static int take_for(void *target, const char *value)
{
    return record_until_take_budget(&((struct record_options *)target)->until, value);
}

/* Takes a list of actions. Each of them includes the report. */
static int take_on_hang(void *target, const char *value)
{
    char list[64], *rest = NULL;
    unsigned *actions = &((struct record_options *)target)->on_hang.actions;
    if (strlen(value) >= sizeof list)
        return SYN_EINVAL;
    strcpy(list, value);
    for (char *word = strtok_r(list, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
        const int action = syn_cli_choice(RECORD_HANG_ACTIONS, word);
        if (action < 0)
            return SYN_EINVAL;
        *actions |= RECORD_HANG_REPORT | 1u << action;
    }
    return *actions ? 0 : SYN_EINVAL;
}

static int take_hang_after(void *target, const char *value)
{
    return record_time_parse(value, &((struct record_options *)target)->on_hang.after_s);
}

SYN_CLI_SET(take_quiet, struct record_options, quiet)
SYN_CLI_SET(take_report, struct record_options, report)

static const struct syn_cli_option general[] = {
    {"output", 'o', "DIR", "/",
     "directory of the trace (default syncopate-trace). An older trace moves to DIR.old. In "
     "DIR: " SYN_OUTPUT_PLACEHOLDERS,
     "the name of a directory, of placeholders %j, %s, %a, %h, %p, %t, %%", take_directory},
    {"runs", 0, "N", "", "around a launcher: run it N times, into DIR/run-0001 ... (default 1)",
     "a number from 1 to 9999", take_runs},
    {"until", 0, "SHARE", "",
     "around a launcher: repeat the run until its run time and its time in collectives are known "
     "to within this (2%), at most --runs times (default 100)",
     RECORD_UNTIL_EXPECTED, take_until},
    {"for", 0, "TIME", "",
     "around a launcher: repeat the run as often as this time allows (90s, 30m, 2h)",
     RECORD_FOR_EXPECTED, take_for},
    {"on-hang", 0, "LIST", RECORD_HANG_ACTIONS,
     "watch for ranks that never come. report: say on stderr who is waited for; stacks: their "
     "call stacks, too; kill: then end the run, with status 124 (default: nobody watches)",
     "report, stacks, kill, or several of them (report,stacks,kill)", take_on_hang},
    {"hang-after", 0, "TIME", "", "with --on-hang: no shorter wait is a hang (default 60s)",
     RECORD_FOR_EXPECTED, take_hang_after},
    {"report", 0, NULL, NULL, "around a launcher: print the report at the end", NULL, take_report},
    {"quiet", 'q', NULL, NULL, "say nothing but failures", NULL, take_quiet},
};

/* For completion and suggestions: the classes, and the name of each operation. */
static const char operations[] = "all data comm window file"
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS) " " #Name
#define SYN_OTHER(row, NAME, Name, name, CLASS, SHAPE, DOES)         " " #Name
#define SYN_EXTENSION(row, NAME, Name, name, SHAPE, DOES)            " " #Name
#include "trace/base/ops.def"
    ;

static const struct syn_cli_option recording[] = {
    {"ops", 0, "LIST", operations,
     "only these collectives (Bcast,Allreduce) or classes of them (data, comm, window, file). With "
     "^ in front: all but these (^Barrier,comm) (default all)",
     "names of collectives (Bcast,Allreduce) or classes (data,comm,window,file), all, or ^ and "
     "those to leave out",
     take_ops},
    {"ranks", 0, "LIST", "",
     "only these ranks (0-3,8 or 0-63:4). The others run unrecorded (default: all)",
     "ranks of MPI_COMM_WORLD (0-3,8 or 0-63:4)", take_ranks},
    {"phases", 0, "LIST", "", "names of the phases that MPI_Pcontrol begins (2=assembly,3=solve)",
     "names of MPI_Pcontrol's levels from 2 on, one for each (2=assembly,3=solve)", take_phases},
    {"messages", 0, "events|sums|off", "events sums off",
     "other MPI calls (send, receive, wait, one-sided): the time in them, as sums between "
     "collectives; with events each message as well (default sums)",
     "events, sums or off", take_messages},
    {"samples", 0, "on|off", "on off",
     "what the kernel counts of each thread: processor time, switches, page faults. Every 10 ms at "
     "most (default on)",
     "on or off", take_samples},
    {"stack", 0, "DEPTH", "", "depth of call stacks, 0 for none (default 8)",
     "a depth from 0 to 64", take_stack},
    {"buffer", 0, "SIZE", "", "memory for events on each rank: K, M or G (default 64M)",
     "bytes from 64K, such as 64M or 1G", take_buffer},
    {"spill", 0, "DIR", "/",
     "directory for events that are not in the trace yet, and for the calls that ranks are inside. "
     "There they survive a kill of the program. On a local disk or in /dev/shm it is fastest "
     "(default: the trace's directory). memory: they do not survive, and nothing tells where a "
     "run hangs",
     "a directory, or memory", take_spill},
    {"level", 0, "N", "", "level of compression (zstd), -7 to 22 (default 1)",
     "a level of zstd from -7 to 22", take_level},
    {"files", 0, "KIND", "auto node rank",
     "files of a trace that ends well. node: one for all ranks of a machine, in which what they "
     "declare alike is there once. rank: one for each rank. auto: node from 16 ranks on (default "
     "auto)",
     "auto, node or rank", take_files},
    {"signals", 0, "on|off", "on off",
     "note which signal ended the program, by handlers where it has none of its own (default on). "
     "off: events lie in memory alone, as with --spill memory",
     "on or off", take_signals},
};

static const struct syn_cli_option clocks[] = {
    {"sync", 0, "METHOD", METHODS,
     "how clocks are synchronized: hca, hca2, hca3, jk, skampi, netgauge, none, or auto: the best "
     "for this machine (default auto)",
     "hca, hca2, hca3, jk, skampi, netgauge, none or auto", take_sync},
    {"fitpoints", 0, "N", "", "offset measurements for each drift model (default: the method's)",
     "a number from 1 to 1000000", take_fitpoints},
    {"exchanges", 0, "N", "", "round trips for each offset measurement (default: the method's)",
     "a number from 1 to 1000000", take_exchanges},
    {"sync-budget", 0, "S", "",
     "seconds that one level of synchronization may take (default: the method's)",
     "seconds from 0 to 3600", take_sync_budget},
    {"resync", 0, "SECONDS", "",
     "measure the clocks again every so many seconds while the program runs, in its barriers and "
     "allreduces on MPI_COMM_WORLD (default: never)",
     "seconds from 0.01 to 86400, or 0 for never", take_resync},
    {"clock", 0, "CLOCK", "tsc monotonic mpi",
     "tsc, monotonic (clock_gettime) or mpi (MPI_Wtime) (default tsc)", "tsc, monotonic or mpi",
     take_clock},
    {"align", 0, "HOW", "none barrier window",
     "how blocking collectives start. none (default): as the program starts them. barrier: after a "
     "barrier. window: all ranks at one time of the global clock; window=TIME: at first this far "
     "ahead (50us)",
     "none, barrier, window or window=TIME (window=50us)", take_align},
};

#define SECTION(title, options)                                \
    {                                                          \
        title, options, sizeof(options) / sizeof *(options), 0 \
    }
static const struct syn_cli_section sections[] = {
    SECTION(NULL, general), SECTION("What is recorded", recording), SECTION("Clocks", clocks)};

/* Variables that are no settings of the recorder. */
static const struct syn_cli_variable variables[] = {
    {"SYNCOPATE_OUTPUT", "As --output"},
    {"SYNCOPATE_QUIET", "1: as --quiet"},
    {"SYNCOPATE_DISABLE", "1: the library that is preloaded records nothing"},
    {"SYNCOPATE_LIBRARY", "The library to preload, where it is not beside the command"},
    {"SYNCOPATE_BACKENDS", "A directory of further parts for MPIs (syncopate-backend -o)"},
    {"SYNCOPATE_COMMAND",
     "The command that the readers for Python and R start, if it is not in PATH"},
    {"SYNCOPATE_TEST_SKEW", "Clock errors that the project's own tests put in"},
};

const struct syn_cli_command syn_command_record = {
    .name = "record",
    .summary = "run an MPI program and record its collectives",
    .usage = "mpirun -n 4 syncopate record [OPTION...] PROGRAM [ARG...]       inside a launcher\n"
             "syncopate record [OPTION...] -- mpirun -n 4 PROGRAM [ARG...]    around a launcher",
    .description = "Runs an MPI program and records its collectives into a trace. The program "
                   "keeps its input, output and exit status. What syncopate says goes to stderr.",
    .section = sections,
    .section_count = sizeof sections / sizeof *sections,
    .notes =
        "Options of the recorder have environment variables, for use without this command: "
        "SYNCOPATE_OPS for --ops, SYNCOPATE_SYNC_BUDGET for --sync-budget. man syncopate-record "
        "lists all variables.\n\nExit "
        "status: the program's or the launcher's (128 + N where signal N ended it); 124 where "
        "--on-hang kill ended it, around a launcher; 126 where it cannot be executed; 127 where it "
        "is not found; 2 for wrong usage.",
    .variable_section = 1,
    .variable = variables,
    .variable_count = sizeof variables / sizeof *variables,
    .examples = "  syncopate record -- mpirun -n 4 ./program\n"
                "  mpirun -n 4 syncopate record -o trace ./program\n"
                "  syncopate record --runs 10 -o before -- mpirun -n 4 ./program\n"
                "  SYNCOPATE_OPS=Allreduce mpirun -n 4 syncopate record ./program",
    .stops_at_argument = true,
    .argument_is_command = true,
    .run = syn_record_run,
};

/* Says whether the options ended in "--", and not at the first word, which is then at argv[optind].
 * RATIONALE: getopt_long has skipped the dashes, and a "--" before the command may also be the
 * value of an option. So the command line is read again up to that word. */
static bool ended_by_dashes(int argc, char **argv)
{
    struct record_options unused = {.directory = ""};
    SYN_CLEANUP(syn_text_free) struct syn_text why = {0};
    int status;
    const int end = optind;
    if (end < 2 || end > argc || strcmp(argv[end - 1], "--") != 0)
        return false;
    char *saved = argv[end - 1];
    argv[end - 1] = NULL;
    const enum syn_cli_step step =
        syn_cli_read(&syn_command_record, end - 1, argv, &unused, &why, &status);
    argv[end - 1] = saved;
    optind = end;
    return step == SYN_CLI_GO;
}

/* Says whether a name has a placeholder that each rank fills in differently. */
static bool differs_by_rank(const char *name)
{
    for (; *name; name++)
        if (*name == '%' && strchr("hpt", *++name))
            return true;
    return false;
}

/* Appends what is wrong with the options taken together; nothing: they may be used. */
static void check_together(const struct record_options *options, struct syn_text *why)
{
    const bool hangs = options->on_hang.actions != 0;
    const struct record_setting *settings = options->settings;
    if (!options->command[0])
        syn_text_string(why, "which program? (syncopate record --help)");
    else if (options->on_hang.after_s > 0 && !hangs)
        syn_text_string(why, "--hang-after goes with --on-hang");
    else if (hangs && !options->around && differs_by_rank(options->directory))
        syn_text_format(why,
                        "--on-hang inside a launcher needs a trace whose name all ranks make "
                        "alike: %s has %%h, %%p or %%t",
                        options->directory);
    else if (hangs && (syn_same_text(settings[SETTING_clock].value, "mpi") ||
                       syn_same_text(settings[SETTING_spill].value, "memory")))
        syn_text_string(why, "--on-hang sees nothing with --clock mpi or --spill memory");
    else if (options->report && !options->around)
        syn_text_string(
            why, "--report needs the launcher: syncopate record --report -- mpirun ... PROGRAM");
    else if (options->runs_given && !options->around) {
        const bool by_share = options->until.share > 0, by_time = options->until.budget_s > 0;
        const char *option = by_share ? "until" : by_time ? "for" : "runs";
        syn_text_format(why,
                        "--%s needs the launcher: syncopate record --%s %s -- mpirun ... PROGRAM",
                        option, option,
                        by_share  ? "2%"
                        : by_time ? "30m"
                                  : "N");
    }
}

enum syn_cli_step record_options_parse(int argc, char **argv, struct record_options *out,
                                       struct syn_text *why)
{
    int status;
    *out = (struct record_options){
        .directory = DEFAULT_DIRECTORY, .run_count = 1, .until = {.confidence = 0.95}};
    for (int i = 0; i < SYN_RECORD_SETTING_COUNT; i++)
        out->settings[i].variable = variable_of((enum setting)i);
    const enum syn_cli_step step = syn_cli_read(&syn_command_record, argc, argv, out, why, &status);
    if (step != SYN_CLI_GO)
        return step;
    out->around = ended_by_dashes(argc, argv);
    out->command = argv + optind;
    /* --until and --for also repeat the run; --runs is then the largest number. */
    const struct record_until *until = &out->until;
    if (!out->runs_given && until->share > 0)
        out->run_count = RECORD_UNTIL_RUNS;
    else if (!out->runs_given && until->budget_s > 0)
        out->run_count = RUN_COUNT_MAX;
    out->runs_given |= until->share > 0 || until->budget_s > 0;
    check_together(out, why);
    if (out->on_hang.actions && !(out->on_hang.after_s > 0))
        out->on_hang.after_s = RECORD_HANG_AFTER_S;
    return why->length > 0 ? SYN_CLI_WRONG : SYN_CLI_GO;
}
