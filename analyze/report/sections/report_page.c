/* analyze/report/sections/report_page.c - writes the report for people: as text, HTML and Markdown.
 * One table lists the sections in the order of the page, with the formats that have them.
 * docs/reports.md describes wording and layout. An HTML page needs no other file, and no script. It
 * begins with what is wrong and how bad that is, then why, then the rest. */
#include "analyze/report/sections/report_page.h"
#include "analyze/report/sections/report_html.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "analyze/match/members/bounds.h"
#include "analyze/print/html.h"
#include "analyze/report/findings/call_tree.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/causes_words.h"
#include "analyze/report/sections/segments.h"
#include "analyze/report/sections/time_slices.h"
#include "sync/base/integers.h"

/* ---- the run ---- */

const char *syn_report_program(const struct syn_run_facts *run)
{
    const char *slash = run->program ? strrchr(run->program, '/') : NULL;
    return slash && slash[1] ? slash + 1 : run->program ? run->program : "a program without a name";
}

/* Writes what ran, with when it began at the margin. */
static void write_title(struct syn_doc *doc, const void *facts)
{
    const struct syn_run_facts *run = ((const struct syn_report *)facts)->run;
    const time_t seconds = (time_t)(run->start_unix_ns / 1000000000);
    SYN_CLEANUP(syn_text_free) struct syn_text title = {0};
    struct tm broken;
    char date[40] = "";
    syn_text_string(&title, syn_report_program(run));
    if (run->args && run->args[0])
        syn_words(&title, " {text}", run->args);
    if (run->start_unix_ns > 0 && gmtime_r(&seconds, &broken))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &broken);
    syn_doc_title(doc, syn_text_chars(&title), date);
}

/* Writes the warning about the clocks, which every reader must see first. */
static void write_alarm(struct syn_doc *doc, const void *facts)
{
    doc->tone = SYN_TONE_ALARM;
    syn_report_clock_alarm(facts, syn_doc_begin(doc, SYN_DOC_PARAGRAPH));
    doc->tone = SYN_TONE_PLAIN;
}

/* Writes whether the report is reliable. */
static void write_reliance(struct syn_doc *doc, const void *facts)
{
    static const enum syn_tone tones[] = {
        [SYN_RELIANCE_FULL] = SYN_TONE_GOOD,
        [SYN_RELIANCE_CARE] = SYN_TONE_LOOK,
        [SYN_RELIANCE_NONE] = SYN_TONE_BAD,
    };
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    doc->tone = tones[syn_report_reliance(facts, &words)];
    syn_say(doc, "{text}", syn_text_chars(&words));
    doc->tone = SYN_TONE_PLAIN;
}

static void write_counts(const struct syn_report *report, struct syn_text *out)
{
    uint64_t event_count = 0;
    for (size_t i = 0; i < report->run_count; i++)
        event_count += report->run[i].totals.event_count;
    syn_words(out, ", {count} collective{s} in {count} call{s}", report->instance_count,
              event_count);
}

static int64_t worst_bound(const struct syn_run_facts *run)
{
    int64_t bound = 0;
    for (int32_t r = 0; r < run->rank_count; r++)
        bound = syn_largest(run->rank[r].bound_ns, bound);
    return bound;
}

void syn_report_clock(const struct syn_report *report, struct syn_text *out)
{
    const struct syn_run_facts *run = &report->run[0];
    const int64_t worst = worst_bound(run);
    syn_text_format(out, "clock: %s", run->clock_kind ? run->clock_kind : "unknown");
    if (run->sync_method)
        syn_text_format(out, ", synchronized by %s", run->sync_method);
    if (run->sync_taken)
        syn_text_format(out, " (%s)", run->sync_taken);
    if (worst >= SYN_BOUND_UNKNOWN_NS)
        syn_text_string(out, ", never compared: times across ranks have no known bound");
    else
        syn_words(out, ", ranks agree to within {time}", worst);
    double sync_ns = run->sync_begin_ns + run->sync_end_ns;
    if (isfinite(sync_ns) && sync_ns > 0)
        syn_words(out, " (took {time})", sync_ns);
}

