/* analyze/tune/offers.c - reads what an MPI says of its own algorithms, and makes the candidates.
 *
 * Nothing is listed here: names, values and descriptions come from the MPI's control variables.
 *     Open MPI  coll_tuned_OP_algorithm, an enumeration, and beside it ..._segmentsize. They are
 *               obeyed where TUNE_RULES was set when the program started.
 *     MPICH     MPIR_CVAR_OP..._INTRA_ALGORITHM. The values stand in the description: a word of
 *               lower-case letters, blanks up to a common column, a dash. */

#include <ctype.h>
#include <math.h>
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

static int take_variable(struct tune_offers *offers, char *rest)
{
    char *field[5] = {"", "", "", "", ""};
    for (size_t i = 0; i < 5 && rest; i++)
        field[i] = strsep(&rest, "\t");
    if (SYN_ROOM(offers->variable, offers->capacity, offers->count) != SYN_OK)
        return SYN_ENOMEM;
    offers->variable[offers->count++] =
        (struct tune_variable){field[0], field[1], field[3], field[4], field[2][0] == '1'};
    return 0;
}

int tune_offers_read(char *answer, struct tune_offers *out)
{
    int status = 0;
    *out = (struct tune_offers){.answer = answer};
    for (char *line; status == SYN_OK && (line = strsep(&answer, "\n"));) {
        if (strncmp(line, "V\t", 2) == 0)
            status = take_variable(out, line + 2);
        else if (strncmp(line, "H\t", 2) == 0 &&
                 (status = SYN_ROOM(out->host, out->host_capacity, out->host_count)) == SYN_OK)
            out->host[out->host_count++] = line + 2;
        else if (strncmp(line, "N\t", 2) == 0)
            out->rank_count = atoi(line + 2);
        else if (strncmp(line, "M\t", 2) == 0 && !out->mpi_version)
            out->mpi_version = line + 2;
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
    for (int taken; count < capacity; list += taken, list += *list == ',') {
        taken = 0;
        if (sscanf(list, "%d=%79[^,]%n", &out[count].number, out[count].name, &taken) < 2 ||
            taken == 0)
            break;
        count++;
    }
    return count;
}

static bool is_name(char c)
{
    return islower((unsigned char)c) || isdigit((unsigned char)c) || c == '_';
}

/* Length of the word before a dash, of which `length` letters could be part. `column` is where the
 * dashes stand behind the start of a word, 0 while it is not known. In some descriptions the
 * sentence before a word ends without a blank. */
static size_t word_length(const char *word, size_t length, size_t blanks, const char *op,
                          size_t *column)
{
    static const char algorithm[] = "algorithm";
    if (length >= 4 && blanks == 1 && strncmp(word + length - 4, "auto", 4) == 0)
        return length > 6 && strncmp(word + length - 6, "d_", 2) == 0 ? 0 : 4;
    if (*column == 0) {
        const size_t op_length = strlen(op);
        if (length > op_length && strncmp(word, op, op_length) == 0)
            length -= op_length;
        else if (length > sizeof algorithm - 1 &&
                 strncmp(word, algorithm, sizeof algorithm - 1) == 0)
            length -= sizeof algorithm - 1;
        *column = length + blanks;
    }
    return *column > blanks && *column - blanks <= length ? *column - blanks : length;
}

/* The n-th word before a dash is the value n. */
static size_t described_values(const char *words, const char *op, struct tune_value *out,
                               size_t capacity)
{
    size_t count = 0, column = 0;
    for (const char *dash = words; count < capacity && (dash = strstr(dash, " - ")); dash += 3) {
        const char *end = dash;
        while (end > words && end[-1] == ' ')
            end--;
        const char *begin = end;
        while (begin > words && is_name(begin[-1]))
            begin--;
        if (begin == end)
            continue;
        const bool is_alone = begin > words && begin[-1] == '\v';
        const size_t length = is_alone ? (size_t)(end - begin)
                                       : word_length(begin, (size_t)(end - begin),
                                                     (size_t)(dash + 1 - end), op, &column);
        out[count].number = (int)count;
        snprintf(out[count].name, sizeof out->name, "%.*s",
                 (int)syn_least(length, sizeof out->name - 1), end - length);
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

static struct tune_candidate *add_candidate(struct tune_candidate *list, size_t *count,
                                            const char *label)
{
    struct tune_candidate *added = &list[*count];
    *added = (struct tune_candidate){.median_ns = NAN};
    snprintf(added->label, sizeof added->label, "%s", label);
    for (size_t i = 0; i < TUNE_LAUNCHES; i++)
        added->log_ns[i] = added->log_inside[i] = added->log_row[i] = NAN;
    *count += *count + 1 < TUNE_CANDIDATES; /* what is more takes the last place */
    return added;
}

/* Is it one of Open MPI's component `tuned`? */
static bool is_tuned(const struct tune_variable *variable)
{
    return strncmp(variable->name, "coll_tuned_", 11) == 0;
}

/* Is it the value that stands for the MPI's own choice? */
static bool is_own_choice(const struct tune_value *value)
{
    return strcmp(value->name, "auto") == 0 || strcmp(value->name, "ignore") == 0;
}

static void add_value(const struct tune_variable *variable, const struct tune_value *value,
                      bool leaves_rules, struct tune_candidate *list, size_t *count)
{
    struct tune_candidate *added =
        add_candidate(list, count, is_own_choice(value) ? "the MPI's own choice" : value->name);
    added->algorithm = value->number;
    snprintf(added->set, sizeof added->set, "%s=%d", variable->name, value->number);
    if (is_tuned(variable))
        snprintf(added->environment, sizeof added->environment,
                 TUNE_OPEN_MPI TUNE_RULES "=1,%s" TUNE_OPEN_MPI "%s=%d",
                 leaves_rules ? TUNE_OPEN_MPI TUNE_RULES_FILE "=/dev/null," : "", variable->name,
                 value->number);
    else
        snprintf(added->environment, sizeof added->environment, "%s=%s", variable->name,
                 value->name);
}

/* Values of one variable: the first candidate is what is set now. Open MPI's is obeyed only with
 * dynamic rules, so that without these "now" is the MPI's own choice. A rules file stands above the
 * variables: "now" is then none of their values, and a candidate leaves the file. */
static void add_variable(const struct tune_offers *offers, const struct tune_variable *variable,
                         const char *op, struct tune_candidate *list, size_t *count)
{
    struct tune_value value[VALUES_MOST];
    const size_t value_count = tune_values(variable, op, value, VALUES_MOST);
    const struct tune_variable *rules = tune_offers_find(offers, TUNE_RULES);
    const bool is_obeyed = !is_tuned(variable) || (rules && atoi(rules->value));
    const bool has_file = is_tuned(variable) && tune_offers_have_rules(offers);
    const int now = is_obeyed ? atoi(variable->value) : 0;
    if (*count == 0) {
        struct tune_candidate *first = add_candidate(list, count, "now");
        snprintf(first->set, sizeof first->set, "%s=%d", variable->name, now);
    }
    for (size_t i = 0; i < value_count; i++)
        if ((value[i].number != now || has_file) && value[i].name[0] &&
            (i == 0 || !is_own_choice(&value[i]) || is_obeyed))
            add_value(variable, &value[i], has_file, list, count);
}

static bool is_variable_of(const char *name, const char *op)
{
    static const char *const form[][2] = {{"coll_tuned_", "_algorithm"},
                                          {"MPIR_CVAR_", "_INTRA_ALGORITHM"},
                                          {"MPIR_CVAR_", "_POSIX_INTRA_ALGORITHM"}};
    bool is_so = false;
    for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
        const char *at = name + strlen(form[i][0]);
        is_so |= strncmp(name, form[i][0], strlen(form[i][0])) == 0 &&
                 strncasecmp(at, op, strlen(op)) == 0 && strcmp(at + strlen(op), form[i][1]) == 0;
    }
    return is_so;
}

size_t tune_candidates(const struct tune_offers *offers, const char *op,
                       struct tune_candidate *candidate, const char **refused)
{
    size_t count = 0;
    *refused = NULL;
    for (size_t i = 0; i < offers->count; i++) {
        const struct tune_variable *variable = &offers->variable[i];
        if (is_variable_of(variable->name, op) && variable->is_writable)
            add_variable(offers, variable, op, candidate, &count);
        else if (is_variable_of(variable->name, op))
            *refused = variable->name;
    }
    return count;
}

size_t tune_candidates_add_segments(const struct tune_offers *offers, const char *op,
                                    uint64_t bytes, struct tune_candidate *candidate, size_t count)
{
    char name[TUNE_NAME_BYTES], label[2 * TUNE_NAME_BYTES];
    const size_t before = count;
    snprintf(name, sizeof name, "coll_tuned_%s_algorithm_segmentsize", op);
    const struct tune_variable *variable = tune_offers_find(offers, name);
    if (!variable || !variable->is_writable || strstr(variable->words, "do not support"))
        return count;
    for (size_t i = 1; i < before; i++)
        for (int size = SEGMENT_LEAST; (uint64_t)size < bytes && size < 1 << 20 &&
                                       candidate[i].algorithm > 0 && candidate[i].state == TUNE_IN;
             size *= SEGMENT_STEP) {
            const struct tune_candidate *from = &candidate[i];
            snprintf(label, sizeof label, "%.80s, segments of %d KiB", from->label, size / 1024);
            struct tune_candidate *added = add_candidate(candidate, &count, label);
            added->algorithm = from->algorithm;
            added->segment = size;
            snprintf(added->set, sizeof added->set, "%.250s,%s=%d", from->set, name, size);
            snprintf(added->environment, sizeof added->environment, "%.250s," TUNE_OPEN_MPI "%s=%d",
                     from->environment, name, size);
        }
    return count;
}
