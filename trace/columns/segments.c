/* trace/columns/segments.c - see segments.h. */
#include "trace/columns/segments.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/columns/sample_columns.h"
#include "trace/columns/times.h"

/* ---- from entries ---- */

static int take_figure(const struct syn_segments_chunk *chunk, enum syn_segment_figure figure,
                       struct syn_sparse *out)
{
    const int64_t *by_event = chunk->entries->figures[figure];
    size_t count = 0;
    for (size_t i = 0; by_event && i < chunk->count; i++)
        count += by_event[chunk->first + i] != 0;
    if (count == 0)
        return SYN_OK;
    out->position = malloc(count * sizeof *out->position);
    out->value = malloc(count * sizeof *out->value);
    if (!out->position || !out->value)
        return SYN_ENOMEM;
    const bool in_ticks = figure == SYN_SEGMENT_MESSAGES || figure == SYN_SEGMENT_WAIT_MESSAGES;
    for (size_t i = 0; i < chunk->count; i++) {
        const int64_t value = by_event[chunk->first + (chunk->order ? chunk->order[i] : i)];
        if (value == 0)
            continue;
        out->position[out->count] = (uint32_t)i;
        out->value[out->count++] =
            in_ticks && chunk->timeline ? syn_ticks_span_ns(chunk->ticks, value) : value;
    }
    return SYN_OK;
}

/* Copies the samples that lie within the chunk, the last sample before it, and the samples between
 * its last event and the next. So all its events lie between two samples, as far as there are
 * any. */
static int take_samples(const struct syn_segments_chunk *chunk, struct syn_segments *out)
{
    const struct syn_entries *entries = chunk->entries;
    const size_t end = chunk->first + chunk->count;
    size_t from = 0;
    while (from + 1 < entries->sample_count && entries->sample_place[from + 1] <= chunk->first)
        from++;
    size_t until = from;
    while (until < entries->sample_count && entries->sample_place[until] < end)
        until++;
    const size_t behind = until;
    while (until < entries->sample_count &&
           entries->sample_place[until] == entries->sample_place[behind])
        until++;
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

/* ---- writing ---- */

static void put_positions(const struct syn_sparse *figure, int which, struct syn_bytes *out)
{
    int64_t before = 0;
    syn_column_begin(out, SYN_COLUMN_FIGURE_AT + which, SYN_ENCODING_DIFFERENCES, figure->count);
    for (size_t i = 0; i < figure->count; before = figure->position[i++])
        syn_bytes_put_zigzag(out, figure->position[i] - before);
}

static void put_values(const struct syn_sparse *figure, int which, enum syn_encoding encoding,
                       uint64_t unit, struct syn_bytes *out, struct syn_columns_layout *layout)
{
    const size_t bits_at = syn_column_put_magnitudes(out, SYN_COLUMN_FIGURE + which, encoding, unit,
                                                     figure->value, figure->count);
    syn_columns_cut_at(layout, bits_at);
}

/* The parts of the encoder's work, in order. Most are done once for each figure. */
enum part {
    TAKE = 0,
    TAKE_SAMPLES = TAKE + SYN_SEGMENT_FIGURES,
    DIVIDE,
    POSITIONS = DIVIDE + SYN_SEGMENT_FIGURES,
    VALUES = POSITIONS + SYN_SEGMENT_FIGURES,
    SAMPLES = VALUES + SYN_SEGMENT_FIGURES,
    PART_COUNT
};

/* If there are no more numbers than this, all of them are written in one step. */
#define FEW_NUMBERS 128

/* Returns true if there is anything to do for a part. */
static bool has_work(const struct syn_segments_encoder *encoder, size_t part)
{
    if (part < TAKE_SAMPLES)
        return encoder->chunk->entries->figures[part] != NULL;
    if (part >= DIVIDE && part < SAMPLES)
        return encoder->segments.figures[(part - DIVIDE) % SYN_SEGMENT_FIGURES].count > 0;
    return part == TAKE_SAMPLES || (part == SAMPLES && encoder->segments.sample_count > 0);
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
    encoder->number_count = 0;
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        encoder->units[i] = 1;
    encoder->part = 0;
    settle(encoder);
}

static int do_part(struct syn_segments_encoder *encoder, size_t part)
{
    const size_t which = (part - DIVIDE) % SYN_SEGMENT_FIGURES;
    struct syn_sparse *figure = &encoder->segments.figures[part < DIVIDE ? 0 : which];
    struct syn_bytes *out = encoder->out;
    if (part < TAKE_SAMPLES)
        return take_figure(encoder->chunk, (enum syn_segment_figure)part,
                           &encoder->segments.figures[part]);
    if (part == TAKE_SAMPLES) {
        const int status = take_samples(encoder->chunk, &encoder->segments);
        encoder->number_count = encoder->segments.sample_count;
        for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
            encoder->number_count += encoder->segments.figures[i].count;
        if (encoder->number_count > 0)
            encoder->layout->only_times = false;
        return status;
    }
    if (part < POSITIONS)
        encoder->units[which] = (uint64_t)syn_times_divide(figure->value, figure->count);
    else if (part < VALUES)
        put_positions(figure, (int)which, out);
    else if (part < SAMPLES)
        put_values(figure, (int)which, SYN_ENCODING_MAGNITUDES, encoder->units[which], out,
                   encoder->layout);
    else
        syn_samples_put(encoder->segments.samples, encoder->segments.sample_count, out);
    if (part >= POSITIONS)
        syn_columns_cut(encoder->layout, out);
    return out->failed ? SYN_ENOMEM : SYN_OK;
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
           encoder->number_count <= FEW_NUMBERS)
        status = next_part(encoder);
    return status;
}