/* Writes what ran, and on which clock. A full page also says what the run's time is measured from
 * and to; a short text says of the clocks only how well they agree. */
static void write_what_ran(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    const struct syn_run_facts *run = syn_report_typical(report);
    const int64_t worst = worst_bound(&report->run[0]);
    char mpi[80];
    doc->tone = SYN_TONE_QUIET;
    struct syn_text *out = syn_doc_begin(doc, SYN_DOC_PARAGRAPH);
    syn_report_mpi_name(run->mpi, mpi, sizeof mpi);
    if (report->run_count > 1) {
        syn_text_format(out, "%zu runs", report->run_count);
        write_counts(report, out);
        syn_text_format(out, "; run %u: ", run->run);
    }
    syn_words(out, "{n} rank{s} on {n} node{s}", run->rank_count, run->node_count);
    if (run->recorded_count < run->present_count)
        syn_text_format(out, " (%d of them recorded)", run->recorded_count);
    if (mpi[0])
        syn_text_format(out, ", %s", mpi);
    syn_words(out, ", ran {time}{text}", syn_facts_run_ns(run),
              run->duration_estimated ? " from the first collective to the last"
              : syn_report_tells_all(doc, report)
                  ? " from the first MPI_Init to the last MPI_Finalize"
                  : "");
    if (report->run_count == 1)
        write_counts(report, out);
    if (doc->format != SYN_DOC_TEXT || report->options.verbose)
        syn_report_clock(report, syn_doc_begin(doc, SYN_DOC_PARAGRAPH));
    else if (worst >= SYN_BOUND_UNKNOWN_NS)
        syn_say_more(doc, "; clocks never compared");
    else
        syn_say_more(doc, "; clocks agree to within {time}", worst);
    doc->tone = SYN_TONE_PLAIN;
}

/* ---- where the time went ---- */

/* Least width of a terminal that shows the extremes. */
#define WIDTH_OF_EXTREMES 79
/* A text leaves out lines of a smaller share, except the first: collectives. */
#define SHARE_OF_LINE 0.01

/* Writes means over the ranks as a list; over several runs the medians of the runs' means. */
static void list_shares(struct syn_doc *doc, const struct syn_report *report)
{
    struct syn_share_line line;
    for (size_t at = 0; syn_report_share_line(report, &at, &line);)
        syn_say_item(doc, "{text}{text}: {share} of a rank's run ({time})",
                     line.level == SYN_SHARE_OF_RUN ? "" : "of that, ", line.name,
                     line.share.of_run, line.share.mean_ns);
}

static void write_shares(struct syn_doc *doc, const struct syn_report *report)
{
    static const struct syn_table_column of_ranks[] = {
        {.title = "  mean over the ranks", .left = true, .width_min = 30},
        {.title = "time", .width_min = 8},
        {.title = "of run", .width_min = 7},
        {.title = " least (rank) .. most (rank)", .left = true}};
    static const struct syn_table_column of_runs[] = {
        {.title = "", .left = true, .width_min = 30},
        {.title = "median", .width_min = 8},
        {.title = "of run", .width_min = 7},
        {.title = " least (run) .. most (run)", .left = true}};
    static const char *const within[] = {"  ", "    ", "    of which "};
    const bool is_text = doc->format == SYN_DOC_TEXT;
    const bool has_extremes = is_text && doc->terminal->width >= WIDTH_OF_EXTREMES;
    struct syn_share_line line;
    syn_doc_table(doc, NULL, report->run_count > 1 ? of_runs : of_ranks, has_extremes ? 4 : 3);
    for (size_t at = 0; syn_report_share_line(report, &at, &line);) {
        const struct syn_share_figures *share = &line.share;
        if (is_text && !report->options.verbose && at > 1 && share->of_run < SHARE_OF_LINE)
            continue;
        syn_say_cell(doc, "{text}{text}",
                     is_text                          ? within[line.level]
                     : line.level == SYN_SHARE_OF_RUN ? ""
                                                      : "of that, ",
                     line.name);
        syn_say_cell(doc, "{time}", share->mean_ns);
        syn_say_cell(doc, "{share}", share->of_run);
        if (has_extremes && isfinite(share->low_ns))
            syn_say_cell(doc, " {time} ({n}) .. {time} ({n})", share->low_ns, share->low_at,
                         share->high_ns, share->high_at);
        else if (has_extremes)
            syn_say_cell(doc, "");
    }
}

