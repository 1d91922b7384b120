/* analyze/diff/diff_text.c - the diff for people: the answer in a line, then a table a verdict. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../print/table.h"
#include "../print/units.h"
#include "../print/wrap.h"
#include "diff_words.h"

struct writer {
    const struct syn_diff *diff;
    const struct syn_terminal *terminal;
    struct syn_text *text;
    bool many_comms;
};

static void paragraph(const struct writer *to, size_t indent, const char *first, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));
static void paragraph(const struct writer *to, size_t indent, const char *first, const char *format,
                      ...)
{
    char *words = NULL;
    struct syn_text harmless = {0};
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&words, format, arguments) < 0)
        words = NULL;
    va_end(arguments);
    syn_text_harmless(&harmless, words ? words : "");
    syn_text_wrapped(to->text, to->terminal->width, indent, first, syn_text_chars(&harmless));
    syn_text_free(&harmless);
    free(words);
}

/* ---- head ---- */

static void write_headline(const struct writer *to)
{
    struct syn_text line = {0};
    enum syn_style style = to->diff->verdict_count[SYN_VERDICT_SLOWER]   ? SYN_STYLE_BAD
                           : to->diff->verdict_count[SYN_VERDICT_FASTER] ? SYN_STYLE_GOOD
                                                                         : SYN_STYLE_BOLD;
    syn_diff_headline(to->diff, &line);
    syn_text_string(to->text, syn_style_on(to->terminal, style));
    paragraph(to, 0, "", "%s", syn_text_chars(&line));
    syn_text_string(to->text, syn_style_off(to->terminal));
    syn_text_free(&line);
}

static void write_side(const struct writer *to, int i)
{
    const struct syn_report *side = &to->diff->side[i];
    const struct syn_run_facts *run = &side->run[0];
    const char *slash = run->program ? strrchr(run->program, '/') : NULL;
    const char *program = slash ? slash + 1 : run->program;
    char mpi[80];
    syn_report_mpi_name(run->mpi, mpi, sizeof mpi);
    paragraph(to, 3, i == 0 ? "A: " : "B: ", "%zu run%s of %s%s%s, %d rank%s%s%s", side->run_count,
              side->run_count == 1 ? "" : "s", program ? program : "a program that is not named",
              run->args && run->args[0] ? " " : "", run->args ? run->args : "", run->rank_count,
              run->rank_count == 1 ? "" : "s", mpi[0] ? ", " : "", mpi);
}

static const char *metric_words(int metric)
{
    static const char *const words[] = {
        [SYN_METRIC_COMPLETION] = "completion: from the first rank's start to the last rank's end",
        [SYN_METRIC_SPREAD] = "spread: from the first rank's start to the last rank's start",
        [SYN_METRIC_OPERATION] = "operation: from the last rank's start to the last rank's end",
        [SYN_METRIC_EXIT_SKEW] = "exit_skew: from the first rank's end to the last rank's end",
        [SYN_METRIC_LOCAL_MAX] = "local_max: the longest that any one rank was in the call",
        [SYN_METRIC_WAIT] = "wait",
        [SYN_DIFF_WAIT_SHARE] =
            "wait_share: part of the time inside that passed before the last rank had come"};
    return words[metric];
}

static void write_method(const struct writer *to)
{
    const struct syn_diff_options *options = &to->diff->options;
    char alpha[SYN_UNIT_BYTES], threshold[SYN_UNIT_BYTES];
    bool share = options->metric == SYN_DIFF_WAIT_SHARE;
    paragraph(to, 0, "",
              "Compared: %s; %s of each run; Wilcoxon-Mann-Whitney (%s) at %s, %s over the groups; "
              "changes within %s do not count.",
              metric_words(options->metric), share ? "the value" : "the median",
              syn_diff_alternative_name(options->alternative),
              syn_unit_share(alpha, 1 - options->confidence),
              options->adjust == SYN_ADJUST_BH ? "Benjamini-Hochberg" : "Holm",
              syn_unit_share(threshold, options->threshold));
}

/* ---- tables ---- */

