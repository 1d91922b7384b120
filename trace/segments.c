/* trace/segments.c - see segments.h. */
#include "trace/segments.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/times.h"

/* ---- out of entries ---- */

static size_t event_at(const struct syn_segments_chunk *chunk, size_t i)
{
    return chunk->first + (chunk->order ? chunk->order[i] : i);
}

static int take_figure(const struct syn_segments_chunk *chunk, enum syn_segment_figure figure,
                       struct syn_sparse *out)
{
    const int64_t *dense = chunk->entries->figures[figure];
    size_t count = 0;
    for (size_t i = 0; dense && i < chunk->count; i++)
        count += dense[chunk->first + i] != 0;
    if (count == 0)
        return SYN_OK;
    out->position = malloc(count * sizeof *out->position);
    out->value = malloc(count * sizeof *out->value);
    if (!out->position || !out->value)
        return SYN_ENOMEM;
    const bool in_ticks = figure == SYN_SEGMENT_MESSAGES || figure == SYN_SEGMENT_WAIT_MESSAGES;
    for (size_t i = 0; i < chunk->count; i++) {
        const int64_t value = dense[event_at(chunk, i)];
        if (value == 0)
            continue;
        out->position[out->count] = (uint32_t)i;
        out->value[out->count++] =
            in_ticks && chunk->timeline ? syn_ticks_span_ns(chunk->ticks, value) : value;
    }
    return SYN_OK;
}

/* Those within the chunk, the last one before and the first one behind it: so that all its events
 * lie between two, as far as there are any. */
static int take_samples(const struct syn_segments_chunk *chunk, struct syn_segments *out)
{
    const struct syn_entries *entries = chunk->entries;
    size_t from = 0, until = 0;
    while (from + 1 < entries->sample_count && entries->sample_place[from + 1] <= chunk->first)
        from++;
    for (until = from; until < entries->sample_count; until++)
        if (entries->sample_place[until] >= chunk->first + chunk->count) {
            until++;
            break;
        }
    if (until == from)
        return SYN_OK;
    out->samples = malloc((until - from) * sizeof *out->samples);
    if (!out->samples)
        return SYN_ENOMEM;
    out->sample_count = until - from;
    memcpy(out->samples, entries->samples + from, out->sample_count * sizeof *out->samples);
    for (size_t i = 0; chunk->timeline && i < out->sample_count; i++)
        out->samples[i].time =
            syn_timeline_global(chunk->timeline,
                                syn_tick_source_local(chunk->ticks, out->samples[i].time))
                .ns;
    return SYN_OK;
}

int syn_segments_of(const struct syn_segments_chunk *chunk, struct syn_segments *out)
{
    *out = (struct syn_segments){0};
    int status = take_samples(chunk, out);
    for (enum syn_segment_figure i = 0; i < SYN_SEGMENT_FIGURES && status == SYN_OK; i++)
        status = take_figure(chunk, i, &out->figures[i]);
    if (status != SYN_OK)
        syn_segments_free(out);
    return status;
}

void syn_segments_free(struct syn_segments *segments)
{
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++) {
        free(segments->figures[i].position);
        free(segments->figures[i].value);
    }
    free(segments->samples);
    *segments = (struct syn_segments){0};
}

/* ---- columns of samples ---- */

int64_t syn_sample_get(const struct syn_sample *sample, int column)
{
    const int64_t values[SYN_SAMPLE_COLUMNS] = {sample->time,
                                                (int64_t)sample->cpu_ns,
                                                (int64_t)sample->run_delay_ns,
                                                (int64_t)sample->instructions,
                                                (int64_t)sample->cycles,
                                                sample->voluntary_switches,
                                                sample->involuntary_switches,
                                                sample->minor_faults,
                                                sample->major_faults,
                                                sample->processor,
                                                sample->has};
    return values[column];
}

void syn_sample_set(struct syn_sample *sample, const int64_t values[SYN_SAMPLE_COLUMNS])
{
    *sample = (struct syn_sample){
        .time = values[0],
        .cpu_ns = (uint64_t)values[1],
        .run_delay_ns = (uint64_t)values[2],
        .instructions = (uint64_t)values[3],
        .cycles = (uint64_t)values[4],
        .voluntary_switches = (uint32_t)values[5],
        .involuntary_switches = (uint32_t)values[6],
        .minor_faults = (uint32_t)values[7],
        .major_faults = (uint32_t)values[8],
        .processor = (int32_t)values[9],
        .has = (uint16_t)values[10],
    };
}

static void put_samples(const struct syn_segments *segments, struct syn_bytes *out)
{
    for (int column = 0; column < SYN_SAMPLE_COLUMNS; column++) {
        int64_t before = 0;
        for (size_t i = 0; i < segments->sample_count; i++) {
            const int64_t value = syn_sample_get(&segments->samples[i], column);
            syn_bytes_put_zigzag(out, syn_wrap_sub(value, before));
            before = value;
        }
    }
}