/* Writes how much time of nonblocking operations was outside of MPI, for all groups together. */
static void write_overlap(struct syn_doc *doc, const struct syn_report *report)
{
    struct syn_group_overlap all = {0};
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_group_overlap *overlap = &report->groups.group[i]->overlap;
        all.between_ns += overlap->between_ns;
        all.hidden_ns += overlap->hidden_ns;
        all.exposed_ns += overlap->exposed_ns;
    }
    if (all.hidden_ns + all.exposed_ns > 0)
        syn_say_note(doc,
                     "Nonblocking: {time} of all ranks lie between starting and completing; that "
                     "hides at most {share} of the operations' time.",
                     all.between_ns, all.hidden_ns / (all.hidden_ns + all.exposed_ns));
}

static void write_time(struct syn_doc *doc, const void *facts)
{
    const char *together = syn_report_counted_together(facts);
    if (doc->format != SYN_DOC_MARKDOWN)
        syn_doc_heading(doc, "Where the time went");
    (doc->format == SYN_DOC_HTML ? list_shares : write_shares)(doc, facts);
    if (together)
        syn_say_note(doc, "{text}", together);
    if (doc->format != SYN_DOC_TEXT)
        return;
    write_overlap(doc, facts);
    /* Write how much time clock errors may move between waiting and the operations. */
    const double bound_ns = syn_report_waiting_bound_ns(facts);
    const double waiting_ns = syn_report_waiting_ns(facts);
    if (isnan(bound_ns))
        syn_say_hanging(doc, "The clocks {text}: the two parts are not to be trusted.",
                        syn_report_clocks_lost(facts) ? "are wrong" : "were never compared");
    else if (waiting_ns > 0 && bound_ns > waiting_ns)
        syn_say_note(doc, "The waiting is smaller than the clocks can tell: how time divides "
                          "between the two is unknown.");
    else if (waiting_ns > 0 && bound_ns > 0.01 * waiting_ns)
        syn_say_note(doc,
                     "The clocks' errors may move up to {time} ({share} of the waiting) from one "
                     "part to the other.",
                     bound_ns / syn_report_recorded_ranks(facts), bound_ns / waiting_ns);
}

/* ---- the calls ---- */

/* Explains the words of the table. `columns`: the enum syn_table_columns that the table shows. */
static void write_words(struct syn_doc *doc, const struct syn_report *report, unsigned columns)
{
    bool parts = report->options.by & (SYN_BY(SYN_KEY_RANK) | SYN_BY(SYN_KEY_NODE));
    SYN_CLEANUP(syn_text_free) struct syn_text interval = {0};
    syn_words(&interval, "{number} % confidence interval of the median, {text}",
              100 * report->options.confidence, syn_shown_interval_words(report->options.ci));
    const struct {
        const char *word, *meaning;
        bool shown; /* the table has it */
    } words[] = {
        {"group", "calls with the same operation, site, communicator and bytes: a row", true},
        {"np", "number of ranks in the communicator", columns & SYN_TABLE_NP},
        {"calls", "instances: one collective call by all members of its communicator", true},
        {"median",
         parts ? "of the time from a call's start to its end (a node: its longest)"
               : "of completion: from the first rank's start to the last rank's end",
         true},
        {"interval", syn_text_chars(&interval), columns & SYN_TABLE_INTERVAL},
        {"p99", "99 % of the calls took no longer", columns & SYN_TABLE_P99},
        {parts ? "early" : "spread",
         parts ? "median time by which it came before the last of all ranks"
               : "median time from the first rank's start to the last rank's start",
         columns & SYN_TABLE_SPREAD},
        {"wait", "share of the time inside the call before the last rank had come",
         columns & SYN_TABLE_WAIT},
        {"time", "inside these calls, waiting included; mean over ranks", true},
        {"late", "rank that came last most often, where that is more than chance",
         columns & SYN_TABLE_LATE},
        {"@", "part of a split communicator, named by its first rank", columns & SYN_TABLE_PARTS},
        {"<", "smaller than the clocks can tell", columns & SYN_TABLE_BELOW_CLOCK},
    };
    syn_doc_heading(doc, "The words");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].shown)
            syn_say_pair(doc, 11, NULL, words[i].word, "{text}", words[i].meaning);
}

