/* analyze/report/causes_balance.c - uneven work that shows in messages: where ranks wait for one
 * another in sends and receives, collectives see little of it, and no waiting says who is late. But
 * who computes longer is known, and where. */
#include <math.h>
#include <stdlib.h>

#include "analyze/print/units.h"
#include "analyze/report/causes_words.h"

/* It is told where so much of the run is the most loaded rank's time above the mean ... */
#define GAP_THAT_MATTERS 0.05
/* ... of which others spend this share, at least, in messages; */
#define GAP_IN_MESSAGES 0.5
/* and not where the causes that collectives show would already save this share of it. */
#define GAP_EXPLAINED 0.5

struct load {
    double *own_ns, *messages_ns; /* [rank_count] */
    int32_t rank_count, most;
    double own_mean_ns, messages_mean_ns; /* messages: of the others */
};

static double own_ns(const struct syn_causes *causes, uint32_t location, uint32_t label)
{
    return (double)(syn_cell_ns(&causes->sums, location, label, SYN_PART_COMPUTING) +
                    syn_cell_ns(&causes->sums, location, label, SYN_PART_OFF_CPU));
}

static void add_location(const struct syn_causes *causes, uint32_t location, struct load *load)
{
    const int32_t rank = causes->plan.location[location].rank;
    for (uint32_t label = 0; label < causes->tables.labels.count; label++) {
        if (syn_label_is_call(syn_label_at(&causes->tables, label)))
            continue;
        load->own_ns[rank] += own_ns(causes, location, label);
        load->messages_ns[rank] +=
            (double)syn_cell_ns(&causes->sums, location, label, SYN_PART_MESSAGES);
    }
}

static bool find_load(const struct syn_causes *causes, struct load *load)
{
    const int32_t ranks = causes->plan.rank_count;
    *load = (struct load){.rank_count = ranks};
    load->own_ns = calloc(2 * (size_t)ranks + 1, sizeof *load->own_ns);
    if (!load->own_ns)
        return false;
    load->messages_ns = load->own_ns + ranks;
    for (uint32_t i = 0; i < causes->plan.location_count; i++)
        add_location(causes, i, load);
    for (int32_t r = 0; r < ranks; r++) {
        load->own_mean_ns += load->own_ns[r] / ranks;
        load->most = load->own_ns[r] > load->own_ns[load->most] ? r : load->most;
    }
    for (int32_t r = 0; r < ranks; r++)
        load->messages_mean_ns += r == load->most ? 0 : load->messages_ns[r] / fmax(1, ranks - 1);
    return true;
}

/* Where the most loaded rank exceeds the mean the most, and its time and the mean's there. */
static uint32_t worst_label(const struct syn_causes *causes, const struct load *load, double *most,
                            double *mean)
{
    uint32_t worst = 0;
    *most = *mean = 0;
    for (uint32_t label = 0; label < causes->tables.labels.count; label++) {
        double of_most = 0, of_all = 0;
        if (syn_label_is_call(syn_label_at(&causes->tables, label)))
            continue;
        for (uint32_t i = 0; i < causes->plan.location_count; i++) {
            const double ns = own_ns(causes, i, label);
            of_all += ns / load->rank_count;
            of_most += causes->plan.location[i].rank == load->most ? ns : 0;
        }
        if (of_most - of_all > *most - *mean) {
            *most = of_most;
            *mean = of_all;
            worst = label;
        }
    }
    return worst;
}

/* What balance would save by the causes of that kind that are told. */
static double explained_ns(const struct syn_run_facts *run)
{
    const double time = (double)run->findings.run_ns * run->causes.plan.location_count;
    double ns = 0;
    for (size_t i = 0; i < run->findings.cause_count; i++) {
        const struct syn_cause *cause = &run->findings.cause[i];
        const bool is_own = cause->part == SYN_PART_COMPUTING || cause->part == SYN_PART_OFF_CPU;
        if (is_own && (double)cause->waiting_ns >= SYN_TIME_THAT_MATTERS * time)
            ns += cause->gain_ns.median;
    }
    return ns;
}

static void write_load(const struct syn_report_writer *to, const struct syn_run_facts *run,
                       const struct load *load)
{
    char most[SYN_UNIT_BYTES], mean[SYN_UNIT_BYTES], there[SYN_UNIT_BYTES];
    char mean_there[SYN_UNIT_BYTES], messages[SYN_UNIT_BYTES], gain[SYN_UNIT_BYTES];
    struct syn_text where = {0};
    double most_ns, mean_ns;
    const uint32_t label = worst_label(&run->causes, load, &most_ns, &mean_ns);
    const double gap_ns = load->own_ns[load->most] - load->own_mean_ns;
    syn_cause_where(to->report, run, label, &where);
    syn_report_item_next(
        to, "divide the work there more evenly",
        "Rank %d works for %s outside of MPI, the mean of the ranks is %s; %s of it %s, where the "
        "mean is %s. The others are in messages for %s, in which ranks wait for one another "
        "unseen. "
        "Balance would save up to %s of the run.",
        load->most, syn_unit_time(most, load->own_ns[load->most]),
        syn_unit_time(mean, load->own_mean_ns), syn_unit_time(there, most_ns),
        syn_text_chars(&where), syn_unit_time(mean_there, mean_ns),
        syn_unit_time(messages, load->messages_mean_ns),
        syn_unit_share(gain, gap_ns / syn_facts_run_ns(run)));
    syn_text_free(&where);
}

bool syn_report_uneven_work(const struct syn_report_writer *to, const struct syn_run_facts *run)
{
    struct load load;
    if (run->causes.plan.rank_count < 2 || !find_load(&run->causes, &load))
        return false;
    const double gap_ns = load.own_ns[load.most] - load.own_mean_ns;
    const bool told = gap_ns >= GAP_THAT_MATTERS * (double)run->findings.run_ns &&
                      load.messages_mean_ns >= GAP_IN_MESSAGES * gap_ns &&
                      explained_ns(run) < GAP_EXPLAINED * gap_ns;
    if (told)
        write_load(to, run, &load);
    free(load.own_ns);
    return told;
}
