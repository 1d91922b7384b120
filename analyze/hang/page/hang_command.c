/* analyze/hang/page/hang_command.c - `syncopate hang`: says which ranks of a live or dead run hang.
 * With --watch it also says which ranks are waited for, how many collectives are made per second,
 * and which rank was the slowest over the last minute.
 *
 * --watch opens the trace each second. The trace opened a second before stays open: open calls are
 * compared with those in it. Each event is read once, in the second after it ended. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/cli/cli.h"
#include "analyze/hang/hang.h"
#include "analyze/hang/page/hang_page.h"
#include "analyze/match/members/experiment.h"
#include "analyze/print/command.h"
#include "analyze/print/json.h"
#include "analyze/print/output.h"
#include "analyze/runs.h"
#include "analyze/symbols/symbols.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/events/message.h"

#define MINUTE 60

struct watched {
    const struct syn_hang_options *options;
    struct syn_symbols *symbols;
    struct syn_trace *before;
    bool redraws, json;
    struct syn_terminal terminal;
    int32_t rank_count;
    double *inside_ns; /* [MINUTE][rank_count] time in collectives; second s is at s % MINUTE */
    size_t second;     /* number of seconds so far */
    int64_t last_ns;   /* time of the look before */
    uint64_t event_count;
    double rate; /* collectives per second and rank */
    enum syn_hang_state state;
};

/* ---- the last second ---- */

/* Adds a rank's time in collectives since the last look. Reads only chunks that end after it. */
static int read_rank(struct watched *watched, struct syn_rank_file *file, double *inside_ns)
{
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    struct syn_chunk_summary chunk;
    int status = syn_cursor_open(file, &cursor);
    if (status != SYN_OK)
        return status;
    for (size_t i = syn_rank_chunk_count(file); i-- > 0 && status != SYN_ENOMEM;) {
        if (!syn_rank_chunk(file, i, &chunk) || chunk.end_ns <= watched->last_ns)
            continue;
        syn_cursor_seek(cursor, i);
        status = syn_cursor_next(cursor, &columns);
        for (size_t e = 0; status == SYN_OK && e < columns.count; e++)
            if (columns.end_ns[e] > watched->last_ns && !syn_is_message(columns.op[e]))
                *inside_ns += (double)(columns.end_ns[e] -
                                       syn_largest(columns.start_ns[e], watched->last_ns));
    }
    syn_cursor_close(cursor);
    return status == SYN_ENOMEM ? status : SYN_OK;
}

/* Stores each rank's time in collectives since the last look as that of one second, in place of the
 * second a minute ago. The first look has none: it only counts events. */
static int read_second(struct watched *watched, struct syn_trace *trace, int64_t now_ns)
{
    const int32_t ranks = syn_trace_size(trace);
    uint64_t count = 0;
    int status = SYN_OK;
    if (!watched->inside_ns) {
        watched->rank_count = ranks;
        watched->inside_ns = calloc((size_t)ranks * MINUTE + 1, sizeof *watched->inside_ns);
        watched->last_ns = now_ns;
    }
    if (!watched->inside_ns)
        return SYN_ENOMEM;
    double *inside = watched->inside_ns + watched->second % MINUTE * (size_t)watched->rank_count;
    memset(inside, 0, (size_t)watched->rank_count * sizeof *inside);
    for (int32_t r = 0; r < syn_least(ranks, watched->rank_count) && status == SYN_OK; r++) {
        struct syn_rank_file *file = syn_trace_rank(trace, r);
        count += file ? syn_rank_event_count(file) : 0;
        if (file && watched->second > 0)
            status = read_rank(watched, file, &inside[r]);
    }
    if (now_ns > watched->last_ns && count >= watched->event_count)
        watched->rate = (double)(count - watched->event_count) * 1e9 /
                        (double)(now_ns - watched->last_ns) / (double)syn_largest(ranks, 1);
    watched->event_count = count;
    watched->last_ns = now_ns;
    watched->second++;
    return status;
}

/* Says which rank was least in collectives over the last minute. The other ranks waited for it
 * there. */
