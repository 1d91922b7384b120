#include <stdbool.h>
#include <stdlib.h>

#include "../sync/status.h"
#include "columns.h"
#include "magnitude.h"
#include "records.h"

struct tuple {
    uint64_t bytes;
    uint32_t comm_use; /* index into the chunk's communicators */
    uint32_t comm;
    uint32_t stack;
    int32_t root;
    uint16_t op;
    uint16_t flags;
    uint32_t extended; /* 0 or 1 */
};

struct tables {
    size_t event_count;
    size_t comm_count;
    size_t tuple_count;
    size_t exception_count;
    size_t extended_count;
    int64_t base;
    uint64_t units[4]; /* of gap, call, overlap, wait */
    uint32_t *comms;
    uint64_t *next_sequence;
    struct tuple *tuples;
};

enum { GAP, CALL, OVERLAP, WAIT };

/* One column of times before it is put together. */
struct time_column {
    const uint8_t *symbols;
    const uint8_t *bits;
    size_t count;
};

static int64_t sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

int syn_columns_reserve(struct syn_columns *columns, size_t capacity)
{
    if (capacity <= columns->capacity)
        return SYN_OK;
    /* Eight-byte columns first, so that all are aligned. */
    size_t event_bytes = 6 * 8 + 4 * 4 + 2 * 2;
    if (capacity > SIZE_MAX / event_bytes)
        return SYN_ENOMEM;
    int64_t *memory = malloc(capacity * event_bytes);
    if (!memory)
        return SYN_ENOMEM;
    syn_columns_free(columns);
    columns->capacity = capacity;
    columns->memory = memory;
    columns->start = memory;
    columns->end = memory + capacity;
    columns->call_end = memory + 2 * capacity;
    columns->wait_start = memory + 3 * capacity;
    columns->bytes = (uint64_t *)memory + 4 * capacity;
    columns->sequence = (uint64_t *)memory + 5 * capacity;
    columns->comm = (uint32_t *)(columns->sequence + capacity);
    columns->stack = columns->comm + capacity;
    columns->root = (int32_t *)(columns->stack + capacity);
    columns->scratch = (uint32_t *)(columns->root + capacity);
    columns->op = (uint16_t *)(columns->scratch + capacity);
    columns->flags = columns->op + capacity;
    return SYN_OK;
}

void syn_columns_free(struct syn_columns *columns)
{
    free(columns->memory);
    *columns = (struct syn_columns){0};
}

/* Every table has at most one entry an event, and each entry takes bytes of the payload. */
static bool take_counts(struct syn_take *take, struct tables *tables)
{
    tables->comm_count = syn_take_bounded(take, tables->event_count);
    tables->tuple_count = syn_take_bounded(take, tables->event_count);
    tables->exception_count = syn_take_bounded(take, tables->event_count);
    tables->extended_count = syn_take_bounded(take, tables->event_count);
    tables->base = syn_take_zigzag(take);
    for (int i = 0; i < 4; i++)
        tables->units[i] = syn_take_varint(take);
    return !take->failed && tables->comm_count > 0 && tables->tuple_count > 0;
}

static int reserve_tables(struct tables *tables)
{
    tables->comms = malloc(tables->comm_count * sizeof *tables->comms);
    tables->next_sequence = malloc(tables->comm_count * sizeof *tables->next_sequence);
    tables->tuples = malloc(tables->tuple_count * sizeof *tables->tuples);
    return tables->comms && tables->next_sequence && tables->tuples ? SYN_OK : SYN_ENOMEM;
}

static void free_tables(struct tables *tables)
{
    free(tables->comms);
    free(tables->next_sequence);
    free(tables->tuples);
}

static bool take_tables(struct syn_take *take, struct tables *tables)
{
    for (size_t i = 0; i < tables->comm_count; i++) {
        tables->comms[i] = (uint32_t)syn_take_bounded(take, UINT32_MAX);
        tables->next_sequence[i] = syn_take_varint(take);
    }
    for (size_t i = 0; i < tables->tuple_count; i++) {
        struct tuple *tuple = &tables->tuples[i];
        tuple->op = (uint16_t)syn_take_bounded(take, UINT16_MAX);
        uint32_t flags = (uint32_t)syn_take_bounded(take, 2 * UINT16_MAX + 1);
        tuple->flags = (uint16_t)(flags >> 1);
        tuple->extended = flags & 1;
        tuple->comm_use = (uint32_t)syn_take_bounded(take, tables->comm_count - 1);
        tuple->comm = tables->comms[tuple->comm_use];
        tuple->stack = (uint32_t)syn_take_bounded(take, UINT32_MAX) - 1;
        tuple->root = syn_take_int32(take);
        tuple->bytes = syn_take_varint(take);
    }
    return !take->failed;
}

