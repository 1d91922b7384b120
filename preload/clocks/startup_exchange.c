/* preload/clocks/startup_exchange.c - see startup_exchange.h. */
#include "preload/clocks/startup_exchange.h"

#include <string.h>

#include "sync/base/bytes.h"
#include "sync/base/status.h"

/* ---- packing ---- */

/* Fewest zeros that are worth a pair of counts. */
#define ZEROS_MIN 8

static size_t zeros_at(const uint8_t *data, size_t at, size_t bytes)
{
    size_t end = at;
    while (end < bytes && data[end] == 0)
        end++;
    return end - at;
}

/* ---- rank 0's proposal ---- */

/* Context of put_proposal. */
struct proposer {
    struct syn_startup *startup;
    int size;
};

/* Appends the proposal, once rank 0 has received all introductions. */
static void put_proposal(void *ctx, int member_count, struct syn_bytes *out)
{
    const struct proposer *proposer = ctx;
    struct syn_startup_proposal *proposal = &proposer->startup->proposal;
    proposal->crowded = syn_node_is_crowded(member_count);
    syn_tick_reading_take(&proposal->root);
    /* RATIONALE: text arrays are mostly zeros, so runs of zeros are stored as counts. */
    const uint8_t *data = (const uint8_t *)proposal;
    const size_t bytes = sizeof *proposal;
    for (size_t at = 0; at < bytes;) {
        const size_t zeros = zeros_at(data, at, bytes);
        size_t end = at + zeros, more;
        while (end < bytes && (more = zeros_at(data, end, bytes)) < ZEROS_MIN && end + more < bytes)
            end += more + 1;
        syn_bytes_put_varint(out, zeros);
        syn_bytes_put_varint(out, end - at - zeros);
        syn_bytes_put(out, data + at + zeros, end - at - zeros);
        at = end;
    }
    if (proposer->startup->host_facts && member_count == proposer->size)
        syn_host_facts_put(proposer->startup->host_facts, out);
}

/* One exchange up and down the tree: rank 0 receives all introductions and answers with its
 * proposal. */
static int exchange(const struct syn_transport *transport, const struct syn_introduction *self,
                    struct syn_startup *out)
{
    struct proposer proposer = {out, transport->size};
    const struct syn_survey_root root = {out->proposal.options.clock, put_proposal, &proposer};
    struct syn_bytes message = {0};
    struct syn_take proposal;
    struct syn_whereabouts place;
    int status = syn_whereabouts_exchange(transport, self, &root, &message, &proposal, &place);
    syn_tick_reading_take(&out->arrived);
    if (status == SYN_OK) {
        /* The result owns these from now on. */
        out->multiplier = place.multiplier;
        out->groups = place.groups;
        out->node = (struct syn_node_ranks){.members = place.members,
                                            .member_count = place.member_count,
                                            .member_index = place.member_index,
                                            .crowded = syn_node_is_crowded(place.member_count)};
        if (transport->rank != 0) {
            const size_t bytes = sizeof out->proposal;
            memset(&out->proposal, 0, bytes);
            for (size_t at = 0; at < bytes && !proposal.failed;) {
                at += syn_take_bounded(&proposal, bytes - at);
                const size_t count = syn_take_bounded(&proposal, bytes - at);
                const uint8_t *from = syn_take_bytes(&proposal, count);
                if (from)
                    memcpy((uint8_t *)&out->proposal + at, from, count);
                at += count;
            }
            if (syn_take_left(&proposal) > 0)
                out->host_facts = syn_host_facts_take(&proposal);

            status = proposal.failed ? SYN_ETRANSPORT : SYN_OK;
        }
    }
    syn_bytes_free(&message);
    return status;
}

int syn_startup_exchange(const struct syn_transport *transport, const struct syn_introduction *self,
                         void (*make_proposal)(struct syn_startup_proposal *proposal, void *ctx),
                         void *ctx, struct syn_startup *out)
{
    memset(out, 0, sizeof *out);
    syn_tick_reading_take(&out->sent);
    if (transport->rank == 0) {
        make_proposal(&out->proposal, ctx);
        out->proposal.multiplier = self->offer.multiplier;
        out->host_facts = syn_host_facts_read();
    }
    const int status = exchange(transport, self, out);
    if (status == SYN_OK && !syn_startup_is_local(out, transport->size))
        out->host_facts = syn_host_facts_share(&out->node, transport, out->host_facts);
    return status;
}

void syn_startup_free(struct syn_startup *startup)
{
    syn_host_facts_free(startup->host_facts);
    syn_node_free(&startup->node);
    syn_groups_free(&startup->groups);
    memset(startup, 0, sizeof *startup);
}
