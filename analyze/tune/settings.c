/* analyze/tune/settings.c - writes the advice: variables, and Open MPI's rules for single sizes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tune/tune.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
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

void tune_each_setting(const struct tune_session *session, const struct tune_item *only,
                       tune_setting *each, void *ctx)
{
    struct syn_text told = {0};
    for (size_t i = 0; i < session->count; i++) {
        const struct tune_item *item = &session->item[i];
        char words[TUNE_SET_BYTES] = TUNE_OPEN_MPI TUNE_RULES "=1", *rest = words;
        if (!tune_is_advised(item) || (only && item != only))
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
    tune_each_setting(session, NULL, add_setting, &how);
}

/* ---- Open MPI's rules ---- */

/* Numbers of operations in a rules file, and the message size that it compares: the bytes of a
 * group, these times the ranks, or always 0. */
static const struct rule_op {
    int row;
    uint64_t number;
    enum { BYTES, BYTES_TIMES_RANKS, NO_SIZE, END } size;
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
    {-1, 0, END},
};

#define NUMBERS_MOST 64 /* of an operation in a rules file */

/* From these ranks and bytes on. Open MPI takes the last rule that is not above a communicator's
 * ranks, or the first one; of its bytes likewise. */
struct rule {
    uint64_t op, ranks, bytes, algorithm, fan, segment;
};
struct rules {
    struct rule *rule; /* [count], those of a file */
    size_t count, capacity;
};

/* Does Open MPI prefer `a` to `b` for the value `at`? */
static bool is_nearer(uint64_t a, uint64_t b, uint64_t at)
{
    return a <= at ? b > at || a > b : b > at && a < b;
}

/* NULL: there are no rules for the item's operation. */
static const struct rule_op *rule_op_of(const struct tune_item *item)
{
    for (const struct rule_op *op = rule_ops; op->size != END; op++)
        if (op->row == item->group->op && item->by_rules && tune_is_advised(item))
            return op;
    return NULL;
}

/* The message size that the rules compare. */
static uint64_t size_of(const struct tune_item *item)
{
    const struct tune_group *group = item->group;
    const struct rule_op *op = rule_op_of(item);
    return op->size == NO_SIZE ? 0
           : op->size == BYTES ? group->bytes
                               : group->bytes * group->comm_size;
}

/* The rule of an item for just these ranks and bytes; or the one that the file has. */
static struct rule rule_for(const struct tune_session *session, const struct rules *file,
                            uint64_t op, uint64_t ranks, uint64_t bytes)
{
    struct rule found = {op, UINT64_MAX, UINT64_MAX, 0, 0, 0};
    for (size_t i = 0; i < file->count; i++) {
        const struct rule *rule = &file->rule[i];
        if (rule->op == op &&
            (is_nearer(rule->ranks, found.ranks, ranks) ||
             (rule->ranks == found.ranks && is_nearer(rule->bytes, found.bytes, bytes))))
            found = *rule;
    }
    for (size_t i = 0; i < session->count; i++) {
        const struct tune_item *item = &session->item[i];
        const struct rule_op *of = rule_op_of(item);
        if (of && of->number == op && item->group->comm_size == ranks && size_of(item) == bytes)
            found = (struct rule){.algorithm = (uint64_t)item->candidate[item->best].algorithm,
                                  .segment = (uint64_t)item->candidate[item->best].segment};
    }
    return found;
}

/* Inserts a number into those that ascend, once. */
static void add_number(uint64_t *number, size_t *count, uint64_t value)
{
    size_t at = *count;
    while (at > 0 && number[at - 1] >= value)
        at--;
    if (*count == NUMBERS_MOST || (at < *count && number[at] == value))
        return;
    memmove(number + at + 1, number + at, (*count - at) * sizeof *number);
    number[at] = value;
    ++*count;
}

