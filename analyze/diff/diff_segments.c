/* analyze/diff/diff_segments.c - segments of both sides, found and put side by side.
 *
 * Lines shift with every edit: what has no partner of the same lines gets the one of the same
 * functions, where there is just one on either side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/findings/profile.h"
#include "analyze/diff/diff_parts.h"
#include "analyze/report/sections/causes_words.h"
#include "sync/base/status.h"
#include "trace/base/calls.h"

/* Share of the ranks' time in a run. A segment that takes less, and makes nobody wait for as much,
 * is not told. */
#define SHARE_THAT_MATTERS 0.01

/* Sums of a label's part in a run. */
struct found {
    enum syn_part part;
    const char *op, *phase;
    struct syn_text from, to; /* `from` empty: before the first call */
    double ns, count, waiting_ns, bound_ns;
};

/* The label's names; the same for all its parts. */
struct place {
    const struct syn_report *side;
    const struct syn_run_facts *run;
    uint32_t label;
};

static double ranks_time(const struct syn_run_facts *run)
{
    return (double)run->findings.run_ns * run->causes.plan.location_count;
}

static void name_place(const struct place *place, struct found *found)
{
    const struct syn_cause_tables *tables = &place->run->causes.tables;
    const struct syn_label *label = syn_label_at(tables, place->label);
    const bool is_call = syn_label_is_call(label);
    const uint32_t to = is_call ? label->from : label->to;
    syn_text_clear(&found->from);
    syn_text_clear(&found->to);
    if (label->from != SYN_POINT_OUTSIDE)
        syn_cause_point(place->side, place->run, label->from, &found->from);
    if (to != SYN_POINT_OUTSIDE)
        syn_cause_point(place->side, place->run, to, &found->to);
    const struct syn_cause_point *point = syn_point_at(tables, to);
    const char *phase =
        to == SYN_POINT_OUTSIDE ? NULL : syn_names_text(&place->side->names, point->phase);
    found->op = is_call ? syn_call_name((uint16_t)point->op) : NULL;
    found->phase = phase ? phase : "";
}

static void add_cell(const struct syn_causes *causes, uint32_t location, uint32_t label,
                     struct found *found)
{
    const unsigned slot = syn_part_slot(found->part);
    const struct syn_cause_cell *cell = syn_profile_cell(&causes->sums, location, label);
    for (uint32_t b = 0; cell && b < causes->sums.bins.count; b++) {
        const struct syn_bin_values block = syn_bin_of_cell(&causes->sums, cell, b);
        found->ns += (double)block.ns[slot];
        found->count += (double)block.count;
        found->waiting_ns += (double)block.waiting_ns[slot];
    }
    found->bound_ns += cell ? (double)syn_cause_slot_of(cell, slot)->bound_ns : 0;
}

/* ---- going through all runs of a side ---- */

struct walk {
    const struct syn_diff *diff;
    int side;
    struct syn_diff_segments *segments;
    size_t capacity;
    int status;
};

typedef void (*visit)(struct walk *walk, const struct place *place, const struct found *found);

static void visit_runs(struct walk *walk, visit do_visit)
{
    const struct syn_report *side = &walk->diff->side[walk->side];
    struct found found = {.part = SYN_PART_COMPUTING};
    for (size_t r = 0; r < side->run_count; r++)
        for (uint32_t label = 0; label < side->run[r].causes.tables.labels.count; label++) {
            const struct place place = {side, &side->run[r], label};
            const bool is_call =
                syn_label_is_call(syn_label_at(&place.run->causes.tables, place.label));
            const enum syn_part first = is_call ? SYN_PART_OPERATION : SYN_PART_COMPUTING;
            const enum syn_part last = is_call ? SYN_PART_OPERATION : SYN_PART_OFF_CPU;
            name_place(&place, &found);
            for (found.part = first; found.part <= last; found.part++) {
                found.ns = found.count = found.waiting_ns = found.bound_ns = 0;
                for (uint32_t i = 0; i < place.run->causes.sums.location_count; i++)
                    add_cell(&place.run->causes, i, place.label, &found);
                if ((found.ns > 0 || found.waiting_ns > 0) && walk->status == SYN_OK)
                    do_visit(walk, &place, &found);
            }
        }
    if (found.from.failed || found.to.failed)
        walk->status = SYN_ENOMEM;
    syn_text_free(&found.from);
    syn_text_free(&found.to);
}

/* ---- finding ---- */

static bool same_text(const char *a, const struct syn_text *b)
{
    const size_t length = a ? strlen(a) : 0;
    return length == b->length && (length == 0 || memcmp(a, b->data, length) == 0);
}