/* Counts the steps known so far. More may follow once all figures and samples are taken. */
size_t syn_segments_steps_left(const struct syn_segments_encoder *encoder)
{
    size_t steps = 0;
    for (size_t part = encoder->part; part < PART_COUNT; part++)
        steps += has_work(encoder, part);
    return steps;
}

void syn_segments_encoder_free(struct syn_segments_encoder *encoder)
{
    syn_segments_free(&encoder->segments);
}

/* ---- reading ---- */

bool syn_segments_are_there(const struct syn_columns_source *source)
{
    for (int name = SYN_COLUMN_FIGURE_AT; name < SYN_COLUMN_ORDER; name++)
        if (source->columns[name].is_there)
            return true;
    return false;
}

/* Replaces time in messages by the rest of the gap in which it lies, or back. */
static void turn_messages(const struct syn_chunk_calls *calls, const struct syn_sparse *figure)
{
    for (size_t i = 0; i < figure->count; i++)
        figure->value[i] = syn_wrap_sub(calls->gap[figure->position[i]], figure->value[i]);
}

static int decode_figure(const struct syn_columns_source *source, int which,
                         const struct syn_chunk_calls *calls, struct syn_sparse *figure)
{
    const struct syn_chunk_column *at = &source->columns[SYN_COLUMN_FIGURE_AT + which];
    const struct syn_chunk_column *value = &source->columns[SYN_COLUMN_FIGURE + which];
    const bool is_rest = value->encoding == SYN_ENCODING_REST_OF_GAP;
    figure->count = at->count;
    if (at->count != value->count || (is_rest && which != SYN_SEGMENT_MESSAGES))
        return SYN_EDAMAGED;
    if (at->count == 0)
        return SYN_OK;
    figure->position = malloc(at->count * sizeof *figure->position);
    figure->value = malloc(at->count * sizeof *figure->value);
    if (!figure->position || !figure->value)
        return SYN_ENOMEM;
    if (!syn_column_places(at, source->event_count, figure->position) ||
        !syn_column_magnitudes(value, figure->value))
        return SYN_EDAMAGED;
    if (is_rest)
        turn_messages(calls, figure);
    return SYN_OK;
}

/* Decodes all segments. On an error *out is empty. `calls` may be zeroed if no column refers to
 * calls. */
static int decode_all(const struct syn_columns_source *source, const struct syn_chunk_calls *calls,
                      struct syn_segments *out)
{
    int status = SYN_OK;
    *out = (struct syn_segments){0};
    for (int i = 0; i < SYN_SEGMENT_FIGURES && status == SYN_OK; i++)
        status = decode_figure(source, i, calls, &out->figures[i]);
    SYN_STEP(status, syn_samples_take(source, calls, &out->samples, &out->sample_count));
    if (status != SYN_OK)
        syn_segments_free(out);
    return status;
}

int syn_segments_decode(const struct syn_columns_source *source, struct syn_segments *out)
{
    struct syn_chunk_calls calls = {0};
    int status = SYN_OK;
    if (source->columns[SYN_COLUMN_FIGURE + (int)SYN_SEGMENT_MESSAGES].encoding ==
            SYN_ENCODING_REST_OF_GAP ||
        syn_samples_need_calls(source))
        status = syn_chunk_calls_find(source, &calls);
    if (status == SYN_OK)
        status = decode_all(source, &calls, out);
    else
        *out = (struct syn_segments){0};
    syn_chunk_calls_free(&calls);
    return status;
}

/* ---- packing ---- */

int syn_segments_pack(const struct syn_columns_source *source, struct syn_bytes *out,
                      struct syn_columns_layout *layout)
{
    struct syn_segments segments = {0};
    struct syn_chunk_calls calls;
    if (!syn_segments_are_there(source))
        return SYN_OK;
    int status = syn_chunk_calls_find(source, &calls);
    SYN_STEP(status, decode_all(source, &calls, &segments));
    if (status == SYN_OK) {
        struct syn_sparse *figures = segments.figures;
        for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
            if (figures[i].count > 0)
                put_positions(&figures[i], i, out);
        syn_columns_cut(layout, out);
        for (int i = 0; i < SYN_SEGMENT_FIGURES; i++) {
            if (figures[i].count == 0)
                continue;
            enum syn_encoding encoding = SYN_ENCODING_MAGNITUDES;
            if (i == SYN_SEGMENT_MESSAGES) {
                /* Mostly the messages fill the gap in which they lie, so the rest of the gap is
                 * shorter. */
                const uint64_t plain = syn_column_weight(figures[i].value, figures[i].count);
                turn_messages(&calls, &figures[i]);
                if (syn_column_weight(figures[i].value, figures[i].count) < plain)
                    encoding = SYN_ENCODING_REST_OF_GAP;
                else
                    turn_messages(&calls, &figures[i]);
            }
            const uint64_t unit = (uint64_t)syn_times_divide(figures[i].value, figures[i].count);
            put_values(&figures[i], i, encoding, unit, out, layout);
            syn_columns_cut(layout, out);
        }
    }
    if (status == SYN_OK && segments.sample_count > 0)
        status = syn_samples_pack(segments.samples, segments.sample_count, &calls, out, layout);
    syn_chunk_calls_free(&calls);
    syn_segments_free(&segments);
    return status == SYN_OK && out->failed ? SYN_ENOMEM : status;
}
