/* analyze/record/record.c - runs `record`: inside a launcher its process becomes the program,
 * around a launcher it waits.
 *
 * RATIONALE: if the profiler itself fails (no library, a directory that cannot be written), it
 * prints one line and the program runs unrecorded, since a job may have waited for days. Wrong
 * usage is reported before anything runs. */

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/match/members/experiment.h"
#include "analyze/print/command.h"
#include "analyze/print/units.h"
#include "analyze/record/environment.h"
#include "analyze/record/experiment.h"
#include "analyze/record/input.h"
#include "analyze/record/on_hang.h"
#include "analyze/record/options.h"
#include "analyze/record/program.h"
#include "analyze/record/refusal.h"
#include "analyze/record/run.h"
#include "analyze/symbols/symbols.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/directory/launch.h"
#include "trace/directory/manifest.h"
#include "trace/directory/output_name.h"
#include "trace/directory/spawned.h"
#include "trace/read/reader.h"

/* Prints one line on stderr; of many ranks only one prints it. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;
    SYN_FREED char *words = NULL;
    if (!syn_launch_speaks())
        return;
    va_start(arguments, format);
    if (vasprintf(&words, format, arguments) < 0)
        words = NULL;
    va_end(arguments);
    syn_bad_input("%s", words ? words : "out of memory");
}

static void say_why_not_preloaded(const char *command)
{
    static const char *const why[] = {
        [RECORD_PROGRAM_MUSL] = "is linked with musl, and the library needs glibc",
        [RECORD_PROGRAM_STATIC] = "is statically linked",
        [RECORD_PROGRAM_PRIVILEGED] =
            "has privileges from its file (set-user-ID, set-group-ID or capabilities), so nothing "
            "can be loaded into it",
        [RECORD_PROGRAM_FOREIGN] = "is for another kind of processor",
        [RECORD_PROGRAM_STATIC_MPI] = "has its MPI linked in statically",
    };
    const enum record_program kind = record_program_inspect(command);
    if (why[kind])
        say("%s %s: recording it is not possible; it runs on without", command, why[kind]);
}

static int say_not_started(const char *command, int exec_errno)
{
    say("%s: %s", command,
        exec_errno == ENOENT && !strchr(command, '/') ? "command not found" : strerror(exec_errno));
    return record_exec_status(exec_errno);
}

/* Finds the library. If there is none, prints one line and returns false; the program then runs
 * without it. */
static bool find_library(char *path, size_t capacity)
{
    int status = record_preload_entry(path, capacity);
    if (status == SYN_ENOTSUP)
        say("%s: a path with a blank or a colon cannot be preloaded; nothing is recorded", path);
    else if (status != SYN_OK)
        say("libsyncopate.so was not found beside this command (SYNCOPATE_LIBRARY names it); "
            "nothing is recorded");
    return status == SYN_OK;
}

/* ---- inside a launcher ---- */

static int record_inside(const struct record_options *options, const char *directory)
{
    char library[PATH_MAX];
    char **command = options->command, **adapted = NULL;
    say_why_not_preloaded(command[0]);
    if (record_program_inspect(command[0]) != RECORD_PROGRAM_MUSL &&
        find_library(library, sizeof library)) {
        if (record_environment_set(options, library, directory) == SYN_OK)
            adapted = record_command_adapt(command, library);
        if (adapted)
            command = adapted;
        if (adapted && options->on_hang.actions)
            record_watch_beside(directory, &options->on_hang);
    }
    syn_restore_size_signal();
    execvp(command[0], command);
    int status = say_not_started(command[0], errno);
    record_command_free(adapted);
    return status;
}

/* ---- around a launcher ---- */

enum left { LEFT_NOTHING, LEFT_UNFINISHED, LEFT_FINISHED };

/* Saves the labels of call sites with the trace, while the program's files are still those that
 * ran. Returns the state of the trace. */
static enum left finish_trace(const char *directory)
{
    struct syn_trace *trace = NULL;
    struct syn_symbols *symbols = NULL;
    SYN_FREED char *why = NULL;
    if (syn_trace_open(directory, &trace, &why) != SYN_OK)
        return LEFT_NOTHING;
    if (syn_symbols_open(&symbols) == SYN_OK && syn_symbols_save(symbols, trace) != SYN_OK)
        say("%s/" SYN_SYMBOLS_NAME ": %s; call sites are looked up anew by each report", directory,
            strerror(errno));
    const enum left left = syn_trace_manifest(trace) ? LEFT_FINISHED : LEFT_UNFINISHED;
    syn_symbols_close(symbols);
    syn_trace_close(trace);
    return left;
}