enum column {
    COLUMN_OP,
    COLUMN_SITE,
    COLUMN_COMM,
    COLUMN_SIZE,
    COLUMN_BYTES,
    COLUMN_RUNS,
    COLUMN_A,
    COLUMN_B,
    COLUMN_CHANGE,
    COLUMN_INTERVAL,
    COLUMN_SHOWS,
    COLUMN_P,
    COLUMN_EFFECT,
    COLUMN_COUNT
};

static const struct syn_table_column all_columns[COLUMN_COUNT] = {
    [COLUMN_OP] = {.title = "operation", .left = true},
    [COLUMN_SITE] = {.title = "site", .left = true, .flexible = true, .width_min = 12},
    [COLUMN_COMM] = {.title = "communicator", .left = true, .optional = 2},
    [COLUMN_SIZE] = {.title = "np", .optional = 4},
    [COLUMN_BYTES] = {.title = "bytes"},
    [COLUMN_RUNS] = {.title = "runs", .optional = 1},
    [COLUMN_A] = {.title = "A"},
    [COLUMN_B] = {.title = "B"},
    [COLUMN_CHANGE] = {.title = "change"},
    [COLUMN_INTERVAL] = {.title = "interval", .left = true},
    [COLUMN_SHOWS] = {.title = "shows"},
    [COLUMN_P] = {.title = "p"},
    [COLUMN_EFFECT] = {.title = "B>A", .optional = 3},
};

static bool has_column(const struct writer *to, enum syn_verdict verdict, enum column column)
{
    switch (column) {
    case COLUMN_COMM:
        return to->many_comms;
    case COLUMN_SHOWS:
        return verdict == SYN_VERDICT_INDISTINGUISHABLE;
    case COLUMN_P:
    case COLUMN_EFFECT:
        return verdict != SYN_VERDICT_TOO_FEW_RUNS;
    default:
        return true;
    }
}

/* Without the blank before the unit. */
static void tight(char *cell)
{
    char *space = strchr(cell, ' ');
    if (space)
        memmove(space, space + 1, strlen(space));
}

static void value_cell(char *cell, const struct syn_diff *diff, const struct syn_diff_half *half)
{
    if (diff->options.metric == SYN_DIFF_WAIT_SHARE)
        syn_unit_share(cell, half->median);
    else if (fabs(half->median) < half->clock_bound)
        snprintf(cell, SYN_UNIT_BYTES, "<clock");
    else
        syn_unit_time(cell, half->median);
    tight(cell);
}

/* The stars where there are any, else p. */
static void p_cell(char *cell, const struct syn_diff_group *group)
{
    const char *stars = syn_stars(group->p_adjusted);
    if (stars[0])
        snprintf(cell, SYN_UNIT_BYTES, "%s", stars);
    else if (isfinite(group->p_adjusted))
        snprintf(cell, SYN_UNIT_BYTES, "%.2f", group->p_adjusted);
    else
        snprintf(cell, SYN_UNIT_BYTES, "-");
}

static void shows_cell(char *cell, const struct syn_diff_group *group)
{
    syn_diff_change(cell, group->detectable_slower);
    tight(cell);
}

static void fill_cell(struct syn_text *out, const struct writer *to,
                      const struct syn_diff_group *group, enum column column)
{
    char cell[2 * SYN_UNIT_BYTES] = "";
    switch (column) {
    case COLUMN_OP:
        syn_text_harmless(out, strncmp(group->op, "MPI_", 4) == 0 ? group->op + 4 : group->op);
        return;
    case COLUMN_SITE:
        syn_text_string(out, group->a.site);
        return;
    case COLUMN_COMM:
        syn_unit_tail(out, group->a.comm, to->terminal->width < 120 ? 14 : 40);
        return;
    case COLUMN_SIZE:
        snprintf(cell, sizeof cell, "%llu", (unsigned long long)group->comm_size);
        break;
    case COLUMN_BYTES:
        syn_unit_bytes(cell, (double)group->bytes);
        tight(cell);
        break;
    case COLUMN_RUNS:
        snprintf(cell, sizeof cell, "%zu+%zu", group->a.run_count, group->b.run_count);
        break;
    case COLUMN_A:
        value_cell(cell, to->diff, &group->a);
        break;
    case COLUMN_B:
        value_cell(cell, to->diff, &group->b);
        break;
    case COLUMN_CHANGE:
        syn_diff_change(cell, group->ratio.estimate);
        tight(cell);
        break;
    case COLUMN_INTERVAL:
        syn_diff_interval(cell, group->ratio.low, group->ratio.high);
        break;
    case COLUMN_SHOWS:
        shows_cell(cell, group);
        break;
    case COLUMN_P:
        p_cell(cell, group);
        break;
    default: /* COLUMN_EFFECT */
        snprintf(cell, sizeof cell, "%.2f", group->vargha_delaney_a);
    }
    syn_text_string(out, cell);
}