static void say_slowest(const struct watched *watched, struct syn_doc *doc)
{
    const size_t ranks = (size_t)watched->rank_count;
    const size_t seconds = syn_least(watched->second, (size_t)MINUTE);
    double least = 0, sum = 0;
    size_t slowest = 0;
    for (size_t r = 0; r < ranks; r++) {
        double inside = 0;
        for (size_t s = 0; s < seconds; s++)
            inside += watched->inside_ns[s * ranks + r];
        if (r == 0 || inside < least) {
            least = inside;
            slowest = r;
        }
        sum += inside;
    }
    if (ranks < 2 || watched->second < 2 || sum <= 0)
        return;
    const double window_ns = (double)(seconds - (watched->second <= MINUTE)) * 1e9;
    syn_say(doc,
            "Slowest over the last {n} s: rank {rank}, in collectives for {percent}; the others "
            "for {percent}.",
            seconds - (watched->second <= MINUTE), slowest, least / window_ns,
            (sum - least) / window_ns / (double)(ranks - 1));
}

/* ---- a page ---- */

static struct syn_doc begin_page(bool json, const struct syn_terminal *terminal,
                                 const struct syn_trace *trace)
{
    struct syn_doc doc = syn_doc_start(json ? SYN_DOC_JSON : SYN_DOC_TEXT, terminal);
    syn_doc_open(&doc, NULL, '{');
    syn_doc_fact(&doc, "schema", 1);
    syn_doc_fact(&doc, "trace", syn_trace_directory(trace));
    return doc;
}

static void end_page(struct syn_doc *doc, const struct syn_examination *of)
{
    if (of->exited)
        syn_say(doc, "The run has ended by exit() without MPI_Finalize.");
    else if (!of->unended && of->mismatches.count == 0)
        syn_say(doc, "The run has ended, and its ranks made the same collective calls.");
    syn_doc_close(doc);
}

/* Says whether nothing is known of the calls that the ranks of an unended run are inside. */
static bool lacks_open_calls(const struct syn_examination *of)
{
    return of->unended && !of->has_hang;
}

/* Returns the exit status of `hang`. */
static int exit_status_of(const struct syn_examination *of)
{
    return syn_examine_accuses(of) ? SYN_EXIT_NO
           : lacks_open_calls(of)  ? SYN_EXIT_BAD
                                   : SYN_EXIT_OK;
}

/* ---- one second of --watch ---- */

static void draw(struct watched *watched, const struct syn_examination *of,
                 const struct syn_trace *trace)
{
    SYN_CLEANUP(syn_doc_free)
    struct syn_doc doc = begin_page(watched->json, &watched->terminal, trace);
    SYN_CLEANUP(syn_text_free) struct syn_text text = {0};
    struct syn_json json = syn_json_start(&text);
    json.line_depth = 1; /* a document is one line */
    if (watched->redraws)
        syn_text_string(&text, "\033[H\033[2J");
    syn_say_line(&doc, "{text}", syn_trace_directory(trace));
    if (of->look.before && watched->second > 1)
        syn_say(&doc, "{number.3g} collectives a second on each rank.", watched->rate);
    if (of->look.before)
        say_slowest(watched, &doc);
    syn_hang_write(&doc, of);
    if (lacks_open_calls(of))
        syn_say(&doc, "No open calls are recorded: who waits is not known.");
    end_page(&doc, of);
    if (watched->json)
        syn_doc_write_json(&doc, &json);
    else
        syn_doc_write(&doc, &text);
    fwrite(text.data, 1, text.length, stdout);
    fflush(stdout);
}

/* Opens the trace and draws a page if needed. Returns SYN_EEND if the run goes on no more. */
static int look_once(struct watched *watched, const struct syn_run_path *path)
{
    struct syn_trace *trace = NULL;
    bool is_known;
    int status = syn_runs_open(path, &trace);
    if (status != SYN_OK)
        return status;
    if (!syn_is_live(trace, &is_known) && is_known)
        status = SYN_EEND;
    else if (watched->before) {
        struct syn_sight sight;
        const struct syn_examination *of = &sight.examination;
        status = syn_sight_begin(&sight, trace, watched->before, watched->symbols, watched->options,
                                 false);
        SYN_STEP(status, read_second(watched, trace, of->looked.model.now_ns));
        if (status == SYN_OK &&
            (watched->redraws || watched->second < 2 || of->hang.state != watched->state))
            draw(watched, of, trace);
        watched->state = of->hang.state;
        syn_sight_end(&sight);
    }
    syn_trace_close(watched->before);
    watched->before = trace;
    return status;
}

/* ---- the end ---- */

