/* analyze/causes/findings/own_time.c - divides own time as docs/methods-causes.md describes. */
#include "analyze/causes/findings/own_time.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/causes/findings/profile.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/status.h"

/* The time off the processor of unknown kind must be less than this share of the run; else the rank
 * is unknown. */
#define SMALL_SHARE 0.01

/* A label's own time on a location, and the part of it that was certainly off the processor. */
struct own {
    double ns, off_ns;
};

static struct own own_of_cell(const struct syn_cause_cell *cell)
{
    const double off_ns = cell ? (double)cell->ns[SYN_CATEGORY_OFF_CPU] : 0;
    return (struct own){cell ? (double)cell->ns[SYN_CATEGORY_COMPUTING] + off_ns : 0, off_ns};
}

static struct own own_of_rank(const struct syn_causes *causes, size_t rank, uint32_t label)
{
    const uint32_t *first = &causes->plan.first_location[rank];
    struct own sum = {0, 0};
    for (uint32_t i = first[0]; i < first[1]; i++) {
        const struct own own = own_of_cell(syn_profile_cell(&causes->sums, i, label));
        sum.ns += own.ns;
        sum.off_ns += own.off_ns;
    }
    return sum;
}

/* Returns the mean of the other ranks' values. */
static double mean_without(double sum, double mine, double count)
{
    return count > 1 ? (sum - mine) / (count - 1) : mine;
}

static bool is_segment(const struct syn_causes *causes, uint32_t label)
{
    return !syn_label_is_call(syn_label_at(&causes->tables, label));
}

double syn_finalize_ns(const struct syn_causes *causes, uint32_t location)
{
    const int64_t finalize_ns = causes->plan.location[location].finalize_ns;
    return finalize_ns < causes->sums.path_end_ns ? (double)(causes->sums.path_end_ns - finalize_ns)
                                                  : 0;
}

/* Adds what the kernel counted for a thread. A thread that is ready without a processor is so in
 * calls as well; own time gets its share by length. MPI polls in its calls, so all blocked time
 * counts as own time. */
static void add_counters(const struct syn_kernel_counters *counters, double own_ns,
                         double length_ns, struct syn_own_time *rank)
{
    struct syn_kernel_sums sums;
    syn_kernel_sums_begin(&sums);
    syn_kernel_sums_add(&sums, counters);
    if (!(sums.run_delay_of_ns > 0)) {
        /* The kernel did not tell this thread's run delay. If it only gave up its processor by
         * itself, its time off the processor is blocked. If it was only displaced, that time is
         * ready. If both or neither happened, the time is unknown. A thread without samples is
         * unknown for all of its own time. */
        const bool by_itself = sums.voluntary_switches > 0,
                   displaced = sums.involuntary_switches > 0;
        const double out_ns = isnan(sums.switched_out_ns) ? own_ns : fmax(0, sums.switched_out_ns);
        if (by_itself == displaced)
            rank->unknown_ns += out_ns;
        else if (by_itself)
            rank->blocked_ns += out_ns;
        else
            rank->ready_ns += out_ns / length_ns;
        return;
    }
    rank->blocked_ns += sums.off_cpu_ns - sums.run_delay_ns;
    rank->ready_ns += sums.run_delay_ns / sums.run_delay_of_ns;
}

static void sum_up_rank(const struct syn_causes *causes, size_t number, struct syn_own_time *rank)
{
    const uint32_t *first = &causes->plan.first_location[number];
    const double length_ns = (double)(causes->sums.path_end_ns - causes->sums.path_start_ns);
    for (uint32_t i = first[0]; i < first[1]; i++) {
        const double before_ns = rank->own_ns;
        rank->is_present = true;
        for (uint32_t label = 0; label < causes->tables.labels.count; label++) {
            const struct syn_cause_cell *cell = syn_profile_cell(&causes->sums, i, label);
            const struct own own = own_of_cell(cell);
            if (!cell || !is_segment(causes, label))
                continue;
            rank->own_ns += own.ns;
            rank->certain_ns += own.off_ns;
            rank->messages_ns += (double)cell->ns[SYN_CATEGORY_MESSAGES];
            rank->certain_waiting_ns += (double)cell->waiting_ns[SYN_CATEGORY_OFF_CPU];
            rank->waiting_ns += (double)(cell->waiting_ns[SYN_CATEGORY_COMPUTING] +
                                         cell->waiting_ns[SYN_CATEGORY_OFF_CPU]);
        }
        /* The replay counts the rest of the run, from the entry of MPI_Finalize on, as messages. */
        const double ns = syn_finalize_ns(causes, i);
        rank->finalize_ns += ns;
        rank->messages_ns = fmax(0, rank->messages_ns - ns);
        add_counters(&causes->counters[i], rank->own_ns - before_ns, length_ns, rank);
    }
    rank->ready_ns *= rank->own_ns / fmax(1, first[1] - first[0]);
    if (!(rank->unknown_ns < SMALL_SHARE * length_ns)) {
        rank->blocked_ns = rank->ready_ns = NAN;
        return;
    }
    rank->blocked_ns = fmin(fmax(rank->blocked_ns, 0), rank->own_ns);
    rank->ready_ns = fmin(fmax(rank->ready_ns, 0), rank->own_ns - rank->blocked_ns);
}

