/* trace/columns/columns_tables.c - see columns_tables.h. Everything in a payload is checked here
 * before it is used. */
#include "trace/columns/columns_tables.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/frame.h"
#include "trace/events/attributes.h"
#include "trace/events/message.h"

enum { TIME_COLUMNS = 4 };

bool syn_columns_tuples_reserve(struct syn_columns_tuples *tuples, size_t count)
{
    /* Each table begins at a multiple of eight bytes. */
    const size_t room = (count + 7) / 8 * 8;
#define BYTES(bits, name) +(bits) / 8
    uint8_t *at = tuples->memory = malloc(room * (0 SYN_TUPLE_VALUES(BYTES)));
    if (!at)
        return false;
#define PLACE(bits, name)      \
    tuples->name = (void *)at; \
    at += room * ((bits) / 8);
    SYN_TUPLE_VALUES(PLACE)
    return true;
}

void syn_columns_payload_free(struct syn_columns_payload *payload)
{
    struct syn_columns_tables *tables = &payload->tables;
    free(tables->comms);
    free(tables->next_number);
    free(tables->exception_at);
    free(tables->exception_by);
    free(tables->tuples.memory);
    free(payload->own_index);
}

/* ---- counts ---- */

static bool all_have(const struct syn_chunk_column *columns, int first, int last, size_t count)
{
    for (int name = first; name <= last; name++)
        if (columns[name].count != count)
            return false;
    return true;
}

/* ---- tables ---- */

/* Decodes a column. Returns false if any number lies outside least..most. */
static bool take_within(const struct syn_chunk_column *column, int64_t least, int64_t most,
                        int64_t *numbers)
{
    bool within = syn_column_numbers(column, numbers);
    for (size_t i = 0; within && i < column->count; i++)
        within = numbers[i] >= least && numbers[i] <= most;
    return within;
}

#define STORE(to, number)                      \
    for (size_t i = 0; i < column->count; i++) \
    (to)[i] = (__typeof__((to)[0]))(number)

/* Decodes one column of the tables; `numbers` has room for it. */
static bool take_table(const struct syn_columns_source *source, int name, int64_t *numbers,
                       struct syn_columns_tables *tables)
{
    static const struct {
        int64_t least, most;
    } ranges[SYN_COLUMN_COUNT] = {[SYN_COLUMN_BASE] = {INT64_MIN, INT64_MAX},
                                  [SYN_COLUMN_COMM] = {0, UINT32_MAX},
                                  [SYN_COLUMN_COMM_SEQUENCE] = {INT64_MIN, INT64_MAX},
                                  [SYN_COLUMN_OP] = {0, UINT16_MAX},
                                  [SYN_COLUMN_FLAGS] = {0, 2 * UINT16_MAX + 1},
                                  [SYN_COLUMN_COMM_PLACE] = {0, SYN_CHUNK_EVENTS_MAX},
                                  [SYN_COLUMN_TUPLE_STACK] = {0, UINT32_MAX},
                                  [SYN_COLUMN_ROOT] = {INT32_MIN, INT32_MAX},
                                  [SYN_COLUMN_BYTES] = {INT64_MIN, INT64_MAX},
                                  [SYN_COLUMN_ORDER] = {0, UINT32_MAX},
                                  [SYN_COLUMN_TUPLE_TAG] = {INT32_MIN, INT32_MAX}};
    const struct syn_chunk_column *column = &source->columns[name];
    struct syn_columns_tuples *tuples = &tables->tuples;
    if (!take_within(column, ranges[name].least, ranges[name].most, numbers))
        return false;
    switch (name) {
    case SYN_COLUMN_BASE:
        tables->base = numbers[0];
        break;
    case SYN_COLUMN_COMM:
        STORE(tables->comms, numbers[i]);
        break;
    case SYN_COLUMN_COMM_SEQUENCE:
        STORE(tables->next_number, numbers[i]);
        break;
    case SYN_COLUMN_OP:
        STORE(tuples->op, numbers[i]);
        break;
    case SYN_COLUMN_FLAGS:
        for (size_t i = 0; i < column->count; i++)
            tuples->extended[i] = numbers[i] & (SYN_COLUMN_FLAG_TOGETHER << 1) ? 2 : numbers[i] & 1;
        STORE(tuples->flags, numbers[i] >> 1 & ~(int64_t)SYN_COLUMN_FLAG_TOGETHER);
        break;
    case SYN_COLUMN_COMM_PLACE:
        STORE(tuples->comm_use, numbers[i]);
        break;
    case SYN_COLUMN_TUPLE_STACK:
        STORE(tuples->stack, numbers[i] - 1);
        break;
    case SYN_COLUMN_ROOT:
        STORE(tuples->root, numbers[i]);
        break;
    case SYN_COLUMN_ORDER:
        STORE(&tables->next_number[tables->comm_count], numbers[i]);
        break;
    case SYN_COLUMN_TUPLE_TAG:
        STORE(tuples->tag, numbers[i]);
        break;
    default:
        STORE(tuples->bytes, (uint64_t)numbers[i] & SYN_PAYLOAD_BYTES_MASK);
        STORE(tuples->attributes, (uint64_t)numbers[i] >> SYN_ATTRIBUTES_SHIFT);
        break;
    }
    return true;
}

