/* analyze/tune/settings.c - writes the advice: variables, and Open MPI's rules for single sizes. */
#include <stdio.h>
#include <string.h>

#include "analyze/tune/tune.h"
#include "trace/base/ops.h"

bool tune_list_once(struct syn_text *list, const char *name)
{
    char line[4 * TUNE_NAME_BYTES];
    snprintf(line, sizeof line, "%s\n", name);
    if (strstr(syn_text_chars(list), line))
        return false;
    syn_text_string(list, line);
    return true;
}

void tune_each_setting(const struct tune_session *session, tune_setting *each, void *ctx)
{
    struct syn_text told = {0};
    for (size_t i = 0; i < session->count; i++) {
        const struct tune_item *item = &session->item[i];
        char words[1024] = TUNE_OPEN_MPI TUNE_RULES "=1", *rest = words;
        if (!tune_is_advised(item))
            continue;
        if (!item->by_rules)
            snprintf(words, sizeof words, "%s", item->candidate[item->best].environment);
        else if (tune_list_once(&told, TUNE_OPEN_MPI TUNE_RULES_FILE))
            each(ctx, TUNE_OPEN_MPI TUNE_RULES_FILE, session->rules_path);
        for (char *value; (value = strsep(&rest, ","));) {
            const char *name = strsep(&value, "=");
            if (tune_list_once(&told, name))
                each(ctx, name, value);
        }
    }
    syn_text_free(&told);
}

struct settings {
    const char *before, *between, *behind;
    struct syn_text *out;
};

static void add_setting(void *ctx, const char *name, const char *value)
{
    const struct settings *how = ctx;
    syn_text_format(how->out, "%s%s%s%s%s", how->before, name, how->between, value, how->behind);
}

void tune_settings(const struct tune_session *session, const char *before, const char *between,
                   const char *behind, struct syn_text *out)
{
    struct settings how = {before, between, behind, out};
    tune_each_setting(session, add_setting, &how);
}

/* ---- Open MPI's rules ---- */

/* Numbers of operations in a rules file, and the message size that it compares: the bytes of a
 * group, these times the ranks, or always 0. */
static const struct rule_op {
    int row, number;
    enum { BYTES, BYTES_TIMES_RANKS, NO_SIZE } size;
} rule_ops[] = {
    {SYN_ROW_ALLGATHER, 0, BYTES_TIMES_RANKS},
    {SYN_ROW_ALLREDUCE, 2, BYTES},
    {SYN_ROW_ALLTOALL, 3, BYTES_TIMES_RANKS},
    {SYN_ROW_ALLTOALLV, 4, NO_SIZE},
    {SYN_ROW_BARRIER, 6, NO_SIZE},
    {SYN_ROW_BCAST, 7, BYTES},
    {SYN_ROW_EXSCAN, 8, BYTES},
    {SYN_ROW_GATHER, 9, BYTES_TIMES_RANKS},
    {SYN_ROW_REDUCE, 11, BYTES},
    {SYN_ROW_REDUCE_SCATTER, 12, BYTES},
    {SYN_ROW_REDUCE_SCATTER_BLOCK, 13, BYTES},
    {SYN_ROW_SCAN, 14, BYTES},
    {SYN_ROW_SCATTER, 15, BYTES_TIMES_RANKS},
};

/* The item of an operation that comes next by communicator size and bytes; NULL: none. */
static const struct tune_item *next_rule(const struct tune_session *session, int row,
                                         const struct tune_item *after)
{
    const struct tune_item *found = NULL;
    for (size_t i = 0; i < session->count; i++) {
        const struct tune_item *item = &session->item[i], *pair[2] = {after, found};
        bool fits = item->by_rules && tune_is_advised(item) && item->group->op == row;
        for (int k = 0; k < 2; k++) {
            const struct tune_group *a = item->group, *b = pair[k] ? pair[k]->group : a;
            const bool is_above =
                a->comm_size != b->comm_size ? a->comm_size > b->comm_size : a->bytes > b->bytes;
            fits &= !pair[k] || is_above == (k == 0);
        }
        if (fits && item != after)
            found = item;
    }
    return found;
}

/* Each group's own bytes have a rule, and those between them none. */
static void write_operation(const struct tune_session *session, const struct rule_op *op,
                            struct syn_text *out)
{
    struct syn_text sizes = {0}, lines = {0};
    size_t comm_count = 0, count = 0;
    uint64_t next = 0;
    for (const struct tune_item *item = next_rule(session, op->row, NULL), *then; item;
         item = then) {
        const struct tune_group *group = item->group;
        const struct tune_candidate *best = &item->candidate[item->best];
        const uint64_t bytes = op->size == NO_SIZE ? 0
                               : op->size == BYTES ? group->bytes
                                                   : group->bytes * group->comm_size;
        then = next_rule(session, op->row, item);
        if (bytes > next) {
            syn_text_format(&lines, "%llu 0 0 0\n", (unsigned long long)next);
            count++;
        }
        syn_text_format(&lines, "%llu %d 0 %d\n", (unsigned long long)bytes, best->algorithm,
                        best->segment);
        next = bytes + 1;
        count++;
        if (then && then->group->comm_size == group->comm_size)
            continue;
        if (op->size != NO_SIZE) {
            syn_text_format(&lines, "%llu 0 0 0\n", (unsigned long long)next);
            count++;
        }
        syn_text_format(&sizes, "%u # ranks\n%zu # sizes\n%s", group->comm_size, count,
                        syn_text_chars(&lines));
        comm_count++;
        if (!then || then->group->comm_size > group->comm_size + 1) {
            syn_text_format(&sizes, "%u # ranks\n1 # sizes\n0 0 0 0\n", group->comm_size + 1);
            comm_count++;
        }
        syn_text_clear(&lines);
        count = next = 0;
    }
    syn_text_format(out, "%d # %s\n%zu # communicator sizes\n%s", op->number,
                    syn_op_name((uint16_t)op->row), comm_count, syn_text_chars(&sizes));
    syn_text_free(&sizes);
    syn_text_free(&lines);
}

void tune_write_rules(const struct tune_session *session, struct syn_text *out)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof rule_ops / sizeof *rule_ops; i++)
        count += next_rule(session, rule_ops[i].row, NULL) != NULL;
    if (count > 0)
        syn_text_format(out, "%zu # operations\n", count);
    for (size_t i = 0; i < sizeof rule_ops / sizeof *rule_ops; i++)
        if (next_rule(session, rule_ops[i].row, NULL))
            write_operation(session, &rule_ops[i], out);
}
