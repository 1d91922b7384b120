/* analyze/diff/page/diff_warnings.c - writes the limits of a diff as sentences, for every format:
 * sides that lack something, machines that were busy, too few runs, keys that differ, clocks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/diff/page/diff_words.h"
#include "analyze/print/units.h"
#include "analyze/report/sections/causes_words.h"
#include "analyze/report/sections/report_page.h"
#include "sync/base/integers.h"

struct warnings {
    const struct syn_diff *diff;
    syn_diff_warning warning;
    void *ctx;
};

static void say_of(const struct warnings *to, const struct syn_value *value, size_t count)
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    syn_words_of(&words, value, count);
    to->warning(to->ctx, &words);
}
#define syn_say_warning(to, ...) say_of(to, SYN_VALUES(__VA_ARGS__))

static void write_counts(const struct warnings *to)
{
    const struct syn_diff *diff = to->diff;
    size_t unknown = 0, blurred = 0, lacking = 0, kinds = 0;
    for (size_t i = 0; i < diff->count; i++) {
        const struct syn_diff_group *group = &diff->group[i];
        unknown += isnan(group->delta) && !syn_diff_is_withdrawn(group);
        kinds += syn_diff_is_of_two_kinds(group);
        blurred += group->delta > diff->options.threshold;
        lacking += syn_diff_lacks_runs(diff, group);
    }
    if (unknown)
        syn_say_warning(to,
                        "The clocks of {n} group{s} were never compared, so nothing is claimed of "
                        "them. --metric local_max needs no common clock.",
                        unknown);
    if (kinds)
        syn_say_warning(to,
                        "In {n} group{s} the change contradicts the medians of A and B: the runs "
                        "are of several kinds. --format json has the values.",
                        kinds);
    if (blurred)
        syn_say_warning(
            to,
            "In {n} group{s} the clocks' bound is wider than the threshold and takes its place.",
            blurred);
    if (lacking)
        syn_say_warning(to, "{n} group{ is|s are} not in every run.", lacking);
}

/* Returns how many runs of A are runs of B, too. */
static size_t count_shared(const struct syn_diff *diff)
{
    size_t count = 0;
    struct stat a, b;
    for (size_t i = 0; i < diff->side[0].run_count; i++) {
        const char *path = diff->side[0].run[i].directory;
        bool found = false;
        for (size_t j = 0; path && stat(path, &a) == 0 && j < diff->side[1].run_count; j++) {
            const char *other = diff->side[1].run[j].directory;
            found |= other && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
        }
        count += found;
    }
    return count;
}

static void write_sides(const struct warnings *to)
{
    const size_t shared = count_shared(to->diff);
    if (shared)
        syn_say_warning(to,
                        "{n} run{ is|s are} both in A and in B. Compared with itself, a run does "
                        "not differ.",
                        shared);
    for (int i = 0; i < 2; i++) {
        const struct syn_report *side = &to->diff->side[i];
        /* Groups, counted for each run, that have no complete instance. */
        size_t empty = 0;
        for (size_t g = 0; g < side->groups.count; g++)
            empty += side->groups.group[g]->instance_count == 0;
        if (empty)
            syn_say_warning(
                to,
                "In {text} {n} group{s} of single runs lack members in every instance and are left "
                "out.",
                i == 0 ? "A" : "B", empty);
        for (size_t j = 0; j < side->unreadable_count; j++)
            syn_say_warning(to, "{text}", side->unreadable[j]);
    }
}

static void write_runs(const struct warnings *to)
{
    const struct syn_diff *diff = to->diff;
    size_t fewest = syn_least(diff->side[0].run_count, diff->side[1].run_count);
    if (diff->verdict_count[SYN_VERDICT_TOO_FEW_RUNS])
        syn_say_warning(
            to, "Too few runs in {n} group{s}: one test at this level takes {n} runs a side.",
            diff->verdict_count[SYN_VERDICT_TOO_FEW_RUNS], diff->needed_runs);
    else if (diff->count && fewest < diff->needed_runs_adjusted)
        syn_say_warning(to,
                        "If a single one of these {n} groups differed, it would take {n} runs a "
                        "side to claim it.",
                        diff->count, diff->needed_runs_adjusted);
}

