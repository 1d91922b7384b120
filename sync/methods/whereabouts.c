/* sync/methods/whereabouts.c - see whereabouts.h. */
#include "sync/methods/whereabouts.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"

/* Words of a class's key. Ranks that agree in all of them get the same answer. */
enum { MACHINE, NODE, NAMESPACE, TRUSTED };

/* State of rank 0 while it turns classes into answers. */
struct survey {
    const struct syn_survey_root *root;
    struct syn_parts machines, nodes, clocks;
    uint64_t *multipliers; /* [machines.count] */
};

static void by_machine(const struct syn_classes *classes, size_t i, const void *ctx,
                       uint64_t key[SYN_PART_WORDS])
{
    (void)ctx;
    key[0] = classes->of[i].key[MACHINE];
}

static void by_node(const struct syn_classes *classes, size_t i, const void *ctx,
                    uint64_t key[SYN_PART_WORDS])
{
    (void)ctx;
    key[0] = classes->of[i].key[NODE];
}

static void by_clock(const struct syn_classes *classes, size_t i, const void *ctx,
                     uint64_t key[SYN_PART_WORDS])
{
    const struct survey *survey = ctx;
    const struct syn_class *class = &classes->of[i];
    const struct syn_clock_offer offer = {.machine = class->key[MACHINE],
                                          .namespace_ = class->key[NAMESPACE],
                                          .multiplier = class->value};

    syn_identity_key(syn_clock_offer_identity(&offer, survey->root->kind,
                                              survey->multipliers[survey->machines.of_class[i]]),
                     key);
}

static int answer(const struct syn_classes *classes, struct syn_class_answers *answers, void *ctx)
{
    struct survey survey = {.root = ctx};
    int status = syn_parts_make(classes, by_machine, NULL, &survey.machines);

    if (status == SYN_OK) {
        /* Takes the scale of each machine's lowest rank that has one: classes are ordered by their
         * lowest ranks. */
        survey.multipliers = calloc(survey.machines.count, sizeof *survey.multipliers);
        for (size_t i = 0; survey.multipliers && i < classes->count; i++) {
            uint64_t *multiplier = &survey.multipliers[survey.machines.of_class[i]];
            if (*multiplier == 0)
                *multiplier = classes->of[i].value;
        }
        status = survey.multipliers ? SYN_OK : SYN_ENOMEM;
    }
    SYN_STEP(status, syn_parts_make(classes, by_node, NULL, &survey.nodes));
    SYN_STEP(status, syn_parts_make(classes, by_clock, &survey, &survey.clocks));

    if (status == SYN_OK) {
        const struct syn_rank_set *own = &survey.nodes.of[survey.nodes.of_class[0]];

        syn_groups_put_common(&survey.clocks, &answers->common);
        survey.root->put_proposal(survey.root->ctx, own->count, &answers->common);
        for (size_t i = 0; i < classes->count; i++) {
            syn_bytes_put_u64(&answers->of[i], survey.multipliers[survey.machines.of_class[i]]);
            syn_rank_set_put(&survey.nodes.of[survey.nodes.of_class[i]], &answers->of[i]);
            syn_groups_put_own(&survey.clocks, i, &answers->of[i]);
        }
    }
    syn_parts_free(&survey.machines);
    syn_parts_free(&survey.nodes);
    syn_parts_free(&survey.clocks);
    free(survey.multipliers);
    return status;
}

int syn_whereabouts_exchange(const struct syn_transport *transport,
                             const struct syn_introduction *self,
                             const struct syn_survey_root *root, struct syn_bytes *message,
                             struct syn_take *proposal, struct syn_whereabouts *place)
{
    const struct syn_clock_offer *offer = &self->offer;
    const struct syn_class class = {.key = {[MACHINE] = offer->machine,
                                            [NODE] = self->node_key,
                                            [NAMESPACE] = offer->namespace_,
                                            [TRUSTED] = offer->multiplier != 0},
                                    .value = offer->multiplier};
    struct syn_take own;
    int status;

    memset(place, 0, sizeof *place);
    status = syn_classes_exchange(transport, &class, answer, (void *)root, message, proposal, &own);
    if (status == SYN_OK) {
        struct syn_rank_set node = {0};
        place->multiplier = syn_take_u64(&own);
        syn_rank_set_take(&node, transport->size, &own);
        place->members = syn_rank_set_list(&node);
        place->member_count = node.count;
        place->member_index = syn_rank_set_below(&node, transport->rank);
        syn_rank_set_free(&node);
        status = syn_groups_take(&place->groups, transport->size, transport->rank, proposal, &own);
        if (!place->members)
            status = SYN_ENOMEM;
    }
    if (status != SYN_OK)
        syn_whereabouts_free(place);
    return status;
}

void syn_whereabouts_free(struct syn_whereabouts *place)
{
    free(place->members);
    syn_groups_free(&place->groups);
    memset(place, 0, sizeof *place);
}
