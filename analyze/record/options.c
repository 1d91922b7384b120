/* analyze/record/options.c - parsing and validating. A setting is checked here, so that a slip is
 * found before the run, and handed on as it was written; the recorder reads it by the same rules
 * (preload/options.c). */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../trace/lists.h"
#include "../../trace/ops.h"

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

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words != NULL; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

static bool is_method(const char *text)
{
    static const char *const words[] = {"auto",   "hca",      "hca2", "hca3", "jk",
                                        "skampi", "netgauge", "none", NULL};
    return is_one_of(text, words);
}

static bool is_count(const char *text)
{
    return is_whole(text, 1, 1000000);
}

static bool is_budget(const char *text)
{
    char *end;
    double seconds = strtod(text, &end);
    return isdigit((unsigned char)text[0]) && *end == '\0' && seconds >= 0 && seconds <= 3600;
}

static bool is_interval(const char *text)
{
    char *end;
    double seconds = strtod(text, &end);
    return isdigit((unsigned char)text[0]) && *end == '\0' &&
           (seconds == 0 || (seconds >= 0.01 && seconds <= 86400));
}

static bool is_clock(const char *text)
{
    static const char *const words[] = {"tsc", "monotonic", "mpi", NULL};
    return is_one_of(text, words);
}

static bool is_depth(const char *text)
{
    return is_whole(text, 0, 64);
}

static bool is_path(const char *text)
{
    return text[0] != '\0';
}

/* A number, then K, M, G (powers of 1024) or nothing. */
static bool is_buffer(const char *text)
{
    char *end;
    errno = 0;
    unsigned long long count = strtoull(text, &end, 10);
    const char *letter = *end != '\0' ? strchr("KMG", toupper((unsigned char)*end)) : NULL;
    if (!isdigit((unsigned char)text[0]) || errno != 0 ||
        (*end != '\0' && (letter == NULL || end[1] != '\0')))
        return false;
    int shift = letter == NULL ? 0 : *letter == 'K' ? 10 : *letter == 'M' ? 20 : 30;
    return count <= UINT64_MAX >> (shift + 1) && count << shift >= (UINT64_C(64) << 10);
}

static bool is_level(const char *text)
{
    return is_whole(text, -7, 22);
}

/* A number, then ns, us, ms, s or nothing (seconds); 1 us to 1 s. */
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
    static const char *const words[] = {"none", "barrier", "window", NULL};
    static const char prefix[] = "window=";
    return is_one_of(text, words) ||
           (strncmp(text, prefix, sizeof prefix - 1) == 0 && is_window(text + sizeof prefix - 1));
}

static bool is_rank_list(const char *text)
{
    return strlen(text) < 4096 && syn_rank_list_check(text) == 0;
}

static bool is_phase_list(const char *text)
{
    return strlen(text) < 2048 && syn_phase_list_check(text) == 0;
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
    for (char *name = strtok_r(list, ", ", &rest); name != NULL;
         name = strtok_r(NULL, ", ", &rest), name_count++) {
        bool rows[SYN_ROW_COUNT];
        if (syn_ops_select(name, true, rows) != 0)
            return false;
    }
    return name_count > 0;
}

/* ---- options ---- */

enum option_code {
    CODE_DIRECTORY = 'o',
    CODE_QUIET = 'q',
    CODE_HELP = 'h',
    CODE_RUNS = 256,
    CODE_FIRST_SETTING
};

/* One setting of the recorder each. */
static const struct setting_rule {
    const char *option;
    const char *variable;
    bool (*is_valid)(const char *text);
    const char *expected;
} rules[SYN_RECORD_SETTING_COUNT] = {
    {"sync", "SYNCOPATE_SYNC", is_method, "hca, hca2, hca3, jk, skampi, netgauge, none or auto"},
    {"fitpoints", "SYNCOPATE_FITPOINTS", is_count, "a number from 1 to 1000000"},
    {"exchanges", "SYNCOPATE_EXCHANGES", is_count, "a number from 1 to 1000000"},
    {"sync-budget", "SYNCOPATE_SYNC_BUDGET", is_budget, "seconds from 0 to 3600"},
    {"resync", "SYNCOPATE_RESYNC", is_interval, "seconds from 0.01 to 86400, or 0 for never"},
    {"clock", "SYNCOPATE_CLOCK", is_clock, "tsc, monotonic or mpi"},
    {"stack", "SYNCOPATE_STACK", is_depth, "a depth from 0 to 64"},
    {"buffer", "SYNCOPATE_BUFFER", is_buffer, "bytes from 64K, such as 64M or 1G"},
    {"spill", "SYNCOPATE_SPILL", is_path, "a directory, or memory"},
    {"level", "SYNCOPATE_LEVEL", is_level, "a level of zstd from -7 to 22"},
    {"align", "SYNCOPATE_ALIGN", is_alignment,
     "none, barrier, window or window=TIME (window=50us)"},
    {"ops", "SYNCOPATE_OPS", is_operation_list,
     "names of collectives (Bcast,Allreduce) or classes (data,comm,window,file), all, or ^ and "
     "those to leave out"},
    {"ranks", "SYNCOPATE_RANKS", is_rank_list, "ranks of MPI_COMM_WORLD (0-3,8 or 0-63:4)"},
    {"phases", "SYNCOPATE_PHASES", is_phase_list,
     "names of MPI_Pcontrol's levels from 2 on (2=assembly,3=solve)"},
};

