/* analyze/diff/diff_segments.c - lists the segments of both sides, and matches those of side A with
 * those of side B.
 *
 * An item is a segment between calls, the time in a call, or the time of one kind in the messages
 * of a call site or of a pair of ranks. Items are matched by the names of their call sites. Line
 * numbers change with every edit. So an item that only one side has is then matched without line
 * numbers, and at last without files, if exactly one item of the other side fits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/findings/profile.h"
#include "analyze/diff/diff_parts.h"
#include "analyze/report/sections/causes_words.h"
#include "sync/base/hash.h"
#include "sync/base/index.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/calls.h"

/* An item is left out if, in every run, it takes less than this share of the ranks' time and causes
 * less waiting than that. Messages are left out if they take less of one rank's time: few of many
 * ranks may be in them. */
#define LEAST_SHARE 0.01

/* Names and sums of one category of a label (computing, messages, off the processor, or operation)
 * in a run, or of one kind of time in its messages. */
struct label_sums {
    enum syn_category category;
    struct syn_segment_messages messages;
    const char *op, *phase;
    struct syn_text from, to; /* call sites; `from` empty: before the first call */
    double ns, count, waiting_ns, bound_ns;
};

/* A label in a run of a side. */
struct label_source {
    const struct syn_report *side;
    const struct syn_run_facts *run;
    uint32_t label;
};

/* Returns the run's duration times its number of locations. */
static double ranks_time(const struct syn_run_facts *run)
{
    return (double)run->findings.run_ns * run->causes.plan.location_count;
}

/* Sets call sites, operation and phase, which all categories of a label share. */
static void set_names(const struct label_source *source, struct label_sums *sums)
{
    const struct syn_cause_tables *tables = &source->run->causes.tables;
    const struct syn_label *label = syn_label_at(tables, source->label);
    const bool is_call = syn_label_is_call(label);
    const uint32_t to = is_call ? label->from : label->to;
    syn_text_clear(&sums->from);
    syn_text_clear(&sums->to);
    if (label->from != SYN_POINT_OUTSIDE)
        syn_cause_point(source->side, source->run, label->from, &sums->from);
    if (to != SYN_POINT_OUTSIDE)
        syn_cause_point(source->side, source->run, to, &sums->to);
    const struct syn_cause_point *point = syn_point_at(tables, to);
    const char *phase =
        to == SYN_POINT_OUTSIDE ? NULL : syn_names_text(&source->side->names, point->phase);
    sums->op = is_call ? syn_call_name((uint16_t)point->op) : NULL;
    sums->phase = phase ? phase : "";
}

/* Adds one location's time in a label, over all time bins. */
static void add_cell(const struct syn_causes *causes, uint32_t location, uint32_t label,
                     struct label_sums *sums)
{
    const unsigned index = syn_category_index(sums->category);
    const struct syn_cause_cell *cell = syn_profile_cell(&causes->sums, location, label);
    for (uint32_t b = 0; cell && b < causes->sums.bins.count; b++) {
        const struct syn_bin_values block = syn_bin_of_cell(&causes->sums, cell, b);
        sums->ns += (double)block.ns[index];
        sums->count += (double)block.count;
        sums->waiting_ns += (double)block.waiting_ns[index];
    }
    sums->bound_ns += cell ? (double)syn_category_sums_of(cell, index)->bound_ns : 0;
}

/* ---- visiting all labels of a side ---- */

struct walk {
    const struct syn_diff *diff;
    int side;
    struct syn_diff_segments *segments;
    size_t capacity;
    struct syn_index index; /* of the items' names, the same on both sides until items are joined */
    bool of_messages;
    int status;
};

typedef void (*visitor)(struct walk *walk, const struct label_source *source,
                        const struct label_sums *sums);

/* Calls `visit` with the sums of each category of each label in each run, if the category takes
 * time or causes waiting.
 *
 * Plan: for each run and label: set its names; for each category: add up all locations; visit. */
