/* analyze/report/sections/causes_balance.c - finds uneven work and pauses that show in messages
 * only. If ranks wait for one another in sends and receives, collectives show little of it, and the
 * waiting may not say who is late. But it is known which rank computes longer, or is blocked
 * longer, and where. */
#include <math.h>
#include <string.h>

#include "analyze/causes/findings/profile.h"
#include "analyze/print/units.h"
#include "analyze/report/findings/rank_time.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/causes_words.h"
#include "analyze/stats/series/longrun.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/status.h"

/* Conditions for an item. The gap is the most loaded rank's time above the mean; it must be this
 * share of the run. Blocked time is counted by the kernel, and no noise: less of it matters. */
#define GAP_THAT_MATTERS     0.05
#define BLOCKED_THAT_MATTERS 0.02
/* The others spend at least this share of the gap in messages. */
#define GAP_IN_MESSAGES 0.5
/* The rank's time outside of MPI, or the part of it that was certainly off the processor, exceeds
 * the mean of the others by at least this share of the gap. */
#define GAP_OUTSIDE 0.5
/* Causes that collectives show would save less than this share of the gap. */
#define GAP_EXPLAINED 0.5
/* Other programs on the ranks' processors also take caches and siblings, so that equal work takes
 * unequal processor time. The gap, which is processor time, must be at least the share of time that
 * they take. A rank's may exceed that of the others by this many times the time that it lost. */
#define OWN_OF_LOST 1.5

/* The rank that has most own time of one kind. */
struct load {
    enum syn_cause_kind kind; /* computing or blocked */
    int32_t rank;
    double ns, mean_ns;     /* time of that kind: the rank's, and the mean of all */
    double messages_ns;     /* mean time of the others in messages and MPI_Finalize */
    double finalize_ns;     /* mean time of the others in MPI_Finalize */
    double outside_ns;      /* the rank's own time of all kinds, above the mean of the others */
    double certain_ns;      /* the part certainly off the processor, above the mean of the others */
    double low_ns, high_ns; /* interval of outside_ns; NAN: too few parts */
};

/* Returns a rank's own time of one kind. If the kernel did not count, all own time is computing,
 * except what was certainly off the processor. */
static double of_kind(const struct syn_own_time *rank, enum syn_cause_kind kind)
{
    if (isnan(rank->blocked_ns))
        return kind == SYN_KIND_BLOCKED ? 0 : rank->own_ns - rank->certain_ns;
    return kind == SYN_KIND_BLOCKED
               ? rank->blocked_ns
               : rank->own_ns - fmax(rank->certain_ns, rank->blocked_ns + rank->ready_ns);
}

static double above_others(double mine, double sum, double count)
{
    return mine - (sum - mine) / (count - 1);
}

static void find_load(const struct syn_run_facts *run, enum syn_cause_kind kind, struct load *load)
{
    const struct syn_own_times *times = &run->findings.own;
    const double count = (double)times->present_count;
    *load = (struct load){.kind = kind, .rank = -1, .low_ns = NAN, .high_ns = NAN};
    for (size_t r = 0; r < times->rank_count; r++) {
        const double ns = of_kind(&times->rank[r], kind);
        if (!times->rank[r].is_present)
            continue;
        load->mean_ns += ns / count;
        if (load->rank < 0 || ns > load->ns) {
            load->rank = (int32_t)r;
            load->ns = ns;
        }
    }
    if (load->rank < 0 || count < 2)
        return;
    const struct syn_own_time *most = &times->rank[load->rank];
    load->finalize_ns = (times->sum.finalize_ns - most->finalize_ns) / (count - 1);
    load->messages_ns = load->finalize_ns;
    for (size_t r = 0; r < times->rank_count; r++)
        if (times->rank[r].is_present && (int32_t)r != load->rank)
            load->messages_ns +=
                syn_share_of_rank(run, (int32_t)r, SYN_SHARE_MESSAGES) / (count - 1);
    load->outside_ns = above_others(most->own_ns, times->sum.own_ns, count);
    load->certain_ns = above_others(most->certain_ns, times->sum.certain_ns, count);
}