static const char help_text[] =
    "usage: mpirun -n 4 syncopate record [OPTIONS] PROGRAM [ARG...]       inside a launcher\n"
    "       syncopate record [OPTIONS] -- mpirun -n 4 PROGRAM [ARG...]    around a launcher\n"
    "\n"
    "Run an MPI program and record its collectives into a trace. The program's input, output and\n"
    "exit status are its own; what syncopate says goes to stderr.\n"
    "\n"
    "  -o, --output DIR      where the trace goes (syncopate-trace); an older one moves to "
    "DIR.old\n"
    "      --runs N          around a launcher: run it N times, into DIR/run-0001 ... (1)\n"
    "  -q, --quiet           say nothing but failures\n"
    "  -h, --help            this text\n"
    "\n"
    "What is recorded:\n"
    "      --ops LIST        only these collectives (Bcast,Allreduce) or classes of them (data, "
    "comm,\n"
    "                        window, file), or all but those (^Barrier,comm) (all)\n"
    "      --ranks LIST      only these ranks (0-3,8 or 0-63:4); the others run along, unrecorded "
    "(all)\n"
    "      --phases LIST     names of the phases that MPI_Pcontrol begins (2=assembly,3=solve)\n"
    "      --stack DEPTH     call stacks up to this depth, 0 for none (8)\n"
    "      --buffer SIZE     memory for events in each rank, K, M or G (64M)\n"
    "      --spill DIR       where they lie meanwhile, to survive a kill: a directory on\n"
    "                        a local disk or /dev/shm, or memory (the trace's own)\n"
    "      --level N         compression of zstd, -7 to 22 (1)\n"
    "\n"
    "Clocks:\n"
    "      --sync METHOD     how clocks are synchronized: hca, hca2, hca3, jk, skampi, netgauge,\n"
    "                        none, auto (auto: what is best here)\n"
    "      --fitpoints N     offsets measured for each drift model (the method's own)\n"
    "      --exchanges N     messages to and fro for each offset (the method's own)\n"
    "      --sync-budget S   seconds that a level of synchronization may take (the method's own)\n"
    "      --resync SECONDS  measure the clocks again every so often while the program runs, in "
    "its\n"
    "                        barriers and allreduces on MPI_COMM_WORLD (never)\n"
    "      --clock CLOCK     tsc, monotonic (clock_gettime), mpi (MPI_Wtime) (tsc)\n"
    "      --align HOW       how blocking collectives start: none, as the program starts them;\n"
    "                        barrier, after one; window or window=TIME, at a time agreed on by "
    "the\n"
    "                        global clock, so far ahead at first (50us) (none)\n"
    "\n"
    "Each has a variable for use without this command: SYNCOPATE_OUTPUT, SYNCOPATE_QUIET,\n"
    "SYNCOPATE_OPS, ..., SYNCOPATE_ALIGN. Exit status: the program's or the launcher's (128 + N "
    "where\n"
    "signal N ended it); 126 where it cannot be executed, 127 where it is not found; 2 for wrong "
    "usage.\n";

const char *record_help(void)
{
    return help_text;
}

