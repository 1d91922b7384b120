/* trace/dense_segments.c - see dense_segments.h. */
#include "trace/dense_segments.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/records.h"
#include "trace/segments.h"
#include "trace/times.h"

/* How columns are told, chosen by which takes fewer bits. */
enum mode {
    MESSAGES_OF_GAP = 1, /* the rest of the gap, instead of the messages in it */
    CPU_OF_TIME = 2,     /* what of the time since the sample before was not processor time */
    DELAY_KNOWN = 4,     /* the run delay of those samples alone that have it, and since the last */
    DELAY_OF_TIME = 8,   /*   of these; what of that time was neither processor time nor delay */
    MODES_END = 16
};

/* Columns of samples, as in the document; that of what they have comes first. */
enum { TIME, CPU, DELAY, HAS = SYN_SAMPLE_COLUMNS - 1, CODED = HAS };

struct work {
    const struct syn_dense_calls *calls;
    struct syn_segments segments;
    uint64_t mode;
    size_t known; /* samples that have a run delay */
    /* [sample_count] each: numbers of samples; the call that each came behind; what is written */
    int64_t *value[SYN_SAMPLE_COLUMNS], *place, *told, *other;
    int64_t *memory;
};

static int reserve(struct work *work)
{
    const size_t count = work->segments.sample_count;
    work->memory = calloc((SYN_SAMPLE_COLUMNS + 3) * (count + 1), sizeof *work->memory);
    if (!work->memory)
        return SYN_ENOMEM;
    for (int column = 0; column < SYN_SAMPLE_COLUMNS; column++)
        work->value[column] = work->memory + (size_t)column * (count + 1);
    work->place = work->memory + SYN_SAMPLE_COLUMNS * (count + 1);
    work->told = work->place + count + 1;
    work->other = work->told + count + 1;
    return SYN_OK;
}

static void work_free(struct work *work)
{
    syn_segments_free(&work->segments);
    free(work->memory);
}

/* By how many bits a column of these would be told. */
static uint64_t weight(const int64_t *values, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t magnitude = values[i] < 0 ? 0 - (uint64_t)values[i] : (uint64_t)values[i];
        bits += magnitude ? 64 - (uint64_t)__builtin_clzll(magnitude) : 0;
    }
    return bits;
}

static bool is_known(const struct work *work, size_t i)
{
    return (work->value[HAS][i] & SYN_SAMPLE_HAS_RUN_DELAY) != 0;
}

static int64_t since(const struct work *work, int column, size_t i)
{
    return syn_wrap_sub(work->value[column][i], i > 0 ? work->value[column][i - 1] : 0);
}

/* ---- the messages of gaps ---- */

static void turn_messages(const struct work *work)
{
    const struct syn_sparse *figure = &work->segments.figures[SYN_SEGMENT_MESSAGES];
    for (size_t i = 0; i < figure->count; i++)
        figure->value[i] = syn_wrap_sub(work->calls->gap[figure->position[i]], figure->value[i]);
}

static void choose_messages(struct work *work)
{
    const struct syn_sparse *figure = &work->segments.figures[SYN_SEGMENT_MESSAGES];
    const uint64_t plain = weight(figure->value, figure->count);
    turn_messages(work);
    if (weight(figure->value, figure->count) < plain)
        work->mode |= MESSAGES_OF_GAP;
    else
        turn_messages(work);
}

/* ---- run delays ---- */

/* What is told of run delays in a mode, and back. Where only known ones are told, `told` [known].
 */
struct delay_walk {
    size_t done;
    int64_t time, cpu, delay; /* of the last one that is told */
};

static int64_t delay_lead(const struct work *work, const struct delay_walk *walk, size_t i)
{
    return syn_wrap_sub(syn_wrap_sub(work->value[TIME][i], walk->time),
                        syn_wrap_sub(work->value[CPU][i], walk->cpu));
}

static void delay_step(const struct work *work, struct delay_walk *walk, size_t i)
{
    *walk = (struct delay_walk){walk->done + 1, work->value[TIME][i], work->value[CPU][i],
                                work->value[DELAY][i]};
}

