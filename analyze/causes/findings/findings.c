/* analyze/causes/findings/findings.c - finds causes in the sums: which ranks, what kind, how
 * much. */
#include "analyze/causes/findings/findings.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/findings/profile.h"
#include "analyze/causes/sums/adding.h"
#include "analyze/stats/values/stats.h"
#include "analyze/threads.h"
#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* Ranks are named if at most NAMED_RANKS of all ranks cause NAMED_WAITING of a label's waiting. */
#define NAMED_RANKS   0.25
#define NAMED_WAITING 0.6
/* Ranks are shown if the p of that, times the number of ranks, is below this. */
#define NAMED_P 0.01
/* Ranks that are late in some of the passes only are seen if the p of that, times the number of
 * ranks, is below this. */
#define SEEN_P 0.5
/* Ranks differ if the p of such a share for the same few ranks is below this. */
#define DIFFER_P 0.05
/* Large excesses are the largest ones that together carry this share of the waiting. */
#define LARGE_WAITING 0.75
/* An excess is rare if it occurs in no more than this share of the passes. */
#define RARE_TIMES 0.1
/* An excess is seldom if it occurs in less than this share of the passes. The report then gives its
 * share and its own size, so that an excess in every second pass does not appear as half of it in
 * every pass. */
#define SELDOM_TIMES 0.6
/* With fewer passes per rank, the cause happened once, and no pattern is stated. */
#define TIMES_TO_RECUR 1.5
/* Waiting is at the run's begin if FIRST_WAITING of it falls into the first FIRST_CALLS of the
 * calls. */
#define FIRST_WAITING 0.8
#define FIRST_CALLS   0.15
/* A cause is off the processor or blocked if more than this share of its excess is. */
#define OFF_SHARE 0.5
/* A trend has a p below TREND_P, and changes by more than TREND_CHANGE of the median. */
#define TREND_P      0.01
#define TREND_CHANGE 0.5

const char *syn_pattern_name(enum syn_pattern pattern)
{
    static const char *const names[] = {NULL,      "steady",    "moving", "rare",
                                        "growing", "shrinking", "first",  NULL};
    return names[pattern];
}

const char *syn_category_name(enum syn_category category)
{
    static const char *const names[] = {"computing", "messages", "off_cpu", "operation", "waiting"};
    return names[category];
}

const char *syn_cause_kind_name(enum syn_cause_kind kind)
{
    return kind == SYN_KIND_BLOCKED ? "blocked" : syn_category_name((enum syn_category)kind);
}

bool syn_cause_names_rank(const struct syn_cause *cause, int32_t rank)
{
    for (size_t i = 0; i < cause->rank_count; i++)
        if (cause->ranks[i] == rank)
            return true;
    return false;
}

const char *syn_naming_name(enum syn_naming naming)
{
    static const char *const names[] = {"open", "differ", "seen", "shown"};
    return names[naming];
}

int64_t syn_cell_ns(const struct syn_cause_sums *sums, uint32_t location, uint32_t label,
                    enum syn_category category)
{
    const struct syn_cause_cell *cell = syn_profile_cell(sums, location, label);
    return cell ? cell->ns[syn_category_index(category)] : 0;
}

/* ---- which ranks ---- */

/* A rank's excesses from a bucket upwards: their number, and the waiting that they caused. */
struct late {
    double times, waiting_ns;
    int32_t rank;
};

/* Orders ranks by the waiting that they caused, the largest first; of equal ones, the lower rank
 * first. */