static void fill_long_options(struct option *long_options)
{
    static const struct option fixed[] = {{"output", required_argument, NULL, CODE_DIRECTORY},
                                          {"quiet", no_argument, NULL, CODE_QUIET},
                                          {"help", no_argument, NULL, CODE_HELP},
                                          {"runs", required_argument, NULL, CODE_RUNS}};
    memcpy(long_options, fixed, sizeof fixed);
    long_options += sizeof fixed / sizeof fixed[0];
    for (int i = 0; i < SYN_RECORD_SETTING_COUNT; i++)
        long_options[i] =
            (struct option){rules[i].option, required_argument, NULL, CODE_FIRST_SETTING + i};
    long_options[SYN_RECORD_SETTING_COUNT] = (struct option){NULL, 0, NULL, 0};
}

static bool take_runs(const char *text, struct record_options *out, char *why, size_t why_bytes)
{
    if (!is_whole(text, 1, RUN_COUNT_MAX)) {
        snprintf(why, why_bytes, "--runs %s: expected a number from 1 to %d", text, RUN_COUNT_MAX);
        return false;
    }
    out->run_count = atoi(text);
    out->runs_given = true;
    return true;
}

static bool take_setting(int index, const char *text, struct record_options *out, char *why,
                         size_t why_bytes)
{
    if (!rules[index].is_valid(text)) {
        snprintf(why, why_bytes, "--%s %s: expected %s", rules[index].option, text,
                 rules[index].expected);
        return false;
    }
    out->settings[index].value = text;
    return true;
}

static bool take_directory(const char *text, struct record_options *out, char *why,
                           size_t why_bytes)
{
    if (text[0] == '\0') {
        snprintf(why, why_bytes, "-o: the name of the directory is empty");
        return false;
    }
    out->directory = text;
    return true;
}

static enum record_parse take_option(int code, struct record_options *out, char *why,
                                     size_t why_bytes)
{
    bool fine = true;
    switch (code) {
    case CODE_HELP:
        return RECORD_PARSE_HELP;
    case CODE_QUIET:
        out->quiet = true;
        break;
    case CODE_DIRECTORY:
        fine = take_directory(optarg, out, why, why_bytes);
        break;
    case CODE_RUNS:
        fine = take_runs(optarg, out, why, why_bytes);
        break;
    default:
        fine = take_setting(code - CODE_FIRST_SETTING, optarg, out, why, why_bytes);
    }
    return fine ? RECORD_PARSE_RUN : RECORD_PARSE_WRONG;
}

static enum record_parse refuse_option(int code, char **argv, char *why, size_t why_bytes)
{
    char letter[3] = {'-', (char)optopt, '\0'};
    bool is_short = optopt > 0 && optopt < 256;
    const char *name = is_short ? letter : argv[optind - 1];
    snprintf(why, why_bytes, code == ':' ? "%s needs a value" : "there is no option %s", name);
    return RECORD_PARSE_WRONG;
}

/* Whether the options ended in "--" rather than at the first word; `last` is where the last option
 * ended. */
static bool ended_by_dashes(char **argv, int last)
{
    return optind == last + 1 && strcmp(argv[last], "--") == 0;
}

static enum record_parse check(const struct record_options *options, char *why, size_t why_bytes)
{
    if (options->command[0] == NULL) {
        snprintf(why, why_bytes, "which program? (syncopate record --help)");
        return RECORD_PARSE_WRONG;
    }
    if (options->runs_given && !options->around) {
        snprintf(why, why_bytes,
                 "--runs needs the launcher: syncopate record --runs N -- mpirun ... PROGRAM");
        return RECORD_PARSE_WRONG;
    }
    return RECORD_PARSE_RUN;
}

enum record_parse record_options_parse(int argc, char **argv, struct record_options *out, char *why,
                                       size_t why_bytes)
{
    struct option long_options[4 + SYN_RECORD_SETTING_COUNT + 1];
    int code, last = 1;
    *out = (struct record_options){.directory = DEFAULT_DIRECTORY, .run_count = 1};
    for (int i = 0; i < SYN_RECORD_SETTING_COUNT; i++)
        out->settings[i].variable = rules[i].variable;
    fill_long_options(long_options);
    opterr = 0;
    optind = 0; /* glibc: start anew, also after an earlier call */
    while ((code = getopt_long(argc, argv, "+:o:qh", long_options, NULL)) != -1) {
        enum record_parse step = code == '?' || code == ':'
                                     ? refuse_option(code, argv, why, why_bytes)
                                     : take_option(code, out, why, why_bytes);
        if (step != RECORD_PARSE_RUN)
            return step;
        last = optind;
    }
    out->around = ended_by_dashes(argv, last);
    out->command = argv + optind;
    return check(out, why, why_bytes);
}
