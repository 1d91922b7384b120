/* analyze/hang/page/hang_facts.c - writes hangs and disagreements as JSON: "hang" and "mismatches",
 * from the list of their rows (hang.def). */
#include <math.h>

#include "analyze/hang/page/hang_page.h"
#include "analyze/print/figures/figure_walk.h"
#include "analyze/print/figures/figure_writer.h"
#include "trace/base/ops.h"

struct shown {
    struct syn_figure_writer out;
    const struct syn_examination *of;
};

/* Returns "running", "asleep", "disk" or "stopped"; NULL: not known. */
static const char *process_name(const struct syn_hang_rank *rank)
{
    switch (rank->state) {
    case 'R':
        return "running";
    case 'S':
        return "asleep";
    case 'D':
        return "disk";
    case 'T':
    case 't':
        return "stopped";
    default:
        return NULL;
    }
}

/* Returns the rank that a message comes from, or else goes to; below 0: none, or any rank. */
static int32_t peer_of(const struct syn_hang_call *call)
{
    return call->from.rank >= 0 ? call->from.rank : call->to.rank;
}

static const struct syn_hang_model *hang_model(const struct shown *to)
{
    return &to->of->looked.model;
}

/* Returns NULL if no call of the rank is known. */
static const struct syn_hang_call *hang_call_at(const struct shown *to, size_t call)
{
    return call == SIZE_MAX ? NULL : &hang_model(to)->call[call];
}

static const char *hang_op(const struct syn_hang_call *call)
{
    const char *op = call->inside == SYN_HANG_COLLECTIVE ? syn_op_name(call->op) : NULL;
    return op ? op : syn_hang_call_name(call);
}

static const char *hang_comm(const struct shown *to, const struct syn_hang_call *call)
{
    return call->comm == SYN_HANG_NO_COMM ? NULL : hang_model(to)->comm[call->comm].label;
}

static const char *hang_site(const struct shown *to, const struct syn_hang_call *call)
{
    return call ? syn_names_text(to->of->look.names, call->site) : NULL;
}

static int32_t hang_peer(const struct shown *to, const struct syn_hang_absent *absent)
{
    const struct syn_hang_call *call = hang_call_at(to, absent->call);
    return call && call->inside == SYN_HANG_MESSAGE ? peer_of(call) : -1;
}

#include "analyze/hang/hang.def"

void syn_hang_json(struct syn_json *json, const void *examination)
{
    struct shown to = {.out = syn_figures_as_json(json), .of = examination};
    rows_of_examination(&to, examination);
}
