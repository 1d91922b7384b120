/* trace/columns/sample_columns.c - see sample_columns.h. */
#include "trace/columns/sample_columns.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"

/* The first columns, in the order of SYN_COLUMN_SAMPLE. */
enum { HAS, TIME, CPU, DELAY };
/* The fields of a sample in the order of their columns. */
#define FIELDS(FIELD)           \
    FIELD(has)                  \
    FIELD(time)                 \
    FIELD(cpu_ns)               \
    FIELD(run_delay_ns)         \
    FIELD(instructions)         \
    FIELD(cycles)               \
    FIELD(voluntary_switches)   \
    FIELD(involuntary_switches) \
    FIELD(minor_faults)         \
    FIELD(major_faults)         \
    FIELD(processor)

/* Samples as columns, and scratch memory. */
struct table {
    size_t count;
    int64_t *value[SYN_SAMPLE_COLUMNS]; /* [count] each */
    int64_t *place;          /* [count]: number of the chunk's calls that ended before the sample */
    int64_t *number, *other; /* [count] each: numbers of one column, as they are encoded */
    int64_t *memory;
};

static int reserve(struct table *table, size_t count)
{
    *table = (struct table){.count = count};
    table->memory = calloc((SYN_SAMPLE_COLUMNS + 3) * (count + 1), sizeof *table->memory);
    if (!table->memory)
        return SYN_ENOMEM;
    for (int column = 0; column < SYN_SAMPLE_COLUMNS; column++)
        table->value[column] = table->memory + (size_t)column * (count + 1);
    table->place = table->memory + SYN_SAMPLE_COLUMNS * (count + 1);
    table->number = table->place + count + 1;
    table->other = table->number + count + 1;
    return SYN_OK;
}

static int from_samples(const struct syn_sample *samples, size_t count, struct table *table)
{
    const int status = reserve(table, count);
    for (size_t i = 0; status == SYN_OK && i < count; i++) {
        int column = 0;
#define STORE(field) table->value[column++][i] = (int64_t)samples[i].field;
        FIELDS(STORE)
    }
    return status;
}

/* ---- calls ---- */

int syn_chunk_calls_find(const struct syn_columns_source *source, struct syn_chunk_calls *out)
{
    const struct syn_chunk_column *columns = source->columns;
    const size_t count = source->event_count;
    *out = (struct syn_chunk_calls){.count = count,
                                    .gap = malloc((count + 1) * sizeof *out->gap),
                                    .end = malloc((count + 1) * sizeof *out->end)};
    if (!out->gap || !out->end)
        return SYN_ENOMEM;
    if (columns[SYN_COLUMN_BASE].count != 1 || columns[SYN_COLUMN_GAP].count != count ||
        columns[SYN_COLUMN_CALL].count != count ||
        !syn_column_numbers(&columns[SYN_COLUMN_BASE], out->end) ||
        !syn_column_magnitudes(&columns[SYN_COLUMN_GAP], out->gap) ||
        !syn_column_magnitudes(&columns[SYN_COLUMN_CALL], out->end + 1))
        return SYN_EDAMAGED;
    for (size_t i = 0; i < count; i++)
        out->end[i + 1] = syn_wrap_add(syn_wrap_add(out->end[i], out->gap[i]), out->end[i + 1]);
    return SYN_OK;
}

void syn_chunk_calls_free(struct syn_chunk_calls *calls)
{
    free(calls->gap);
    free(calls->end);
}

/* ---- differences of a column from one sample to the next ---- */

/* Returns true if the column has a number for sample i. A column of run delays may have only the
 * samples that know them. */
static bool is_emitted(const struct table *table, bool only_known, size_t i)
{
    return !only_known || (table->value[HAS][i] & SYN_SAMPLE_HAS_RUN_DELAY) != 0;
}

static int64_t growth(const struct table *table, int column, size_t i, size_t before)
{
    return syn_wrap_sub(table->value[column][i],
                        before == SIZE_MAX ? 0 : table->value[column][before]);
}