static void add_row(struct syn_table *table, const struct writer *to, enum syn_verdict verdict,
                    const struct syn_diff_group *group)
{
    struct syn_text cell = {0};
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (!has_column(to, verdict, (enum column)c))
            continue;
        syn_text_clear(&cell);
        fill_cell(&cell, to, group, (enum column)c);
        syn_table_cell(table, syn_text_chars(&cell));
    }
    syn_text_free(&cell);
}

static void write_table(const struct writer *to, enum syn_verdict verdict)
{
    struct syn_table_column columns[COLUMN_COUNT];
    size_t column_count = 0, found = 0, top = to->diff->options.top;
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (has_column(to, verdict, (enum column)c))
            columns[column_count++] = all_columns[c];
    struct syn_table *table = syn_table_new(columns, column_count);
    for (size_t i = 0; i < to->diff->count && table; i++)
        if (to->diff->group[i].verdict == verdict && (++found <= top || top == 0))
            add_row(table, to, verdict, &to->diff->group[i]);
    if (table)
        syn_table_write(table, to->terminal, to->text);
    if (top && found > top)
        syn_text_format(to->text, "and %zu more (--top 0 shows all)\n", found - top);
    syn_table_free(table);
}

static void write_section(const struct writer *to, enum syn_verdict verdict)
{
    static const char *const meaning[] = {
        [SYN_VERDICT_SLOWER] = "significant, and the whole interval is above the threshold",
        [SYN_VERDICT_FASTER] = "significant, and the whole interval is below the threshold",
        [SYN_VERDICT_UNCLEAR] = "significant, but the change may be within the threshold",
        [SYN_VERDICT_TOO_FEW_RUNS] =
            "the interval is that within these runs; other runs may differ by more",
        [SYN_VERDICT_INDISTINGUISHABLE] =
            "no difference shown; 'shows' is the least slowdown that these runs would have shown",
        [SYN_VERDICT_EQUIVALENT] =
            "the change is within the threshold, or within what the clocks can tell"};
    char title[64];
    size_t count = to->diff->verdict_count[verdict];
    if (count == 0)
        return;
    snprintf(title, sizeof title, "%s (%zu)", syn_verdict_text(verdict), count);
    title[0] = (char)(title[0] - 'a' + 'A');
    syn_text_format(to->text, "\n%s%s%s\n", syn_style_on(to->terminal, SYN_STYLE_BOLD), title,
                    syn_style_off(to->terminal));
    paragraph(to, 2, "  ", "%s", meaning[verdict]);
    write_table(to, verdict);
}

/* ---- groups of one side ---- */

static void write_singles(const struct writer *to, int i)
{
    const struct syn_diff_singles *only = &to->diff->only[i];
    size_t shown = to->diff->options.top && only->count > to->diff->options.top
                       ? to->diff->options.top
                       : only->count;
    char bytes[SYN_UNIT_BYTES], count[SYN_UNIT_BYTES];
    if (only->count == 0)
        return;
    syn_text_format(to->text, "\n%sOnly in %c (%zu)%s\n",
                    syn_style_on(to->terminal, SYN_STYLE_BOLD), i == 0 ? 'A' : 'B', only->count,
                    syn_style_off(to->terminal));
    for (size_t j = 0; j < shown; j++) {
        const struct syn_diff_single *single = &only->item[j];
        paragraph(to, 4, "  - ", "%s %s at %s, %llu rank%s (%s): %s instances", single->op,
                  syn_unit_bytes(bytes, (double)single->bytes), single->site,
                  (unsigned long long)single->comm_size, single->comm_size == 1 ? "" : "s",
                  single->comm, syn_unit_count(count, single->instance_count));
    }
    if (shown < only->count)
        syn_text_format(to->text, "and %zu more (--top 0 shows all)\n", only->count - shown);
}