bool syn_report_lost_explains(const struct syn_run_facts *run, int32_t rank, double waiting_ns)
{
    const struct syn_own_times *own = &run->findings.own;
    const double others = (double)own->present_count - 1;
    const double lost_ns = syn_report_lost_beyond_ns(run, rank);
    double mine_ns = 0, all_ns = 0;
    if (!(lost_ns > 0) || !(others > 0) || waiting_ns > lost_ns * others)
        return false;
    for (size_t r = 0; r < own->rank_count; r++)
        if (own->rank[r].is_present) {
            const double ns = of_kind(&own->rank[r], SYN_KIND_COMPUTING);
            all_ns += ns;
            mine_ns = (int32_t)r == rank ? ns : mine_ns;
        }
    return mine_ns - (all_ns - mine_ns) / others <= OWN_OF_LOST * lost_ns;
}

/* Returns a rank's own time in the bins [first, end). */
static double own_in(const struct syn_rank_time *time, uint32_t rank, uint32_t first, uint32_t end)
{
    double ns = 0;
    for (uint32_t b = first; b < end; b++)
        ns += time->useful[(size_t)rank * time->bin_count + b];
    return ns;
}

/* Returns by how much the rank's own time exceeds the mean of the others in the bins [first, end).
 * NAN: no rank has own time there. */
static double excess_in(const struct syn_rank_time *time, int32_t rank, uint32_t first,
                        uint32_t end)
{
    double sum = 0;
    for (uint32_t r = 0; r < time->row_count; r++)
        sum += own_in(time, r, first, end);
    const double mine = own_in(time, (uint32_t)rank, first, end);
    return sum > 0 ? mine - (sum - mine) / (time->row_count - 1) : NAN;
}

/* Returns the label at which the rank's own time exceeds the mean of the present ranks most. *most
 * and *mean: both times there. */
static uint32_t worst_label(const struct syn_run_facts *run, int32_t rank, double *most,
                            double *mean)
{
    const struct syn_causes *causes = &run->causes;
    uint32_t worst = 0;
    *most = *mean = 0;
    for (uint32_t label = 0; label < causes->tables.labels.count; label++) {
        double of_rank = 0, of_all = 0;
        if (syn_label_is_call(syn_label_at(&causes->tables, label)))
            continue;
        for (uint32_t i = 0; i < causes->plan.location_count; i++) {
            const double ns =
                (double)(syn_cell_ns(&causes->sums, i, label, SYN_CATEGORY_COMPUTING) +
                         syn_cell_ns(&causes->sums, i, label, SYN_CATEGORY_OFF_CPU));
            of_all += ns / (double)run->findings.own.present_count;
            of_rank += causes->plan.location[i].rank == rank ? ns : 0;
        }
        if (of_rank - of_all > *most - *mean) {
            *most = of_rank;
            *mean = of_all;
            worst = label;
        }
    }
    return worst;
}

/* Returns how many bins a pass of the rank lasts in the mean, where it exceeds the others most. The
 * time of a pass is spread evenly over its bins, so these are not independent. */
static uint32_t bins_of_pass(const struct syn_run_facts *run, int32_t rank,
                             const struct syn_rank_time *time)
{
    const struct syn_causes *causes = &run->causes;
    double most_ns, mean_ns, ns = 0, count = 0;
    const uint32_t label = worst_label(run, rank, &most_ns, &mean_ns);
    for (uint32_t i = 0; i < causes->plan.location_count; i++) {
        const struct syn_cause_cell *cell = causes->plan.location[i].rank == rank
                                                ? syn_profile_cell(&causes->sums, i, label)
                                                : NULL;
        for (int index = 0; cell && index < SYN_CATEGORIES_OF_LABEL; index++)
            ns += (double)cell->ns[index];
        count += cell ? (double)cell->count : 0;
    }
    const double bins = count > 0 ? ceil(ns / count / time->bin_ns) : 1;
    return (uint32_t)fmin(fmax(1, bins), fmax(1, time->bin_count));
}

/* Returns the time that balance would save by the causes of the load that *Why* names. Causes of
 * another kind do not tell that a rank is blocked, and for how long; nor do many small ones. */
