/* sync/methods/sync.c - see sync.h: the table of methods, and the steps that all methods share. */
#include "sync/methods/sync.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/methods/session.h"
#include "sync/ranks/collect.h"

/* In the order of enum syn_sync_method. A new method is a row here. */
static const struct syn_method methods[SYN_SYNC_METHOD_COUNT] = {
    [SYN_SYNC_AUTO] = {"auto", SYN_TREE_TOP_DOWN, syn_auto_begin, syn_auto_measure},
    [SYN_SYNC_NONE] = {"none", SYN_TREE_LINEAR, syn_none, syn_none},
    [SYN_SYNC_SKAMPI] = {"skampi", SYN_TREE_LINEAR, syn_skampi, syn_skampi},
    [SYN_SYNC_NETGAUGE] = {"netgauge", SYN_TREE_BOTTOM_UP, syn_netgauge_begin,
                           syn_top_down_measure},
    [SYN_SYNC_JK] = {"jk", SYN_TREE_LINEAR, syn_jk_begin, syn_linear_measure},
    [SYN_SYNC_HCA] = {"hca", SYN_TREE_BOTTOM_UP, syn_hca_begin, syn_linear_measure},
    [SYN_SYNC_HCA2] = {"hca2", SYN_TREE_BOTTOM_UP, syn_hca2_begin, syn_top_down_measure},
    [SYN_SYNC_HCA3] = {"hca3", SYN_TREE_TOP_DOWN, syn_hca3_begin, syn_top_down_measure},
};

const char *syn_sync_method_name(enum syn_sync_method method)
{
    return (unsigned)method < SYN_SYNC_METHOD_COUNT ? methods[method].name : NULL;
}

int syn_sync_method_parse(const char *name, enum syn_sync_method *method)
{
    for (int i = 0; i < SYN_SYNC_METHOD_COUNT; i++)
        if (strcmp(name, methods[i].name) == 0) {
            *method = (enum syn_sync_method)i;
            return SYN_OK;
        }
    return SYN_EINVAL;
}

void syn_sync_options_default(struct syn_sync_options *options)
{
    *options = (struct syn_sync_options){
        .method = SYN_SYNC_AUTO, .fitpoint_count = 100, .exchange_count = 10, .budget_s = 0.5};
}

static struct syn_sync *session_new(const struct syn_sync_options *options,
                                    const struct syn_transport *transport,
                                    const struct syn_clock *clock,
                                    struct syn_clock_identity identity)
{
    const int scratch_count = syn_largest(options->exchange_count, SYN_EXCHANGE_LIMIT);
    struct syn_sync *sync = calloc(1, sizeof *sync);

    if (!sync)
        return NULL;
    sync->options = *options;
    sync->identity = identity;
    sync->method = &methods[options->method];
    sync->exchanges = calloc((size_t)scratch_count, sizeof *sync->exchanges);
    sync->points = calloc((size_t)options->fitpoint_count + 1, sizeof *sync->points);
    syn_link_init(&sync->link, transport, clock);
    syn_timeline_init(&sync->timeline);
    if (!sync->exchanges || !sync->points) {
        syn_sync_free(sync);
        return NULL;
    }
    return sync;
}

/* Fills the quality record before the method runs; the method may improve it. */
static void describe(struct syn_sync *sync)
{
    const struct syn_transport *transport = &sync->link.transport;

    sync->quality.group_size = 1;
    sync->quality.reference_rank = -1;
    if (sync->options.method == SYN_SYNC_NONE)
        return;
    sync->quality.round_count = syn_tree_round_count(sync->method->tree, transport->size);
    if (sync->options.method == SYN_SYNC_HCA) /* intercepts, one rank after another */
        sync->quality.round_count += transport->size - 1;
    sync->quality.reference_rank =
        sync->options.method == SYN_SYNC_HCA && transport->rank != 0
            ? 0
            : syn_tree_parent(sync->method->tree, transport->rank, transport->size);
}

