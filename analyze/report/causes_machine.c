/* analyze/report/causes_machine.c - what the machine did to ranks, which no change of the program
 * mends: more ranks than processors. Said before all other causes. */
#include "analyze/report/causes_words.h"

#include "analyze/print/units.h"

/* Ranks of a run that its host's processors are not enough for; the most crowded host. */
struct crowd {
    uint32_t node;
    int32_t rank_count, processor_count;
};

static struct crowd crowd_of(const struct syn_run_facts *run, uint32_t node)
{
    struct crowd crowd = {node, 0, 0};
    for (int32_t r = 0; r < run->rank_count; r++) {
        if (!run->rank[r].present || run->rank[r].node != node)
            continue;
        crowd.rank_count++;
        if (run->rank[r].processor_count > crowd.processor_count)
            crowd.processor_count = run->rank[r].processor_count;
    }
    return crowd;
}

static bool is_crowded(const struct crowd *crowd)
{
    return crowd->processor_count > 0 && crowd->rank_count > crowd->processor_count;
}

/* Is it the first rank of its node? */
static bool is_first_of_node(const struct syn_run_facts *run, int32_t rank)
{
    for (int32_t r = 0; r < rank; r++)
        if (run->rank[r].present && run->rank[r].node == run->rank[rank].node)
            return false;
    return run->rank[rank].present;
}

size_t syn_report_machine_causes(const struct syn_report_writer *to,
                                 const struct syn_run_facts *run)
{
    struct crowd worst = {0};
    size_t crowded = 0;
    for (int32_t r = 0; r < run->rank_count; r++) {
        if (!is_first_of_node(run, r))
            continue;
        const struct crowd crowd = crowd_of(run, run->rank[r].node);
        if (!is_crowded(&crowd))
            continue;
        crowded++;
        if (crowd.rank_count * worst.processor_count >= worst.rank_count * crowd.processor_count)
            worst = crowd;
    }
    if (crowded == 0)
        return 0;
    const char *node = syn_names_text(&to->report->names, worst.node);
    struct syn_text more = {0};
    if (crowded > 1)
        syn_text_format(&more, " (and %zu more node%s like it)", crowded - 1,
                        crowded == 2 ? "" : "s");
    syn_report_item(to,
                    "%d ranks share the %d processors of %s%s: a rank that has none at the moment "
                    "is late for that alone, and all below may be due to it",
                    worst.rank_count, worst.processor_count, node ? node : "a node",
                    syn_text_chars(&more));
    syn_text_free(&more);
    return 1;
}