static void draw_tree(struct syn_doc *doc, const struct syn_report *report)
{
    struct syn_call_tree tree;
    if (syn_call_tree_make(report, &tree))
        doc->failed = true;
    else if (doc->format == SYN_DOC_HTML)
        syn_call_tree_html(&tree, report, syn_doc_draw(doc));
    else
        syn_call_tree_text(&tree, report, doc->terminal, syn_doc_draw(doc));
    syn_call_tree_free(&tree);
    if (doc->format == SYN_DOC_HTML || !report->options.verbose)
        return;
    syn_doc_heading(doc, "The words");
    syn_say_pair(doc, 11, NULL, "time",
                 "inside the collectives called from there, mean over ranks");
    syn_say_pair(doc, 11, NULL, "share", "of all time in collectives");
    syn_say_pair(doc, 11, NULL, "wait",
                 "part of the time that passed before the last rank had come");
}

/* Writes the rows that --by asks for. The last lines say how to get what the page leaves out. */
static void write_calls(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    unsigned columns = 0;
    syn_say_line(doc, "");
    if (report->options.rows == SYN_ROWS_SEGMENTS)
        syn_report_segments_table(doc, report);
    else if (report->options.rows == SYN_ROWS_TIME)
        syn_report_time_table(doc, report);
    else if (report->options.by & SYN_BY(SYN_KEY_STACK))
        draw_tree(doc, report);
    else if (report->options.rows == SYN_ROWS_GROUPS)
        columns = syn_report_table(report, doc->terminal, syn_doc_draw(doc));
    if (report->options.verbose && columns)
        write_words(doc, report, columns);
    if (report->options.verbose)
        return;
    syn_say_line(doc, "");
    syn_say_hanging(doc, "More: --verbose (all that is known), --format html (with pictures).");
}

static void write_groups(struct syn_doc *doc, const void *facts)
{
    static const struct syn_table_column columns[] = {{.title = "group", .left = true},
                                                      {.title = "calls"},
                                                      {.title = "median"},
                                                      {.title = "wait"},
                                                      {.title = "time"},
                                                      {.title = "late", .left = true}};
    const struct syn_report *report = facts;
    const size_t count = report->groups.count, top = report->options.top;
    const size_t shown = top && top < count ? top : count;
    syn_doc_heading(doc, "Calls");
    syn_doc_table(doc, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < shown; i++) {
        const struct syn_figures *figures = &report->figures[report->order[i]];
        const struct syn_metric_figures *main = syn_figures_main(figures);
        const struct syn_rank_figures *latest = figures->latest;
        syn_report_group_name(report, figures->group, syn_doc_begin(doc, SYN_DOC_CELL));
        syn_say_cell(doc, "{count}", figures->group->instance_count);
        if (syn_figures_below_clock(main))
            syn_say_cell(doc, "< clock");
        else
            syn_say_cell(doc, "{time}", main->summary.median);
        syn_say_cell(doc, "{share}", figures->waiting_ns / figures->inside_ns);
        syn_say_cell(doc, "{time}", figures->inside_ns / (double)figures->rank_count);
        if (latest)
            syn_say_cell(doc, "rank {rank}: {number.0} %", latest->rank->rank,
                         100.0 * (double)latest->rank->last_count / (double)latest->n);
        else
            syn_doc_no_cell(doc);
    }
    if (shown < count)
        syn_say(doc, "{n} more group{s} (--top 0 shows all).", count - shown);
}