static bool same_kind(const struct syn_segment *segment, const struct found *found)
{
    const bool ops = segment->op == found->op ||
                     (segment->op && found->op && strcmp(segment->op, found->op) == 0);
    return ops && segment->part == found->part && strcmp(segment->phase, found->phase) == 0;
}

static struct syn_segment *segment_of(const struct walk *walk, const struct found *found)
{
    for (size_t i = 0; i < walk->segments->count; i++) {
        struct syn_segment *segment = &walk->segments->item[i];
        if (same_kind(segment, found) && same_text(segment->half[walk->side].from, &found->from) &&
            same_text(segment->half[walk->side].to, &found->to))
            return segment;
    }
    return NULL;
}

static char *copy_of(const struct syn_text *text)
{
    return text->length ? strndup(text->data, text->length) : strdup("");
}

/* Named for both sides alike; lines are looked after once all are there. */
static void add_segment(struct walk *walk, const struct place *place, const struct found *found)
{
    const double share = fmax(found->ns, found->waiting_ns) / ranks_time(place->run);
    struct syn_diff_segments *segments = walk->segments;
    if (!(share >= SHARE_THAT_MATTERS) || segment_of(walk, found))
        return;
    if (segments->count == walk->capacity) {
        const size_t capacity = 2 * walk->capacity + 16;
        struct syn_segment *grown = realloc(segments->item, capacity * sizeof *grown);
        walk->status = grown ? 0 : SYN_ENOMEM;
        if (!grown)
            return;
        segments->item = grown;
        walk->capacity = capacity;
    }
    struct syn_segment *segment = &segments->item[segments->count++];
    *segment = (struct syn_segment){.part = found->part, .op = found->op, .phase = found->phase};
    for (int i = 0; i < 2; i++) {
        segment->half[i].from = copy_of(&found->from);
        segment->half[i].to = copy_of(&found->to);
        if (!segment->half[i].from || !segment->half[i].to)
            walk->status = SYN_ENOMEM;
    }
}

/* ---- filling in ---- */

static int32_t common_rank_count(const struct syn_report *side)
{
    for (size_t r = 1; r < side->run_count; r++)
        if (side->run[r].rank_count != side->run[0].rank_count)
            return 0;
    return side->run_count ? side->run[0].rank_count : 0;
}

/* Several labels of one name (a site that is called in two ways) are one. */
static void fill_in(struct walk *walk, const struct place *place, const struct found *found)
{
    struct syn_segment *segment = segment_of(walk, found);
    struct syn_segment_half *half = segment ? &segment->half[walk->side] : NULL;
    const double time = ranks_time(place->run);
    if (!segment || !(time > 0))
        return;
    for (size_t i = 0; i < half->waiting_count; i++) {
        if (half->waiting_run[i] != place->run->run)
            continue;
        half->waiting[i] += found->waiting_ns / time;
        half->waiting_bound = fmax(half->waiting_bound, found->bound_ns / time);
    }
    if (!(found->count > 0))
        return;
    if (half->run_count == 0 || half->run[half->run_count - 1] != place->run->run)
        half->run[half->run_count++] = place->run->run;
    const size_t run = half->run_count - 1;
    half->run_ns[run] += found->ns;
    half->run_times[run] += found->count;
    const struct syn_causes *causes = &place->run->causes;
    for (int32_t rank = 0; rank < half->rank_count; rank++) {
        const size_t at = (size_t)rank * half->rank_stride + run;
        struct found of_rank = {.part = found->part};
        for (uint32_t i = causes->plan.first_location[rank];
             i < causes->plan.first_location[rank + 1]; i++)
            add_cell(causes, i, place->label, &of_rank);
        half->rank_ns[at] += of_rank.ns;
        half->rank_times[at] += of_rank.count;
    }
    half->times += found->count / place->run->causes.plan.location_count;
    half->time_share += found->ns / time / (double)place->side->run_count;
}

/* Sums become means. */
static void divide(struct syn_segment_half *half)
{
    for (size_t i = 0; i < half->run_count; i++)
        half->run_ns[i] /= half->run_times[i];
    for (size_t i = 0; i < half->rank_stride * (size_t)half->rank_count; i++)
        half->rank_ns[i] = half->rank_times[i] > 0 ? half->rank_ns[i] / half->rank_times[i] : NAN;
    half->times /= half->run_count > 0 ? (double)half->run_count : 1;
}

/* ---- lines that moved ---- */

/* "file:12 function" without its line, or as its function alone where there is one. */
static void loosen(const char *site, bool keeps_file, struct syn_text *out)
{
    const char *space = strchr(site, ' ');
    size_t end = space ? (size_t)(space - site) : strlen(site);
    while (end > 0 && site[end - 1] >= '0' && site[end - 1] <= '9')
        end--;
    if (keeps_file || !space)
        syn_text_append(out, site, end);
    syn_text_string(out, space ? space : "");
}

