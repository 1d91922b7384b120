/* tests/bench/claims_uneven.c - uneven work: how often is one of equal ranks named for more work,
 * and how often is a rank that has more? Each rank's work differs from part to part of the run. */
#include <math.h>
#include <string.h>

#include "analyze/report/sections/causes_words.h"
#include "claims.h"
#include "sync/base/status.h"

#define RANKS_MOST 8
/* Work of a part: this share of its time, and how much that scatters. */
#define WORK    0.25
#define SCATTER 0.5
#define BIN_NS  1000000

struct setting {
    int32_t ranks;
    uint32_t parts;
    double phi;
    double more; /* rank 0 has so many times the work of others */
};

enum { MATTERS, NAMED, RIGHT };

/* A report of one run, as far as the section about uneven work reads it. */
struct made {
    struct syn_rank_facts rank[RANKS_MOST];
    struct syn_rank_totals totals[RANKS_MOST];
    struct syn_own_time own[RANKS_MOST];
    struct syn_kernel_counters counters[RANKS_MOST];
    struct syn_cause_location location[RANKS_MOST];
    uint32_t first_location[RANKS_MOST + 1];
    struct syn_run_facts run;
    struct syn_report report;
};

static void make_run(const struct setting *s, struct made *made)
{
    *made = (struct made){.report = {.run = &made->run,
                                     .run_count = 1,
                                     .options = {.confidence = 0.95, .by = SYN_BY_DEFAULT}}};
    const int64_t run_ns = (int64_t)s->parts * (SYN_TIME_BINS_MOST / s->parts) * BIN_NS;
    made->run = (struct syn_run_facts){.run = 1,
                                       .rank_count = s->ranks,
                                       .present_count = s->ranks,
                                       .recorded_count = s->ranks,
                                       .rank = made->rank,
                                       .duration_ns = run_ns,
                                       .has_messages = true,
                                       .totals = {.rank = made->totals, .rank_count = s->ranks}};
    made->run.findings.run_ns = run_ns;
    made->run.findings.own = (struct syn_own_times){
        .rank = made->own, .rank_count = (size_t)s->ranks, .present_count = (size_t)s->ranks};
    made->run.causes.plan = (struct syn_cause_plan){.location = made->location,
                                                    .location_count = (uint32_t)s->ranks,
                                                    .first_location = made->first_location,
                                                    .rank_count = s->ranks};
    made->run.causes.counters = made->counters;
    for (int32_t r = 0; r < s->ranks; r++) {
        made->rank[r] = (struct syn_rank_facts){
            .present = true, .recorded = true, .node = SYN_NO_NAME, .load_average = NAN};
        made->totals[r].thread_count = 1;
        made->own[r].is_present = true;
        made->location[r].rank = r;
        made->first_location[r + 1] = (uint32_t)r + 1;
    }
}

/* Fills the time bins: each part is one pass of a segment, counted where it begins. */
static void work(struct syn_random *random, const struct setting *s, struct made *made)
{
    struct syn_causes *causes = &made->run.causes;
    const uint32_t bins = SYN_TIME_BINS_MOST / s->parts;
    const struct syn_time_bins time = {.bin_ns = BIN_NS, .count = s->parts * bins};
    const struct syn_cause_point point = {.site = SYN_NO_NAME, .op = 1};
    syn_cause_tables_begin(&causes->tables, 0);
    syn_label_of(&causes->tables, SYN_POINT_OUTSIDE,
                 syn_numbering_of(&causes->tables.points, &point));
    syn_cause_sums_begin(&causes->sums, (uint32_t)s->ranks, &time);
    for (int32_t r = 0; r < s->ranks; r++) {
        double x[SYN_TIME_BINS_MOST];
        simulate_ar1(random, s->phi, x, s->parts);
        for (uint32_t p = 0; p < s->parts; p++) {
            const double share = WORK * (r == 0 ? s->more : 1) * exp(SCATTER * x[p]);
            struct syn_bin_values values = {.count = 1};
            values.ns[SYN_CATEGORY_COMPUTING] = (int64_t)(fmin(1, share) * bins * BIN_NS);
            values.ns[SYN_CATEGORY_MESSAGES] = bins * BIN_NS - values.ns[SYN_CATEGORY_COMPUTING];
            made->own[r].own_ns += (double)values.ns[SYN_CATEGORY_COMPUTING];
            made->own[r].messages_ns += (double)values.ns[SYN_CATEGORY_MESSAGES];
            if (syn_bin_add(&causes->sums, (uint32_t)r, 0, p * bins, &values) != SYN_OK)
                abort();
        }
        made->run.findings.own.sum.own_ns += made->own[r].own_ns;
        made->run.findings.own.sum.messages_ns += made->own[r].messages_ns;
    }
    syn_cause_sums_settle(&causes->sums);
}

static void trial(struct syn_random *random, const void *setting, struct claims_counts *counts)
{
    struct made made;
    struct syn_uneven told;
    make_run(setting, &made);
    work(random, setting, &made);
    syn_report_uneven_work(NULL, &made.report, &made.run, &told);
    counts->of[MATTERS] += syn_report_is_uneven(&made.run);
    counts->of[NAMED] += told.count > 0;
    counts->of[RIGHT] += told.count > 0 && told.rank[0] == 0;
    syn_cause_sums_free(&made.run.causes.sums);
    syn_cause_tables_free(&made.run.causes.tables);
}

void claims_of_uneven_work(size_t trial_count)
{
    static const double phi[] = {0, 0.3, 0.6, 0.9}, more[] = {1, 1.5, 2};
    static const int32_t ranks[] = {2, 4, 8};
    static const uint32_t parts[] = {4, 6, 7, 8, 12, 16, 32, 64};
    printf("ranks,parts,phi,more,large,named,right\n");
    for (size_t at = 0; at < 3 * 8 * 4 * 3; at++) {
        const struct setting s = {ranks[at / 96], parts[at / 12 % 8], phi[at / 3 % 4],
                                  more[at % 3]};
        const struct claims_counts c = claims_run(trial, &s, trial_count, 11);
        const double t = (double)trial_count;
        printf("%d,%u,%g,%g,%.1f,%.1f,%.1f\n", s.ranks, s.parts, s.phi, s.more,
               100 * c.of[MATTERS] / t, 100 * c.of[NAMED] / t, 100 * c.of[RIGHT] / t);
        fflush(stdout);
    }
}