static void visit_labels(struct walk *walk, visitor visit)
{
    const struct syn_report *side = &walk->diff->side[walk->side];
    struct label_sums sums = {.category = SYN_CATEGORY_COMPUTING};
    for (size_t r = 0; r < side->run_count; r++)
        for (uint32_t label = 0; label < side->run[r].causes.tables.labels.count; label++) {
            const struct label_source source = {side, &side->run[r], label};
            const bool is_call =
                syn_label_is_call(syn_label_at(&source.run->causes.tables, source.label));
            const enum syn_category first =
                is_call ? SYN_CATEGORY_OPERATION : SYN_CATEGORY_COMPUTING;
            const enum syn_category last = is_call ? SYN_CATEGORY_OPERATION : SYN_CATEGORY_OFF_CPU;
            set_names(&source, &sums);
            for (sums.category = first; sums.category <= last; sums.category++) {
                sums.ns = sums.count = sums.waiting_ns = sums.bound_ns = 0;
                for (uint32_t i = 0; i < source.run->causes.sums.location_count; i++)
                    add_cell(&source.run->causes, i, source.label, &sums);
                if ((sums.ns > 0 || sums.waiting_ns > 0) && walk->status == SYN_OK)
                    visit(walk, &source, &sums);
            }
        }
    if (sums.from.failed || sums.to.failed)
        walk->status = SYN_ENOMEM;
    syn_text_free(&sums.from);
    syn_text_free(&sums.to);
}

/* ---- visiting all messages of a side ---- */

/* Calls `visit` with each time of messages that is not NAN, by enum syn_diff_message. */
static void visit_times(struct walk *walk, visitor visit, const struct label_source *source,
                        struct label_sums *sums, const double ns[SYN_MESSAGES_SUM_COUNT])
{
    for (int kind = 0; kind < SYN_MESSAGES_SUM_COUNT && walk->status == SYN_OK; kind++) {
        if (isnan(ns[kind]))
            continue;
        sums->messages.kind = (enum syn_diff_message)kind;
        sums->ns = ns[kind];
        visit(walk, source, sums);
    }
}

/* Calls `visit` with the times in messages of each call site and of each pair of ranks in each run,
 * unless the run's clocks are wrong. Pairs have no transfer: of a call that completes several
 * messages, the rest of the time goes to the one that was due last, whichever pair that is of. */
static void visit_messages(struct walk *walk, visitor visit)
{
    const struct syn_report *side = &walk->diff->side[walk->side];
    struct label_sums sums = {.category = SYN_CATEGORY_MESSAGES, .phase = ""};
    for (size_t r = 0; r < side->run_count; r++) {
        const struct label_source source = {.side = side, .run = &side->run[r]};
        const struct syn_message_pass *messages = &source.run->messages;
        int64_t bound_ns = 0;
        if (syn_diff_run_is_lost(side, source.run->run))
            continue;
        for (size_t i = 0; i < messages->table.row_count; i++)
            bound_ns = syn_largest(bound_ns, messages->table.row[i].bound_ns);
        sums.messages.source = sums.messages.destination = -1;
        const bool by_site = walk->diff->options.by & SYN_BY(SYN_KEY_SITE);
        const bool by_pair = !walk->diff->options.without_pairs;
        for (size_t i = 0; by_site && i < messages->table.row_count; i++) {
            const struct syn_message_row *row = &messages->table.row[i];
            const bool receives = row->key.receives;
            const double waiting_ns = (double)row->waiting_ns;
            syn_text_clear(&sums.from);
            syn_text_string(&sums.from, syn_names_text(&side->names, row->key.site));
            sums.op = syn_call_name(row->key.op);
            sums.count = (double)(row->count - row->cancelled_count);
            sums.bound_ns = (double)row->bound_ns;
            visit_times(walk, visit, &source, &sums,
                        (const double[]){receives ? waiting_ns : NAN, receives ? NAN : waiting_ns,
                                         (double)row->transfer_ns});
        }
        syn_text_clear(&sums.from);
        sums.op = NULL;
        sums.bound_ns = (double)bound_ns;
        for (size_t i = 0; by_pair && i < messages->pair_count; i++) {
            const struct syn_message_pair *pair = &messages->pair[i];
            sums.messages.source = pair->source;
            sums.messages.destination = pair->destination;
            sums.count = (double)pair->count;
            visit_times(walk, visit, &source, &sums,
                        (const double[]){(double)pair->late_sender_ns,
                                         (double)pair->late_receiver_ns, NAN});
        }
    }
    walk->status = sums.from.failed ? SYN_ENOMEM : walk->status;
    syn_text_free(&sums.from);
}

static void visit_all(struct walk *walk, visitor visit)
{
    (walk->of_messages ? visit_messages : visit_labels)(walk, visit);
}