static bool is_told(const struct work *work, uint64_t mode, size_t i)
{
    return !(mode & DELAY_KNOWN) || is_known(work, i);
}

static size_t tell_delays(const struct work *work, uint64_t mode, int64_t *out)
{
    struct delay_walk walk = {0};
    for (size_t i = 0; i < work->segments.sample_count; i++) {
        if (!is_told(work, mode, i))
            continue;
        const int64_t grown = syn_wrap_sub(work->value[DELAY][i], walk.delay);
        out[walk.done] =
            mode & DELAY_OF_TIME ? syn_wrap_sub(delay_lead(work, &walk, i), grown) : grown;
        delay_step(work, &walk, i);
    }
    return walk.done;
}

static void hear_delays(const struct work *work, const int64_t *told)
{
    struct delay_walk walk = {0};
    for (size_t i = 0; i < work->segments.sample_count; i++) {
        if (!is_told(work, work->mode, i))
            continue;
        const int64_t number = told[walk.done];
        const int64_t grown =
            work->mode & DELAY_OF_TIME ? syn_wrap_sub(delay_lead(work, &walk, i), number) : number;
        work->value[DELAY][i] = syn_wrap_add(walk.delay, grown);
        delay_step(work, &walk, i);
    }
}

/* Unknown ones are 0, or have to be told as well. */
static void choose_delays(struct work *work)
{
    uint64_t known_mode = DELAY_KNOWN;
    for (size_t i = 0; i < work->segments.sample_count; i++)
        if (!is_known(work, i) && work->value[DELAY][i] != 0)
            known_mode = 0;
    const size_t count = tell_delays(work, known_mode, work->told);
    const uint64_t plain = weight(work->told, count);
    tell_delays(work, known_mode | DELAY_OF_TIME, work->other);
    work->mode |= known_mode | (weight(work->other, count) < plain ? DELAY_OF_TIME : 0);
}

/* ---- columns of samples ---- */

static size_t count_told(const struct work *work, int column)
{
    return column == DELAY && work->mode & DELAY_KNOWN ? work->known : work->segments.sample_count;
}

static void count_known(struct work *work)
{
    work->known = 0;
    for (size_t i = 0; i < work->segments.sample_count; i++)
        work->known += is_known(work, i);
}

static int64_t call_end(const struct syn_dense_calls *calls, int64_t place)
{
    return place == 0 ? calls->base : calls->end[place - 1];
}

/* How many calls had ended. */
static void find_places(const struct work *work)
{
    const struct syn_dense_calls *calls = work->calls;
    size_t place = 0;
    for (size_t i = 0; i < work->segments.sample_count; i++) {
        const int64_t time = work->value[TIME][i];
        while (place < calls->count && calls->end[place] <= time)
            place++;
        while (place > 0 && calls->end[place - 1] > time)
            place--;
        work->place[i] = (int64_t)place;
    }
}

static void choose_cpu(struct work *work)
{
    const size_t count = work->segments.sample_count;
    for (size_t i = 0; i < count; i++) {
        work->told[i] = since(work, CPU, i);
        work->other[i] = syn_wrap_sub(since(work, TIME, i), work->told[i]);
    }
    if (weight(work->other, count) < weight(work->told, count))
        work->mode |= CPU_OF_TIME;
}

static int64_t tell(const struct work *work, int column, size_t i)
{
    if (column == TIME)
        return syn_wrap_sub(work->value[TIME][i], call_end(work->calls, work->place[i]));
    const int64_t grown = since(work, column, i);
    return column == CPU && work->mode & CPU_OF_TIME ? syn_wrap_sub(since(work, TIME, i), grown)
                                                     : grown;
}

static void tell_column(const struct work *work, int column)
{
    if (column == DELAY) {
        tell_delays(work, work->mode, work->told);
        return;
    }
    for (size_t i = 0; i < work->segments.sample_count; i++)
        work->told[i] = tell(work, column, i);
}