/* Reads all tables, and sets the communicator and the counter of each tuple. All messages count
 * with one counter, whatever their communicators. */
static bool take_tables(const struct syn_columns_source *source, int64_t *numbers,
                        struct syn_columns_tables *tables)
{
    struct syn_columns_tuples *tuples = &tables->tuples;
    memset(tuples->tag, 0, tables->tuple_count * sizeof *tuples->tag);
    for (int name = SYN_COLUMN_BASE; name <= SYN_COLUMN_BYTES; name++)
        if (!take_table(source, name, numbers, tables))
            return false;
    if (tables->has_messages && (!take_table(source, SYN_COLUMN_ORDER, numbers, tables) ||
                                 !take_table(source, SYN_COLUMN_TUPLE_TAG, numbers, tables)))
        return false;
    for (size_t i = 0; i < tables->tuple_count; i++) {
        const bool is_message = syn_is_message(tuples->op[i]);
        if (tuples->comm_use[i] >= tables->comm_count || (is_message && !tables->has_messages))
            return false;
        tuples->comm[i] = tables->comms[tuples->comm_use[i]];
        tuples->shift[i] = is_message ? SYN_MESSAGE_ORDER_SHIFT : 0;
        if (is_message)
            tuples->comm_use[i] = (uint32_t)tables->comm_count;
        else
            tuples->tag[i] = 0;
    }
    return syn_column_places(&source->columns[SYN_COLUMN_EXCEPTION_AT], tables->event_count,
                             tables->exception_at) &&
           syn_column_numbers(&source->columns[SYN_COLUMN_EXCEPTION_BY], tables->exception_by);
}

bool syn_columns_check_known(struct syn_columns_tables *tables,
                             const struct syn_columns_known *known, bool *lost_stacks)
{
    *lost_stacks = false;
    for (size_t i = 0; i < tables->comm_count; i++)
        if (!known->comm(known->ctx, tables->comms[i]))
            return false;
    *lost_stacks = known->lose_stacks(known->ctx, tables->tuples.stack, tables->tuple_count);
    return true;
}

/* ---- the index ---- */

void syn_columns_index(const struct syn_columns_payload *payload, size_t first, size_t count,
                       uint16_t *restrict out)
{
    if (payload->index_width == 0) {
        memset(out, 0, count * sizeof *out);
        return;
    }
    const uint8_t *restrict low = payload->index + first;
    const uint8_t *restrict high = low + payload->tables.event_count;
    for (size_t i = 0; payload->index_width == 1 && i < count; i++)
        out[i] = low[i];
    for (size_t i = 0; payload->index_width == 2 && i < count; i++)
        out[i] = (uint16_t)(low[i] | high[i] << 8);
}

int syn_columns_own_index(struct syn_columns_payload *payload, const uint16_t *restrict index)
{
    const size_t count = payload->tables.event_count;
    const size_t width = syn_columns_index_width(payload->tables.tuple_count);
    uint8_t *restrict own = malloc(width * count + 1);
    if (!own)
        return SYN_ENOMEM;
    for (size_t k = 0; k < width; k++)
        for (size_t i = 0; i < count; i++)
            own[k * count + i] = (uint8_t)(index[i] >> 8 * k);
    free(payload->own_index);
    payload->index = payload->own_index = own;
    payload->index_width = width;
    return SYN_OK;
}

/* Predicts the tuple of the next event: the one that followed the last tuple before, or the next
 * new tuple if none did. */
