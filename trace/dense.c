/* trace/dense.c - see dense.h: the tables and columns of events; dense_segments.c has the rest. */
#include "trace/dense.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/columns.h"
#include "trace/dense_segments.h"
#include "trace/times.h"

enum { COMM_NUMBERS = 2, TUPLE_NUMBERS = 6 };
enum { COMMS, TUPLES, EXCEPTIONS, EXTENDED, COUNTS };
enum { GAP, CALL, TIME_COLUMNS = 4 };

/* What a payload begins with, in either form. */
struct head {
    size_t counts[COUNTS];
    int64_t base;
    uint64_t units[TIME_COLUMNS];
};

static bool take_head(struct syn_take *take, size_t event_count, struct head *head)
{
    for (int i = 0; i < COUNTS; i++)
        head->counts[i] = syn_take_bounded(take, event_count);
    head->base = syn_take_zigzag(take);
    for (int i = 0; i < TIME_COLUMNS; i++)
        head->units[i] = syn_take_varint(take);
    return !take->failed && head->counts[TUPLES] > 0;
}

static void put_head(const struct head *head, struct syn_bytes *out)
{
    for (int i = 0; i < COUNTS; i++)
        syn_bytes_put_varint(out, head->counts[i]);
    syn_bytes_put_zigzag(out, head->base);
    for (int i = 0; i < TIME_COLUMNS; i++)
        syn_bytes_put_varint(out, head->units[i]);
}

/* ---- tables: rows of numbers, or columns of their differences ---- */

static int rows_to_columns(struct syn_take *take, size_t rows, size_t width, struct syn_bytes *out)
{
    uint64_t *numbers = malloc((rows * width + 1) * sizeof *numbers);
    if (!numbers)
        return SYN_ENOMEM;
    for (size_t i = 0; i < rows * width; i++)
        numbers[i] = syn_take_varint(take);
    for (size_t column = 0; column < width; column++) {
        uint64_t before = 0;
        for (size_t i = column; i < rows * width; before = numbers[i], i += width)
            syn_bytes_put_zigzag(out, (int64_t)(numbers[i] - before));
    }
    free(numbers);
    return take->failed ? SYN_EDAMAGED : SYN_OK;
}

static int columns_to_rows(struct syn_take *take, size_t rows, size_t width, struct syn_bytes *out)
{
    uint64_t *numbers = malloc((rows * width + 1) * sizeof *numbers);
    if (!numbers)
        return SYN_ENOMEM;
    for (size_t column = 0; column < width; column++) {
        uint64_t number = 0;
        for (size_t i = column; i < rows * width; i += width)
            numbers[i] = number += (uint64_t)syn_take_zigzag(take);
    }
    for (size_t i = 0; i < rows * width; i++)
        syn_bytes_put_varint(out, numbers[i]);
    free(numbers);
    return take->failed ? SYN_EDAMAGED : SYN_OK;
}

/* The same in both forms. */
static void copy_varints(struct syn_take *take, size_t count, struct syn_bytes *out)
{
    for (size_t i = 0; i < count && !take->failed; i++)
        syn_bytes_put_varint(out, syn_take_varint(take));
}

static void copy_bytes(struct syn_take *take, size_t count, struct syn_bytes *out)
{
    const uint8_t *data = syn_take_bytes(take, count);
    if (data)
        syn_bytes_put(out, data, count);
}

/* ---- which tuple each event has ---- */

/* After a tuple the one is expected that followed it the last time; where none did, the next that
 * was not there yet. */
struct follow {
    uint32_t *successor; /* [tuple_count + 1], plus 1; 0: none yet. The last is the begin's. */
    size_t before;       /* the tuple before */
    size_t seen;         /* tuples below this number were there */
};

static bool follow_begin(struct follow *follow, size_t tuple_count)
{
    *follow = (struct follow){.before = tuple_count};
    follow->successor = calloc(tuple_count + 1, sizeof *follow->successor);
    return follow->successor != NULL;
}

static size_t expected(const struct follow *follow)
{
    const uint32_t successor = follow->successor[follow->before];
    return successor ? successor - 1 : follow->seen;
}

static void follow_on(struct follow *follow, size_t tuple)
{
    follow->successor[follow->before] = (uint32_t)tuple + 1;
    follow->before = tuple;
    if (tuple >= follow->seen)
        follow->seen = tuple + 1;
}

static size_t index_width(size_t tuple_count)
{
    return tuple_count == 1 ? 0 : tuple_count <= 256 ? 1 : 2;
}