/* Returns the time between two samples that the columns before `column` leave. For processor time
 * that is all of it, for run delay the time without the processor time. */
static int64_t rest(const struct table *table, int column, size_t i, size_t before)
{
    const int64_t time = growth(table, TIME, i, before);
    return column == DELAY ? syn_wrap_sub(time, growth(table, CPU, i, before)) : time;
}

/* Writes the differences of `column`; with `of_rest`, the rest of the time minus each difference.
 * Returns their number. */
static size_t take_steps(const struct table *table, int column, bool only_known, bool of_rest,
                         int64_t *out)
{
    size_t count = 0, before = SIZE_MAX;
    for (size_t i = 0; i < table->count; i++) {
        if (!is_emitted(table, only_known, i))
            continue;
        const int64_t step = growth(table, column, i, before);
        out[count++] = of_rest ? syn_wrap_sub(rest(table, column, i, before), step) : step;
        before = i;
    }
    return count;
}

/* ---- writing ---- */

void syn_samples_put(const struct syn_sample *samples, size_t count, struct syn_bytes *out)
{
    struct table table;
    if (from_samples(samples, count, &table) != SYN_OK)
        out->failed = true;
    for (int column = 0; column < SYN_SAMPLE_COLUMNS && !out->failed; column++)
        syn_column_put_differences(out, SYN_COLUMN_SAMPLE + column, table.value[column], count);
    free(table.memory);
}

static void put_coded(int column, enum syn_encoding encoding, const int64_t *numbers, size_t count,
                      struct syn_bytes *out)
{
    syn_column_put_magnitudes(out, SYN_COLUMN_SAMPLE + column, encoding, 1, numbers, count);
}

/* Writes differences, or the rest of the time minus each difference, whichever is shorter. */
static void put_shorter(struct table *table, int column, bool only_known, struct syn_bytes *out)
{
    const size_t count = take_steps(table, column, only_known, false, table->number);
    take_steps(table, column, only_known, true, table->other);
    const bool of_rest =
        syn_column_weight(table->other, count) < syn_column_weight(table->number, count);
    put_coded(column, of_rest ? SYN_ENCODING_REST_OF_TIME : SYN_ENCODING_STEPS,
              of_rest ? table->other : table->number, count, out);
}

int syn_samples_pack(const struct syn_sample *samples, size_t count,
                     const struct syn_chunk_calls *calls, struct syn_bytes *out,
                     struct syn_columns_layout *layout)
{
    struct table table;
    const int status = from_samples(samples, count, &table);
    if (status == SYN_OK) {
        size_t place = 0;
        for (size_t i = 0; i < table.count; i++) {
            const int64_t time = table.value[TIME][i];
            while (place < calls->count && calls->end[place + 1] <= time)
                place++;
            while (place > 0 && calls->end[place] > time)
                place--;
            table.place[i] = (int64_t)place;
        }
        syn_column_put_differences(out, SYN_COLUMN_SAMPLE_PLACE, table.place, count);
        syn_column_put_differences(out, SYN_COLUMN_SAMPLE + HAS, table.value[HAS], count);
        syn_columns_cut(layout, out);
        for (size_t i = 0; i < table.count; i++)
            table.number[i] = syn_wrap_sub(table.value[TIME][i], calls->end[table.place[i]]);
        put_coded(TIME, SYN_ENCODING_SINCE_CALL, table.number, table.count, out);
        syn_columns_cut(layout, out);
        put_shorter(&table, CPU, false, out);
        syn_columns_cut(layout, out);
        /* Unknown run delays are mostly all 0. Otherwise they have to be stored, too. */
        bool only_known = true;
        for (size_t i = 0; i < table.count; i++)
            only_known &= is_emitted(&table, true, i) || table.value[DELAY][i] == 0;
        put_shorter(&table, DELAY, only_known, out);
        syn_columns_cut(layout, out);
        for (int column = DELAY + 1; column < SYN_SAMPLE_COLUMNS; column++) {
            take_steps(&table, column, false, false, table.number);
            put_coded(column, SYN_ENCODING_STEPS, table.number, count, out);
        }
        syn_columns_cut(layout, out);
    }
    free(table.memory);
    return status;
}

