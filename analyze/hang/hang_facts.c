/* analyze/hang/hang_facts.c - hangs and disagreements for programs: "hang" and "mismatches". */
#include <math.h>

#include "analyze/hang/hang_facts.h"
#include "trace/base/ops.h"

static const char *site_of(const struct syn_examination *of, uint32_t site)
{
    return syn_names_text(of->names, site);
}

static void put_ranks(struct syn_doc *doc, const char *key, const int32_t *rank, size_t count)
{
    syn_doc_open_line(doc, key, '[');
    for (size_t i = 0; i < count; i++)
        syn_doc_fact(doc, NULL, rank[i]);
    syn_doc_close(doc);
}

/* Operation, communicator, sequence number, place of a call; those that it has not are null. */
static void put_call(struct syn_doc *doc, const struct syn_examination *of,
                     const struct syn_hang_call *call)
{
    const struct syn_hang_model *model = &of->looked.model;
    const bool collective = call->inside == SYN_HANG_COLLECTIVE;
    const char *op = collective ? syn_op_name(call->op) : NULL;
    syn_doc_fact(doc, "op", op ? op : syn_hang_call_name(call));
    syn_doc_fact(doc, "call", syn_hang_call_name(call));
    syn_doc_fact(doc, "comm",
                 call->comm == SYN_HANG_NO_COMM ? (const char *)NULL
                                                : model->comm[call->comm].label);
    syn_doc_fact_if(doc, collective, "sequence", call->sequence);
}

static void put_waits(struct syn_doc *doc, const struct syn_examination *of)
{
    const struct syn_hang *hang = &of->hang;
    syn_doc_open(doc, "waiting", '[');
    for (size_t i = 0; i < hang->wait_count; i++) {
        const struct syn_hang_wait *wait = &hang->wait[i];
        const struct syn_hang_call *call = &of->looked.model.call[wait->call];
        syn_doc_open_line(doc, NULL, '{');
        put_call(doc, of, call);
        syn_doc_fact(doc, "site", site_of(of, call->site));
        put_ranks(doc, "ranks", wait->rank, wait->rank_count);
        syn_doc_fact(doc, "since_ns", call->since_ns);
        syn_doc_fact_if(doc, wait->earlier.count > 0, "longest_before_ns",
                        wait->earlier.longest_ns);
        syn_doc_fact(doc, "earlier", wait->earlier.count);
        syn_doc_fact(doc, "waits", wait->waits);
        syn_doc_close(doc);
    }
    syn_doc_close(doc);
}

const char *syn_hang_process_name(const struct syn_hang_rank *rank)
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

int32_t syn_hang_peer(const struct syn_hang_call *call)
{
    return call->from.rank >= 0 ? call->from.rank : call->to.rank;
}

static void put_absent(struct syn_doc *doc, const struct syn_examination *of)
{
    const struct syn_hang *hang = &of->hang;
    const struct syn_hang_model *model = &of->looked.model;
    syn_doc_open(doc, "absent", '[');
    for (size_t i = 0; i < hang->absent_count; i++) {
        const struct syn_hang_absent *absent = &hang->absent[i];
        const struct syn_hang_call *call =
            absent->call == SIZE_MAX ? NULL : &model->call[absent->call];
        const bool message = call && call->inside == SYN_HANG_MESSAGE;
        syn_doc_open_line(doc, NULL, '{');
        syn_doc_fact(doc, "rank", absent->rank);
        syn_doc_fact(doc, "state", syn_hang_absent_name(model, absent));
        syn_doc_fact(doc, "site", call ? site_of(of, call->site) : NULL);
        syn_doc_fact_if(doc, call != NULL, "since_ns", call ? call->since_ns : 0);
        syn_doc_fact_if(doc, message && syn_hang_peer(call) >= 0, "peer",
                        message ? syn_hang_peer(call) : 0);
        syn_doc_fact(doc, "root", absent->root);
        if (call)
            put_call(doc, of, call);
        syn_doc_fact(doc, "process", syn_hang_process_name(&model->rank[absent->rank]));
        syn_doc_close(doc);
    }
    syn_doc_close(doc);
}

static void put_hang(struct syn_doc *doc, const struct syn_examination *of)
{
    const struct syn_hang *hang = &of->hang;
    syn_doc_open(doc, "hang", '{');
    syn_doc_fact(doc, "state", syn_hang_state_name(hang->state));
    syn_doc_fact(doc, "live", of->live);
    syn_doc_fact(doc, "for_ns", hang->for_ns);
    put_waits(doc, of);
    put_absent(doc, of);
    put_ranks(doc, "unknown", hang->unknown, hang->unknown_count);
    if (hang->cycle_count > 0)
        put_ranks(doc, "cycle", hang->cycle, hang->cycle_count);
    else
        syn_doc_fact(doc, "cycle", (const char *)NULL);
    syn_doc_fact_if(doc, hang->longest_before_ns >= 0, "longest_before_ns",
                    hang->longest_before_ns);
    syn_doc_fact(doc, "chance", hang->chance);
    syn_doc_fact(doc, "conditional", hang->is_conditional);
    syn_doc_close(doc);
}

static void put_mismatches(struct syn_doc *doc, const struct syn_examination *of)
{
    syn_doc_open(doc, "mismatches", '[');
    for (size_t i = 0; i < of->mismatches.count; i++) {
        const struct syn_mismatch *mismatch = &of->mismatches.at[i];
        syn_doc_open_line(doc, NULL, '{');
        syn_doc_fact(doc, "kind", syn_mismatch_name(mismatch->kind));
        syn_doc_fact(doc, "op", syn_op_name(mismatch->op));
        syn_doc_fact(doc, "comm", syn_names_text(of->names, mismatch->comm));
        syn_doc_fact(doc, "sequence", mismatch->sequence);
        put_ranks(doc, "ranks", mismatch->rank, mismatch->rank_count);
        syn_doc_fact(doc, "site", site_of(of, mismatch->site));
        syn_doc_fact(doc, "others_site", site_of(of, mismatch->others_site));
        syn_doc_fact(doc, "what", (const char *)mismatch->what);
        syn_doc_fact(doc, "others_what", (const char *)mismatch->others_what);
        syn_doc_fact(doc, "instances", mismatch->instance_count);
        syn_doc_fact_if(doc, mismatch->shift != 0, "shift", mismatch->shift);
        syn_doc_close(doc);
    }
    syn_doc_close(doc);
}

void syn_hang_facts(struct syn_doc *doc, const struct syn_examination *examination)
{
    if (examination->has_hang || !examination->unended)
        put_hang(doc, examination);
    else
        syn_doc_fact(doc, "hang", (const char *)NULL);
    put_mismatches(doc, examination);
}