/* 0: as expected; 1: the next new one; 2 and more: that tuple. */
static int put_index(struct syn_take *take, size_t event_count, size_t tuple_count,
                     struct syn_bytes *out)
{
    const size_t width = index_width(tuple_count);
    const uint8_t *index = syn_take_bytes(take, width * event_count);
    struct follow follow;
    if (!index)
        return SYN_EDAMAGED;
    if (!follow_begin(&follow, tuple_count))
        return SYN_ENOMEM;
    size_t largest = 0;
    for (size_t i = 0; i < event_count && largest < tuple_count; i++) {
        const size_t tuple = width == 1 ? index[i] : syn_load16(index + 2 * i);
        const size_t code = tuple == expected(&follow) ? 0 : tuple == follow.seen ? 1 : tuple + 2;
        largest = syn_largest(tuple, largest);
        if (tuple < tuple_count)
            follow_on(&follow, tuple);
        syn_bytes_put_varint(out, code);
    }
    free(follow.successor);
    return largest < tuple_count ? SYN_OK : SYN_EDAMAGED;
}

static bool take_index(struct syn_take *take, size_t event_count, struct follow *follow,
                       size_t tuple_count, struct syn_bytes *out)
{
    const size_t width = index_width(tuple_count);
    uint8_t *index = syn_bytes_reserve(out, width * event_count);
    for (size_t i = 0; index && i < event_count; i++) {
        const size_t code = syn_take_bounded(take, tuple_count + 1);
        const size_t tuple = code == 0 ? expected(follow) : code == 1 ? follow->seen : code - 2;
        if (take->failed || tuple >= tuple_count)
            return false;
        follow_on(follow, tuple);
        if (width == 1)
            index[i] = (uint8_t)tuple;
        else
            syn_store16(index + 2 * i, (uint16_t)tuple);
    }
    out->count += index ? width * event_count : 0;
    return true;
}

/* ---- times: the same in both forms ---- */

static int copy_times(struct syn_take *take, const size_t counts[TIME_COLUMNS],
                      struct syn_bytes *out, struct syn_dense_layout *layout)
{
    const uint8_t *symbols[TIME_COLUMNS];
    for (int i = 0; i < TIME_COLUMNS; i++) {
        symbols[i] = take->at;
        copy_bytes(take, counts[i], out);
        if (layout)
            syn_dense_cut(layout, out);
    }
    for (int i = 0; i < TIME_COLUMNS && !take->failed; i++)
        copy_bytes(take, (size_t)(syn_times_bit_count(symbols[i], counts[i]) + 7) / 8, out);
    if (layout)
        syn_dense_cut(layout, out);
    return take->failed ? SYN_EDAMAGED : SYN_OK;
}

/* Gaps and ends of calls, which segments refer to, of times at `at` with the slack behind them. */
static int find_calls(const struct head *head, const uint8_t *at, size_t event_count,
                      struct syn_dense_calls *calls)
{
    const struct syn_times_tables *tables = syn_times_tables();
    const uint8_t *bits = at + 2 * event_count + 2 * head->counts[EXTENDED];
    int64_t before = head->base;
    calls->count = event_count;
    calls->base = head->base;
    calls->gap = malloc(event_count * sizeof *calls->gap);
    calls->end = malloc(event_count * sizeof *calls->end);
    if (!calls->gap || !calls->end)
        return SYN_ENOMEM;
    syn_times_decode(tables, at, event_count, bits, 0, head->units[GAP], calls->gap);
    bits += (syn_times_bit_count(at, event_count) + 7) / 8;
    syn_times_decode(tables, at + event_count, event_count, bits, 0, head->units[CALL], calls->end);
    for (size_t i = 0; i < event_count; i++)
        before = calls->end[i] =
            (int64_t)((uint64_t)before + (uint64_t)calls->gap[i] + (uint64_t)calls->end[i]);
    return SYN_OK;
}

/* ---- the payload ---- */

static void time_counts(const struct head *head, size_t event_count, size_t counts[TIME_COLUMNS])
{
    counts[0] = counts[1] = event_count;
    counts[2] = counts[3] = head->counts[EXTENDED];
}

static int encode_tables(struct syn_take *take, const struct head *head, size_t event_count,
                         struct syn_bytes *out, struct syn_dense_layout *layout)
{
    put_head(head, out);
    int status = rows_to_columns(take, head->counts[COMMS], COMM_NUMBERS, out);
    if (status == SYN_OK)
        status = rows_to_columns(take, head->counts[TUPLES], TUPLE_NUMBERS, out);
    copy_varints(take, 2 * head->counts[EXCEPTIONS], out);
    syn_dense_cut(layout, out);
    if (status == SYN_OK && head->counts[TUPLES] > 1)
        status = put_index(take, event_count, head->counts[TUPLES], out);
    syn_dense_cut(layout, out);
    return status;
}

