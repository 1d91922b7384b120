/* analyze/clocks/causality.c - see causality.h. */
#include "analyze/clocks/causality.h"

#include "trace/event.h"
#include "trace/ops.h"

/* A v-variant's rank may have nothing to give, and across an intercommunicator only the other group
 * is waited for. */
bool syn_causality_holds(const struct syn_instance *instance)
{
    uint32_t flags = syn_op_flags(instance->op);
    bool barrier = instance->op % SYN_OP_FORM_STRIDE == SYN_ROW_BARRIER;
    return (flags & SYN_OPF_SYNCHRONIZING) && !(flags & SYN_OPF_VARIABLE) &&
           (barrier || instance->bytes > 0) && instance->comm->size > 1 &&
           !instance->comm->intercomm &&
           !(instance->flags & (SYN_EVENT_FAILED | SYN_EVENT_NO_COMPLETION | SYN_EVENT_FREED));
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
    if (hurt_ns <= causality->worst_ns)
        return;
    causality->worst_ns = hurt_ns;
    causality->worst_bound_ns = instance->bound_ns;
    causality->worst_op = instance->op;
    causality->worst_late_rank = instance->comm->world_rank[instance->last_starter];
    causality->worst_early_rank = instance->comm->world_rank[instance->first_ender];
}

void syn_causality_absorb(struct syn_causality *into, const struct syn_causality *from)
{
    struct syn_causality worse = from->worst_ns > into->worst_ns ? *from : *into;
    worse.checked_count = into->checked_count + from->checked_count;
    worse.within_count = into->within_count + from->within_count;
    worse.violation_count = into->violation_count + from->violation_count;
    *into = worse;
}
