/* analyze/diff/diff_markdown.c - the diff as Markdown, for a comment on a pull request: the answer,
 * what changed as a table, all else folded up. */
#include <string.h>

#include "analyze/diff/diff_words.h"
#include "analyze/print/markdown.h"
#include "analyze/print/units.h"
#include "analyze/report/report_writer.h"

static void write_side(const struct syn_report *side, const char *name, struct syn_text *out)
{
    const struct syn_run_facts *run = &side->run[0];
    struct syn_text words = {0};
    syn_text_format(&words, "%s: %zu run%s of %s%s%s, %d ranks", name, side->run_count,
                    side->run_count == 1 ? "" : "s", run->program ? run->program : "?",
                    run->args && run->args[0] ? " " : "", run->args ? run->args : "",
                    run->rank_count);
    syn_markdown_between(out, "- ", syn_text_chars(&words), "\n");
    syn_text_free(&words);
}

static void write_group_row(const struct syn_diff *diff, const struct syn_diff_group *group,
                            enum syn_diff_scale scale, struct syn_text *out)
{
    char cell[2 * SYN_UNIT_BYTES];
    struct syn_text name = {0};
    syn_diff_group_name(group, &name);
    syn_text_char(out, '|');
    syn_markdown_cell(out, syn_verdict_text(group->verdict));
    syn_markdown_cell(out, syn_text_chars(&name));
    syn_markdown_cell(out, syn_diff_value(cell, diff, &group->a));
    syn_markdown_cell(out, syn_diff_value(cell, diff, &group->b));
    syn_markdown_cell(out, syn_diff_change(cell, group->ratio.estimate, scale));
    syn_markdown_cell(out, syn_diff_interval(cell, group->ratio.low, group->ratio.high, scale));
    syn_markdown_cell(out, group->ratio_within_runs ? "-" : syn_unit_p(cell, group->p_adjusted));
    syn_text_char(out, '\n');
    syn_text_free(&name);
}

static bool is_change(enum syn_verdict verdict)
{
    return verdict == SYN_VERDICT_SLOWER || verdict == SYN_VERDICT_FASTER ||
           verdict == SYN_VERDICT_UNCLEAR;
}

/* Of the groups that changed, or of the others: at most --top. Returns how many are left out. */
static size_t write_table(const struct syn_diff *diff, bool changes, struct syn_text *out)
{
    enum syn_diff_scale scale = SYN_SCALE_PERCENT;
    size_t found = 0;
    syn_text_string(out, "\n| verdict | group | A | B | change | interval | p |\n"
                         "|---|---|--:|--:|--:|---|---|\n");
    for (size_t i = 0; i < diff->count; i++)
        if (is_change(diff->group[i].verdict) == changes)
            scale = syn_diff_scale_with(scale, &diff->group[i].ratio);
    for (size_t i = 0; i < diff->count; i++)
        if (is_change(diff->group[i].verdict) == changes &&
            (++found <= diff->options.top || diff->options.top == 0))
            write_group_row(diff, &diff->group[i], scale, out);
    return diff->options.top && found > diff->options.top ? found - diff->options.top : 0;
}

static void write_left(size_t count, struct syn_text *out)
{
    if (count > 0)
        syn_text_format(out, "\n%zu more group%s (--top 0 shows all).\n", count,
                        count == 1 ? "" : "s");
}

static size_t count_changes(const struct syn_diff *diff)
{
    return diff->verdict_count[SYN_VERDICT_SLOWER] + diff->verdict_count[SYN_VERDICT_FASTER] +
           diff->verdict_count[SYN_VERDICT_UNCLEAR];
}

static void write_tables(const struct syn_diff *diff, struct syn_text *out)
{
    const size_t changed = count_changes(diff), others = diff->count - changed;
    size_t left = changed ? write_table(diff, true, out) : 0;
    write_left(left, out);
    if (others == 0)
        return;
    syn_text_format(out, "\n<details><summary>%zu other group%s</summary>\n", others,
                    others == 1 ? "" : "s");
    left = write_table(diff, false, out);
    write_left(left, out);
    syn_text_string(out, "\n</details>\n");
}

static void write_alarm(const struct syn_report *side, struct syn_text *out)
{
    struct syn_text words = {0};
    syn_report_clock_alarm(side, &words);
    syn_markdown_between(out, "\n**", syn_text_chars(&words), "**\n");
    syn_text_free(&words);
}

static void write_sentences(const struct syn_diff *diff, struct syn_text *out)
{
    struct syn_text words = {0};
    syn_diff_sentences(diff, &words);
    syn_markdown_between(out, "\n", syn_text_chars(&words), "\n");
    syn_text_free(&words);
}

void syn_diff_markdown(const struct syn_diff *diff, struct syn_text *text)
{
    const struct syn_report_writer to = {.text = text, .style = SYN_WRITE_MARKDOWN};
    struct syn_text headline = {0};
    syn_diff_headline(diff, &headline);
    syn_markdown_between(text, "### syncopate: ", syn_text_chars(&headline), "\n\n");
    syn_text_free(&headline);
    write_side(&diff->side[0], "A", text);
    write_side(&diff->side[1], "B", text);
    write_alarm(&diff->side[0], text);
    write_alarm(&diff->side[1], text);
    write_sentences(diff, text);
    syn_diff_warnings_list(diff, &to);
    if (diff->count)
        write_tables(diff, text);
    for (int i = 0; i < 2; i++)
        if (diff->only[i].count)
            syn_text_format(text, "\nOnly in %c: %zu group%s.\n", 'A' + i, diff->only[i].count,
                            diff->only[i].count == 1 ? "" : "s");
}