static int encode_segments(const struct head *head, const uint8_t *times, size_t event_count,
                           const struct syn_bytes *segments, struct syn_bytes *out,
                           struct syn_dense_layout *layout)
{
    struct syn_dense_calls calls = {0};
    syn_bytes_put_varint(out, segments->count > 0);
    if (segments->count == 0)
        return SYN_OK;
    int status = find_calls(head, times, event_count, &calls);
    if (status == SYN_OK)
        status = syn_dense_put_segments(segments, &calls, out, layout);
    free(calls.gap);
    free(calls.end);
    return status;
}

int syn_dense_encode(const struct syn_bytes *events, size_t event_count,
                     const struct syn_bytes *segments, struct syn_bytes *out,
                     struct syn_dense_layout *layout)
{
    struct head head;
    size_t counts[TIME_COLUMNS];
    struct syn_take take = syn_take_from(events->data, events->count);
    *layout = (struct syn_dense_layout){0};
    if (event_count == 0 || !take_head(&take, event_count, &head))
        return SYN_EDAMAGED;
    int status = encode_tables(&take, &head, event_count, out, layout);
    const uint8_t *times = take.at;
    time_counts(&head, event_count, counts);
    if (status == SYN_OK)
        status = copy_times(&take, counts, out, layout);
    if (status == SYN_OK && syn_take_left(&take) > 0)
        status = SYN_EDAMAGED;
    if (status == SYN_OK)
        status = encode_segments(&head, times, event_count, segments, out, layout);
    syn_dense_cut(layout, out);
    return status == SYN_OK && out->failed ? SYN_ENOMEM : status;
}

static int decode_index(struct syn_take *take, size_t event_count, size_t tuple_count,
                        struct syn_bytes *out)
{
    struct follow follow;
    if (tuple_count == 1)
        return SYN_OK;
    if (!follow_begin(&follow, tuple_count))
        return SYN_ENOMEM;
    const bool good = take_index(take, event_count, &follow, tuple_count, out);
    free(follow.successor);
    return good ? SYN_OK : SYN_EDAMAGED;
}

static int decode_tables(struct syn_take *take, const struct head *head, size_t event_count,
                         struct syn_bytes *out)
{
    put_head(head, out);
    int status = columns_to_rows(take, head->counts[COMMS], COMM_NUMBERS, out);
    if (status == SYN_OK)
        status = columns_to_rows(take, head->counts[TUPLES], TUPLE_NUMBERS, out);
    copy_varints(take, 2 * head->counts[EXCEPTIONS], out);
    return status == SYN_OK ? decode_index(take, event_count, head->counts[TUPLES], out) : status;
}

static void put_slack(struct syn_bytes *bytes)
{
    uint8_t *slack = syn_bytes_reserve(bytes, SYN_COLUMNS_SLACK_BYTES);
    if (slack)
        memset(slack, 0, SYN_COLUMNS_SLACK_BYTES);
}

static int decode_segments(struct syn_take *take, const struct head *head, size_t event_count,
                           const uint8_t *times, struct syn_bytes *segments)
{
    struct syn_dense_calls calls = {0};
    if (syn_take_bounded(take, 1) == 0)
        return SYN_OK;
    int status = find_calls(head, times, event_count, &calls);
    if (status == SYN_OK)
        status = syn_dense_take_segments(take, &calls, segments);
    free(calls.gap);
    free(calls.end);
    return status;
}

int syn_dense_decode(const uint8_t *raw, size_t raw_bytes, size_t event_count,
                     struct syn_bytes *events, struct syn_bytes *segments)
{
    struct head head;
    size_t counts[TIME_COLUMNS];
    struct syn_take take = syn_take_from(raw, raw_bytes);
    events->count = segments->count = 0;
    if (event_count == 0 || !take_head(&take, event_count, &head))
        return SYN_EDAMAGED;
    int status = decode_tables(&take, &head, event_count, events);
    const size_t times = events->count;
    time_counts(&head, event_count, counts);
    if (status == SYN_OK)
        status = copy_times(&take, counts, events, NULL);
    put_slack(events);
    if (status == SYN_OK && !events->failed)
        status = decode_segments(&take, &head, event_count, events->data + times, segments);
    put_slack(segments);
    if (status == SYN_OK && (take.failed || syn_take_left(&take) > 0))
        status = SYN_EDAMAGED;
    return status == SYN_OK && (events->failed || segments->failed) ? SYN_ENOMEM : status;
}