/* Draws a page on what remains of the run, which may have ended since it was opened last. */
static int look_back(struct watched *watched, const struct syn_run_path *path)
{
    struct syn_trace *trace = NULL;
    struct syn_sight sight;
    int exit_status = SYN_EXIT_BAD;
    if (syn_runs_open(path, &trace) != SYN_OK)
        return SYN_EXIT_BAD;
    const int status = syn_sight_begin(&sight, trace, NULL, NULL, watched->options, true);
    if (status == SYN_OK) {
        const struct syn_examination *of = &sight.examination;
        draw(watched, of, trace);
        exit_status = exit_status_of(of);
    } else
        syn_bad_input("%s: %s", path->directory, syn_status_text(status));
    syn_sight_end(&sight);
    syn_trace_close(trace);
    return exit_status;
}

/* Draws until the run ends, then draws a last page. A terminal is redrawn each second; elsewhere
 * there is a new page each time that the state changes. In JSON each page is one line. Returns the
 * exit status of `hang` for the last page. */
static int watch(const struct syn_run_path *path, const struct syn_hang_options *options, bool json)
{
    struct watched watched = {.options = options,
                              .redraws = !json && isatty(STDOUT_FILENO),
                              .json = json,
                              .terminal = syn_terminal_detect(true)};
    int status = syn_symbols_open(&watched.symbols);
    while (status == SYN_OK && (status = look_once(&watched, path)) == SYN_OK)
        sleep(1);
    const int exit_status = status == SYN_EEND ? look_back(&watched, path) : SYN_EXIT_BAD;
    syn_trace_close(watched.before);
    syn_symbols_close(watched.symbols);
    free(watched.inside_ns);
    return exit_status;
}

#define FORMATS "text json"

struct request {
    bool json, watch;
    struct syn_hang_options options;
};

/* ---- one look ---- */

/* Says whether a fault gets a line of its own. A fault that every run without an end has gets
 * none. */
static bool is_to_say(const struct syn_trace_fault *fault)
{
    return fault->status != SYN_ETRUNCATED && fault->rank >= 0 && fault->status != SYN_EMISSING;
}

static int tell(const struct request *request, struct syn_trace *trace,
                const struct syn_examination *of)
{
    size_t count, to_say = 0, said = 0;
    const struct syn_trace_fault *faults = syn_trace_faults(trace, &count);
    for (size_t i = 0; i < count; i++)
        to_say += is_to_say(&faults[i]);
    for (size_t i = 0; i < count; i++)
        if (is_to_say(&faults[i]))
            syn_bad_fault(said++, to_say, faults[i].text);
    if (lacks_open_calls(of)) {
        syn_bad_input(
            "%s: no open calls are recorded (none was made, or --spill memory): who hangs "
            "is not known",
            syn_trace_directory(trace));
        if (of->mismatches.count == 0)
            return SYN_EXIT_BAD;
    }
    const struct syn_terminal terminal = syn_terminal_detect(true);
    SYN_CLEANUP(syn_doc_free) struct syn_doc doc = begin_page(request->json, &terminal, trace);
    SYN_CLEANUP(syn_text_free) struct syn_text text = {0};
    syn_hang_write(&doc, of);
    end_page(&doc, of);
    syn_doc_write(&doc, &text);
    if (text.length && text.data[0] == '\n')
        memmove(text.data, text.data + 1, --text.length);
    const int status = syn_output_text(NULL, &text);
    return status == SYN_OK ? exit_status_of(of) : SYN_EXIT_BAD;
}

/* `before`: NULL for a dead run. */
static int examine(const struct request *request, struct syn_trace *trace, struct syn_trace *before)
{
    struct syn_sight sight;
    int exit_status = SYN_EXIT_BAD;
    const int status = syn_sight_begin(&sight, trace, before, NULL, &request->options, true);
    if (status == SYN_OK)
        exit_status = tell(request, trace, &sight.examination);
    else
        syn_bad_input("%s: %s", syn_trace_directory(trace), syn_status_text(status));
    syn_sight_end(&sight);
    return exit_status;
}

/* Returns true if there is a directory without any file. `record` makes it before it starts the
 * launcher; ranks write from the end of MPI_Init on. */
static bool is_empty(const char *directory)
{
    DIR *listing = opendir(directory);
    const struct dirent *entry = NULL;
    if (!listing)
        return false;
    while ((entry = readdir(listing)) && entry->d_name[0] == '.')
        continue;
    const bool found = entry;
    closedir(listing);
    return !found;
}