struct prediction {
    uint32_t *successor; /* [tuple_count + 1], plus 1; 0: none yet. The last entry is that of the
                            beginning */
    size_t before;       /* the tuple of the event before */
    size_t seen;         /* tuples below this number have occurred */
};

static bool predict_begin(struct prediction *prediction, size_t tuple_count)
{
    *prediction = (struct prediction){.before = tuple_count};
    prediction->successor = calloc(tuple_count + 1, sizeof *prediction->successor);
    return prediction->successor != NULL;
}

static size_t predicted(const struct prediction *prediction)
{
    const uint32_t successor = prediction->successor[prediction->before];
    return successor ? successor - 1 : prediction->seen;
}

static void predict_next(struct prediction *prediction, size_t tuple)
{
    prediction->successor[prediction->before] = (uint32_t)tuple + 1;
    prediction->before = tuple;
    prediction->seen = syn_largest(tuple + 1, prediction->seen);
}

int syn_columns_put_predicted(struct syn_bytes *out, const uint16_t *index, size_t event_count,
                              size_t tuple_count)
{
    struct prediction prediction;
    if (!predict_begin(&prediction, tuple_count))
        return SYN_ENOMEM;
    syn_column_begin(out, SYN_COLUMN_TUPLE, SYN_ENCODING_PREDICTED, event_count);
    for (size_t i = 0; i < event_count; i++) {
        const size_t tuple = index[i];
        const size_t code = tuple == predicted(&prediction) ? 0
                            : tuple == prediction.seen      ? 1
                                                            : tuple + 2;
        syn_bytes_put_varint(out, code);
        predict_next(&prediction, tuple);
    }
    free(prediction.successor);
    return SYN_OK;
}

static int take_predictions(const struct syn_chunk_column *column, size_t tuple_count,
                            uint16_t *index)
{
    struct syn_take take = {.at = column->data, .end = column->end};
    struct prediction prediction;
    bool within = true;
    if (!predict_begin(&prediction, tuple_count))
        return SYN_ENOMEM;
    for (size_t i = 0; within && i < column->count; i++) {
        const size_t code = (size_t)syn_take_bounded(&take, tuple_count + 1);
        const size_t tuple = code == 0   ? predicted(&prediction)
                             : code == 1 ? prediction.seen
                                         : code - 2;
        within = !take.failed && tuple < tuple_count;
        if (within)
            predict_next(&prediction, tuple);
        index[i] = (uint16_t)tuple;
    }
    free(prediction.successor);
    return within ? SYN_OK : SYN_EDAMAGED;
}

static int find_index(const struct syn_columns_source *source, struct syn_columns_payload *payload)
{
    const struct syn_chunk_column *column = &source->columns[SYN_COLUMN_TUPLE];
    payload->index_width = syn_columns_index_width(payload->tables.tuple_count);
    if (payload->index_width == 0)
        return column->count == 0 ? SYN_OK : SYN_EDAMAGED;
    if (column->count != source->event_count)
        return SYN_EDAMAGED;
    if (column->encoding == SYN_ENCODING_PREDICTED) {
        uint16_t *index = malloc(column->count * sizeof *index);
        int status =
            index ? take_predictions(column, payload->tables.tuple_count, index) : SYN_ENOMEM;
        SYN_STEP(status, syn_columns_own_index(payload, index));
        free(index);
        return status;
    }
    payload->index = column->data;
    return column->encoding == SYN_ENCODING_BYTES && column->least == 0 &&
                   column->width == payload->index_width
               ? SYN_OK
               : SYN_EDAMAGED;
}

bool syn_columns_check_index(const struct syn_columns_payload *payload)
{
    const struct syn_columns_tables *tables = &payload->tables;
    const size_t count = tables->event_count;
    uint16_t index[512];
    bool any_extended = false;
    size_t extended = 0;
    if (tables->tuple_count == 0)
        return false;
    const uint16_t most = (uint16_t)syn_least(tables->tuple_count - 1, UINT16_MAX);
    for (size_t i = 0; i < tables->tuple_count; i++)
        any_extended |= tables->tuples.extended[i] == 1;
    for (size_t first = 0, here; first < count; first += here) {
        uint16_t beyond = 0;
        here = syn_least(count - first, sizeof index / sizeof *index);
        syn_columns_index(payload, first, here, index);
        for (size_t i = 0; i < here; i++)
            beyond |= index[i] > most;
        if (beyond)
            return false;
        for (size_t i = 0; any_extended && i < here; i++)
            extended += tables->tuples.extended[index[i]] == 1;
    }
    return extended == tables->extended_count;
}