static double explained_ns(const struct syn_run_facts *run, const struct load *load)
{
    double sum_ns = 0, blocked_ns = 0;
    for (size_t i = 0; i < run->findings.cluster_count; i++) {
        const struct syn_cause_cluster *cluster = &run->findings.cluster[i];
        if (cluster->first->category != SYN_CATEGORY_COMPUTING ||
            !syn_cause_names_rank(cluster->first, load->rank) || !syn_cause_matters(run, cluster))
            continue;
        sum_ns += cluster->gain_ns;
        if (cluster->first->kind == SYN_KIND_BLOCKED)
            blocked_ns = fmax(blocked_ns, cluster->gain_ns);
    }
    return load->kind == SYN_KIND_BLOCKED ? blocked_ns : sum_ns;
}

static void write_load(struct syn_doc *doc, const struct syn_report *report,
                       const struct syn_run_facts *run, const struct load *load)
{
    SYN_CLEANUP(syn_text_free)
    struct syn_text where = {0}, calls = {0}, certainty = {0}, passes = {0};
    double most_ns, mean_ns;
    const uint32_t label = worst_label(run, load->rank, &most_ns, &mean_ns);
    const bool is_blocked = load->kind == SYN_KIND_BLOCKED;
    const bool is_counted = isfinite(run->findings.own.sum.blocked_ns);
    const double count = (double)run->findings.own.present_count;
    const double others_ns = (load->mean_ns * count - load->ns) / (count - 1);
    syn_cause_where(report, run, label, &where);
    /* Append the calls in which the others spend the time. */
    if (load->finalize_ns < 0.9 * load->messages_ns)
        syn_text_string(&calls, syn_report_messages_name(run));
    if (load->finalize_ns >= 0.1 * load->messages_ns)
        syn_text_format(&calls, "%sMPI_Finalize", calls.length > 0 ? " and " : "");
    /* "; of its passes median 12.0 us, ..." */
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    syn_pass_words(run, label, load->rank, &words);
    if (words.length)
        syn_text_format(&passes, "; of its passes %s", syn_text_chars(&words));
    /* " [12.0 %, 14.1 %]" */
    const double scale = (load->ns - load->mean_ns) / load->outside_ns / (syn_facts_run_ns(run));
    if (load->low_ns > 0)
        syn_words(&certainty, " [{share}, {share}]", load->low_ns * scale,
                  fmin(1, load->high_ns * scale));
    syn_text_string(&certainty, " of the run");
    syn_say_item_next(
        doc,
        is_blocked                                           ? SYN_BLOCKED_NEXT
        : load->ns - others_ns < SYN_SLOWER_MOST * others_ns ? SYN_SWAP_NEXT
                                                             : SYN_MORE_OR_SLOWER,
        "Rank {n} {text} for {time} outside of MPI, the mean of the ranks is {time}. {text} "
        "{text}: {time}, where the mean is {time}{text}. The others are in {text} for "
        "{time}{text}. "
        "Perfect balance would save {share}{text}.",
        load->rank,
        is_blocked   ? "is blocked"
        : is_counted ? "computes"
                     : "is busy",
        load->ns, load->mean_ns,
        is_blocked ? "Its own time exceeds the mean most" : "It is longest", syn_text_chars(&where),
        most_ns, mean_ns, syn_text_chars(&passes), syn_text_chars(&calls), load->messages_ns,
        run->messages.recorded == SYN_MESSAGES_EVENTS
            ? ""
            : ", in which ranks wait for one another unseen",
        (load->ns - load->mean_ns) / syn_facts_run_ns(run), syn_text_chars(&certainty));
}

/* Returns true if the load fulfils the conditions above. */
static bool load_matters(const struct syn_run_facts *run, const struct load *load)
{
    const struct syn_own_time *sum = &run->findings.own.sum;
    const double gap_ns = load->ns - load->mean_ns;
    const double least = load->kind == SYN_KIND_BLOCKED
                             ? BLOCKED_THAT_MATTERS
                             : fmax(GAP_THAT_MATTERS, sum->ready_ns / sum->own_ns);
    const double outside_ns = load->kind == SYN_KIND_BLOCKED
                                  ? fmax(load->outside_ns, load->certain_ns)
                                  : load->outside_ns;
    return load->rank >= 0 && gap_ns >= least * (double)run->findings.run_ns &&
           load->messages_ns >= GAP_IN_MESSAGES * gap_ns && outside_ns >= GAP_OUTSIDE * gap_ns &&
           explained_ns(run, load) < GAP_EXPLAINED * gap_ns;
}