/* ---- listing the items ---- */

static bool same_text(const char *a, const struct syn_text *b)
{
    const size_t length = a ? strlen(a) : 0;
    return length == b->length && (length == 0 || memcmp(a, b->data, length) == 0);
}

static bool same_kind(const struct syn_segment *segment, const struct label_sums *sums)
{
    const bool ops =
        segment->op == sums->op || (segment->op && sums->op && strcmp(segment->op, sums->op) == 0);
    return ops && segment->category == sums->category && strcmp(segment->phase, sums->phase) == 0 &&
           memcmp(&segment->messages, &sums->messages, sizeof sums->messages) == 0;
}

static uint64_t hash_names(const struct syn_segment_messages *messages, const char *from,
                           size_t from_length, const char *to, size_t to_length)
{
    return syn_hash_pair(syn_hash_pair(syn_hash64(from, from_length), syn_hash64(to, to_length)),
                         syn_hash64(messages, sizeof *messages));
}

static uint64_t hash_segment(const void *items, uint32_t number)
{
    const struct syn_segment *segment = &((const struct syn_segment *)items)[number];
    const char *from = segment->half[0].from, *to = segment->half[0].to;
    return hash_names(&segment->messages, from, strlen(from), to, strlen(to));
}

static bool is_segment(const void *items, uint32_t number, const void *key)
{
    const struct syn_segment *segment = &((const struct syn_segment *)items)[number];
    const struct label_sums *sums = key;
    return same_kind(segment, sums) && same_text(segment->half[0].from, &sums->from) &&
           same_text(segment->half[0].to, &sums->to);
}

/* Returns the slot of the item of these names; it must have room. */
static uint32_t *slot_of(const struct walk *walk, const struct label_sums *sums)
{
    const uint64_t hash = hash_names(&sums->messages, sums->from.data, sums->from.length,
                                     sums->to.data, sums->to.length);
    return syn_index_slot(&walk->index, hash, is_segment, walk->segments->item, sums);
}

static char *copy_of(const struct syn_text *text)
{
    return text->length ? strndup(text->data, text->length) : strdup("");
}

/* Adds an item that takes at least LEAST_SHARE, or causes as much waiting, unless it is listed
 * already. Both halves get its names, as the other side may have it, too.
 *
 * Plan: return if it is small or listed; make room; copy the names to both halves. */
static void add_segment(struct walk *walk, const struct label_source *source,
                        const struct label_sums *sums)
{
    const double time =
        walk->of_messages ? (double)source->run->findings.run_ns : ranks_time(source->run);
    struct syn_diff_segments *segments = walk->segments;
    if (!(fmax(sums->ns, sums->waiting_ns) >= LEAST_SHARE * time))
        return;
    if (syn_index_make_room(&walk->index, segments->count, hash_segment, segments->item) ||
        SYN_ROOM(segments->item, walk->capacity, segments->count)) {
        walk->status = SYN_ENOMEM;
        return;
    }
    uint32_t *slot = slot_of(walk, sums);
    if (*slot)
        return;
    struct syn_segment *segment = &segments->item[segments->count++];
    *slot = (uint32_t)segments->count;
    *segment = (struct syn_segment){.category = sums->category,
                                    .messages = sums->messages,
                                    .op = sums->op,
                                    .phase = sums->phase};
    for (int i = 0; i < 2; i++) {
        segment->half[i].from = copy_of(&sums->from);
        segment->half[i].to = copy_of(&sums->to);
        if (!segment->half[i].from || !segment->half[i].to)
            walk->status = SYN_ENOMEM;
    }
}

/* ---- adding up the runs ---- */

/* Returns the number of ranks, if it is the same in all runs; else 0. */
static int32_t common_rank_count(const struct syn_report *side)
{
    for (size_t r = 1; r < side->run_count; r++)
        if (side->run[r].rank_count != side->run[0].rank_count)
            return 0;
    return side->run_count ? side->run[0].rank_count : 0;
}

/* Adds a label's sums to its item, if that is listed. Several labels may have the same names, as a
 * call site that is reached in two ways has two.
 *
 * Plan: add the waiting to the run's share, which all runs have; add time and occurrences to those
 * of the run; add those of each rank; add to the means. */
