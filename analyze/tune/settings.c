/* analyze/tune/settings.c - writes the advice: variables, and Open MPI's rules for single sizes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tune/tune.h"
#include "sync/base/integers.h"
#include "sync/base/names.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/ops.h"

#define RULE_OPS_MOST 64

bool tune_list_once(struct syn_text *list, const char *name)
{
    char line[TUNE_LINE_BYTES];
    for (size_t at = 0; tune_list_next(list, &at, line);)
        if (strcmp(line, name) == 0)
            return false;
    syn_text_format(list, "%s\n", name);
    return true;
}

bool tune_list_next(const struct syn_text *list, size_t *at, char line[TUNE_LINE_BYTES])
{
    size_t end = *at;
    while (end < list->length && list->data[end] != '\n')
        end++;
    if (end == list->length)
        return false;
    snprintf(line, TUNE_LINE_BYTES, "%.*s", (int)(end - *at), list->data + *at);
    *at = end + 1;
    return true;
}

/* Appends lines "NAME=VALUE". Open MPI prefers an algorithm that a variable names to its rules; 0
 * names none. */
static void item_settings(const struct tune_session *session, const struct tune_item *item,
                          struct syn_text *out)
{
    const struct tune_candidate *best = &item->candidate[item->best];
    if (!session->by_rules) {
        syn_text_format(out, "%s\n", best->environment);
        return;
    }
    syn_text_format(
        out, TUNE_OPEN_MPI TUNE_RULES_FILE "=%s\n" TUNE_OPEN_MPI "coll_tuned_%s_algorithm=0\n",
        session->rules_path, item->op);
    if (best->segment)
        syn_text_format(out, TUNE_OPEN_MPI "coll_tuned_%s_algorithm_segmentsize=0\n", item->op);
    syn_text_string(out, TUNE_OPEN_MPI TUNE_RULES "=1\n");
}

void tune_settings(const struct tune_session *session, const struct tune_item *only,
                   struct syn_text *out)
{
    SYN_CLEANUP(syn_text_free) struct syn_text lines = {0};
    char line[TUNE_LINE_BYTES];
    for (struct tune_item *item = NULL; (item = tune_next_advised(session, item));)
        if (!only || only == item)
            item_settings(session, item, &lines);
    for (size_t at = 0; tune_list_next(&lines, &at, line);)
        tune_list_once(out, line);
}

void tune_shell_settings(const struct tune_session *session, struct syn_text *out)
{
    SYN_CLEANUP(syn_text_free) struct syn_text lines = {0};
    char line[TUNE_LINE_BYTES];
    tune_settings(session, NULL, &lines);
    for (size_t at = 0; tune_list_next(&lines, &at, line);) {
        char *value = line, word[SYN_SHELL_BYTES(sizeof line)];
        const char *name = strsep(&value, "=");
        syn_text_format(out, " %s=%s", name, syn_shell_word(value, word, sizeof word));
    }
}

/* ---- Open MPI's rules ---- */

/* A rule holds for its numbers of ranks and bytes and all larger ones up to the next rule; a rule
 * of the advice holds only for its own numbers. */
struct rule {
    uint64_t op, ranks, bytes, algorithm, fan, segment;
    bool is_advice;
};
struct rules {
    struct rule *rule; /* [count] */
    size_t count, capacity;
};

static bool add_rule(struct rules *rules, struct rule rule)
{
    if (SYN_ROOM(rules->rule, rules->capacity, rules->count) != SYN_OK)
        return false;
    rules->rule[rules->count++] = rule;
    return true;
}

/* Reads the next number of a rules file; skips comments after #. */
static bool read_number(FILE *file, uint64_t *out)
{
    char mark[2];
    while (fscanf(file, " %1[#]", mark) == 1)
        if (fscanf(file, "%*[^\n]") == EOF)
            return false;
    return fscanf(file, "%" SCNu64, out) == 1;
}

static bool read_rules(const char *path, struct rules *out)
{
    FILE *file = fopen(path, "r");
    uint64_t ops, sets, sizes;
    struct rule rule = {0};
    bool good = file && read_number(file, &ops);
    for (uint64_t o = 0; good && o < ops; o++) {
        good = read_number(file, &rule.op) && read_number(file, &sets);
        for (uint64_t s = 0; good && s < sets; s++) {
            good = read_number(file, &rule.ranks) && read_number(file, &sizes);
            for (uint64_t k = 0; good && k < sizes; k++)
                good = read_number(file, &rule.bytes) && read_number(file, &rule.algorithm) &&
                       read_number(file, &rule.fan) && read_number(file, &rule.segment) &&
                       add_rule(out, rule);
        }
    }
    if (file)
        fclose(file);
    return good;
}