/* Finishes the traces of this run and of processes that the program started. */
static enum left finish_traces(const char *directory)
{
    char path[PATH_MAX], name[SYN_SPAWNED_NAME_BYTES];
    size_t unrecorded_count;
    const size_t count = syn_spawned_count(directory, &unrecorded_count);
    for (uint32_t number = 1; number <= count; number++) {
        syn_spawned_name(number, name);
        if (snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path)
            finish_trace(path);
    }
    return finish_trace(directory);
}

/* Finishes the traces. If the command launched several programs in turn, each launch becomes a run
 * of an experiment. */
static enum left finish_launches(const struct record_options *options, const char *directory)
{
    SYN_CLEANUP(syn_experiment_free) struct syn_experiment launches = {0};
    char *path = (char *)directory, *why = NULL;
    uint32_t count;
    if (syn_trace_part_launches(directory, &count) != SYN_OK)
        say("%s: the first launch's trace stays here and is in no run: %s", directory,
            syn_trace_prepare_text(errno));
    if (count == 0)
        return finish_traces(directory);
    enum left left = LEFT_NOTHING;
    bool any_unfinished = false;
    if (syn_experiment_list(&path, 1, &launches, &why) != SYN_OK)
        free(why);
    for (size_t i = 0; i < launches.count; i++) {
        const enum left of_run = finish_traces(launches.run[i].directory);
        any_unfinished |= of_run == LEFT_UNFINISHED;
        left = syn_largest(of_run, left);
    }
    if (!options->quiet)
        say("%u launches were recorded, each as a run of %s: run-0001 and so on", count, directory);
    return any_unfinished ? LEFT_UNFINISHED : left;
}

/* Returns the first word, with the launcher itself, that is a program which cannot be recorded;
 * NULL: there is none. */
static const char *unrecordable_word(char **command)
{
    for (char **word = command; *word; word++) {
        enum record_program kind = strchr(*word, '/') || word == command
                                       ? record_program_inspect(*word)
                                       : RECORD_PROGRAM_UNKNOWN;
        if (kind == RECORD_PROGRAM_STATIC || kind == RECORD_PROGRAM_STATIC_MPI ||
            kind == RECORD_PROGRAM_PRIVILEGED)
            return *word;
    }
    return NULL;
}

/* Says whether the launcher only queues a job, and returns before the program runs. */
static bool queues_only(const char *launcher)
{
    static const char *const queuing[] = {"sbatch", "qsub", "bsub"};
    return record_is_any_of(launcher, queuing, sizeof queuing / sizeof *queuing);
}

/* Returns the value of Slurm's --export, of which the last one counts; "": there is none. */
static const char *exported(char **command)
{
    const char *variable = getenv("SLURM_EXPORT_ENV"), *told = variable ? variable : "";
    for (char **word = command + 1; *word; word++)
        if (strncmp(*word, "--export=", 9) == 0)
            told = *word + 9;
        else if (strcmp(*word, "--export") == 0 && word[1])
            told = word[1];
    return told;
}

/* Says whether srun was told not to pass on the whole environment. RATIONALE: a recorder that was
 * not loaded leaves no trace of itself, so the command line is all that can be examined. */
static bool keeps_environment(char **command)
{
    const char *told = exported(command);
    return strcmp(record_base_name(command[0]), "srun") == 0 && *told != '\0' &&
           strncmp(told, "ALL", 3) != 0;
}