/* ---- what to mind ---- */

static void mind_matches(const struct writer *to)
{
    size_t shown = 0;
    for (size_t i = 0; i < to->diff->count; i++) {
        const struct syn_diff_group *group = &to->diff->group[i];
        struct syn_text name = {0};
        if (group->match == SYN_MATCH_EXACT || ++shown > 10)
            continue;
        syn_diff_group_name(group, &name);
        if (group->match == SYN_MATCH_SHAPE)
            paragraph(to, 4, "  - ", "%s: the communicator is %s in A, %s in B",
                      syn_text_chars(&name), group->a.comm, group->b.comm);
        else
            paragraph(to, 4, "  - ", "%s: %s; in B it is %s%s", syn_text_chars(&name),
                      syn_diff_match_text(group->match), group->b.site,
                      group->a.label_count + group->b.label_count > 2
                          ? ", and several sites are taken together"
                          : "");
        syn_text_free(&name);
    }
    if (shown > 10)
        paragraph(to, 4, "  - ", "and %zu more whose keys differ", shown - 10);
}

static void mind_counts(const struct writer *to)
{
    const struct syn_diff *diff = to->diff;
    size_t unknown = 0, blurred = 0, lacking = 0;
    for (size_t i = 0; i < diff->count; i++) {
        const struct syn_diff_group *group = &diff->group[i];
        unknown += isnan(group->delta);
        blurred += group->delta > diff->options.threshold;
        lacking += group->a.run_count < diff->side[0].run_count ||
                   group->b.run_count < diff->side[1].run_count;
    }
    if (unknown)
        paragraph(to, 4, "  - ",
                  "the clocks of %zu groups were never compared: nothing is claimed of them "
                  "(--metric local_max needs no common clock)",
                  unknown);
    if (blurred)
        paragraph(to, 4, "  - ",
                  "in %zu groups the clocks' bound is wider than the threshold and takes its place",
                  blurred);
    if (lacking)
        paragraph(to, 4, "  - ", "%zu groups are not in every run", lacking);
}

/* Groups by run of which no instance is complete. */
static size_t without_instances(const struct syn_report *side)
{
    size_t count = 0;
    for (size_t i = 0; i < side->groups.count; i++)
        count += side->groups.group[i]->instance_count == 0;
    return count;
}

static void mind_sides(const struct writer *to)
{
    for (int i = 0; i < 2; i++) {
        const struct syn_report *side = &to->diff->side[i];
        size_t empty = without_instances(side);
        if (empty)
            paragraph(to, 4, "  - ",
                      "in %c %zu groups of single runs lack members in every instance and are left "
                      "out",
                      i == 0 ? 'A' : 'B', empty);
        for (size_t j = 0; j < side->unreadable_count; j++)
            paragraph(to, 4, "  - ", "%s", side->unreadable[j]);
    }
}

static void mind_runs(const struct writer *to)
{
    const struct syn_diff *diff = to->diff;
    size_t fewest = diff->side[0].run_count < diff->side[1].run_count ? diff->side[0].run_count
                                                                      : diff->side[1].run_count;
    if (diff->verdict_count[SYN_VERDICT_TOO_FEW_RUNS])
        paragraph(to, 4, "  - ",
                  "too few runs in %zu groups: %zu a side would do for one test at this level",
                  diff->verdict_count[SYN_VERDICT_TOO_FEW_RUNS], diff->needed_runs);
    else if (diff->count && fewest < diff->needed_runs_adjusted)
        paragraph(to, 4, "  - ",
                  "a single group that differs among these %zu would take %zu runs a side to be "
                  "claimed",
                  diff->count, diff->needed_runs_adjusted);
}