static void hear_column(const struct work *work, int column)
{
    int64_t *value = work->value[column];
    if (column == DELAY) {
        hear_delays(work, work->told);
        return;
    }
    for (size_t i = 0; i < work->segments.sample_count; i++) {
        const int64_t number = work->told[i], before = i > 0 ? value[i - 1] : 0;
        if (column == TIME)
            value[i] = syn_wrap_add(call_end(work->calls, work->place[i]), number);
        else if (column == CPU && work->mode & CPU_OF_TIME)
            value[i] = syn_wrap_add(before, syn_wrap_sub(since(work, TIME, i), number));
        else
            value[i] = syn_wrap_add(before, number);
    }
}

/* ---- the payload ---- */

static void put_differences(const int64_t *values, size_t count, struct syn_bytes *out)
{
    for (size_t i = 0; i < count; i++)
        syn_bytes_put_zigzag(out, syn_wrap_sub(values[i], i > 0 ? values[i - 1] : 0));
}

static void take_differences(struct syn_take *take, size_t count, int64_t *values)
{
    int64_t value = 0;
    for (size_t i = 0; i < count; i++)
        values[i] = value = syn_wrap_add(value, syn_take_zigzag(take));
}

static void put_head(struct work *work, struct syn_bytes *out)
{
    struct syn_sparse *figures = work->segments.figures;
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        syn_bytes_put_varint(out, figures[i].count);
    syn_bytes_put_varint(out, work->segments.sample_count);
    syn_bytes_put_varint(out, work->mode);
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        syn_bytes_put_varint(
            out,
            figures[i].count ? (uint64_t)syn_times_divide(figures[i].value, figures[i].count) : 1);
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        syn_positions_put(&figures[i], out);
    put_differences(work->place, work->segments.sample_count, out);
    put_differences(work->value[HAS], work->segments.sample_count, out);
}

static void put_columns(const struct work *work, struct syn_bytes *out,
                        struct syn_dense_layout *layout)
{
    struct syn_bytes bits = {0};
    const struct syn_sparse *figures = work->segments.figures;
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        syn_times_put(figures[i].value, figures[i].count, out, &bits);
    syn_dense_cut(layout, out);
    for (int column = 0; column < CODED; column++) {
        tell_column(work, column);
        syn_times_put(work->told, count_told(work, column), out, &bits);
        if (column <= DELAY)
            syn_dense_cut(layout, out);
    }
    syn_dense_cut(layout, out);
    syn_bytes_put(out, bits.data, bits.count);
    out->failed |= bits.failed;
    syn_bytes_free(&bits);
}

static void take_in(struct work *work)
{
    for (size_t i = 0; i < work->segments.sample_count; i++)
        for (int column = 0; column < SYN_SAMPLE_COLUMNS; column++)
            work->value[column][i] = syn_sample_get(&work->segments.samples[i], column);
    count_known(work);
    find_places(work);
    choose_messages(work);
    choose_cpu(work);
    choose_delays(work);
}

int syn_dense_put_segments(const struct syn_bytes *segments, const struct syn_dense_calls *calls,
                           struct syn_bytes *out, struct syn_dense_layout *layout)
{
    struct work work = {.calls = calls};
    int status = syn_segments_decode(segments->data, segments->count, calls->count, &work.segments);
    if (status == SYN_OK)
        status = reserve(&work);
    if (status == SYN_OK) {
        take_in(&work);
        put_head(&work, out);
        syn_dense_cut(layout, out);
        put_columns(&work, out, layout);
    }
    work_free(&work);
    return status;
}

/* ---- and back ---- */