static int by_lateness(const void *left, const void *right)
{
    const struct late *a = left, *b = right;
    if (a->waiting_ns != b->waiting_ns)
        return a->waiting_ns > b->waiting_ns ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static bool is_once(const struct syn_profile *profile)
{
    return profile->chosen_times < TIMES_TO_RECUR;
}

/* Ranks that a cause may name. */
struct named {
    int32_t *rank; /* [count] of rank_count, the largest waiting first; borrowed */
    size_t count;
    enum syn_naming naming;
    double passes, all_passes; /* passes with excesses: of these ranks, and of all ranks */
    bool are_latest;           /* counts only passes with large excesses */
    bool may_be_chance;        /* seen, but in so few passes that chance does it as well */
    bool in_waves;             /* not shown, because successive bins depend on one another */
};

/* Returns how many bins tell as much as one independent bin. Bins in which the named ranks cause
 * most of the waiting may follow one another, for example where a processor is slow for a while. */
static double dependence_of_bins(const struct syn_profile *profile, const struct late *late,
                                 size_t named)
{
    double are_named[SYN_TIME_BINS_MOST];
    size_t n = 0;
    for (uint32_t b = 0; b < profile->bin_count; b++) {
        double all_ns = 0, named_ns = 0;
        for (size_t r = 0; r < profile->rank_count; r++)
            all_ns += profile->waiting[r * profile->bin_count + b];
        for (size_t i = 0; i < named; i++)
            named_ns += profile->waiting[(size_t)late[i].rank * profile->bin_count + b];
        if (all_ns > 0)
            are_named[n++] = named_ns > all_ns / 2;
    }
    return fmax(1, syn_dependence_factor(are_named, n)); /* a NAN becomes 1 */
}

/* Returns whether so many of all trials are significantly more than the share `chance`. */
static bool is_beyond_chance(double some, double all, double chance, double most_p)
{
    return some > chance * all && syn_binomial_test((size_t)some, (size_t)all, chance) < most_p;
}

/* Returns how certain it is that the first `named` of the late ranks [count] cause the large
 * excesses. If they cause most (`are_most`), the test is whether they have excesses more often than
 * by chance. Else it is whether they certainly have them less often than ranks are named for. Each
 * excess of a rank is a trial, but at most one for each bin, because excesses in close succession
 * often have one reason. Sets *in_waves if the ranks would be shown if bins were independent. */
static enum syn_naming how_sure(struct syn_profile *profile, const struct late *late, size_t count,
                                size_t named, bool are_most, bool *in_waves)
{
    const double ranks = (double)profile->rank_count, chance = (double)named / ranks;
    double all = 0, of_named = 0;
    *in_waves = false;
    if (are_most && is_once(profile)) /* states only what happened that one time */
        return SYN_NAMING_SHOWN;
    syn_profile_gather_bins(profile);
    for (size_t i = 0; i < count; i++) {
        const double trials = fmin(late[i].times, syn_profile_waiting_bins(profile, late[i].rank));
        all += trials;
        of_named += i < named ? trials : 0;
    }
    if (are_most) {
        const double each = dependence_of_bins(profile, late, named);
        *in_waves = is_beyond_chance(of_named, all, chance, NAMED_P / ranks) &&
                    !is_beyond_chance(of_named / each, all / each, chance, NAMED_P / ranks);
        return !*in_waves && is_beyond_chance(of_named, all, chance, NAMED_P / ranks)
                   ? SYN_NAMING_SHOWN
                   : SYN_NAMING_SEEN;
    }
    return of_named < NAMED_WAITING * all &&
                   syn_binomial_test((size_t)of_named, (size_t)all, NAMED_WAITING) < DIFFER_P
               ? SYN_NAMING_DIFFER
               : SYN_NAMING_OPEN;
}

/* Returns true if ranks were late in all the passes, or in so many that chance seldom does it. */
static bool stand_out(const struct named *found)
{
    return found->passes >= found->all_passes ||
           (found->passes >= NAMED_WAITING * found->all_passes && !found->may_be_chance);
}

/* Finds the few ranks that cause most of the excesses from a bucket upwards. late [rank_count] is
 * scratch memory. */
static void name_late(struct syn_profile *profile, int bucket, struct late *late, struct named *out)
{
    const size_t most = (size_t)fmax(1, floor(NAMED_RANKS * (double)profile->rank_count));
    double all_ns = 0, named_ns = 0;
    size_t count = 0, named = 0;
    *out = (struct named){.rank = out->rank};
    for (int32_t r = 0; (size_t)r < profile->rank_count; r++) {
        late[count].rank = r;
        late[count].times = syn_profile_large_times(profile, r, bucket, &late[count].waiting_ns);
        all_ns += late[count].waiting_ns;
        out->all_passes += late[count].times;
        count += late[count].waiting_ns > 0;
    }
    qsort(late, count, sizeof *late, by_lateness);
    for (; named < count && named < most && named_ns < NAMED_WAITING * all_ns; named++) {
        named_ns += late[named].waiting_ns;
        out->passes += late[named].times;
        out->rank[named] = late[named].rank;
    }
    if (all_ns > 0)
        out->naming = how_sure(profile, late, count, named, named_ns >= NAMED_WAITING * all_ns,
                               &out->in_waves);
    out->count = out->naming >= SYN_NAMING_SEEN ? named : 0;
    const double ranks = (double)profile->rank_count;
    out->may_be_chance =
        out->naming == SYN_NAMING_SEEN &&
        !is_beyond_chance(out->passes, out->all_passes, (double)named / ranks, SEEN_P / ranks);
}

/* Finds the ranks that cause most of a profile's waiting, or else most of its larger excesses (such
 * as pauses of one rank among work that varies). Shown ranks are preferred to seen ones, which must
 * stand out. Leaves all ranks chosen in the profile. rank [2 * rank_count] holds the result and
 * scratch memory. */
static void name_ranks(struct syn_profile *profile, int32_t *rank, struct named *out)
{
    static const double shares[] = {1, 0.75, 0.5, 0.25};
    SYN_FREED struct late *late = malloc((profile->rank_count + 1) * sizeof *late);
    struct named found = {.rank = rank + profile->rank_count};
    int before = SYN_EXCESS_BUCKETS;
    double times;
    *out = (struct named){.rank = rank};
    syn_profile_choose(profile, NULL, 0, false);
    for (int i = 0; late && i < 4 && profile->rank_count > 1 && out->naming != SYN_NAMING_SHOWN;
         i++) {
        const int bucket = syn_profile_large(profile, shares[i], &times);
        if (bucket == before) /* gives the same ranks as the previous share */
            continue;
        before = bucket;
        name_late(profile, bucket, late, &found);
        found.are_latest = i > 0;
        if (found.naming == SYN_NAMING_SHOWN || (i == 0 && found.naming == SYN_NAMING_DIFFER) ||
            (found.naming == SYN_NAMING_SEEN && out->count == 0 && stand_out(&found))) {
            memcpy(rank, found.rank, found.count * sizeof *rank);
            *out = found;
            out->rank = rank;
        }
    }
}

/* ---- what kind ---- */

/* Returns the share of the passes that cause most of the waiting, and sets *bucket to the lowest
 * bucket of these. Returns NAN if there are too few passes. */
static double times_share(const struct syn_profile *profile, int *bucket)
{
    double times;
    *bucket = syn_profile_large(profile, LARGE_WAITING, &times);
    return times > 0 && profile->chosen_times >= 10 ? times / profile->chosen_times : NAN;
}

/* ---- a cause ---- */

static enum syn_pattern pattern_of(const struct syn_profile *profile, const struct syn_cause *cause,
                                   double share, struct syn_trend *trend)
{
    *trend = (struct syn_trend){NAN, NAN, NAN};
    if (is_once(profile))
        return SYN_PATTERN_NONE;
    double waiting = 0, all_waiting = 0, count = 0, all_count = 0;
    for (uint32_t b = 0; b < profile->bin_count; b++) {
        all_waiting += profile->chosen_waiting[b];
        all_count += profile->chosen_count[b];
    }
    for (uint32_t b = 0; b < profile->bin_count; b++) {
        count += profile->chosen_count[b];
        if (count > FIRST_CALLS * all_count)
            break;
        waiting += profile->chosen_waiting[b];
    }
    if (waiting >= FIRST_WAITING * all_waiting)
        return SYN_PATTERN_FIRST;
    if (share <= RARE_TIMES)
        return SYN_PATTERN_RARE;
    if (profile->bin_used >= 8)
        syn_profile_trend(profile, TREND_P, trend);
    if (trend->p < TREND_P && fabs(trend->change) > TREND_CHANGE * fabs(trend->middle))
        return trend->change > 0 ? SYN_PATTERN_GROWING : SYN_PATTERN_SHRINKING;
    return cause->naming == SYN_NAMING_SHOWN    ? SYN_PATTERN_STEADY
           : cause->naming == SYN_NAMING_DIFFER ? SYN_PATTERN_MOVING
                                                : SYN_PATTERN_OTHER;
}

/* Finds how a cause recurs, and by how much its ranks take longer. */
static void measure(const struct syn_profile *profile, const struct syn_profile_plan *plan,
                    struct syn_cause *cause)
{
    int bucket;
    struct syn_trend trend;
    const double share = times_share(profile, &bucket);
    const bool seldom = share < SELDOM_TIMES;
    cause->is_shared = share > 1;
    cause->pattern = pattern_of(profile, cause, share, &trend);
    cause->instances =
        (int64_t)(seldom ? share * profile->chosen_times + 0.5 : profile->chosen_instances);
    cause->instances_share = (double)cause->instances / profile->chosen_times;
    if (seldom || cause->is_shared || cause->rank_count == 0)
        syn_profile_sampled(profile, seldom ? bucket : 0, plan, &cause->excess_ns);
    else
        syn_profile_excess(profile, plan, &cause->excess_ns);
    if (isnan(cause->excess_ns.median)) /* no other rank passes through the label: takes the excess
                                           over the ranks that waited */
        syn_profile_sampled(profile, 0, plan, &cause->excess_ns);
    if (profile->others_mean > 0)
        cause->excess_ratio = (struct syn_estimate){cause->excess_ns.median / profile->others_mean,
                                                    cause->excess_ns.low / profile->others_mean,
                                                    cause->excess_ns.high / profile->others_mean};
    if (cause->pattern == SYN_PATTERN_GROWING || cause->pattern == SYN_PATTERN_SHRINKING)
        cause->change = (struct syn_estimate){trend.change, NAN, NAN};
    /* A trend has a test of its own. If the excess grows, its first bins follow one another for
     * that reason. */
    if (cause->in_waves && isfinite(trend.change)) {
        cause->naming = SYN_NAMING_SHOWN;
        cause->in_waves = false;
    }
    cause->is_seldom = seldom;
    if (cause->rank_count > 0)
        cause->mean_excess_ns = profile->chosen_mean - profile->others_mean;
}

/* Returns whether all ranks that the profile has not chosen go elsewhere meanwhile. Then their own
 * time at this label is not 0 but has another label. */
static bool others_go_elsewhere(const struct syn_profile *profile)
{
    return isnan(profile->others_mean);
}

/* Limits the excess and the gain by balance to the waiting of the others, if these do something
 * else meanwhile. The limit is the mean waiting of an instance: in messages for a single waiting
 * rank, else for each of the other ranks. */
static void limit_to_waiting(const struct syn_profile *profile, struct syn_cause *cause)
{
    const double ranks = (double)profile->rank_count;
    const bool in_messages = cause->messages_waiting_ns > cause->waiting_ns / 2;
    const double waiters = in_messages ? 1 : ranks - (double)cause->rank_count;
    const double most_ns =
        profile->chosen_waiting_ns / fmax(1, profile->chosen_instances) / waiters;
    const double gain_ns =
        profile->chosen_waiting_ns / waiters * (ranks - (double)cause->rank_count) / ranks;
    const double excess = fmin(1, most_ns / cause->excess_ns.median);
    const double gain = fmin(1, gain_ns / cause->gain_ns.median);
    struct syn_estimate *of[] = {&cause->excess_ns, &cause->gain_ns};
    for (int i = 0; i < 2; i++) {
        of[i]->median *= i == 0 ? excess : gain;
        of[i]->low *= i == 0 ? excess : gain;
        of[i]->high *= i == 0 ? excess : gain;
    }
}

/* Returns a count per ns of processor time of some threads, divided by that of the others. */
static double rate_ratio(double some, double some_ns, double others, double others_ns)
{
    return some_ns > 0 && others_ns > 0 && others > 0 ? some / some_ns / (others / others_ns) : NAN;
}

/* Finds what the kernel counted for the chosen ranks, in absolute numbers and relative to the
 * others. */
static void find_evidence(const struct syn_causes *causes, const struct syn_profile *profile,
                          struct syn_cause_evidence *out)
{
    struct syn_kernel_sums chosen, others;
    syn_kernel_sums_begin(&chosen);
    syn_kernel_sums_begin(&others);
    for (uint32_t i = 0; i < causes->plan.location_count; i++)
        syn_kernel_sums_add(profile->chosen[causes->plan.location[i].rank] ? &chosen : &others,
                            &causes->counters[i]);
    *out = (struct syn_cause_evidence){
        chosen.involuntary_switches,
        chosen.run_delay_ns,
        chosen.major_faults,
        chosen.minor_faults,
        chosen.migrations,
        rate_ratio(chosen.instructions, chosen.counted_cpu_ns, others.instructions,
                   others.counted_cpu_ns),
        rate_ratio(chosen.cycles, chosen.counted_cpu_ns, others.cycles, others.counted_cpu_ns)};
}

static int add_cause(struct syn_findings *findings, const struct syn_cause *cause)
{
    if (SYN_ROOM(findings->cause, findings->cause_capacity, findings->cause_count) != SYN_OK)
        return SYN_ENOMEM;
    findings->cause[findings->cause_count++] = *cause;
    return 0;
}

static int by_number(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return a < b ? -1 : a > b;
}

/* Finds how much of the waiting for the chosen ranks was in messages, and how often it was passed
 * on. */
static void find_ways(const struct syn_profile *profile, struct syn_cause *cause)
{
    const struct syn_cause_sums *sums = &profile->causes->sums;
    const unsigned index = syn_category_index(profile->category);
    int64_t hops_ns[SYN_HOPS] = {0}, all_ns = 0, below_ns = 0;
    for (uint32_t i = 0; i < sums->location_count; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(sums, i, profile->label);
        if (!cell || !cell->reach || !profile->chosen[profile->causes->plan.location[i].rank])
            continue;
        syn_sum_add(&cause->messages_waiting_ns, cell->reach[index].messages_ns);
        cause->hops.most = syn_largest(cell->reach[index].hops_most, cause->hops.most);
        for (int h = 0; h < SYN_HOPS; h++) {
            syn_sum_add(&hops_ns[h], cell->reach[index].hops_ns[h]);
            syn_sum_add(&all_ns, cell->reach[index].hops_ns[h]);
        }
    }
    for (int h = 0; h < SYN_HOPS && all_ns > 0 && below_ns < all_ns - below_ns; h++) {
        syn_sum_add(&below_ns, hops_ns[h]);
        cause->hops.median = h;
    }
}

/* Finds the kind of a cause: what its ranks did. Seen ranks with only occasional large excesses are
 * not certain here, because the machine may delay any rank now and then. */
static void find_kind(const struct syn_profile *profile, const struct syn_own_times *times,
                      struct syn_cause *cause)
{
    static const enum syn_cause_kind kinds[] = {[SYN_CATEGORY_COMPUTING] = SYN_KIND_COMPUTING,
                                                [SYN_CATEGORY_MESSAGES] = SYN_KIND_MESSAGES,
                                                [SYN_CATEGORY_OPERATION] = SYN_KIND_OPERATION};
    struct syn_own_shares *own = &cause->own;
    cause->kind = kinds[cause->category];
    if (cause->category != SYN_CATEGORY_COMPUTING)
        return;
    const enum syn_own_ranks ranks = cause->rank_count == 0 ? SYN_OWN_ANY_RANKS
                                     : cause->naming == SYN_NAMING_SEEN && cause->are_latest
                                         ? SYN_OWN_UNSURE_RANKS
                                         : SYN_OWN_THESE_RANKS;
    *own = syn_own_times_divide(times, profile, ranks,
                                profile->chosen_off_cpu_ns / profile->chosen_waiting_ns);
    if (own->blocked + own->ready > OFF_SHARE)
        cause->kind = own->blocked > own->ready ? SYN_KIND_BLOCKED : SYN_KIND_OFF_CPU;
}

/* Adds the cause of the ranks that a profile has chosen: all ranks, or the named ones, or with
 * leave_out the others. */
static int make_cause(struct syn_profile *profile, const struct syn_profile_plan *plan,
                      const struct named *named, struct syn_findings *findings)
{
    const struct syn_estimate unknown = {NAN, NAN, NAN};
    const int64_t all_ns = profile->causes->sums.waiting_ns;
    if (named->count > 0) /* else all are chosen already */
        syn_profile_choose(profile, named->rank, named->count, plan->leave_out);
    if (!(profile->chosen_waiting_ns > 0))
        return 0;
    struct syn_cause cause = {.category = profile->category,
                              .label = profile->label,
                              .naming = plan->leave_out ? SYN_NAMING_OPEN : named->naming,
                              .waiting_ns = (int64_t)profile->chosen_waiting_ns,
                              .bound_ns = (int64_t)profile->chosen_bound_ns,
                              .off_cpu_waiting_ns = (int64_t)profile->chosen_off_cpu_ns,
                              .path_ns = profile->chosen_path_ns,
                              .excess_ns = unknown,
                              .excess_ratio = unknown,
                              .change = unknown,
                              .mean_excess_ns = NAN};
    cause.share = all_ns > 0 ? (double)cause.waiting_ns / (double)all_ns : NAN;
    find_ways(profile, &cause);
    if (named->count > 0 && !plan->leave_out) {
        cause.ranks = malloc(named->count * sizeof *named->rank);
        if (!cause.ranks)
            return SYN_ENOMEM;
        memcpy(cause.ranks, named->rank, named->count * sizeof *named->rank);
        qsort(cause.ranks, named->count, sizeof *named->rank, by_number);
        cause.rank_count = named->count;
        cause.seen_passes = (int64_t)named->passes;
        cause.all_passes = (int64_t)named->all_passes;
        cause.are_latest = named->are_latest;
        cause.may_be_chance = named->may_be_chance;
        cause.in_waves = named->in_waves;
    }
    find_kind(profile, plan->own, &cause);
    syn_profile_choose_bins(profile);
    measure(profile, plan, &cause);
    find_evidence(profile->causes, profile, &cause.evidence);
    syn_profile_gain_interval(profile, plan, syn_profile_gain(profile), &cause.gain_ns);
    if (is_once(profile))
        cause.gain_ns.low = cause.gain_ns.high = NAN;
    if (cause.rank_count > 0 && cause.category == SYN_CATEGORY_COMPUTING &&
        others_go_elsewhere(profile))
        limit_to_waiting(profile, &cause);
    const int status = add_cause(findings, &cause);
    if (status != SYN_OK)
        free(cause.ranks);
    return status;
}

/* Returns whether a label's category made any rank wait. Time off the processor belongs to own
 * time. */
static bool makes_wait(const struct syn_cause_sums *sums, uint32_t label,
                       enum syn_category category)
{
    for (uint32_t i = 0; i < sums->location_count; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(sums, i, label);
        for (unsigned index = 0; cell && index < SYN_CATEGORIES_OF_LABEL; index++)
            if (syn_category_sums_of(cell, index)->instances > 0 &&
                (index == syn_category_index(category) || category == SYN_CATEGORY_COMPUTING))
                return true;
    }
    return false;
}

/* Adds the causes of a label, category by category: the ranks that stand out, and the rest of the
 * waiting. rank [2 * rank_count] is scratch memory. */
static int find_causes(struct syn_profile *profile, uint32_t label,
                       const struct syn_profile_plan *of, int32_t *rank,
                       struct syn_findings *findings)
{
    static const enum syn_category of_call[] = {SYN_CATEGORY_OPERATION},
                                   of_segment[] = {SYN_CATEGORY_COMPUTING, SYN_CATEGORY_MESSAGES};
    const bool is_call = syn_label_is_call(syn_label_at(&profile->causes->tables, label));
    int status = 0;
    for (int i = 0; i < (is_call ? 1 : 2) && status == SYN_OK; i++) {
        const enum syn_category category = (is_call ? of_call : of_segment)[i];
        struct syn_profile_plan plan = *of;
        struct named named;
        if (!makes_wait(&profile->causes->sums, label, category))
            continue;
        syn_profile_make(profile, label, category);
        name_ranks(profile, rank, &named);
        status = make_cause(profile, &plan, &named, findings);
        plan.leave_out = true;
        if (status == SYN_OK && named.count > 0)
            status = make_cause(profile, &plan, &named, findings);
    }
    return status;
}

/* A search for causes. Several threads take labels. The order in which they find causes does not
 * matter. */
struct search {
    const struct syn_causes *causes;
    struct syn_profile_plan plan;
    uint32_t label_count;
    _Atomic uint32_t next;
    pthread_mutex_t lock; /* protects the rest */
    struct syn_findings *findings;
    int status;
};
#define LABELS_OF_THREAD 32 /* labels that make another thread worth while */

static void *search_labels(void *argument)
{
    struct search *search = argument;
    const struct syn_causes *causes = search->causes;
    struct syn_findings found = {0};
    struct syn_profile profile;
    int32_t *rank = malloc((2 * (size_t)causes->plan.rank_count + 1) * sizeof *rank);
    int status = syn_profile_begin(causes, &profile);
    status = rank ? status : SYN_ENOMEM;
    for (uint32_t i;
         status == SYN_OK && (i = atomic_fetch_add(&search->next, 1)) < search->label_count;)
        status = find_causes(&profile, i, &search->plan, rank, &found);
    syn_profile_free(&profile);
    free(rank);
    pthread_mutex_lock(&search->lock);
    search->status = search->status != SYN_OK ? search->status : status;
    for (size_t i = 0; i < found.cause_count; i++) {
        if (search->status == SYN_OK)
            search->status = add_cause(search->findings, &found.cause[i]);
        if (search->status != SYN_OK)
            free(found.cause[i].ranks);
    }
    pthread_mutex_unlock(&search->lock);
    free(found.cause);
    return NULL;
}

static int by_waiting(const void *left, const void *right)
{
    const struct syn_cause *a = left, *b = right;
    if (a->waiting_ns != b->waiting_ns)
        return a->waiting_ns > b->waiting_ns ? -1 : 1;
    if (a->category != b->category)
        return a->category < b->category ? -1 : 1;
    if (a->label != b->label)
        return a->label < b->label ? -1 : 1;
    return (a->rank_count == 0) - (b->rank_count == 0);
}

/* ---- causes of the same ranks ---- */

/* Returns whether a cause is in no cluster with others. A rank that was late once at several places
 * is not slow, so each place is told by itself. */
static bool is_alone(const struct syn_cause *cause)
{
    return cause->rank_count == 0 || cause->pattern == SYN_PATTERN_NONE;
}

/* Orders causes by kind and ranks, and causes that agree in these by their own order, the largest
 * waiting first. */
static int by_ranks(const void *left, const void *right)
{
    const struct syn_cause *a = *(const struct syn_cause *const *)left;
    const struct syn_cause *b = *(const struct syn_cause *const *)right;
    int order = is_alone(b) - is_alone(a);
    if (order == 0 && !is_alone(a)) {
        order = a->kind != b->kind ? (a->kind < b->kind ? -1 : 1) : 0;
        if (order == 0 && a->rank_count != b->rank_count)
            order = a->rank_count < b->rank_count ? -1 : 1;
        if (order == 0)
            order = memcmp(a->ranks, b->ranks, a->rank_count * sizeof *a->ranks);
    }
    return order ? order : a < b ? -1 : a > b;
}

/* Adds each cause to the cluster of the first cause of the same kind and ranks. Keeps the clusters
 * that have causes. Returns 0 or SYN_ENOMEM. */
static int find_clusters(struct syn_findings *findings)
{
    const size_t causes = findings->cause_count;
    SYN_FREED const struct syn_cause **ordered = malloc((causes + 1) * sizeof *ordered);
    const struct syn_cause *first = NULL;
    struct syn_cause_cluster *cluster = calloc(causes + 1, sizeof *cluster);
    findings->cluster = cluster;
    if (!ordered || !cluster)
        return SYN_ENOMEM;
    for (size_t i = 0; i < causes; i++)
        ordered[i] = &findings->cause[i];
    qsort(ordered, causes, sizeof *ordered, by_ranks);
    for (size_t i = 0; i < causes; i++) {
        const struct syn_cause *cause = ordered[i];
        if (!first || is_alone(first) || is_alone(cause) || first->kind != cause->kind ||
            first->rank_count != cause->rank_count ||
            memcmp(first->ranks, cause->ranks, cause->rank_count * sizeof *cause->ranks) != 0)
            first = cause;
        struct syn_cause_cluster *of = &cluster[first - findings->cause];
        of->first = first;
        of->place_count++;
        of->waiting_ns += cause->waiting_ns;
        of->shown_ns += cause->naming == SYN_NAMING_SHOWN ? cause->waiting_ns : 0;
        of->gain_ns += cause->gain_ns.median;
    }
    for (size_t i = 0; i < causes; i++)
        if (cluster[i].first)
            cluster[findings->cluster_count++] = cluster[i];
    return 0;
}

/* ---- efficiencies ---- */

void syn_findings_path(const struct syn_causes *causes, double *ns)
{
    static const enum syn_category of_segment[] = {SYN_CATEGORY_COMPUTING, SYN_CATEGORY_MESSAGES,
                                                   SYN_CATEGORY_OFF_CPU};
    static const enum syn_category of_call[] = {SYN_CATEGORY_OPERATION, SYN_CATEGORY_WAITING};
    memset(ns, 0, SYN_CATEGORY_COUNT * sizeof *ns);
    for (uint32_t label = 0; label < causes->tables.labels.count; label++) {
        const bool is_call = syn_label_is_call(syn_label_at(&causes->tables, label));
        for (uint32_t i = 0; i < causes->sums.location_count; i++) {
            const struct syn_cause_cell *cell = syn_profile_cell(&causes->sums, i, label);
            for (unsigned index = 0; cell && index < (is_call ? 2 : 3); index++)
                ns[(is_call ? of_call : of_segment)[index]] +=
                    (double)syn_category_sums_of(cell, index)->path_ns;
        }
    }
}

void syn_efficiency_make(const struct syn_efficiency_of *of, struct syn_efficiency *out)
{
    double sum = 0, most = 0;
    for (size_t r = 0; r < of->rank_count; r++) {
        sum += of->useful_ns[r];
        most = fmax(most, of->useful_ns[r]);
    }
    const double run = of->length_ns, ideal = fmax(run - of->transfer_ns, fmin(most, run));
    *out = (struct syn_efficiency){NAN, NAN, NAN, NAN, NAN};
    if (!(run > 0) || !(most > 0) || !(ideal > 0))
        return;
    out->load_balance = sum / (double)of->rank_count / most;
    out->communication = fmin(1, most / run);
    out->transfer = ideal / run;
    out->waiting = out->communication / out->transfer;
    out->parallel = out->load_balance * out->communication;
}

/* Computes the efficiency of the run. Time on the critical path that is neither computing nor off
 * the processor consists of operations, messages, and waiting of unknown cause. */
static int find_efficiency(const struct syn_causes *causes, struct syn_findings *findings)
{
    const struct syn_cause_plan *plan = &causes->plan;
    SYN_FREED double *useful_ns = calloc((size_t)plan->rank_count + 1, sizeof *useful_ns);
    double path_ns[SYN_CATEGORY_COUNT];
    size_t count = 0;
    if (!useful_ns)
        return SYN_ENOMEM;
    for (int32_t r = 0; r < plan->rank_count; r++) {
        for (uint32_t i = plan->first_location[r]; i < plan->first_location[r + 1]; i++)
            for (uint32_t label = 0; label < causes->tables.labels.count; label++)
                if (!syn_label_is_call(syn_label_at(&causes->tables, label)))
                    useful_ns[count] +=
                        (double)(syn_cell_ns(&causes->sums, i, label, SYN_CATEGORY_COMPUTING) +
                                 syn_cell_ns(&causes->sums, i, label, SYN_CATEGORY_OFF_CPU));
        const uint32_t threads = plan->first_location[r + 1] - plan->first_location[r];
        useful_ns[count] /= fmax(1, threads); /* each has the run's time */
        count += threads > 0;
    }
    syn_findings_path(causes, path_ns);
    const struct syn_efficiency_of of = {useful_ns, count, (double)findings->run_ns,
                                         path_ns[SYN_CATEGORY_OPERATION] +
                                             path_ns[SYN_CATEGORY_WAITING] +
                                             path_ns[SYN_CATEGORY_MESSAGES]};
    syn_efficiency_make(&of, &findings->efficiency);
    return 0;
}

/* ---- what if ---- */

static struct syn_estimate less_than(double run, const struct syn_estimate *gain)
{
    return (struct syn_estimate){run - gain->median, run - gain->high, run - gain->low};
}

/* Returns an interval for a sum over bins, from the spread of the bins. */
static struct syn_estimate late_estimate(const struct syn_causes *causes, double waiting_ns,
                                         double confidence)
{
    const double n = causes->sums.bins.count;
    const int64_t *waiting = causes->sums.caused_ns;
    double mean = 0, squares = 0;
    for (uint32_t b = 0; b < causes->sums.bins.count; b++)
        mean += (double)waiting[b] / n;
    for (uint32_t b = 0; b < causes->sums.bins.count; b++)
        squares += ((double)waiting[b] - mean) * ((double)waiting[b] - mean);
    return mean > 0 ? syn_estimate_about(waiting_ns, syn_two_sided_z(confidence) *
                                                         sqrt(squares / (n - 1) / n) / mean)
                    : (struct syn_estimate){waiting_ns, NAN, NAN};
}

static void find_what_if(const struct syn_causes *causes, double confidence,
                         struct syn_findings *findings)
{
    const double run = (double)findings->run_ns;
    struct syn_estimate rare = {0, 0, 0}, worst = {0, 0, 0};
    for (size_t i = 0; i < findings->cause_count; i++) {
        const struct syn_cause *cause = &findings->cause[i];
        if (cause->gain_ns.median > worst.median)
            worst = cause->gain_ns;
        if (cause->pattern == SYN_PATTERN_RARE) {
            rare.median += cause->gain_ns.median;
            rare.low += cause->gain_ns.low;
            rare.high += cause->gain_ns.high;
        }
    }
    const struct syn_estimate late = late_estimate(
        causes, findings->waited_ns / fmax(1, causes->plan.location_count), confidence);
    findings->what_if.balanced = less_than(run, &worst);
    findings->what_if.no_pauses = less_than(run, &rare);
    findings->what_if.nobody_late = less_than(run, &late);
}

int syn_findings_make(const struct syn_causes *causes, double confidence, struct syn_findings *out)
{
    const struct syn_profile_plan plan = {.confidence = confidence, .own = &out->own};
    *out = (struct syn_findings){.run_ns = causes->sums.path_end_ns - causes->sums.path_start_ns};
    int status = syn_own_times_make(causes, &out->own);
    if (status == SYN_OK) {
        struct search search = {.causes = causes,
                                .plan = plan,
                                .label_count = (uint32_t)causes->tables.labels.count,
                                .findings = out};
        const size_t most = search.label_count / LABELS_OF_THREAD + 1;
        pthread_mutex_init(&search.lock, NULL);
        syn_threads_run(syn_least(syn_thread_count(), most), search_labels, &search);
        pthread_mutex_destroy(&search.lock);
        if (out->cause_count > 1)
            qsort(out->cause, out->cause_count, sizeof *out->cause, by_waiting);
        status = search.status;
    }
    SYN_STEP(status, find_clusters(out));
    SYN_STEP(status, find_efficiency(causes, out));
    for (uint32_t label = 0; label < causes->tables.labels.count; label++)
        for (uint32_t i = 0; i < causes->plan.location_count; i++)
            if (syn_label_is_call(syn_label_at(&causes->tables, label)))
                out->waited_ns +=
                    (double)syn_cell_ns(&causes->sums, i, label, SYN_CATEGORY_WAITING);
    if (status == SYN_OK)
        find_what_if(causes, confidence, out);
    return status;
}

void syn_findings_free(struct syn_findings *findings)
{
    for (size_t i = 0; i < findings->cause_count; i++)
        free(findings->cause[i].ranks);
    free(findings->cause);
    free(findings->cluster);
    syn_own_times_free(&findings->own);
    *findings = (struct syn_findings){0};
}