/* Writes the warnings in the order of the page: programs, sides, machines, numbers of runs,
 * warm-up, keys that differ, call sites, clocks, groups. */
void syn_diff_warnings(const struct syn_diff *diff, syn_diff_warning warning, void *ctx)
{
    const struct warnings to = {diff, warning, ctx};
    /* The two programs may be two builds of one; the reader decides. */
    const char *a = syn_report_program(&to.diff->side[0].run[0]);
    const char *b = syn_report_program(&to.diff->side[1].run[0]);
    if (strcmp(a, b) != 0)
        syn_say_warning(&to, "A and B are different programs: {text} in A, {text} in B.", a, b);
    write_sides(&to);
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    syn_diff_machine_warnings(to.diff, to.warning, to.ctx);
    syn_diff_machine_differences(to.diff, &words);
    if (words.length)
        to.warning(to.ctx, &words);
    write_runs(&to);
    uint64_t skipped = 0;
    for (int i = 0; i < 2; i++)
        for (size_t j = 0; j < to.diff->side[i].groups.count; j++)
            skipped += to.diff->side[i].figures[j].skipped_count;
    if (skipped)
        syn_say_warning(
            &to, "{count} warm-up instances are left out (--skip-warmup). Waiting counts them.",
            skipped);
    size_t shown = 0;
    for (size_t i = 0; i < to.diff->count; i++) {
        const struct syn_diff_group *group = &to.diff->group[i];
        SYN_CLEANUP(syn_text_free) struct syn_text name = {0};
        if (group->match == SYN_MATCH_EXACT || ++shown > 10)
            continue;
        syn_diff_group_name(group, &name);
        if (group->match == SYN_MATCH_SHAPE)
            syn_say_warning(&to, "{text}: the communicator is {text} in A and {text} in B.",
                            syn_text_chars(&name), group->a.comm, group->b.comm);
        else
            syn_say_warning(&to, "{text}: {text}; in B it is {text}{text}.", syn_text_chars(&name),
                            syn_diff_match_text(group->match), group->b.site,
                            group->a.label_count + group->b.label_count > 2
                                ? ", and several sites are taken together"
                                : "");
    }
    if (shown > 10)
        syn_say_warning(&to, "{n} more whose keys differ.", shown - 10);
    size_t count = 0;
    for (size_t i = 0; i < to.diff->count; i++)
        count += to.diff->group[i].a.site && strcmp(to.diff->group[i].a.site, "?") == 0;
    if (count)
        syn_say_warning(
            &to,
            "{n} group{ has|s have} no call site (?): matched by operation, communicator and size "
            "alone. Record with --stack 8, on a machine that has the program.",
            count);
    for (int i = 0; i < 2; i++) {
        const size_t lost = syn_diff_lost_runs(to.diff, i);
        if (lost)
            syn_say_warning(&to,
                            "{n} run{s} of {text} (of {n}) {text} left out where times of "
                            "different ranks are compared, as the clocks are wrong (--metric "
                            "local_max needs no common clock)",
                            lost, i == 0 ? "A" : "B", to.diff->side[i].run_count,
                            lost == 1 ? "is" : "are");
    }
    write_counts(&to);
}

static void add_item(void *ctx, struct syn_text *words)
{
    struct syn_doc *doc = ctx;
    syn_say_item(doc, "{text}", syn_text_chars(words));
    doc->failed |= words->failed;
}

void syn_diff_warnings_section(struct syn_doc *doc, const void *facts)
{
    syn_doc_heading(doc, "Warnings");
    syn_diff_warnings(facts, add_item, doc);
}