/* ---- all tables ---- */

static int read_tables(const struct syn_columns_source *source, struct syn_columns_tables *tables)
{
    const size_t most =
        syn_largest(tables->comm_count, syn_largest(tables->tuple_count, (size_t)1));
    const size_t exception_count = tables->exception_count + 1;
    tables->comms = malloc(tables->comm_count * sizeof *tables->comms);
    tables->next_number = calloc(tables->comm_count + 1, sizeof *tables->next_number);
    tables->exception_at = malloc(exception_count * sizeof *tables->exception_at);
    tables->exception_by = malloc(exception_count * sizeof *tables->exception_by);
    const bool tuples = syn_columns_tuples_reserve(&tables->tuples, tables->tuple_count);
    int status = tables->comms && tables->next_number && tables->exception_at &&
                         tables->exception_by && tuples
                     ? SYN_OK
                     : SYN_ENOMEM;
    int64_t *numbers = status == SYN_OK ? malloc(most * sizeof *numbers) : NULL;
    if (!numbers)
        return SYN_ENOMEM;
    status = take_tables(source, numbers, tables) ? SYN_OK : SYN_EDAMAGED;
    free(numbers);
    return status;
}

int syn_columns_find(const struct syn_columns_source *source, struct syn_columns_payload *out,
                     const char **why)
{
    *out = (struct syn_columns_payload){0};
    *why = "counts";
    /* No table has more entries than there are events. */
    struct syn_columns_tables *tables = &out->tables;
    const struct syn_chunk_column *columns = source->columns;
    const size_t event_count = tables->event_count = source->event_count;
    tables->comm_count = columns[SYN_COLUMN_COMM].count;
    tables->tuple_count = columns[SYN_COLUMN_OP].count;
    tables->exception_count = columns[SYN_COLUMN_EXCEPTION_AT].count;
    tables->extended_count = columns[SYN_COLUMN_OVERLAP].count;
    tables->has_messages = columns[SYN_COLUMN_ORDER].count > 0;
    for (int i = 0; i < TIME_COLUMNS; i++)
        tables->units[i] = columns[SYN_COLUMN_GAP + i].unit;
    if (!(event_count > 0 && event_count <= SYN_CHUNK_EVENTS_MAX && tables->comm_count > 0 &&
          tables->tuple_count > 0 && columns[SYN_COLUMN_BASE].count == 1 &&
          columns[SYN_COLUMN_COMM_SEQUENCE].count == tables->comm_count &&
          all_have(columns, SYN_COLUMN_OP, SYN_COLUMN_BYTES, tables->tuple_count) &&
          columns[SYN_COLUMN_ORDER].count <= 1 &&
          (columns[SYN_COLUMN_TUPLE_TAG].count == 0 ||
           columns[SYN_COLUMN_TUPLE_TAG].count == tables->tuple_count) &&
          columns[SYN_COLUMN_EXCEPTION_BY].count == tables->exception_count &&
          all_have(columns, SYN_COLUMN_GAP, SYN_COLUMN_CALL, event_count) &&
          columns[SYN_COLUMN_WAIT].count == tables->extended_count))
        return SYN_EDAMAGED;
    *why = "tables";
    int status = read_tables(source, &out->tables);
    if (status != SYN_OK)
        return status;
    *why = "times";
    for (int i = 0; i < TIME_COLUMNS; i++) {
        const struct syn_chunk_column *column = &columns[SYN_COLUMN_GAP + i];
        if (column->count > 0 && column->encoding != SYN_ENCODING_MAGNITUDES)
            return SYN_EDAMAGED;
        out->times[i] = (struct syn_columns_times){column->data, column->bits};
    }
    *why = "tags";
    const struct syn_chunk_column *tags = &source->columns[SYN_COLUMN_TAG];
    out->tags = *tags;
    if (!(tags->count == 0 || (tags->count == source->event_count &&
                               tags->encoding == SYN_ENCODING_BYTES && tags->least <= UINT32_MAX)))
        return SYN_EDAMAGED;
    *why = "tuple index";
    status = find_index(source, out);
    if (status == SYN_OK && !syn_columns_check_index(out))
        status = SYN_EDAMAGED;
    return status == SYN_OK ? syn_columns_join(source, out) : status;
}