static bool is_alike(const char *a, const char *b, bool keeps_file)
{
    struct syn_text x = {0}, y = {0};
    loosen(a, keeps_file, &x);
    loosen(b, keeps_file, &y);
    const bool same = strcmp(syn_text_chars(&x), syn_text_chars(&y)) == 0;
    syn_text_free(&x);
    syn_text_free(&y);
    return same;
}

static bool is_on_side(const struct syn_segment *segment, int side)
{
    return segment->half[side].run_count > 0 && segment->half[!side].run_count == 0;
}

/* The one segment of only the other side that differs from this one in its lines, or files, alone.
 */
static struct syn_segment *partner_of(struct syn_diff_segments *segments,
                                      const struct syn_segment *segment, int side, bool keeps_file)
{
    struct syn_segment *partner = NULL;
    const struct syn_segment_half *half = &segment->half[side];
    for (size_t i = 0; i < segments->count; i++) {
        struct syn_segment *other = &segments->item[i];
        const struct found kind = {.part = other->part, .op = other->op, .phase = other->phase};
        if (!is_on_side(other, !side) || !same_kind(segment, &kind) ||
            !is_alike(half->from, other->half[!side].from, keeps_file) ||
            !is_alike(half->to, other->half[!side].to, keeps_file))
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
    free(half->run_times);
    free(half->run);
    free(half->rank_ns);
    free(half->rank_times);
    free(half->waiting);
    free(half->waiting_run);
    *half = (struct syn_segment_half){0};
}

static void pair_moved_lines(struct syn_diff_segments *segments, bool keeps_file)
{
    for (size_t i = 0; i < segments->count; i++) {
        struct syn_segment *segment = &segments->item[i];
        struct syn_segment *partner =
            is_on_side(segment, 0) ? partner_of(segments, segment, 0, keeps_file) : NULL;
        if (!partner || partner_of(segments, partner, 1, keeps_file) != segment)
            continue;
        free_half(&segment->half[1]);
        segment->half[1] = partner->half[1];
        partner->half[1] = (struct syn_segment_half){0};
        segment->line_differs = true;
    }
}

/* ---- all ---- */

/* Makes room for each segment's runs and ranks, then adds up what the runs have of it. */
static void fill_side(struct walk *walk)
{
    const struct syn_report *side = &walk->diff->side[walk->side];
    for (size_t i = 0; i < walk->segments->count && walk->status == SYN_OK; i++) {
        struct syn_segment_half *half = &walk->segments->item[i].half[walk->side];
        const size_t runs = side->run_count + 1;
        half->rank_count = common_rank_count(side);
        half->rank_stride = runs;
        half->run_ns = calloc(runs, sizeof *half->run_ns);
        half->run_times = calloc(runs, sizeof *half->run_times);
        half->run = calloc(runs, sizeof *half->run);
        half->rank_ns = calloc(runs * (size_t)half->rank_count + 1, sizeof *half->rank_ns);
        half->rank_times = calloc(runs * (size_t)half->rank_count + 1, sizeof *half->rank_times);
        half->waiting = calloc(runs, sizeof *half->waiting);
        half->waiting_run = calloc(runs, sizeof *half->waiting_run);
        walk->status = half->run_ns && half->run_times && half->run && half->rank_ns &&
                               half->rank_times && half->waiting && half->waiting_run
                           ? 0
                           : SYN_ENOMEM;
        if (walk->status == SYN_OK) {
            /* A run that has no such segment has waited for it not at all. */
            for (size_t r = 0; r < side->run_count; r++)
                if (!syn_diff_run_is_lost(side, side->run[r].run) &&
                    side->run[r].findings.run_ns > 0)
                    half->waiting_run[half->waiting_count++] = side->run[r].run;
        }
    }
    if (walk->status == SYN_OK)
        visit_runs(walk, fill_in);
    for (size_t i = 0; i < walk->segments->count && walk->status == SYN_OK; i++)
        divide(&walk->segments->item[i].half[walk->side]);
}

int syn_diff_find_segments(const struct syn_diff *diff, struct syn_diff_segments *out)
{
    struct walk walk = {.diff = diff, .segments = out};
    *out = (struct syn_diff_segments){0};
    for (walk.side = 0; walk.side < 2 && walk.status == SYN_OK; walk.side++)
        visit_runs(&walk, add_segment);
    for (walk.side = 0; walk.side < 2 && walk.status == SYN_OK; walk.side++)
        fill_side(&walk);
    if (walk.status)
        return walk.status;
    pair_moved_lines(out, true);
    pair_moved_lines(out, false);
    /* Drops segments whose other half has gone to a partner. */
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