bool syn_report_is_uneven(const struct syn_run_facts *run)
{
    struct load computing, blocked;
    find_load(run, SYN_KIND_COMPUTING, &computing);
    find_load(run, SYN_KIND_BLOCKED, &blocked);
    return load_matters(run, &computing) || load_matters(run, &blocked);
}

/* The loads that become items, at most one of each kind. find_loads returns 0 or SYN_ENOMEM. */
struct loads {
    struct load load[2];
    size_t count;
};

/* Sets the interval of the sum over the run's parts, from their spread and their dependence. A part
 * is no shorter than a pass. Some rank always has most, so the confidence is adjusted for the
 * number of ranks. */
static void find_interval(const struct syn_run_facts *run, const struct syn_rank_time *time,
                          double confidence, struct load *load)
{
    double value[SYN_TIME_BINS_MOST], sorted[SYN_TIME_BINS_MOST], sum = 0, squares = 0;
    const uint32_t bins = bins_of_pass(run, load->rank, time);
    const uint32_t parts = time->bin_count / bins; /* of equal length but for one bin */
    size_t n = 0;
    for (uint32_t p = 0; p < parts; p++) {
        const double ns = excess_in(time, load->rank, p * time->bin_count / parts,
                                    (p + 1) * time->bin_count / parts);
        if (isnan(ns))
            continue;
        value[n++] = ns;
        sum += ns;
        squares += ns * ns;
    }
    memcpy(sorted, value, n * sizeof *sorted);
    syn_sort(sorted, n);
    const double count = (double)n;
    const double of_rank = 1 - (1 - confidence) / (double)time->row_count;
    const double z = syn_dependent_z(of_rank, n, syn_interval_tau_of_sorted(value, sorted, n));
    const double half_ns =
        (isnan(z) && load->kind == SYN_KIND_COMPUTING ? syn_unmeasured_z(of_rank, n) : z) *
        sqrt(fmax(0, squares - sum * sum / count) * count / (count - 1));
    load->low_ns = load->outside_ns - half_ns;
    load->high_ns = load->outside_ns + half_ns;
}

/* Returns true if the load is no chance. Blocked time is a fact in few parts of the run, too. */
static bool is_sure_enough(const struct load *load)
{
    return load->kind == SYN_KIND_BLOCKED || load->low_ns > 0;
}

static int find_loads(const struct syn_run_facts *run, double confidence, struct loads *out)
{
    static const enum syn_cause_kind kinds[] = {SYN_KIND_COMPUTING, SYN_KIND_BLOCKED};
    int status = 0;
    out->count = 0;
    for (size_t k = 0; k < 2 && status == SYN_OK; k++) {
        SYN_CLEANUP(syn_rank_time_free) struct syn_rank_time time = {0};
        struct load *load = &out->load[out->count];
        find_load(run, kinds[k], load);
        if (!load_matters(run, load))
            continue;
        status = syn_rank_time_make(run, 0, &time);
        if (status == SYN_OK)
            find_interval(run, &time, confidence, load);
        out->count += is_sure_enough(load);
    }
    return status;
}

double syn_report_uneven_saving(const struct syn_report *report, const struct syn_run_facts *run)
{
    struct loads loads;
    double most_ns = 0;
    if (find_loads(run, report->options.confidence, &loads) != SYN_OK)
        return 0;
    for (size_t i = 0; i < loads.count; i++)
        most_ns = fmax(most_ns, loads.load[i].ns - loads.load[i].mean_ns);
    return most_ns / syn_facts_run_ns(run);
}

void syn_report_uneven_work(struct syn_doc *doc, const struct syn_report *report,
                            const struct syn_run_facts *run, struct syn_uneven *told)
{
    struct loads loads;
    *told = (struct syn_uneven){0};
    const int status = find_loads(run, report->options.confidence, &loads);
    if (doc)
        doc->failed |= status != SYN_OK;
    for (size_t i = 0; i < loads.count; i++) {
        if (doc)
            write_load(doc, report, run, &loads.load[i]);
        told->rank[told->count] = loads.load[i].rank;
        told->kind[told->count++] = loads.load[i].kind;
    }
}
