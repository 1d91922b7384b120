/* analyze/report/sections/report_group_name.c - names a group in a sentence. */
#include "analyze/print/units.h"
#include "analyze/report/sections/report_page.h"

/* Returns true if `key` distinguishes this group from another that agrees in all other keys. */
static bool distinguishes(const struct syn_report *report, const struct syn_group *group,
                          enum syn_key key)
{
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_group *other = report->groups.group[i];
        bool alike = other->key[key] != group->key[key];
        for (int k = 0; k < SYN_KEY_COUNT && alike; k++)
            alike = k == (int)key || other->key[k] == group->key[k];
        if (alike)
            return true;
    }
    return false;
}

void syn_report_group_rest(const struct syn_report *report, const struct syn_group *group,
                           struct syn_text *out)
{
    const char *comm = syn_report_comm(report, group), *phase = syn_report_phase(report, group);
    const char *node = syn_names_text(&report->names, (uint32_t)group->key[SYN_KEY_NODE]);
    int32_t root;
    if (group->key[SYN_KEY_RANK] != UINT64_MAX)
        syn_text_format(out, " on rank %llu", (unsigned long long)group->key[SYN_KEY_RANK]);
    if (group->key[SYN_KEY_NODE] != UINT64_MAX && node)
        syn_text_format(out, " on %s", node);
    if (group->key[SYN_KEY_RUN] != UINT64_MAX)
        syn_text_format(out, " in run %llu", (unsigned long long)group->key[SYN_KEY_RUN]);
    if (comm && distinguishes(report, group, SYN_KEY_COMM))
        syn_text_format(out, " on %s", comm);
    if (syn_report_root(group, &root) && distinguishes(report, group, SYN_KEY_ROOT))
        syn_text_format(out, " from root %d", root);
    if (phase && distinguishes(report, group, SYN_KEY_PHASE))
        syn_text_format(out, " in phase %s", phase[0] ? phase : "-");
}

void syn_report_group_name(const struct syn_report *report, const struct syn_group *group,
                           struct syn_text *out)
{
    const char *op = syn_report_op(group), *site = syn_report_site(report, group);
    uint64_t size;
    syn_text_string(out, op ? op : "collectives");
    if (syn_report_bytes(group, &size) && size > 0)
        syn_words(out, " {bytes}", size);
    if (site) {
        syn_text_string(out, " at ");
        syn_unit_place(out, site);
    }
    syn_report_group_rest(report, group, out);
}