/* ---- reading ---- */

bool syn_samples_need_calls(const struct syn_columns_source *source)
{
    return source->columns[SYN_COLUMN_SAMPLE + TIME].encoding == SYN_ENCODING_SINCE_CALL;
}

static bool take_times(const struct syn_columns_source *source, const struct syn_chunk_calls *calls,
                       struct table *table)
{
    const struct syn_chunk_column *column = &source->columns[SYN_COLUMN_SAMPLE + TIME];
    int64_t *time = table->value[TIME];
    if (column->count != table->count)
        return false;
    if (column->encoding != SYN_ENCODING_SINCE_CALL)
        return syn_column_numbers(column, time);
    bool within = source->columns[SYN_COLUMN_SAMPLE_PLACE].count == table->count &&
                  syn_column_numbers(&source->columns[SYN_COLUMN_SAMPLE_PLACE], table->place);
    for (size_t i = 0; within && i < table->count; i++)
        within = table->place[i] >= 0 && (uint64_t)table->place[i] <= calls->count;
    if (!within)
        return false;
    syn_column_magnitudes(column, time);
    for (size_t i = 0; i < table->count; i++)
        time[i] = syn_wrap_add(time[i], calls->end[table->place[i]]);
    return true;
}

static bool take_column(const struct syn_columns_source *source, int name, struct table *table)
{
    const struct syn_chunk_column *column = &source->columns[SYN_COLUMN_SAMPLE + name];
    const bool of_rest = column->encoding == SYN_ENCODING_REST_OF_TIME;
    const bool only_known = name == DELAY && column->count != table->count;
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++)
        count += is_emitted(table, only_known, i);
    if (column->count != count)
        return false;
    if (column->encoding <= SYN_ENCODING_BYTES)
        return !only_known && syn_column_numbers(column, table->value[name]);
    if ((!of_rest && column->encoding != SYN_ENCODING_STEPS) || (of_rest && name > DELAY))
        return false;
    syn_column_magnitudes(column, table->number);
    /* Add up the differences. */
    const int64_t *steps = table->number;
    size_t before = SIZE_MAX;
    for (size_t i = 0; i < table->count; i++) {
        if (!is_emitted(table, only_known, i))
            continue;
        const int64_t step = of_rest ? syn_wrap_sub(rest(table, name, i, before), *steps) : *steps;
        table->value[name][i] =
            syn_wrap_add(before == SIZE_MAX ? 0 : table->value[name][before], step);
        before = i;
        steps++;
    }
    return true;
}

int syn_samples_take(const struct syn_columns_source *source, const struct syn_chunk_calls *calls,
                     struct syn_sample **samples, size_t *count)
{
    struct table table;
    bool any = false;
    *samples = NULL;
    *count = 0;
    for (int name = SYN_COLUMN_SAMPLE_PLACE; name < SYN_COLUMN_ORDER; name++)
        any |= source->columns[name].is_there;
    if (!any)
        return SYN_OK;
    int status = reserve(&table, source->columns[SYN_COLUMN_SAMPLE + HAS].count);
    bool good = status == SYN_OK &&
                syn_column_numbers(&source->columns[SYN_COLUMN_SAMPLE + HAS], table.value[HAS]) &&
                take_times(source, calls, &table);
    for (int name = CPU; good && name < SYN_SAMPLE_COLUMNS; name++)
        good = take_column(source, name, &table);
    SYN_STEP(status, good ? SYN_OK : SYN_EDAMAGED);
    if (status == SYN_OK && !(*samples = malloc((table.count + 1) * sizeof **samples)))
        status = SYN_ENOMEM;
    for (size_t i = 0; status == SYN_OK && i < table.count; i++) {
        int column = 0;
        struct syn_sample *sample = &(*samples)[i];
#define TAKE(field) sample->field = (__typeof__(sample->field))table.value[column++][i];
        FIELDS(TAKE)
    }
    if (status == SYN_OK)
        *count = table.count;
    free(table.memory);
    return status;
}