static int take_sample_columns(struct syn_take *take, size_t count, struct syn_segments *out)
{
    /* every number takes a byte at least */
    if (count > syn_take_left(take) / SYN_SAMPLE_COLUMNS)
        return SYN_EDAMAGED;
    int64_t(*rows)[SYN_SAMPLE_COLUMNS] = malloc((count + 1) * sizeof *rows);
    out->samples = malloc((count + 1) * sizeof *out->samples);
    if (!rows || !out->samples) {
        free(rows);
        return SYN_ENOMEM;
    }
    for (int column = 0; column < SYN_SAMPLE_COLUMNS; column++) {
        uint64_t value = 0;
        for (size_t i = 0; i < count; i++)
            rows[i][column] = (int64_t)(value += (uint64_t)syn_take_zigzag(take));
    }
    for (size_t i = 0; i < count; i++)
        syn_sample_set(&out->samples[i], rows[i]);
    out->sample_count = count;
    free(rows);
    return take->failed ? SYN_EDAMAGED : SYN_OK;
}

/* ---- the payload ---- */

void syn_positions_put(const struct syn_sparse *figure, struct syn_bytes *out)
{
    uint32_t expected = 0;
    for (size_t i = 0; i < figure->count; i++) {
        syn_bytes_put_varint(out, figure->position[i] - expected);
        expected = figure->position[i] + 1;
    }
}

/* What is done one after the other, much of it once for each figure. */
enum part {
    TAKE = 0,
    TAKE_SAMPLES = TAKE + SYN_SEGMENT_FIGURES,
    DIVIDE,
    HEAD = DIVIDE + SYN_SEGMENT_FIGURES,
    POSITIONS,
    TIMES = POSITIONS + SYN_SEGMENT_FIGURES,
    REST = TIMES + SYN_SEGMENT_FIGURES,
    PART_COUNT
};

/* All of so few is one step. */
#define FEW_ELEMENTS 128

/* Is there anything to do for it? */
static bool has_work(const struct syn_segments_encoder *encoder, size_t part)
{
    const struct syn_sparse *figures = encoder->segments.figures;
    if (part < TAKE_SAMPLES)
        return encoder->chunk->entries->figures[part] != NULL;
    if (part >= DIVIDE && part < HEAD)
        return figures[part - DIVIDE].count > 0;
    if (part >= POSITIONS && part < TIMES)
        return figures[part - POSITIONS].count > 0;
    if (part >= TIMES && part < REST)
        return figures[part - TIMES].count > 0;
    return part < PART_COUNT;
}

static void settle(struct syn_segments_encoder *encoder)
{
    while (encoder->part < PART_COUNT && !has_work(encoder, encoder->part))
        encoder->part++;
}

void syn_segments_begin(struct syn_segments_encoder *encoder,
                        const struct syn_segments_chunk *chunk, struct syn_bytes *out,
                        struct syn_columns_layout *layout)
{
    syn_segments_free(&encoder->segments);
    encoder->chunk = chunk;
    encoder->out = out;
    encoder->layout = layout;
    encoder->element_count = 0;
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        encoder->units[i] = 1;
    *layout = (struct syn_columns_layout){0};
    out->count = encoder->rest.count = 0;
    encoder->part = 0;
    settle(encoder);
}

static int take_samples_and_count(struct syn_segments_encoder *encoder)
{
    const int status = take_samples(encoder->chunk, &encoder->segments);
    encoder->element_count = encoder->segments.sample_count;
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        encoder->element_count += encoder->segments.figures[i].count;
    if (encoder->element_count == 0)
        encoder->part = PART_COUNT;
    return status;
}

static void put_head(struct syn_segments_encoder *encoder)
{
    struct syn_bytes *out = encoder->out;
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        syn_bytes_put_varint(out, encoder->segments.figures[i].count);
    syn_bytes_put_varint(out, encoder->segments.sample_count);
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        syn_bytes_put_varint(out, encoder->units[i]);
    put_samples(&encoder->segments, out);
}

/* What becomes bytes of the payload: each of them a column. */
static void put_part(struct syn_segments_encoder *encoder, size_t part)
{
    struct syn_sparse *figures = encoder->segments.figures;
    struct syn_bytes *out = encoder->out, *rest = &encoder->rest;
    if (part == HEAD)
        put_head(encoder);
    else if (part < TIMES)
        syn_positions_put(&figures[part - POSITIONS], out);
    else if (part < REST)
        syn_times_put(figures[part - TIMES].value, figures[part - TIMES].count, out, rest);
    else
        syn_bytes_put(out, rest->data, rest->count);
    syn_columns_cut(encoder->layout, out);
}