/* All ranks and bytes at which a rule may begin, and the rule of each pair. */
static void write_operation(const struct tune_session *session, const struct rules *file,
                            uint64_t op, struct syn_text *out)
{
    uint64_t ranks[NUMBERS_MOST] = {1}, bytes[NUMBERS_MOST] = {0};
    size_t rank_count = 1, byte_count = 1;
    for (size_t i = 0; i < file->count; i++)
        if (file->rule[i].op == op) {
            add_number(ranks, &rank_count, file->rule[i].ranks);
            add_number(bytes, &byte_count, file->rule[i].bytes);
        }
    for (size_t i = 0; i < session->count; i++) {
        const struct tune_item *item = &session->item[i];
        const struct rule_op *of = rule_op_of(item);
        for (uint64_t k = 0; of && of->number == op && k < 2; k++) {
            add_number(ranks, &rank_count, item->group->comm_size + k);
            add_number(bytes, &byte_count, of->size == NO_SIZE ? 0 : size_of(item) + k);
        }
    }
    syn_text_format(out, "%llu # the operation's number\n%zu # communicator sizes\n",
                    (unsigned long long)op, rank_count);
    for (size_t r = 0; r < rank_count; r++) {
        syn_text_format(out, "%llu # ranks\n%zu # sizes\n", (unsigned long long)ranks[r],
                        byte_count);
        for (size_t b = 0; b < byte_count; b++) {
            const struct rule rule = rule_for(session, file, op, ranks[r], bytes[b]);
            syn_text_format(out, "%llu %llu %llu %llu\n", (unsigned long long)bytes[b],
                            (unsigned long long)rule.algorithm, (unsigned long long)rule.fan,
                            (unsigned long long)rule.segment);
        }
    }
}

/* The next number of a rules file; words behind # are passed over. */
static bool read_number(FILE *file, uint64_t *out)
{
    unsigned long long value = 0;
    char mark[2];
    while (fscanf(file, " %1[#]", mark) == 1)
        if (fscanf(file, "%*[^\n]") == EOF)
            return false;
    const bool is_read = fscanf(file, "%llu", &value) == 1;
    *out = value;
    return is_read;
}

static bool read_rules(const char *path, struct rules *out)
{
    FILE *file = fopen(path, "r");
    uint64_t ops, sets, sizes;
    struct rule rule;
    bool good = file && read_number(file, &ops);
    for (uint64_t o = 0; good && o < ops; o++) {
        good = read_number(file, &rule.op) && read_number(file, &sets);
        for (uint64_t s = 0; good && s < sets; s++) {
            good = read_number(file, &rule.ranks) && read_number(file, &sizes);
            for (uint64_t k = 0; good && k < sizes; k++) {
                good = read_number(file, &rule.bytes) && read_number(file, &rule.algorithm) &&
                       read_number(file, &rule.fan) && read_number(file, &rule.segment) &&
                       SYN_ROOM(out->rule, out->capacity, out->count) == SYN_OK;
                if (good)
                    out->rule[out->count++] = rule;
            }
        }
    }
    if (file)
        fclose(file);
    return good;
}

bool tune_write_rules(const struct tune_session *session, struct syn_text *out)
{
    uint64_t op[NUMBERS_MOST];
    size_t count = 0;
    struct rules file = {0};
    for (size_t i = 0; i < session->count; i++)
        if (rule_op_of(&session->item[i]))
            add_number(op, &count, rule_op_of(&session->item[i])->number);
    const bool is_read =
        count == 0 || !tune_offers_have_rules(&session->offers) ||
        read_rules(tune_offers_find(&session->offers, TUNE_RULES_FILE)->value, &file);
    for (size_t i = 0; i < file.count; i++)
        add_number(op, &count, file.rule[i].op);
    if (count > 0)
        syn_text_format(out, "%zu # operations\n", count);
    for (size_t i = 0; i < count; i++)
        write_operation(session, &file, op[i], out);
    free(file.rule);
    return is_read;
}