int syn_own_times_make(const struct syn_causes *causes, struct syn_own_times *out)
{
    *out = (struct syn_own_times){.rank_count = (size_t)causes->plan.rank_count};
    out->rank = calloc(out->rank_count + 1, sizeof *out->rank);
    if (!out->rank)
        return SYN_ENOMEM;
    for (size_t r = 0; r < out->rank_count; r++) {
        struct syn_own_time *rank = &out->rank[r];
        sum_up_rank(causes, r, rank);
        out->present_count += rank->is_present;
        out->sum.own_ns += rank->own_ns;
        out->sum.messages_ns += rank->messages_ns;
        out->sum.finalize_ns += rank->finalize_ns;
        out->sum.certain_ns += rank->certain_ns;
        out->sum.blocked_ns += rank->blocked_ns;
        out->sum.ready_ns += rank->ready_ns;
        out->sum.waiting_ns += rank->waiting_ns;
        out->sum.certain_waiting_ns += rank->certain_waiting_ns;
    }
    for (uint32_t label = 0; label < causes->tables.labels.count; label++)
        if (is_segment(causes, label)) {
            double sum_ns = 0;
            for (size_t r = 0; r < out->rank_count; r++) {
                const struct own own = own_of_rank(causes, r, label);
                sum_ns += own.ns - own.off_ns;
            }
            for (size_t r = 0; r < out->rank_count; r++) {
                const struct own own = own_of_rank(causes, r, label);
                const double mine_ns = own.ns - own.off_ns;
                if (out->rank[r].is_present)
                    out->rank[r].unexplained_ns += fmax(
                        0, mine_ns - mean_without(sum_ns, mine_ns, (double)out->present_count));
            }
        }
    return 0;
}

void syn_own_times_free(struct syn_own_times *times)
{
    free(times->rank);
    *times = (struct syn_own_times){0};
}

/* ---- one excess ---- */

/* Columns of medians over the ranks that are not chosen. RATIONALE: one of them may be late
 * elsewhere, which would change a mean. */
enum { BLOCKED, READY, CERTAIN, COLUMNS };
_Static_assert(COLUMNS + 1 == SYN_PROFILE_SCRATCH, "one more to sort in");

/* Sets the medians. BLOCKED and READY are NAN if they are not known for all ranks. */
static void find_medians(const struct syn_own_times *times, const struct syn_profile *profile,
                         double out[COLUMNS])
{
    const bool is_known = !isnan(times->sum.blocked_ns);
    double *column[COLUMNS + 1];
    size_t count = 0;
    for (int c = 0; c < COLUMNS + 1; c++)
        column[c] = profile->scratch + (size_t)c * times->rank_count;
    for (size_t r = 0; r < times->rank_count; r++) {
        const struct syn_own_time *rank = &times->rank[r];
        if (!rank->is_present || profile->chosen[r])
            continue;
        column[BLOCKED][count] = is_known ? rank->blocked_ns : 0;
        column[READY][count] = is_known ? rank->ready_ns : 0;
        column[CERTAIN][count++] = rank->certain_ns;
    }
    for (int c = 0; c < COLUMNS; c++)
        out[c] = count > 0 ? syn_median_of(column[c], count, column[COLUMNS]) : 0;
    if (!is_known)
        out[BLOCKED] = out[READY] = NAN;
}

