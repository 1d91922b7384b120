/* analyze/diff/diff_machine.c - compares the machines of the two sides (diff.h). */
#include "analyze/diff/diff.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "analyze/report/sections/causes_words.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"

/* Loads per processor count as different if they differ by more. */
#define LOAD_THAT_DIFFERS 0.5
/* The most names of a side in a sentence. */
#define NAMES_SHOWN 3
/* The most runs of one side that follow each other when pairs are recorded: AB BA. */
#define STRETCH_IN_TURN 2

/* ---- in turn ---- */

struct begun {
    int64_t start_ns;
    int side;
};

SYN_ORDER(by_start, struct begun, SYN_UP(start_ns) ?: SYN_UP(side))

bool syn_diff_in_turn(const struct syn_diff *diff)
{
    const size_t count = diff->side[0].run_count + diff->side[1].run_count;
    SYN_FREED struct begun *run = malloc((count + 1) * sizeof *run);
    size_t known = 0;
    for (int side = 0; side < 2 && run; side++) {
        for (size_t i = 0; i < diff->side[side].run_count; i++)
            if (diff->side[side].run[i].start_unix_ns > 0)
                run[known++] = (struct begun){diff->side[side].run[i].start_unix_ns, side};
    }
    bool in_turn =
        run && known == count && diff->side[0].run_count > 1 && diff->side[1].run_count > 1;
    if (in_turn) {
        qsort(run, count, sizeof *run, by_start);
        /* The longest series of runs of one side. */
        size_t longest = 0, stretch = 0;
        for (size_t i = 0; i < count; i++) {
            stretch = i > 0 && run[i].side == run[i - 1].side ? stretch + 1 : 1;
            longest = syn_largest(longest, stretch);
        }
        in_turn = longest <= STRETCH_IN_TURN;
    }
    return in_turn;
}

/* ---- busy machines ---- */

size_t syn_diff_busy_runs(const struct syn_diff *diff, int side)
{
    const struct syn_report *report = &diff->side[side];
    size_t busy = 0;
    for (size_t run = 0; run < report->run_count; run++)
        busy += syn_report_machine_is_busy(report, &report->run[run]);
    return busy;
}

/* Returns the run that has the most of a kind of warning; *count: the number of runs that have
 * it. */
static const struct syn_run_facts *worst_run(const struct syn_report *report, size_t kind,
                                             size_t *count)
{
    const struct syn_run_facts *worst = NULL;
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    const char *next;
    *count = 0;
    for (size_t i = 0; i < report->run_count; i++) {
        const struct syn_run_facts *run = &report->run[i];
        syn_text_clear(&words);
        syn_report_machine_words(report, run, kind, &words, &next);
        if (words.length == 0)
            continue;
        ++*count;
        if (!worst || syn_report_machine_size(run, kind) > syn_report_machine_size(worst, kind))
            worst = run;
    }
    return worst;
}

void syn_diff_machine_warnings(const struct syn_diff *diff, syn_diff_warning warning, void *ctx)
{
    for (int side = 0; side < 2; side++)
        if (diff->side[side].run_count > 0) {
            const struct syn_report *report = &diff->side[side];
            SYN_CLEANUP(syn_text_free) struct syn_text line = {0}, words = {0};
            const char *next;
            for (size_t kind = 0;
                 syn_report_machine_words(report, &report->run[0], kind, &words, &next); kind++) {
                size_t count;
                const struct syn_run_facts *worst = worst_run(report, kind, &count);
                if (worst) {
                    syn_text_clear(&words);
                    syn_report_machine_words(report, worst, kind, &words, &next);
                    /* "In run 3 of A (the worst of 2 such runs), for 34.7 % of ..." */
                    syn_text_string(&line, "In ");
                    if (report->run_count > 1)
                        syn_text_format(&line, "run %u of ", worst->run);
                    syn_text_format(&line, "%c", 'A' + side);
                    if (count > 1)
                        syn_text_format(&line, " (the worst of %zu such runs)", count);
                    syn_text_format(&line, ", %c%s",
                                    tolower((unsigned char)*syn_text_chars(&words)),
                                    syn_text_chars(&words) + 1);
                    line.failed |= words.failed;
                    warning(ctx, &line);
                    syn_text_clear(&line);
                }
                syn_text_clear(&words);
            }
        }
}

/* ---- machines that differ ---- */

/* Distinct texts, not owned. */
struct texts {
    const char **item;
    size_t count;
};