static bool check_known(struct tables *tables, const struct syn_columns_known *known,
                        bool *lost_stacks)
{
    *lost_stacks = false;
    for (size_t i = 0; i < tables->comm_count; i++)
        if (!known->comm(known->ctx, tables->comms[i]))
            return false;
    for (size_t i = 0; i < tables->tuple_count; i++) {
        uint32_t *stack = &tables->tuples[i].stack;
        if (*stack == SYN_NO_STACK || known->stack(known->ctx, *stack))
            continue;
        *stack = SYN_NO_STACK;
        *lost_stacks = true;
    }
    return true;
}

/* Give every event its tuple's values. Returns false for an index outside the table. */
static bool spread_tuples(const struct tables *tables, const uint8_t *index, size_t width,
                          struct syn_columns *columns, size_t *extended_count)
{
    size_t extended = 0;
    uint32_t largest = 0;
    for (size_t i = 0; i < tables->event_count; i++) {
        uint32_t number = width == 0 ? 0 : width == 1 ? index[i] : syn_load16(index + 2 * i);
        largest = number > largest ? number : largest;
        columns->scratch[i] = number;
    }
    if (largest >= tables->tuple_count)
        return false;
    for (size_t i = 0; i < tables->event_count; i++) {
        const struct tuple *tuple = &tables->tuples[columns->scratch[i]];
        columns->bytes[i] = tuple->bytes;
        columns->comm[i] = tuple->comm;
        columns->stack[i] = tuple->stack;
        columns->root[i] = tuple->root;
        columns->op[i] = tuple->op;
        columns->flags[i] = tuple->flags;
        extended += tuple->extended;
    }
    *extended_count = extended;
    return true;
}

/* Sequence numbers count up on each communicator, but for the listed exceptions. */
static bool fill_sequences(struct tables *tables, struct syn_take exceptions,
                           struct syn_columns *columns)
{
    size_t done = 0, position = 0;
    for (size_t e = 0; e <= tables->exception_count; e++) {
        size_t next = tables->event_count;
        if (e < tables->exception_count) {
            position += syn_take_bounded(&exceptions, tables->event_count);
            next = position;
            /* Ascending, each position once. */
            if (exceptions.failed || next >= tables->event_count || (e > 0 && next < done))
                return false;
        }
        for (; done < next; done++) {
            uint32_t use = tables->tuples[columns->scratch[done]].comm_use;
            columns->sequence[done] = tables->next_sequence[use]++;
        }
        if (e < tables->exception_count) {
            uint32_t use = tables->tuples[columns->scratch[done]].comm_use;
            uint64_t sequence = tables->next_sequence[use] + (uint64_t)syn_take_zigzag(&exceptions);
            columns->sequence[done++] = sequence;
            tables->next_sequence[use] = sequence + 1;
        }
    }
    return !exceptions.failed;
}

/* Where the exceptions end is known only after reading them. */
static void skip_exceptions(struct syn_take *take, size_t count)
{
    for (size_t i = 0; i < 2 * count && !take->failed; i++)
        syn_take_varint(take);
}

struct magnitude_tables {
    uint64_t base[128];
    uint8_t bits[256];
};

static void make_magnitude_tables(struct magnitude_tables *tables)
{
    for (unsigned symbol = 0; symbol < 256; symbol++)
        tables->bits[symbol] = (uint8_t)syn_magnitude_bits((uint8_t)symbol);
    for (unsigned symbol = 0; symbol < 128; symbol++)
        tables->base[symbol] = syn_magnitude_base((uint8_t)symbol);
}

static size_t bit_count(const struct magnitude_tables *tables, const uint8_t *symbols, size_t count)
{
    size_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits += tables->bits[symbols[i]];
    return bits;
}

/* The columns of symbols, then the bits of each: their lengths follow from the symbols. */
static bool take_times(struct syn_take *take, const struct magnitude_tables *magnitudes,
                       struct time_column times[4])
{
    for (int i = 0; i < 4; i++)
        times[i].symbols = syn_take_bytes(take, times[i].count);
    if (take->failed)
        return false;
    for (int i = 0; i < 4; i++) {
        size_t bits = bit_count(magnitudes, times[i].symbols, times[i].count);
        times[i].bits = syn_take_bytes(take, (bits + 7) / 8);
    }
    return !take->failed && syn_take_left(take) == 0;
}