static void write_to_mind(const struct writer *to)
{
    size_t before = to->text->length;
    syn_text_format(to->text, "\n%sWhat to mind%s\n", syn_style_on(to->terminal, SYN_STYLE_BOLD),
                    syn_style_off(to->terminal));
    size_t heading_end = to->text->length;
    mind_sides(to);
    mind_runs(to);
    mind_matches(to);
    mind_counts(to);
    if (to->text->length == heading_end)
        to->text->length = before;
}

/* ---- A against A ---- */

static void write_false_positives(const struct writer *to)
{
    const struct syn_false_positives *found = &to->diff->false_positives;
    char alpha[SYN_UNIT_BYTES], runs[SYN_UNIT_BYTES], pooled[SYN_UNIT_BYTES];
    bool share = to->diff->options.metric == SYN_DIFF_WAIT_SHARE;
    if (!to->diff->options.same_program)
        return;
    syn_text_format(to->text, "\n%sThe same program on both sides%s\n",
                    syn_style_on(to->terminal, SYN_STYLE_BOLD), syn_style_off(to->terminal));
    if (found->group_count == 0) {
        paragraph(to, 4, "  - ", "no group has runs enough for a rate of false claims");
        return;
    }
    syn_unit_share(alpha, 1 - to->diff->options.confidence);
    paragraph(to, 4, "  - ",
              "the runs' medians differ 'significantly' in %zu of %zu groups, in %zu after the "
              "adjustment",
              found->run_claims, found->group_count, found->adjusted_claims);
    if (!share)
        paragraph(to, 4, "  - ", "pooling all instances would have claimed %zu of them",
                  found->pooled_claims);
    paragraph(to, 4, "  - ",
              "false claims over %zu random divisions of the same runs: %s by run, at a level of "
              "%s%s%s",
              found->split_count, syn_unit_share(runs, found->run_claim_rate), alpha,
              share ? "" : "; pooled ",
              share ? "" : syn_unit_share(pooled, found->pooled_claim_rate));
}

/* ---- legend ---- */

static void write_legend(const struct writer *to)
{
    static const char *const words[][2] = {
        {"A, B", "median of the runs' medians; <clock: smaller than the clocks can tell"},
        {"change", "of B against A: the median ratio of a run of B to a run of A (Hodges-Lehmann), "
                   "with its interval, in percent"},
        {"p", "adjusted over the groups; * below 0.05, ** below 0.01, *** below 0.001"},
        {"B>A", "how often a run of B has the larger value (Vargha-Delaney A; 0.5: no effect)"}};
    syn_text_format(to->text, "\n%sThe words%s\n", syn_style_on(to->terminal, SYN_STYLE_BOLD),
                    syn_style_off(to->terminal));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char first[16];
        snprintf(first, sizeof first, "  %s", words[i][0]);
        paragraph(to, 10, first, "%s", words[i][1]);
    }
}

void syn_diff_text(const struct syn_diff *diff, const struct syn_terminal *terminal,
                   struct syn_text *text)
{
    static const enum syn_verdict order[] = {SYN_VERDICT_SLOWER,
                                             SYN_VERDICT_FASTER,
                                             SYN_VERDICT_UNCLEAR,
                                             SYN_VERDICT_TOO_FEW_RUNS,
                                             SYN_VERDICT_INDISTINGUISHABLE,
                                             SYN_VERDICT_EQUIVALENT};
    struct writer to = {diff, terminal, text, false};
    for (size_t i = 1; i < diff->count; i++)
        to.many_comms |= strcmp(diff->group[i].a.comm, diff->group[0].a.comm) != 0;
    write_headline(&to);
    syn_text_char(text, '\n');
    write_side(&to, 0);
    write_side(&to, 1);
    write_method(&to);
    write_false_positives(&to);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        write_section(&to, order[i]);
    write_singles(&to, 0);
    write_singles(&to, 1);
    write_to_mind(&to);
    if (diff->count)
        write_legend(&to);
}