static int take_head(struct syn_take *take, struct work *work, uint64_t units[SYN_SEGMENT_FIGURES])
{
    struct syn_sparse *figures = work->segments.figures;
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        figures[i].count = syn_take_bounded(take, work->calls->count);
    const uint64_t sample_count = syn_take_varint(take);
    work->mode = syn_take_bounded(take, MODES_END - 1);
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        units[i] = syn_take_varint(take);
    /* every sample takes bytes of each column but that of run delays */
    if (take->failed || sample_count > syn_take_left(take) / HAS)
        return SYN_EDAMAGED;
    work->segments.sample_count = (size_t)sample_count;
    int status = SYN_OK;
    for (int i = 0; i < SYN_SEGMENT_FIGURES && status == SYN_OK; i++)
        status = syn_positions_take(take, work->calls->count, &figures[i]);
    return status == SYN_OK ? reserve(work) : status;
}

/* Where each call is that a sample came behind. */
static bool take_places(struct syn_take *take, struct work *work)
{
    const size_t count = work->segments.sample_count;
    take_differences(take, count, work->place);
    take_differences(take, count, work->value[HAS]);
    for (size_t i = 0; i < count; i++)
        if (work->place[i] < 0 || (uint64_t)work->place[i] > work->calls->count)
            return false;
    count_known(work);
    return !take->failed;
}

/* Symbols of one column, and where its bits are. */
struct coded {
    const uint8_t *symbols;
    size_t count;
};

static bool hear_one(struct syn_take *take, const struct syn_times_tables *tables,
                     const struct coded *coded, uint64_t unit, int64_t *values)
{
    const uint64_t bits = syn_times_bit_count(coded->symbols, coded->count);
    const uint8_t *below = syn_take_bytes(take, (size_t)(bits + 7) / 8);
    if (below)
        syn_times_decode(tables, coded->symbols, coded->count, below, 0, unit, values);
    return below != NULL;
}

enum { COLUMNS = SYN_SEGMENT_FIGURES + CODED };

static bool take_symbols(struct syn_take *take, const struct work *work,
                         struct coded coded[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++) {
        coded[i].count = i < SYN_SEGMENT_FIGURES ? work->segments.figures[i].count
                                                 : count_told(work, i - SYN_SEGMENT_FIGURES);
        coded[i].symbols = syn_take_bytes(take, coded[i].count);
    }
    return !take->failed;
}

static int take_columns(struct syn_take *take, struct work *work,
                        const uint64_t units[SYN_SEGMENT_FIGURES])
{
    struct coded coded[COLUMNS];
    const struct syn_times_tables *tables = syn_times_tables();
    if (!take_symbols(take, work, coded))
        return SYN_EDAMAGED;
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        if (!hear_one(take, tables, &coded[i], units[i], work->segments.figures[i].value))
            return SYN_EDAMAGED;
    for (int column = 0; column < CODED; column++) {
        if (!hear_one(take, tables, &coded[SYN_SEGMENT_FIGURES + column], 1, work->told))
            return SYN_EDAMAGED;
        hear_column(work, column);
    }
    return SYN_OK;
}

static int make_samples(struct work *work)
{
    const size_t count = work->segments.sample_count;
    work->segments.samples = malloc((count + 1) * sizeof *work->segments.samples);
    if (!work->segments.samples)
        return SYN_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        int64_t row[SYN_SAMPLE_COLUMNS];
        for (int column = 0; column < SYN_SAMPLE_COLUMNS; column++)
            row[column] = work->value[column][i];
        syn_sample_set(&work->segments.samples[i], row);
    }
    return SYN_OK;
}

int syn_dense_take_segments(struct syn_take *take, const struct syn_dense_calls *calls,
                            struct syn_bytes *segments)
{
    struct work work = {.calls = calls};
    uint64_t units[SYN_SEGMENT_FIGURES];
    int status = take_head(take, &work, units);
    if (status == SYN_OK && !take_places(take, &work))
        status = SYN_EDAMAGED;
    if (status == SYN_OK)
        status = take_columns(take, &work, units);
    if (status == SYN_OK && work.mode & MESSAGES_OF_GAP)
        turn_messages(&work);
    if (status == SYN_OK)
        status = make_samples(&work);
    if (status == SYN_OK)
        status = syn_segments_put(&work.segments, segments);
    work_free(&work);
    return status;
}