/* Draws the callers in a report by stack. */
static void draw_callers(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    if (report->options.by & SYN_BY(SYN_KEY_STACK))
        draw_tree(doc, report);
}

/* ---- the page ---- */

static bool has_groups(const void *facts)
{
    return ((const struct syn_report *)facts)->groups.count > 0;
}

static bool has_waiting(const void *facts)
{
    return syn_report_has_waiting(facts);
}

static bool has_reasons(const void *facts)
{
    return has_waiting(facts) && syn_report_has_seen_enough(facts);
}

static bool has_late(const void *facts)
{
    return has_groups(facts) && syn_report_has_seen_enough(facts);
}

static bool has_calls(const void *facts)
{
    return syn_report_has_calls(facts);
}

#define TEXT     SYN_DOC_TEXT
#define HTML     SYN_DOC_HTML
#define MARKDOWN SYN_DOC_MARKDOWN
static const struct syn_doc_section sections[] = {
    {write_title, MARKDOWN, NULL},
    {syn_report_hang_section, SYN_DOC_PEOPLE, NULL},
    {write_alarm, SYN_DOC_PEOPLE, NULL},
    {write_reliance, SYN_DOC_PEOPLE, NULL},
    {write_title, TEXT | HTML, NULL},
    {write_what_ran, SYN_DOC_PEOPLE, NULL},
    {syn_report_html_verdict, HTML, has_reasons},
    {write_time, TEXT | MARKDOWN, has_calls},
    {syn_report_why_section, SYN_DOC_PEOPLE, has_reasons},
    {syn_report_html_causes, HTML, has_reasons},
    {syn_report_warnings_section, HTML, NULL},
    {draw_callers, HTML, has_groups},
    {syn_report_html_groups, HTML, has_groups},
    {syn_report_html_sizes, HTML, has_groups},
    {syn_report_html_rank_time, HTML, has_calls},
    {write_time, HTML, has_calls},
    {syn_report_html_time_bars, HTML, has_calls},
    {syn_report_efficiencies_section, TEXT, has_reasons},
    {syn_report_messages_section, SYN_DOC_PEOPLE, NULL},
    {syn_report_html_messages, HTML, NULL},
    {syn_report_late_section, SYN_DOC_PEOPLE, has_late},
    {syn_report_strip_section, TEXT, has_waiting},
    {syn_report_differences_section, SYN_DOC_PEOPLE, has_groups},
    {syn_report_operations_section, TEXT | HTML, has_groups},
    {syn_report_data_sizes_section, TEXT | HTML, has_groups},
    {syn_report_expectations_section, SYN_DOC_PEOPLE, has_groups},
    {syn_report_runs_section, TEXT, has_groups},
    {syn_report_precision_section, TEXT, has_groups},
    {syn_report_warnings_section, TEXT | MARKDOWN, NULL},
    {write_calls, TEXT, has_groups},
    {write_groups, MARKDOWN, has_groups},
    {syn_report_html_series, HTML, has_groups},
    {syn_report_html_clocks, HTML, NULL},
};

void syn_report_page(const struct syn_report *report, enum syn_doc_format format,
                     const struct syn_terminal *terminal, struct syn_text *text)
{
    SYN_CLEANUP(syn_doc_free) struct syn_doc doc = syn_doc_start(format, terminal);
    syn_doc_build(&doc, sections, sizeof sections / sizeof *sections, report);
    if (format == SYN_DOC_HTML)
        syn_html_begin(text, syn_report_program(&report->run[0]), syn_css_report);
    const size_t begin = text->length;
    syn_doc_write(&doc, text);
    if (format == SYN_DOC_TEXT && text->length > begin && text->data[begin] == '\n')
        memmove(text->data + begin, text->data + begin + 1, --text->length - begin);
    if (format == SYN_DOC_HTML)
        syn_html_end(text);
}