static void fill_in(struct walk *walk, const struct label_source *source,
                    const struct label_sums *sums)
{
    const uint32_t number = walk->segments->count ? *slot_of(walk, sums) : 0;
    const double time = ranks_time(source->run);
    if (number == 0 || !(time > 0))
        return;
    struct syn_segment_half *half = &walk->segments->item[number - 1].half[walk->side];
    for (size_t i = 0; i < half->waiting_count; i++) {
        if (half->waiting_run[i] != source->run->run)
            continue;
        half->waiting[i] += sums->waiting_ns / time;
        half->waiting_bound = fmax(half->waiting_bound, sums->bound_ns / time);
    }
    if (!(sums->count > 0))
        return;
    if (half->run_count == 0 || half->run[half->run_count - 1] != source->run->run)
        half->run[half->run_count++] = source->run->run;
    const size_t run = half->run_count - 1;
    half->run_ns[run] += sums->ns;
    half->run_occurrences[run] += sums->count;
    const struct syn_causes *causes = &source->run->causes;
    for (int32_t rank = 0; rank < half->rank_count; rank++) {
        const size_t at = (size_t)rank * half->rank_stride + run;
        struct label_sums of_rank = {.category = sums->category};
        for (uint32_t i = causes->plan.first_location[rank];
             i < causes->plan.first_location[rank + 1]; i++)
            add_cell(causes, i, source->label, &of_rank);
        half->rank_ns[at] += of_rank.ns;
        half->rank_occurrences[at] += of_rank.count;
    }
    if (walk->of_messages)
        half->bound_ns = fmax(half->bound_ns, sums->bound_ns);
    half->times += sums->count / (walk->of_messages ? 1 : causes->plan.location_count);
    half->time_share += sums->ns / time / (double)source->side->run_count;
}

/* ---- pairing items whose lines moved ---- */

/* Appends "file:12 function" without the line number, or the function alone unless `keeps_file`. */
static void append_without_line(const char *site, bool keeps_file, struct syn_text *out)
{
    const char *space = strchr(site, ' ');
    size_t end = space ? (size_t)(space - site) : strlen(site);
    while (end > 0 && site[end - 1] >= '0' && site[end - 1] <= '9')
        end--;
    if (keeps_file || !space)
        syn_text_append(out, site, end);
    syn_text_string(out, space ? space : "");
}

static bool differs_in_lines_only(const char *a, const char *b, bool keeps_file)
{
    SYN_CLEANUP(syn_text_free) struct syn_text x = {0}, y = {0};
    append_without_line(a, keeps_file, &x);
    append_without_line(b, keeps_file, &y);
    return strcmp(syn_text_chars(&x), syn_text_chars(&y)) == 0;
}

static bool is_on_side_only(const struct syn_segment *segment, int side)
{
    return segment->half[side].run_count > 0 && segment->half[!side].run_count == 0;
}

/* Returns the item of the other side that differs from this one only in line numbers (or files).
 * NULL: there is none, or more than one. */
static struct syn_segment *partner_of(struct syn_diff_segments *segments,
                                      const struct syn_segment *segment, int side, bool keeps_file)
{
    struct syn_segment *partner = NULL;
    const struct syn_segment_half *half = &segment->half[side];
    for (size_t i = 0; i < segments->count; i++) {
        struct syn_segment *other = &segments->item[i];
        const struct label_sums kind = {.category = other->category,
                                        .messages = other->messages,
                                        .op = other->op,
                                        .phase = other->phase};
        if (!is_on_side_only(other, !side) || !same_kind(segment, &kind) ||
            !differs_in_lines_only(half->from, other->half[!side].from, keeps_file) ||
            !differs_in_lines_only(half->to, other->half[!side].to, keeps_file))
            continue;
        if (partner)
            return NULL;
        partner = other;
    }
    return partner;
}

static void free_half(struct syn_segment_half *half)
{
    free(half->from);
    free(half->to);
    free(half->run_ns);
    free(half->run_occurrences);
    free(half->run);
    free(half->rank_ns);
    free(half->rank_occurrences);
    free(half->waiting);
    free(half->waiting_run);
    *half = (struct syn_segment_half){0};
}

/* Gives each item that only side A has the half of its partner, if each is the other's only
 * partner. The partner becomes empty. */