static void say_nothing_recorded(const struct record_options *options, const char *directory,
                                 int exit_status)
{
    const char *word = unrecordable_word(options->command);
    if (word)
        say_why_not_preloaded(word);
    else if (keeps_environment(options->command))
        say("no trace in %s: with --export=%s srun hands the ranks an environment without the "
            "recorder; record inside of it (srun ... syncopate record ./program), or export ALL",
            directory, exported(options->command));
    else if (exit_status == 0 && queues_only(record_base_name(options->command[0])))
        say("no trace in %s: %s only queues the job, which runs later; put syncopate record into "
            "its script, in front of the program",
            directory, options->command[0]);
    else if (exit_status != 0) {
        say("no trace in %s: %s ended with status %d before a program had initialized MPI",
            directory, options->command[0], exit_status);
        /* The launcher may have refused to start any rank. */
        SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
        record_refusal_words(options->command, geteuid() == 0, record_core_count(), &words);
        if (words.length > 0)
            say("%s", syn_text_chars(&words));
    } else
        say("no trace in %s: a line above says why, or the program did not initialize an MPI "
            "library that it is dynamically linked with, or did so in a namespace of its own "
            "(dlmopen)",
            directory);
}

static int watch(void *watcher)
{
    return record_watcher_tick(watcher, 0);
}

static int run_one(const struct record_options *options, char **command, const char *directory,
                   const char *library, struct record_run *out)
{
    bool recording = library != NULL;
    if (recording) {
        record_environment_set(options, library, directory);
        setenv(SYN_LAUNCHES_VARIABLE, directory, 1);
    }
    record_input_rewind();
    struct record_watcher *watcher = recording && options->on_hang.actions
                                         ? record_watcher_new(directory, &options->on_hang)
                                         : NULL;
    const struct record_chore chore = {watch, watcher};
    const bool was_there =
        access(directory, F_OK) == 0; /* it is claimed; but a run of an experiment has none yet */
    const int status = record_run(command, watcher ? &chore : NULL, out);
    const bool was_ended = record_watcher_finish(watcher);
    record_watcher_free(watcher);
    if (status != SYN_OK) {
        say("%s: %s", command[0], strerror(errno));
        return 126;
    }
    if (out->exec_errno != 0) {
        if (recording)
            rmdir(directory);
        return say_not_started(command[0], out->exec_errno);
    }
    const enum left left = recording ? finish_launches(options, directory) : LEFT_NOTHING;
    if (recording && was_there && access(directory, F_OK) != 0)
        say("%s is gone: somebody removed it while the run was recorded", directory);
    else if (recording && left == LEFT_NOTHING && !out->interrupted)
        say_nothing_recorded(options, directory, out->exit_status);
    if (left == LEFT_UNFINISHED && !options->quiet)
        say("%s is in %s (syncopate report, or syncopate recover)",
            out->interrupted || out->exit_status != 0
                ? "the run did not finish; what was recorded until then"
                : "the trace is not whole; what was recorded",
            directory);
    if (left == LEFT_UNFINISHED && (out->interrupted || out->exit_status != 0))
        record_say_waited_for(directory);
    if (recording && left == LEFT_NOTHING)
        rmdir(directory); /* succeeds only if it is empty */
    return was_ended ? RECORD_HANG_STATUS : out->exit_status;
}

static bool has_rule(const struct record_options *options)
{
    return options->until.share > 0 || options->until.budget_s > 0;
}

static void save_experiment(const struct record_experiment *experiment, bool recording)
{
    if (recording && record_experiment_write(experiment) != SYN_OK)
        say("%s/" SYN_EXPERIMENT_NAME ": %s", experiment->directory, strerror(errno));
}

/* The results of the runs so far, for the rule when to stop. */
struct look {
    struct record_series series;
    double started_s;
    bool reached;
};

/* Adds the result of the last run, in `directory`. Returns whether the rule wants another run. */
static bool wants_more(const struct record_options *options, const char *directory,
                       const struct record_experiment *experiment, struct look *look)
{
    const struct record_until *until = &options->until;
    double total_ns[SYN_TOTAL_COUNT];
    char *why = NULL;
    int status = until->share > 0 ? record_totals_read(directory, total_ns, &why) : 0;
    if (status == SYN_OK && until->share > 0)
        status = record_series_add(&look->series, total_ns);
    if (status != SYN_OK) {
        say("--until: %s", why ? why : syn_status_text(status));
        free(why);
        return false;
    }
    look->reached = record_until_is_reached(until, &look->series);
    return !look->reached && !record_until_is_spent(until, record_now_s() - look->started_s,
                                                    (size_t)experiment->done_count);
}

/* Makes runs until all are done or one fails. RATIONALE: runs after a failure are rarely worth
 * their time. */