static int open_session(const struct syn_sync_options *options,
                        const struct syn_transport *transport, const struct syn_clock *clock,
                        struct syn_clock_identity identity, const struct syn_sync_known *known,
                        struct syn_sync **out)
{
    *out = NULL;
    if ((unsigned)options->method >= SYN_SYNC_METHOD_COUNT || options->fitpoint_count < 2 ||
        options->exchange_count < 1 ||
        options->exchange_count > INT_MAX / options->fitpoint_count ||
        !(options->budget_s >= 0 && options->budget_s <= 3600) || transport->size < 1 ||
        transport->rank < 0 || transport->rank >= transport->size)
        return SYN_EINVAL;
    struct syn_sync *sync = session_new(options, transport, clock, identity);
    if (!sync)
        return SYN_ENOMEM;
    sync->known = known;
    const int64_t start_ns = syn_link_now_ns(&sync->link);
    const bool has_method = options->method != SYN_SYNC_NONE;

    describe(sync);
    if (transport->size > 1) {
        sync->method->begin(sync);
        /* If the caller lets the ranks agree, this session must send no message before that. */
        const bool leaves_agreeing = known && known->compared && sync->groups.leaders.count == 1;
        /* All ranks have a model, or none. RATIONALE: a rank without one would let the others wait
         * at the next measurement. */
        if (has_method && !leaves_agreeing) {
            int worst = sync->link.status;
            syn_collect_min(&sync->link.transport, &worst);
            syn_link_fail(&sync->link, worst);
        }
    }
    const int64_t now_ns = syn_link_now_ns(&sync->link);

    sync->quality.begin_ns = now_ns - start_ns;
    sync->quality.slope_ppm = sync->timeline.slope_after * 1e6;
    sync->quality.half_width_ns = syn_timeline_bound_ns(&sync->timeline, (syn_local_time){now_ns});
    if (!has_method && transport->rank != 0)
        sync->quality.half_width_ns = -1;
    sync->quality.message_count = sync->link.message_count;
    sync->known = NULL;
    const int status = sync->link.status;
    if (status != SYN_OK) {
        syn_sync_free(sync);
        return status;
    }
    *out = sync;
    return SYN_OK;
}

int syn_sync_begin(const struct syn_sync_options *options, const struct syn_transport *transport,
                   const struct syn_clock *clock, struct syn_clock_identity identity,
                   struct syn_sync **out)
{
    return open_session(options, transport, clock, identity, NULL, out);
}

int syn_sync_begin_known(const struct syn_sync_options *options,
                         const struct syn_transport *transport, const struct syn_clock *clock,
                         const struct syn_sync_known *known, struct syn_sync **out)
{
    return open_session(options, transport, clock, (struct syn_clock_identity){0}, known, out);
}

static int measure(struct syn_sync *sync)
{
    sync->link.status = SYN_OK; /* an earlier failed measurement is only a missing knot */
    if (sync->link.transport.size > 1)
        sync->method->measure(sync);
    syn_timeline_drop_redundant(&sync->timeline);
    sync->quality.message_count = sync->link.message_count;
    return sync->link.status;
}

int syn_sync_measure(struct syn_sync *sync)
{
    sync->stage++;
    return measure(sync);
}

int syn_sync_end(struct syn_sync *sync)
{
    const int64_t start_ns = syn_link_now_ns(&sync->link);
    int status;

    sync->stage = -1;
    status = measure(sync);
    sync->quality.end_ns = syn_link_now_ns(&sync->link) - start_ns;
    return status;
}

const struct syn_timeline *syn_sync_timeline(const struct syn_sync *sync)
{
    return &sync->timeline;
}

const struct syn_sync_quality *syn_sync_quality(const struct syn_sync *sync)
{
    return &sync->quality;
}

const struct syn_fitpoint *syn_sync_fitpoints(const struct syn_sync *sync, size_t *count)
{
    *count = sync->fitpoint_count;
    return sync->fitpoints;
}

void syn_sync_free(struct syn_sync *sync)
{
    if (!sync)
        return;
    syn_groups_free(&sync->groups);
    syn_timeline_free(&sync->timeline);
    free(sync->fitpoints);
    free(sync->exchanges);
    free(sync->points);
    free(sync);
}