static void join_moved_segments(struct syn_diff_segments *segments, bool keeps_file)
{
    for (size_t i = 0; i < segments->count; i++) {
        struct syn_segment *segment = &segments->item[i];
        struct syn_segment *partner =
            is_on_side_only(segment, 0) ? partner_of(segments, segment, 0, keeps_file) : NULL;
        if (!partner || partner_of(segments, partner, 1, keeps_file) != segment)
            continue;
        free_half(&segment->half[1]);
        segment->half[1] = partner->half[1];
        partner->half[1] = (struct syn_segment_half){0};
        segment->line_differs = true;
    }
}

/* ---- all steps ---- */

/* Adds up all runs of a side.
 *
 * Plan: allocate each item's arrays; list the runs whose waiting counts; visit all labels of the
 * side; divide the sums. */
static void fill_side(struct walk *walk)
{
    const struct syn_report *side = &walk->diff->side[walk->side];
    for (size_t i = 0; i < walk->segments->count && walk->status == SYN_OK; i++) {
        struct syn_segment_half *half = &walk->segments->item[i].half[walk->side];
        const size_t runs = side->run_count + 1;
        half->rank_count = walk->of_messages ? 0 : common_rank_count(side);
        half->rank_stride = runs;
        half->run_ns = calloc(runs, sizeof *half->run_ns);
        half->run_occurrences = calloc(runs, sizeof *half->run_occurrences);
        half->run = calloc(runs, sizeof *half->run);
        half->rank_ns = calloc(runs * (size_t)half->rank_count + 1, sizeof *half->rank_ns);
        half->rank_occurrences =
            calloc(runs * (size_t)half->rank_count + 1, sizeof *half->rank_occurrences);
        half->waiting = calloc(runs, sizeof *half->waiting);
        half->waiting_run = calloc(runs, sizeof *half->waiting_run);
        walk->status = half->run_ns && half->run_occurrences && half->run && half->rank_ns &&
                               half->rank_occurrences && half->waiting && half->waiting_run
                           ? 0
                           : SYN_ENOMEM;
        if (walk->status == SYN_OK && !walk->of_messages) {
            /* A run that lacks the item counts, too: its waiting for the item is 0. */
            for (size_t r = 0; r < side->run_count; r++)
                if (!syn_diff_run_is_lost(side, side->run[r].run) &&
                    side->run[r].findings.run_ns > 0)
                    half->waiting_run[half->waiting_count++] = side->run[r].run;
        }
    }
    if (walk->status == SYN_OK)
        visit_all(walk, fill_in);
    for (size_t i = 0; i < walk->segments->count && walk->status == SYN_OK; i++) {
        /* Divide sums by occurrences. */
        struct syn_segment_half *half = &walk->segments->item[i].half[walk->side];
        for (size_t j = 0; j < half->run_count; j++)
            half->run_ns[j] /= half->run_occurrences[j];
        for (size_t j = 0; j < half->rank_stride * (size_t)half->rank_count; j++)
            half->rank_ns[j] =
                half->rank_occurrences[j] > 0 ? half->rank_ns[j] / half->rank_occurrences[j] : NAN;
        half->times /= half->run_count > 0 ? (double)half->run_count : 1;
    }
}

int syn_diff_find_segments(const struct syn_diff *diff, bool of_messages,
                           struct syn_diff_segments *out)
{
    struct walk walk = {.diff = diff, .segments = out, .of_messages = of_messages};
    *out = (struct syn_diff_segments){0};
    for (walk.side = 0; walk.side < 2 && walk.status == SYN_OK; walk.side++)
        visit_all(&walk, add_segment);
    for (walk.side = 0; walk.side < 2 && walk.status == SYN_OK; walk.side++)
        fill_side(&walk);
    syn_index_free(&walk.index);
    if (walk.status)
        return walk.status;
    join_moved_segments(out, true);
    join_moved_segments(out, false);
    /* Drop items that are empty. */
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++) {
        struct syn_segment *segment = &out->item[i];
        if (segment->half[0].run_count + segment->half[1].run_count > 0) {
            out->item[kept++] = *segment;
        } else {
            free_half(&segment->half[0]);
            free_half(&segment->half[1]);
        }
    }
    out->count = kept;
    return 0;
}

void syn_diff_segments_free(struct syn_diff_segments *segments)
{
    for (size_t i = 0; i < segments->count; i++) {
        free_half(&segments->item[i].half[0]);
        free_half(&segments->item[i].half[1]);
        free(segments->item[i].rank);
    }
    free(segments->item);
    *segments = (struct syn_diff_segments){0};
}
