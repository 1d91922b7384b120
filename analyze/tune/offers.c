/* analyze/tune/offers.c - parses an MPI's control variables of algorithms, and makes the
 * candidates.
 *
 * Names, values and descriptions all come from the MPI's control variables; only their form is
 * known here.
 *     Open MPI  coll_tuned_OP_algorithm, an enumeration, and with it ..._segmentsize. They are
 *               obeyed if TUNE_RULES was set when the program started.
 *     MPICH     MPIR_CVAR_OP..._INTRA_ALGORITHM. The values are in the description: a word of
 *               lower-case letters, blanks up to a common column, a dash. */

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/tune/tune.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

#define VALUES_MOST   32
#define SEGMENT_LEAST 1024
#define SEGMENT_STEP  8

/* ---- the answer ---- */

int tune_offers_read(char *answer, struct tune_offers *out)
{
    int status = 0;
    *out = (struct tune_offers){.answer = answer};
    for (char *line; status == SYN_OK && (line = strsep(&answer, "\n"));) {
        char *field[6] = {"", "", "", "", "", ""};
        for (size_t i = 0; i < 6 && line; i++)
            field[i] = strsep(&line, "\t");
        if (strcmp(field[0], "N") == 0)
            out->rank_count = atoi(field[1]);
        else if (strcmp(field[0], "M") == 0)
            out->mpi_version = field[1];
        else if (strcmp(field[0], "H") == 0 &&
                 (status = SYN_ROOM(out->host, out->host_capacity, out->host_count)) == SYN_OK)
            out->host[out->host_count++] = field[1];
        else if (strcmp(field[0], "V") == 0 &&
                 (status = SYN_ROOM(out->variable, out->capacity, out->count)) == SYN_OK)
            out->variable[out->count++] =
                (struct tune_variable){field[1], field[2], field[4], field[5], field[3][0] == '1'};
    }
    return status;
}

const struct tune_variable *tune_offers_find(const struct tune_offers *offers, const char *name)
{
    for (size_t i = 0; i < offers->count; i++)
        if (strcmp(offers->variable[i].name, name) == 0)
            return &offers->variable[i];
    return NULL;
}

bool tune_offers_have_rules(const struct tune_offers *offers)
{
    const struct tune_variable *rules = tune_offers_find(offers, TUNE_RULES),
                               *file = tune_offers_find(offers, TUNE_RULES_FILE);
    return rules && atoi(rules->value) && file && file->value[0];
}

void tune_offers_free(struct tune_offers *offers)
{
    free(offers->variable);
    free(offers->host);
    free(offers->answer);
    *offers = (struct tune_offers){0};
}

/* ---- values ---- */

static size_t listed_values(const char *list, struct tune_value *out, size_t capacity)
{
    size_t count = 0;
    for (int taken = 0; count < capacity; list += taken + (list[taken] == ','), count++)
        if (sscanf(list, "%d=%79[^,]%n", &out[count].number, out[count].name, &taken) < 2)
            break;
    return count;
}

/* Returns the length of `word` if `text` begins with it and continues; else 0. */
static ptrdiff_t prefix(const char *text, ptrdiff_t length, const char *word)
{
    const ptrdiff_t letters = (ptrdiff_t)strlen(word);
    return length > letters && strncmp(text, word, (size_t)letters) == 0 ? letters : 0;
}

/* Reads values from a description: the n-th word before a dash is the value n. In some descriptions
 * no blank separates the end of a sentence from the next word. So the column of the words is used:
 * all words begin `width` characters before their dashes. The width is that of the first word,
 * without a preceding "algorithm" or name of the operation. "auto" may stand in another column. */
static size_t described_values(const char *words, const char *op, struct tune_value *out,
                               size_t capacity)
{
    size_t count = 0;
    ptrdiff_t width = 0;
    for (const char *dash = words; count < capacity && (dash = strstr(dash, " - ")); dash += 3) {
        const char *end = dash, *column;
        while (end > words && end[-1] == ' ')
            end--;
        const char *begin = end;
        while (begin > words && (islower((unsigned char)begin[-1]) ||
                                 isdigit((unsigned char)begin[-1]) || begin[-1] == '_'))
            begin--;
        if (begin == end)
            continue;
        if (begin > words && begin[-1] == '\v')
            column = begin;
        else if (end == dash && end - begin >= 4 && strncmp(end - 4, "auto", 4) == 0)
            column = end - 4;
        else {
            if (width == 0)
                width = dash - begin -
                        syn_largest(prefix(begin, end - begin, op),
                                    prefix(begin, end - begin, "algorithm"));
            column = dash - width;
        }
        begin = column > begin && column < end ? column : begin;
        out[count].number = (int)count;
        snprintf(out[count].name, sizeof out->name, "%.*s",
                 (int)syn_least(end - begin, (ptrdiff_t)sizeof out->name - 1), begin);
        count++;
    }
    return count;
}