/* Adds the item's advice. Open MPI numbers the operations in alphabetical order. It compares the
 * bytes that one rank contributes, these times the ranks, or always 0, depending on the operation.
 */
static bool add_advice(const struct tune_item *item, struct rules *out)
{
    const struct tune_group *group = item->group;
    const struct tune_candidate *best = &item->candidate[item->best];
    struct rule rule = {.ranks = group->comm_size,
                        .bytes = group->bytes,
                        .algorithm = (uint64_t)best->algorithm,
                        .segment = (uint64_t)best->segment,
                        .is_advice = true};
    for (uint16_t row = 0; row < SYN_ROW_NEIGHBOR_ALLGATHER; row++)
        rule.op += strcmp(syn_op_name(row), syn_op_name(group->op)) < 0;
    if (group->op == SYN_ROW_BARRIER || group->op == SYN_ROW_ALLTOALLV)
        rule.bytes = 0;
    else if (group->op == SYN_ROW_ALLGATHER || group->op == SYN_ROW_ALLTOALL ||
             group->op == SYN_ROW_GATHER || group->op == SYN_ROW_SCATTER)
        rule.bytes *= rule.ranks;
    return add_rule(out, rule);
}

/* Returns the rule of the advice for exactly these ranks and bytes. Else returns the file's rule
 * that Open MPI takes: of the last set that is not above the ranks, or else of the first one; of
 * its rules likewise by bytes. */
static struct rule rule_for(const struct rules *rules, uint64_t op, uint64_t ranks, uint64_t bytes)
{
    struct rule found = {.op = UINT64_MAX};
    for (size_t i = 0; i < rules->count; i++) {
        const struct rule *rule = &rules->rule[i];
        if (rule->op != op)
            continue;
        if (rule->is_advice && rule->ranks == ranks && rule->bytes == bytes)
            return *rule;
        if (!rule->is_advice &&
            (found.op != op ||
             (rule->ranks == found.ranks ? rule->bytes <= bytes : rule->ranks <= ranks)))
            found = *rule;
    }
    return found;
}

/* Returns the least number of bytes (of_bytes), or of ranks, above this one at which another rule
 * may begin. UINT64_MAX: none. */
static uint64_t next_edge(const struct rules *rules, uint64_t op, bool of_bytes, uint64_t above)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < rules->count; i++) {
        const struct rule *rule = &rules->rule[i];
        const uint64_t begin = of_bytes ? rule->bytes : rule->ranks;
        const uint64_t end = begin + (rule->is_advice && begin > 0);
        if (rule->op == op && end > above)
            least = syn_least(least, begin > above ? begin : end);
    }
    return least;
}

static void write_operation(const struct rules *rules, uint64_t op, struct syn_text *out)
{
    SYN_CLEANUP(syn_text_free) struct syn_text sets = {0}, sizes = {0};
    uint64_t set_count = 0;
    for (uint64_t ranks = 1; ranks < UINT64_MAX; ranks = next_edge(rules, op, false, ranks)) {
        uint64_t size_count = 0;
        syn_text_clear(&sizes);
        for (uint64_t bytes = 0; bytes < UINT64_MAX; bytes = next_edge(rules, op, true, bytes)) {
            const struct rule rule = rule_for(rules, op, ranks, bytes);
            syn_text_format(&sizes, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", bytes,
                            rule.algorithm, rule.fan, rule.segment);
            size_count++;
        }
        syn_text_format(&sets, "%" PRIu64 " # ranks\n%" PRIu64 " # sizes\n%s", ranks, size_count,
                        syn_text_chars(&sizes));
        set_count++;
    }
    syn_text_format(out,
                    "%" PRIu64 " # the operation's number\n%" PRIu64 " # communicator sizes\n%s",
                    op, set_count, syn_text_chars(&sets));
}

bool tune_write_rules(const struct tune_session *session, struct syn_text *out)
{
    struct rules rules = {0};
    SYN_CLEANUP(syn_text_free) struct syn_text operations = {0};
    bool good = true;
    unsigned count = 0;
    for (struct tune_item *item = NULL; (item = tune_next_advised(session, item));)
        good &= !session->by_rules || add_advice(item, &rules);
    if (rules.count > 0 && tune_offers_have_rules(&session->offers))
        good &= read_rules(tune_offers_find(&session->offers, TUNE_RULES_FILE)->value, &rules);
    for (uint64_t op = 0; op < RULE_OPS_MOST; op++)
        for (size_t i = 0; i < rules.count; i++)
            if (rules.rule[i].op == op) {
                write_operation(&rules, op, &operations);
                count++;
                break;
            }
    if (count > 0)
        syn_text_format(out, "%u # operations\n%s", count, syn_text_chars(&operations));
    free(rules.rule);
    return good;
}