static void add_text(struct texts *texts, const char *text)
{
    for (size_t i = 0; i < texts->count; i++)
        if (strcmp(texts->item[i], text) == 0)
            return;
    texts->item[texts->count++] = text;
}

SYN_ORDER(by_text, char *const, strcmp(*a, *b))

enum fact { FACT_HOST, FACT_KERNEL, FACT_PROCESSOR, FACT_COUNT };
static const char *const fact_names[] = {"host", "kernel", "processor"};

/* Lists the distinct texts of a side's runs, ascending. The caller frees `item`; NULL: no
 * memory. */
static struct texts texts_of(const struct syn_report *side, enum fact fact)
{
    size_t most = 1;
    for (size_t i = 0; i < side->run_count; i++)
        most += fact == FACT_HOST ? (size_t)side->run[i].rank_count : 1;
    struct texts out = {malloc(most * sizeof *out.item), 0};
    for (size_t i = 0; i < side->run_count && out.item; i++) {
        const struct syn_run_facts *run = &side->run[i];
        const char *text = fact == FACT_KERNEL ? run->kernel : run->processor;
        if (fact == FACT_HOST) {
            for (int32_t r = 0; r < run->rank_count; r++) {
                const char *name =
                    run->rank[r].present ? syn_names_text(&side->names, run->rank[r].node) : NULL;
                if (name && *name)
                    add_text(&out, name);
            }
        } else if (text)
            add_text(&out, text);
    }
    if (out.item)
        qsort(out.item, out.count, sizeof *out.item, by_text);
    return out;
}

static bool texts_differ(const struct texts *a, const struct texts *b)
{
    bool differ = a->count != b->count;
    for (size_t i = 0; i < a->count && !differ; i++)
        differ = strcmp(a->item[i], b->item[i]) != 0;
    return differ && a->count > 0 && b->count > 0; /* a missing text is no difference */
}

static void write_texts(const struct texts *texts, struct syn_text *out)
{
    for (size_t i = 0; i < texts->count && i < NAMES_SHOWN; i++)
        syn_text_format(out, "%s%s", i ? ", " : "", texts->item[i]);
    if (texts->count > NAMES_SHOWN)
        syn_text_format(out, " and %zu more", texts->count - NAMES_SHOWN);
}

/* Appends "host a in A, b in B" if the sides differ. Returns whether they do. */
static bool write_fact(const struct syn_diff *diff, enum fact fact, const char *gap,
                       struct syn_text *out)
{
    struct texts a = texts_of(&diff->side[0], fact), b = texts_of(&diff->side[1], fact);
    const bool differ = a.item && b.item && texts_differ(&a, &b);
    if (differ) {
        syn_text_format(out, "%s%s ", gap, fact_names[fact]);
        write_texts(&a, out);
        syn_text_string(out, " in A, ");
        write_texts(&b, out);
        syn_text_string(out, " in B");
    }
    free(a.item);
    free(b.item);
    return differ;
}

static double median_load(const struct syn_report *side, bool a_processor)
{
    SYN_FREED double *load = malloc((side->run_count + 1) * sizeof *load);
    size_t count = 0;
    for (size_t i = 0; i < side->run_count && load; i++) {
        /* The largest load of the ranks' nodes, or the load per processor; NAN: not known. */
        double most = NAN;
        for (int32_t r = 0; r < side->run[i].rank_count; r++) {
            const struct syn_rank_facts *rank = &side->run[i].rank[r];
            if (!rank->present || rank->processor_count <= 0)
                continue;
            most = fmax(most, rank->load_average / (a_processor ? rank->processor_count : 1));
        }
        load[count] = most;
        count += (size_t)(isfinite(load[count]) != 0);
    }
    return count ? syn_diff_median_of(load, count) : NAN;
}

void syn_diff_machine_differences(const struct syn_diff *diff, struct syn_text *out)
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    for (int fact = 0; fact < FACT_COUNT; fact++)
        write_fact(diff, (enum fact)fact, words.length ? "; " : "", &words);
    const struct syn_report *side = diff->side;
    if (fabs(median_load(&side[0], true) - median_load(&side[1], true)) > LOAD_THAT_DIFFERS)
        syn_text_format(&words, "%sload %.1f in A, %.1f in B", words.length ? "; " : "",
                        median_load(&side[0], false), median_load(&side[1], false));
    if (words.length)
        syn_text_format(out, "The machines differ: %s.", syn_text_chars(&words));
    out->failed |= words.failed;
}

bool syn_diff_processors_differ(const struct syn_diff *diff, struct syn_text *out)
{
    return write_fact(diff, FACT_PROCESSOR, "", out);
}