static int do_part(struct syn_segments_encoder *encoder, size_t part)
{
    struct syn_sparse *figures = encoder->segments.figures;
    if (part < TAKE_SAMPLES)
        return take_figure(encoder->chunk, (enum syn_segment_figure)part, &figures[part]);
    if (part == TAKE_SAMPLES)
        return take_samples_and_count(encoder);
    if (part < HEAD) {
        struct syn_sparse *figure = &figures[part - DIVIDE];
        encoder->units[part - DIVIDE] = (uint64_t)syn_times_divide(figure->value, figure->count);
    } else {
        put_part(encoder, part);
    }
    return encoder->out->failed || encoder->rest.failed ? SYN_ENOMEM : SYN_OK;
}

static int next_part(struct syn_segments_encoder *encoder)
{
    const int status = do_part(encoder, encoder->part);
    encoder->part = status == SYN_OK ? encoder->part + 1 : (size_t)PART_COUNT;
    settle(encoder);
    return status;
}

int syn_segments_step(struct syn_segments_encoder *encoder)
{
    int status = next_part(encoder);
    while (status == SYN_OK && encoder->part > TAKE_SAMPLES && encoder->part < PART_COUNT &&
           encoder->element_count <= FEW_ELEMENTS)
        status = next_part(encoder);
    return status;
}

/* As far as is known before all is taken. */
size_t syn_segments_steps_left(const struct syn_segments_encoder *encoder)
{
    size_t steps = 0;
    for (size_t part = encoder->part; part < PART_COUNT; part++)
        steps += has_work(encoder, part);
    return steps;
}

int syn_segments_put(struct syn_segments *segments, struct syn_bytes *out)
{
    struct syn_columns_layout layout = {0};
    struct syn_segments_encoder encoder = {.segments = *segments, .out = out, .layout = &layout};
    int status = SYN_OK;
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        encoder.units[i] = 1;
    for (size_t part = DIVIDE; part < PART_COUNT && status == SYN_OK; part++)
        if (has_work(&encoder, part))
            status = do_part(&encoder, part);
    syn_bytes_free(&encoder.rest);
    return status;
}

void syn_segments_encoder_free(struct syn_segments_encoder *encoder)
{
    syn_segments_free(&encoder->segments);
    syn_bytes_free(&encoder->rest);
}

int syn_positions_take(struct syn_take *take, size_t event_count, struct syn_sparse *figure)
{
    uint64_t expected = 0;
    figure->position = malloc((figure->count + 1) * sizeof *figure->position);
    figure->value = malloc((figure->count + 1) * sizeof *figure->value);
    if (!figure->position || !figure->value)
        return SYN_ENOMEM;
    for (size_t i = 0; i < figure->count; i++) {
        const uint64_t position = expected + syn_take_bounded(take, event_count);
        if (take->failed || position >= event_count)
            return SYN_EDAMAGED;
        figure->position[i] = (uint32_t)position;
        expected = position + 1;
    }
    return SYN_OK;
}

/* All symbols, then the bits of each figure. */
static int take_values(struct syn_take *take, const uint64_t units[SYN_SEGMENT_FIGURES],
                       struct syn_segments *out)
{
    const struct syn_times_tables *tables = syn_times_tables();
    const uint8_t *symbols[SYN_SEGMENT_FIGURES];
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        symbols[i] = syn_take_bytes(take, out->figures[i].count);
    if (take->failed)
        return SYN_EDAMAGED;
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++) {
        const struct syn_sparse *figure = &out->figures[i];
        const uint64_t bits = syn_times_bit_count(symbols[i], figure->count);
        const uint8_t *below = syn_take_bytes(take, (bits + 7) / 8);
        if (!below)
            return SYN_EDAMAGED;
        syn_times_decode(tables, symbols[i], figure->count, below, 0, units[i], figure->value);
    }
    return syn_take_left(take) == 0 ? SYN_OK : SYN_EDAMAGED;
}

static int take_payload(struct syn_take *take, size_t event_count, struct syn_segments *out)
{
    uint64_t units[SYN_SEGMENT_FIGURES];
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        out->figures[i].count = syn_take_bounded(take, event_count);
    const size_t sample_count = syn_take_bounded(take, syn_take_left(take));
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        units[i] = syn_take_varint(take);
    if (take->failed)
        return SYN_EDAMAGED;
    int status = take_sample_columns(take, sample_count, out);
    for (int i = 0; i < SYN_SEGMENT_FIGURES && status == SYN_OK; i++)
        status = syn_positions_take(take, event_count, &out->figures[i]);
    return status == SYN_OK ? take_values(take, units, out) : status;
}

int syn_segments_decode(const uint8_t *raw, size_t raw_bytes, size_t event_count,
                        struct syn_segments *out)
{
    struct syn_take take = syn_take_from(raw, raw_bytes);
    *out = (struct syn_segments){0};
    const int status = take_payload(&take, event_count, out);
    if (status != SYN_OK)
        syn_segments_free(out);
    return status;
}