static int run_all(const struct record_options *options, char **command, const char *library,
                   struct record_experiment *experiment)
{
    struct look look = {.started_s = record_now_s()};
    int status = 0;
    save_experiment(experiment, library != NULL);
    while (status == SYN_OK && experiment->done_count < experiment->planned_count) {
        char directory[PATH_MAX], name[32];
        struct record_run *run = &experiment->runs[experiment->done_count];
        record_run_name(name, sizeof name, experiment->done_count + 1);
        snprintf(directory, sizeof directory, "%s/%s", experiment->directory, name);
        char left[64];
        if (!options->quiet && isatty(STDERR_FILENO)) {
            const char *at_most = has_rule(options) ? "at most " : "";
            record_format_seconds(left, sizeof left, record_experiment_left_s(experiment));
            if (experiment->done_count == 0 || options->until.budget_s > 0)
                say("run %d of %s%d", experiment->done_count + 1, at_most,
                    experiment->planned_count);
            else
                say("run %d of %s%d, %s %s left", experiment->done_count + 1, at_most,
                    experiment->planned_count, *at_most ? "at most" : "about", left);
        }
        status = run_one(options, command, directory, library, run);
        if (run->exec_errno != 0)
            break;
        experiment->done_count++;
        if (status == SYN_OK && !run->interrupted && has_rule(options) &&
            !wants_more(options, directory, experiment, &look))
            experiment->planned_count = experiment->done_count;
        save_experiment(experiment, library != NULL);
        if (run->interrupted)
            break;
    }
    if (experiment->done_count < experiment->planned_count &&
        experiment->runs[experiment->done_count].exec_errno != 0)
        experiment->planned_count = experiment->done_count; /* the failure was already reported */
    else if (experiment->done_count < experiment->planned_count)
        say("stopped after run %d of %d, which ended with status %d", experiment->done_count,
            experiment->planned_count, status);
    else if (!options->quiet && library) {
        SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
        if (options->until.share > 0) {
            char wanted[SYN_UNIT_BYTES];
            syn_text_string(&words, look.reached ? ": " : ", and no more are allowed: ");
            record_until_words(&options->until, &look.series, false, &words);
            if (!look.reached)
                syn_text_format(&words, "; wanted was %s",
                                syn_unit_percent(wanted, options->until.share));
        }
        say("%d run%s recorded in %s%s", experiment->done_count,
            experiment->done_count == 1 ? "" : "s", experiment->directory, syn_text_chars(&words));
    }
    record_series_free(&look.series);
    return status;
}

static int run_experiment(const struct record_options *options, char **command,
                          const char *directory, const char *library)
{
    struct record_experiment experiment = {
        .directory = directory,
        .command = options->command,
        .started_unix_ns = record_unix_ns(),
        .planned_count = options->run_count,
        .runs = calloc((size_t)options->run_count, sizeof experiment.runs[0]),
    };
    if (!experiment.runs) {
        say("%s", syn_status_text(SYN_ENOMEM));
        return 2;
    }
    int status = run_all(options, command, library, &experiment);
    free(experiment.runs);
    return status;
}

/* Makes room for the trace, and claims the directory. Returns 0, or 2 after one line if something
 * else is in the way. If the directory cannot be written, prints one line and sets *recording to
 * false. */
static int prepare_directory(const char *directory, bool *recording, int *claim)
{
    int status = *recording ? syn_trace_claim(directory, claim) : SYN_OK;
    if (status == SYN_EINVAL && errno == EEXIST) {
        say("%s.old: in the way is something that is not a trace, and %s would have to move there; "
            "nothing is recorded",
            directory, directory);
        *recording = false;
        return 0;
    }
    if (status == SYN_EINVAL && errno == ENOTSUP) {
        say("%s: %s; name another directory with -o", directory, syn_trace_prepare_text(errno));
        return 2;
    }
    if (status == SYN_EINVAL) {
        say("%s: in the way is something that is not a trace (%s); name another directory with -o",
            directory, strerror(errno));
        return 2;
    }
    if (status != SYN_OK) {
        say("%s: %s; nothing is recorded", directory, syn_trace_prepare_text(errno));
        *recording = false;
    }
    return 0;
}

/* Says whether no part of the run can be recorded, and prints why. Such a part is a program that
 * would not start with the library; or, if there are several programs, one with an MPI of its own:
 * it takes no part in the recorder's messages, and the others would wait for it in MPI_Init. */