size_t tune_values(const struct tune_variable *variable, const char *op, struct tune_value *out,
                   size_t capacity)
{
    return variable->list[0] ? listed_values(variable->list, out, capacity)
                             : described_values(variable->words, op, out, capacity);
}

/* ---- candidates ---- */

static struct tune_candidate *add_candidate(struct tune_item *item, const char *label)
{
    struct tune_candidate *added = &item->candidate[item->count];
    *added = (struct tune_candidate){.median_ns = NAN};
    snprintf(added->label, sizeof added->label, "%s", label);
    for (size_t time = 0; time < TUNE_TIMES; time++)
        for (size_t i = 0; i < TUNE_LAUNCHES; i++)
            added->log_ns[time][i] = NAN;
    item->count += item->count + 1 < TUNE_CANDIDATES; /* any more overwrite the last one */
    return added;
}

/* Adds the values of one variable as candidates; the first one is the present setting. Open MPI
 * obeys a variable only with dynamic rules, so without these the present setting is the MPI's own
 * choice. A rules file has precedence over the variables. With one, the present setting is none of
 * their values, and a candidate disables the file. */
static void add_variable(const struct tune_offers *offers, const struct tune_variable *variable,
                         struct tune_item *item)
{
    struct tune_value value[VALUES_MOST];
    const size_t value_count = tune_values(variable, item->op, value, VALUES_MOST);
    const struct tune_variable *rules = tune_offers_find(offers, TUNE_RULES);
    const bool is_tuned = strncmp(variable->name, "coll_tuned_", 11) == 0;
    const bool is_obeyed = !is_tuned || (rules && atoi(rules->value));
    const bool has_file = is_tuned && tune_offers_have_rules(offers);
    const int now = is_obeyed ? atoi(variable->value) : 0;
    if (item->count == 0)
        snprintf(add_candidate(item, "now")->set, TUNE_SET_BYTES, "%s=%d", variable->name, now);
    for (size_t i = 0; i < value_count; i++) {
        const char *name = value[i].name;
        const bool is_own = strcmp(name, "auto") == 0 || strcmp(name, "ignore") == 0;
        if ((value[i].number == now && !has_file) || !name[0] || (i > 0 && is_own && !is_obeyed))
            continue;
        struct tune_candidate *added = add_candidate(item, is_own ? "the MPI's own choice" : name);
        added->algorithm = value[i].number;
        snprintf(added->set, sizeof added->set, "%s=%d", variable->name, value[i].number);
        if (is_tuned)
            snprintf(added->environment, sizeof added->environment,
                     TUNE_OPEN_MPI TUNE_RULES "=1\n%s" TUNE_OPEN_MPI "%.150s=%d",
                     has_file ? TUNE_OPEN_MPI TUNE_RULES_FILE "=/dev/null\n" : "", variable->name,
                     value[i].number);
        else
            snprintf(added->environment, sizeof added->environment, "%s=%s", variable->name, name);
    }
}

const char *tune_candidates(const struct tune_offers *offers, struct tune_item *item)
{
    static const char *const names[] = {"coll_tuned_%.40s_algorithm",
                                        "MPIR_CVAR_%.40s_INTRA_ALGORITHM",
                                        "MPIR_CVAR_%.40s_POSIX_INTRA_ALGORITHM"};
    const char *refused = NULL;
    for (size_t i = 0; i < offers->count; i++)
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            const struct tune_variable *variable = &offers->variable[i];
            char name[TUNE_NAME_BYTES];
            snprintf(name, sizeof name, names[k], item->op);
            if (strcasecmp(variable->name, name) == 0 && variable->is_writable)
                add_variable(offers, variable, item);
            else if (strcasecmp(variable->name, name) == 0)
                refused = variable->name;
        }
    return refused;
}

void tune_add_segments(const struct tune_offers *offers, struct tune_item *item)
{
    char name[TUNE_NAME_BYTES], label[2 * TUNE_NAME_BYTES];
    const size_t before = item->count;
    snprintf(name, sizeof name, "coll_tuned_%.40s_algorithm_segmentsize", item->op);
    const struct tune_variable *variable = tune_offers_find(offers, name);
    if (!variable || !variable->is_writable || strstr(variable->words, "do not support"))
        return;
    for (size_t i = 1; i < before; i++)
        for (int size = SEGMENT_LEAST; (uint64_t)size < item->group->bytes && size < 1 << 20;
             size *= SEGMENT_STEP) {
            const struct tune_candidate *from = &item->candidate[i];
            if (from->algorithm == 0 || from->state != TUNE_IN)
                break;
            snprintf(label, sizeof label, "%.80s, segments of %d KiB", from->label, size / 1024);
            struct tune_candidate *added = add_candidate(item, label);
            added->algorithm = from->algorithm;
            added->segment = size;
            snprintf(added->set, sizeof added->set, "%.250s,%s=%d", from->set, name, size);
            snprintf(added->environment, sizeof added->environment,
                     "%.250s\n" TUNE_OPEN_MPI "%s=%d", from->environment, name, size);
        }
}