/* The excess of the chosen ranks at a label, in ns: all of it, the part off the processor, and of
 * that the blocked part. */
struct excess {
    double all_ns, off_ns, blocked_ns;
};

static struct excess excess_of(const struct syn_own_times *times, const struct syn_profile *profile)
{
    /* Computes the mean of the ranks that are not chosen. */
    struct own sum = {0, 0};
    double ranks = 0;
    for (size_t r = 0; r < times->rank_count; r++) {
        if (!times->rank[r].is_present || profile->chosen[r])
            continue;
        const struct own own = own_of_rank(profile->causes, r, profile->label);
        sum.ns += own.ns;
        sum.off_ns += own.off_ns;
        ranks++;
    }
    const struct own others = (struct own){sum.ns / fmax(1, ranks), sum.off_ns / fmax(1, ranks)};
    struct excess excess = {0, 0, 0};
    double median[COLUMNS];
    find_medians(times, profile, median);
    for (size_t r = 0; r < times->rank_count; r++) {
        if (!times->rank[r].is_present || !profile->chosen[r])
            continue;
        const struct own mine = own_of_rank(profile->causes, r, profile->label);
        /* The label has its own certain time. The time that the kernel counted beyond all certain
         * time is divided among the rank's labels in proportion to their unexplained time. */
        const struct syn_own_time *rank = &times->rank[r];
        const double blocked_ns = fmax(0, rank->blocked_ns - median[BLOCKED]);
        const double counted_ns = blocked_ns + fmax(0, rank->ready_ns - median[READY]);
        const double certain_ns = fmax(0, rank->certain_ns - median[CERTAIN]);
        const double here_ns = fmax(0, mine.off_ns - others.off_ns);
        const double unexplained_ns = fmax(0, mine.ns - mine.off_ns - others.ns + others.off_ns);
        const double whole_ns = fmax(rank->unexplained_ns, unexplained_ns);
        const double share = whole_ns > 0 ? unexplained_ns / whole_ns : 0;
        const double off_ns =
            here_ns + fmin(unexplained_ns, share * fmax(0, counted_ns - certain_ns));
        excess.all_ns += mine.ns - others.ns;
        excess.off_ns += off_ns;
        excess.blocked_ns += counted_ns > 0 ? off_ns * blocked_ns / counted_ns : 0;
    }
    return excess;
}

/* Returns the blocked share of all own time that ranks were off their processors. */
static double blocked_share(const struct syn_own_times *times)
{
    const double off_ns = times->sum.blocked_ns + times->sum.ready_ns;
    return off_ns > 0 ? times->sum.blocked_ns / off_ns : 0;
}

/* Returns the share of an excess that may be off the processor if no certain ranks are late: the
 * certain share, and as much of the other waiting for own time as the counted time can have caused
 * if all others waited for each moment of it. */
static double may_be_off(const struct syn_own_times *times, double certain_share)
{
    const struct syn_own_time *sum = &times->sum;
    const double spare_ns = sum->blocked_ns + sum->ready_ns - sum->certain_ns;
    const double waiting_ns = sum->waiting_ns - sum->certain_waiting_ns;
    const double share = spare_ns * (double)(times->present_count - 1) / waiting_ns;
    return isfinite(share) ? certain_share + (1 - certain_share) * fmin(1, fmax(0, share))
                           : certain_share;
}

struct syn_own_shares syn_own_times_divide(const struct syn_own_times *times,
                                           const struct syn_profile *profile,
                                           enum syn_own_ranks ranks, double certain_share)
{
    const struct excess none = {0, 0, 0};
    const struct excess excess = ranks == SYN_OWN_ANY_RANKS ? none : excess_of(times, profile);
    double off = certain_share, blocked = blocked_share(times);
    if (ranks != SYN_OWN_THESE_RANKS)
        off = may_be_off(times, certain_share);
    if (excess.all_ns > 0 && excess.off_ns > 0) {
        off = fmax(off, fmin(1, excess.off_ns / excess.all_ns));
        blocked = fmin(1, excess.blocked_ns / excess.off_ns);
    }
    if (isnan(times->sum.blocked_ns))
        return (struct syn_own_shares){0, off, false};
    return (struct syn_own_shares){off * blocked, off * (1 - blocked), true};
}