static bool has_forbidding_part(char **command)
{
    const char *with_mpi = NULL;
    bool has_parts = false;
    for (char **word = command; *word; word++) {
        const enum record_program kind =
            strchr(*word, '/') ? record_program_inspect(*word) : RECORD_PROGRAM_UNKNOWN;
        has_parts |= strcmp(*word, ":") == 0;
        if (kind == RECORD_PROGRAM_STATIC_MPI)
            with_mpi = *word;
        if (kind == RECORD_PROGRAM_MUSL) {
            say_why_not_preloaded(*word);
            return true;
        }
    }
    if (!has_parts || !with_mpi)
        return false;
    say("%s has its MPI linked in statically, and the other programs would wait for it: nothing is "
        "recorded",
        with_mpi);
    return true;
}

static int record_around(const struct record_options *given, const char *directory)
{
    char library[PATH_MAX];
    struct record_options options = *given;
    struct record_run run;
    char **command = options.command, **adapted = NULL;
    bool recording = !has_forbidding_part(command) && find_library(library, sizeof library);
    int claim = -1;
    int status = prepare_directory(directory, &recording, &claim);
    if (status != SYN_OK)
        return status;
    if (!options.runs_given) { /* then the run itself claims the directory */
        syn_trace_release(claim);
        claim = -1;
    }
    if (recording) {
        /* A single run prints two lines of its own, several runs print none: the experiment has its
         * own. */
        struct record_options spoken = options;
        spoken.quiet = options.quiet || options.run_count > 1;
        record_environment_set(&spoken, library, directory);
        adapted = record_command_adapt(command, library);
        command = adapted ? adapted : command;
    }
    if (options.run_count > 1 && record_input_keep() != SYN_OK)
        status = SYN_EXIT_BAD;
    else
        status = options.runs_given
                     ? run_experiment(&options, command, directory, recording ? library : NULL)
                     : run_one(&options, command, directory, recording ? library : NULL, &run);
    record_command_free(adapted);
    syn_trace_release(claim);
    return status;
}

/* Runs `report` on the trace, without the recorder's preload. Its exit status does not count. */
static void print_report(const char *directory, const char *preload)
{
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    struct record_run run;
    if (length <= 0 || access(directory, F_OK) != 0)
        return;
    self[length] = '\0';
    if (preload)
        setenv("LD_PRELOAD", preload, 1);
    else
        unsetenv("LD_PRELOAD");
    char *const command[] = {self, (char[]){"report"}, (char *)directory, NULL};
    if (record_run(command, NULL, &run) != SYN_OK || run.exec_errno != 0)
        say("the report cannot be printed: %s", strerror(run.exec_errno ? run.exec_errno : errno));
}

int syn_record_run(int argc, char **argv)
{
    SYN_CLEANUP(syn_text_free) struct syn_text why = {0};
    struct record_options options;
    const enum syn_cli_step parsed = record_options_parse(argc, argv, &options, &why);
    if (parsed == SYN_CLI_WRONG)
        syn_bad_usage("record", "%s", syn_text_chars(&why));
    if (parsed == SYN_CLI_HELP)
        return syn_cli_print_help(&syn_command_record) || fflush(stdout) ? SYN_EXIT_BAD
                                                                         : SYN_EXIT_OK;
    if (parsed == SYN_CLI_WRONG)
        return SYN_EXIT_BAD;
    char name[PATH_MAX] = "", unknown;
    syn_output_name(options.directory, name, sizeof name,
                    &unknown); /* succeeds, as the options were checked */
    SYN_FREED char *directory = record_path_absolute(name);
    if (!directory) {
        /* The working directory was removed, so there is none to record into. */
        say("%s: %s: the working directory was removed; nothing is recorded", options.directory,
            strerror(errno));
        syn_restore_size_signal();
        execvp(options.command[0], options.command);
        return say_not_started(options.command[0], errno);
    }
    /* With "--" in a rank's command, this process is still inside a launcher. */
    bool around = options.around && (!syn_launch_rank() || options.runs_given);
    SYN_FREED char *preload = getenv("LD_PRELOAD") ? strdup(getenv("LD_PRELOAD")) : NULL;
    int status = around ? record_around(&options, directory) : record_inside(&options, directory);
    if (around && options.report)
        print_report(directory, preload);
    return status;
}