static void decode_times(const struct magnitude_tables *magnitudes,
                         const struct time_column *column, uint64_t unit, int64_t *out)
{
    size_t position = 0;
    for (size_t i = 0; i < column->count; i++) {
        uint8_t symbol = column->symbols[i];
        unsigned bits = magnitudes->bits[symbol];
        uint64_t magnitude =
            magnitudes->base[symbol & 0x7f] + syn_bits_get(column->bits, position, bits);
        uint64_t sign = 0 - (uint64_t)(symbol >> 7);
        out[i] = (int64_t)(((magnitude ^ sign) - sign) * unit);
        position += bits;
    }
}

/* On entry start holds gaps and end holds call durations. */
static void add_up_times(int64_t base, struct syn_columns *columns, size_t count)
{
    int64_t before = base, first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        int64_t start = sum(before, columns->start[i]);
        before = sum(start, columns->end[i]);
        columns->start[i] = start;
        columns->wait_start[i] = start;
        columns->end[i] = before;
        columns->call_end[i] = before;
        first = start < first ? start : first;
        last = before > last ? before : last;
    }
    columns->span_start = first;
    columns->span_end = last;
}

/* Overlap and wait have one value for each extended event. */
static void add_up_extended(const struct tables *tables, struct syn_columns *columns,
                            const int64_t *overlap, const int64_t *wait)
{
    size_t next = 0;
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < tables->event_count; i++) {
        if (tables->tuples[columns->scratch[i]].extended) {
            columns->wait_start[i] = sum(columns->call_end[i], overlap[next]);
            columns->end[i] = sum(columns->wait_start[i], wait[next]);
            next++;
        }
        last = columns->end[i] > last ? columns->end[i] : last;
    }
    columns->span_end = last;
}

static int decode_extended(const struct tables *tables, const struct magnitude_tables *magnitudes,
                           const struct time_column times[4], struct syn_columns *columns)
{
    if (tables->extended_count == 0)
        return SYN_OK;
    int64_t *values = malloc(2 * tables->extended_count * sizeof *values);
    if (!values)
        return SYN_ENOMEM;
    decode_times(magnitudes, &times[OVERLAP], tables->units[OVERLAP], values);
    decode_times(magnitudes, &times[WAIT], tables->units[WAIT], values + tables->extended_count);
    add_up_extended(tables, columns, values, values + tables->extended_count);
    free(values);
    return SYN_OK;
}

static int decode_columns(struct syn_take *take, struct tables *tables, struct syn_columns *columns,
                          const struct syn_columns_known *known, bool *lost_stacks,
                          const char **why)
{
    struct magnitude_tables magnitudes;
    size_t count = tables->event_count, extended_count = 0;
    *why = "tables";
    if (!take_tables(take, tables))
        return SYN_EDAMAGED;
    *why = "the declaration of a communicator is lost";
    if (!check_known(tables, known, lost_stacks))
        return SYN_EDAMAGED;
    struct syn_take exceptions = *take;
    skip_exceptions(take, tables->exception_count);
    size_t width = tables->tuple_count == 1 ? 0 : tables->tuple_count <= 256 ? 1 : 2;
    const uint8_t *index = syn_take_bytes(take, width * count);
    *why = "tuple index";
    if (!index || !spread_tuples(tables, index, width, columns, &extended_count) ||
        extended_count != tables->extended_count)
        return SYN_EDAMAGED;
    *why = "sequence numbers";
    if (!fill_sequences(tables, exceptions, columns))
        return SYN_EDAMAGED;
    *why = "times";
    struct time_column times[4] = {
        {.count = count}, {.count = count}, {.count = extended_count}, {.count = extended_count}};
    make_magnitude_tables(&magnitudes);
    if (!take_times(take, &magnitudes, times))
        return SYN_EDAMAGED;
    decode_times(&magnitudes, &times[GAP], tables->units[GAP], columns->start);
    decode_times(&magnitudes, &times[CALL], tables->units[CALL], columns->end);
    add_up_times(tables->base, columns, count);
    return decode_extended(tables, &magnitudes, times, columns);
}

int syn_columns_decode(const uint8_t *raw, size_t raw_bytes, size_t event_count,
                       const struct syn_columns_known *known, struct syn_columns *columns,
                       bool *lost_stacks, const char **why)
{
    struct syn_take take = syn_take_from(raw, raw_bytes);
    struct tables tables = {.event_count = event_count};
    *why = "counts";
    if (event_count == 0 || event_count > columns->capacity || !take_counts(&take, &tables))
        return SYN_EDAMAGED;
    int status = reserve_tables(&tables);
    if (status == SYN_OK)
        status = decode_columns(&take, &tables, columns, known, lost_stacks, why);
    free_tables(&tables);
    columns->count = status == SYN_OK ? event_count : 0;
    return status;
}