/* Opens a live run twice: calls that are open both times were open in between. */
static int look(const struct request *request, const struct syn_run_path *path)
{
    struct syn_trace *trace = NULL, *before = NULL;
    bool is_known;
    int status = syn_runs_open(path, &trace);
    if (status == SYN_ENOTTRACE && is_empty(path->directory))
        syn_bad_input("No rank has left MPI_Init yet. A rank that never calls it keeps the others "
                      "there.");
    if (status == SYN_OK && (syn_is_live(trace, &is_known) || !is_known)) {
        before = trace;
        if (!is_known)
            sleep(1);
        status = syn_runs_open(path, &trace);
        /* Without locks, a run in which no rank moves counts as dead. */
        if (status == SYN_OK && !is_known && !syn_has_moved(before, trace)) {
            syn_bad_input("%s: whether the run goes on is not known: the file system has no locks, "
                          "and no rank moved for a second",
                          syn_trace_directory(trace));
            syn_trace_close(before);
            before = NULL;
        }
    }
    const int exit_status = status == SYN_OK ? examine(request, trace, before) : SYN_EXIT_BAD;
    if (status == SYN_OK)
        syn_trace_close(trace);
    syn_trace_close(before);
    return exit_status;
}

/* ---- the command line ---- */

SYN_CLI_CHOOSE(take_format, struct request, json, FORMATS)
SYN_CLI_SET(take_watch, struct request, watch)

static int take_after(void *target, const char *value)
{
    double seconds;
    const size_t length = strlen(value);
    char number[32] = "";
    if (length == 0 || length >= sizeof number)
        return SYN_EINVAL;
    memcpy(number, value, length - (value[length - 1] == 's'));
    if (syn_parse_number(number, 0, 1e6, &seconds) != SYN_OK)
        return SYN_EINVAL;
    syn_hang_count_from(&((struct request *)target)->options, (int64_t)(seconds * 1e9));
    return SYN_OK;
}

static const struct syn_cli_option options[] = {
    {"format", 0, "FORMAT", FORMATS, "text (default) or json", "text or json", take_format},
    {"after", 0, "SECONDS", "",
     "a wait is too long from here on where fewer than 20 earlier ones are known (default 60)",
     "a number of seconds", take_after},
    {"watch", 0, NULL, NULL, "look once a second, until the run ends or Ctrl-C", NULL, take_watch},
};
static const struct syn_cli_section sections[] = {
    {NULL, options, sizeof options / sizeof *options, 0}};

/* Looks at the last run of an experiment: the others have ended. */
static int run(int argc, char **argv)
{
    struct request request = {.options = SYN_HANG_OPTIONS};
    struct syn_experiment experiment;
    char *const *paths;
    size_t path_count;
    const int parsed = syn_cli_parse(&syn_command_hang, argc, argv, &request);
    if (parsed != SYN_CLI_GOES_ON)
        return parsed;
    if (syn_traces_given("hang", argc, argv, &paths, &path_count))
        return SYN_EXIT_BAD;
    if (path_count != 1)
        return syn_bad_usage("hang", "one trace at a time");
    if (syn_runs_list(paths, path_count, &experiment))
        return SYN_EXIT_BAD;
    const struct syn_run_path *last = &experiment.run[experiment.count - 1];
    const int status =
        request.watch ? watch(last, &request.options, request.json) : look(&request, last);
    syn_experiment_free(&experiment);
    return status;
}

const struct syn_cli_command syn_command_hang = {
    .name = "hang",
    .summary = "who hangs, who is waited for, and which ranks disagree",
    .usage = "syncopate hang [--format text|json] [--after SECONDS] [--watch] [TRACE]",
    .description =
        "Says of a run that is going on, or that was killed, which ranks wait in which calls, for "
        "which ranks, since when, and where those are. Says of any run which ranks did not make "
        "the call that the others made. Looking at a run costs it nothing.",
    .section = sections,
    .section_count = 1,
    .notes = "Exit status: 0 nothing hangs or disagrees; 1 something does; 2 no trace.",
    .examples = "  syncopate hang\n"
                "  syncopate hang --watch job-4711\n"
                "  syncopate hang --format json job-4711",
    .run = run,
};
