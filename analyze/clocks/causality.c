/* analyze/clocks/causality.c - see causality.h. */
#include "analyze/clocks/causality.h"

#include "trace/base/event.h"
#include "trace/base/ops.h"

/* A rank of a v-variant may have no data to send, so the others need not wait for it. In a
 * collective on an intercommunicator a rank waits for the other group only. */
bool syn_causality_holds(const struct syn_instance *instance)
{
    uint32_t flags = syn_op_flags(instance->op);
    bool barrier = instance->op % SYN_OP_FORM_STRIDE == SYN_ROW_BARRIER;
    return (flags & SYN_OPF_SYNCHRONIZING) && !(flags & SYN_OPF_VARIABLE) &&
           (barrier || instance->bytes > 0) && instance->comm->size > 1 &&
           !instance->comm->intercomm &&
           !(instance->flags & (SYN_EVENT_FAILED | SYN_EVENT_NO_COMPLETION | SYN_EVENT_FREED));
}

/* Orders violations by size. Ties are broken by ranks, operation and bound, so that the result does
 * not depend on the order in which violations are found. */
static bool is_worse(const struct syn_causality *one, const struct syn_causality *other)
{
    if (one->worst_ns != other->worst_ns)
        return one->worst_ns > other->worst_ns;
    if (one->worst_late_rank != other->worst_late_rank)
        return one->worst_late_rank < other->worst_late_rank;
    if (one->worst_early_rank != other->worst_early_rank)
        return one->worst_early_rank < other->worst_early_rank;
    if (one->worst_op != other->worst_op)
        return one->worst_op < other->worst_op;
    return one->worst_bound_ns < other->worst_bound_ns;
}

static void take_worst(struct syn_causality *into, const struct syn_causality *from)
{
    if (!is_worse(from, into))
        return;
    into->worst_ns = from->worst_ns;
    into->worst_bound_ns = from->worst_bound_ns;
    into->worst_op = from->worst_op;
    into->worst_late_rank = from->worst_late_rank;
    into->worst_early_rank = from->worst_early_rank;
}

void syn_causality_add(struct syn_causality *causality, const struct syn_instance *instance)
{
    if (!syn_causality_holds(instance))
        return;
    int64_t hurt_ns = instance->last_start_ns - instance->first_end_ns;
    causality->checked_count++;
    if (hurt_ns <= 0)
        return;
    if (hurt_ns <= instance->bound_ns) {
        causality->within_count++;
        return;
    }
    causality->violation_count++;
    if (hurt_ns < causality->worst_ns)
        return;
    take_worst(causality, &(struct syn_causality){
                              .worst_ns = hurt_ns,
                              .worst_bound_ns = instance->bound_ns,
                              .worst_op = instance->op,
                              .worst_late_rank = instance->comm->world_rank[instance->last_starter],
                              .worst_early_rank = instance->comm->world_rank[instance->first_ender],
                          });
}

void syn_causality_absorb(struct syn_causality *into, const struct syn_causality *from)
{
    into->checked_count += from->checked_count;
    into->within_count += from->within_count;
    into->violation_count += from->violation_count;
    if (from->worst_ns > 0)
        take_worst(into, from);
}
