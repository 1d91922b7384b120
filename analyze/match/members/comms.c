/* analyze/match/members/comms.c - joins the ranks' records of one communicator. If records
 * contradict one another, the communicator's events are counted, but not matched. */
#include "analyze/match/members/comms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/cleanup.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"

/* One rank's record, while the communicators are built. */
struct entry {
    uint64_t id;
    int32_t world_rank;
    uint32_t index; /* in the rank's file */
    bool left_out;  /* the rank records nothing */
    const struct syn_comm_record *record;
};

struct entries {
    struct entry *at;
    size_t count;
};

SYN_ORDER(by_id_then_rank, struct entry, SYN_UP(id) ?: SYN_UP(world_rank) ?: SYN_UP(index))

bool syn_rank_records(const struct syn_rank_file *file)
{
    const char *recorded = syn_rank_meta(file, "rank.recorded");
    return !recorded || strcmp(recorded, "no") != 0;
}

static int collect(struct syn_trace *trace, struct entries *out)
{
    size_t total = 0;
    for (int32_t rank = 0; rank < syn_trace_size(trace); rank++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, rank);
        total += file ? syn_rank_comm_count(file) : 0;
    }
    out->count = 0;
    out->at = calloc(total ? total : 1, sizeof *out->at);
    if (!out->at)
        return SYN_ENOMEM;
    for (int32_t rank = 0; rank < syn_trace_size(trace); rank++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, rank);
        const bool left_out = file && !syn_rank_records(file);
        for (uint32_t i = 0; file && i < syn_rank_comm_count(file); i++) {
            const struct syn_comm_record *record = syn_rank_comm(file, i);
            if (record)
                out->at[out->count++] = (struct entry){record->id, rank, i, left_out, record};
        }
    }
    qsort(out->at, out->count, sizeof *out->at, by_id_then_rank);
    return 0;
}

static uint32_t size_of(const struct syn_comm_record *record)
{
    return (uint32_t)record->size + (uint32_t)abs(record->remote_size);
}

/* Returns the number of members of another MPI_COMM_WORLD among the first `count` of the local
 * group. */
static uint32_t foreign_below(const struct syn_comm_record *record, int32_t count)
{
    uint32_t foreign = 0;
    for (int32_t i = 0; i < count; i++)
        foreign += record->world_ranks[i] < 0;
    return foreign;
}

static uint32_t foreign_of(const struct syn_comm_record *record)
{
    return foreign_below(record, record->size) +
           (record->remote_size < 0 ? (uint32_t)-record->remote_size : 0);
}

/* Returns whether two records have the same list of members. RATIONALE: the reader stores equal
 * lists once, so pointers are compared, and a long list is read once. */
static bool has_list_of(const struct syn_comm_record *record, const struct syn_comm_record *other)
{
    return record->world_ranks == other->world_ranks && record->size == other->size &&
           record->remote_size == other->remote_size;
}

/* Returns whether records with one id can describe one communicator. */
static bool agree(const struct entry *first, size_t count)
{
    const uint32_t foreign = foreign_of(first->record);
    for (size_t i = 0; i < count; i++) {
        const struct syn_comm_record *record = first[i].record;
        if (size_of(record) != size_of(first->record) || record->rank < 0 ||
            record->rank >= record->size || count > size_of(record) - foreign)
            return false;
        if (!has_list_of(record, first->record) && foreign_of(record) != foreign)
            return false;
        if (foreign > 0 && record->world_ranks[record->rank] < 0)
            return false;
        if (i > 0 && first[i].world_rank == first[i - 1].world_rank)
            return false;
        if ((record->remote_size != 0) != (first->record->remote_size != 0))
            return false;
    }
    return true;
}

/* Returns the number of members below `rank` that record nothing. */
static uint32_t left_out_below(const struct entry *first, size_t count, int32_t rank)
{
    uint32_t below = 0;
    for (size_t i = 0; i < count; i++)
        below += first[i].left_out && first[i].record->rank < rank;
    return below;
}

static int fill_members(struct syn_communicator *comm, const struct entry *first, size_t count,
                        struct syn_comms *comms, uint32_t number)
{
    uint32_t recording = 0; /* recording members so far */
    if (comm->known_count == comm->size) {
        comm->world_rank = malloc((comm->size + 1) * sizeof *comm->world_rank);
        if (!comm->world_rank)
            return SYN_ENOMEM;
        memset(comm->world_rank, 0xFF, comm->size * sizeof *comm->world_rank);
    }
    for (size_t i = 0; i < count; i++) {
        const struct syn_comm_record *record = first[i].record;
        if (first[i].left_out)
            continue;
        uint32_t member = recording++;
        if (!comm->intercomm && !comm->contradictory)
            member = (uint32_t)record->rank - (comm->size == comm->full_size
                                                   ? 0
                                                   : left_out_below(first, count, record->rank) +
                                                         foreign_below(record, record->rank));
        struct syn_comm_place *place = &comms->place[first[i].world_rank][first[i].index];
        *place = (struct syn_comm_place){comm->contradictory ? SYN_NO_COMM : number, member,
                                         record->size};
        if (!comm->world_rank || comm->contradictory)
            continue;
        if (member >= comm->size || comm->world_rank[member] != UINT32_MAX)
            comm->contradictory = true; /* two ranks claim the same rank in the communicator */
        else
            comm->world_rank[member] = (uint32_t)first[i].world_rank;
    }
    return 0;
}

static int add_comm(struct syn_comms *comms, const struct entry *first, size_t count)
{
    uint32_t number = (uint32_t)comms->count;
    size_t left_out_count = 0;
    for (size_t i = 0; i < count; i++)
        left_out_count += first[i].left_out;
    struct syn_communicator *comm = &comms->comm[comms->count++];
    *comm = (struct syn_communicator){
        .id = first->id,
        .size = size_of(first->record) - foreign_of(first->record) - (uint32_t)left_out_count,
        .full_size = size_of(first->record),
        .known_count = (uint32_t)(count - left_out_count),
        .intercomm = first->record->remote_size != 0,
        .contradictory = !agree(first, count),
    };
    if (comm->contradictory)
        comm->known_count = 0;
    int status = fill_members(comm, first, count, comms, number);
    if (status == SYN_OK && comm->contradictory)
        for (size_t i = 0; i < count; i++)
            comms->place[first[i].world_rank][first[i].index].comm = SYN_NO_COMM;
    return status;
}

/* ---- labels ---- */

struct label {
    uint32_t name;
    int32_t leader;
    uint32_t comm;
};

SYN_ORDER(by_name_then_leader, struct label, SYN_UP(name) ?: SYN_UP(leader) ?: SYN_UP(comm))

static bool same_name(const struct label *labels, size_t count, size_t i, bool leader_too)
{
    const struct label *me = &labels[i];
    for (int side = -1; side <= 1; side += 2) {
        if ((side < 0 && i == 0) || (side > 0 && i + 1 == count))
            continue;
        const struct label *other = &labels[side < 0 ? i - 1 : i + 1];
        if (other->name == me->name && (!leader_too || other->leader == me->leader))
            return true;
    }
    return false;
}

static uint32_t make_label(const struct syn_comms *comms, struct syn_names *names,
                           const struct label *labels, size_t count, size_t i)
{
    const char *name = syn_names_text(names, labels[i].name);
    SYN_FREED char *text = NULL;
    if (!same_name(labels, count, i, false))
        return labels[i].name;
    int length = same_name(labels, count, i, true)
                     ? asprintf(&text, "%.400s @%d #%016llx", name, labels[i].leader,
                                (unsigned long long)comms->comm[labels[i].comm].id)
                     : asprintf(&text, "%.400s @%d", name, labels[i].leader);
    if (length < 0)
        return SYN_NO_NAME;
    return syn_names_id(names, text);
}

static int name_comms(struct syn_comms *comms, struct syn_names *names, struct label *labels)
{
    qsort(labels, comms->count, sizeof *labels, by_name_then_leader);
    for (size_t i = 0; i < comms->count; i++) {
        uint32_t label = make_label(comms, names, labels, comms->count, i);
        if (label == SYN_NO_NAME)
            return SYN_ENOMEM;
        comms->comm[labels[i].comm].label = label;
    }
    return 0;
}

/* ---- families ---- */

struct family {
    uint32_t name; /* the name with '*' for numbers, and the size */
    uint32_t comm;
};

SYN_ORDER(by_family, struct family, SYN_UP(name) ?: SYN_UP(comm))

static uint32_t family_of(const struct syn_communicator *comm, const char *name,
                          struct syn_names *names)
{
    char starred[512], text[560];
    /* "dup 17 of rows 3 of x" becomes "dup * of rows * of x": a number counts if " of " follows. */
    size_t used = 0;
    for (const char *at = name; *at && used + 2 < (sizeof starred); at++) {
        starred[used++] = *at;
        const size_t digits = *at == ' ' ? strspn(at + 1, "0123456789") : 0;
        if (digits > 0 && strncmp(at + 1 + digits, " of ", 4) == 0) {
            starred[used++] = '*';
            at += digits;
        }
    }
    starred[used] = '\0';
    if (!strchr(starred, '*'))
        return comm->label;
    snprintf(text, sizeof text, "%s, %u rank%s", starred, comm->full_size,
             comm->full_size == 1 ? "" : "s");
    return syn_names_id(names, text);
}

static int find_families(struct syn_comms *comms, struct syn_names *names,
                         const struct label *labels)
{
    SYN_FREED struct family *families = calloc(comms->count + 1, sizeof *families);
    int status = families ? 0 : SYN_ENOMEM;
    for (size_t i = 0; i < comms->count && status == SYN_OK; i++) {
        const uint32_t comm = labels[i].comm;
        families[i].comm = comm;
        families[i].name =
            family_of(&comms->comm[comm], syn_names_text(names, labels[i].name), names);
        if (families[i].name == SYN_NO_NAME)
            status = SYN_ENOMEM;
    }
    if (status == SYN_OK) {
        qsort(families, comms->count, sizeof *families, by_family);
        for (size_t i = 0, count; i < comms->count; i += count) {
            for (count = 1;
                 i + count < comms->count && families[i + count].name == families[i].name;)
                count++;
            for (size_t j = i; j < i + count; j++) {
                struct syn_communicator *comm = &comms->comm[families[j].comm];
                comm->family = count > SYN_FAMILY_MAX ? families[i].name : comm->label;
            }
        }
    }
    return status;
}

/* Returns the record that names a communicator: that of its rank 0, else of the lowest rank in
 * MPI_COMM_WORLD. */
static const struct entry *namer(const struct entry *first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (first[i].record->rank == 0)
            return &first[i];
    return first;
}

static int build(struct syn_comms *comms, struct syn_names *names, const struct entries *entries)
{
    SYN_FREED struct label *labels = calloc(entries->count + 1, sizeof *labels);
    comms->comm = calloc(entries->count + 1, sizeof *comms->comm);
    int status = labels && comms->comm ? 0 : SYN_ENOMEM;
    for (size_t i = 0; i < entries->count && status == SYN_OK;) {
        const struct entry *first = &entries->at[i];
        size_t count = 1;
        while (i + count < entries->count && first[count].id == first->id)
            count++;
        const struct entry *named = namer(first, count);
        uint32_t name = syn_names_id(names, named->record->name);
        int32_t leader = named->record->rank == 0  ? named->world_rank
                         : named->record->size > 0 ? named->record->world_ranks[0]
                                                   : -1;
        labels[comms->count] = (struct label){name, leader, (uint32_t)comms->count};
        status = name == SYN_NO_NAME ? SYN_ENOMEM : add_comm(comms, first, count);
        i += count;
    }
    SYN_STEP(status, name_comms(comms, names, labels));
    SYN_STEP(status, find_families(comms, names, labels));
    return status;
}

static int make_places(struct syn_trace *trace, struct syn_comms *comms)
{
    comms->rank_count = syn_trace_size(trace);
    comms->place = calloc((size_t)comms->rank_count + 1, sizeof *comms->place);
    comms->place_count = calloc((size_t)comms->rank_count + 1, sizeof *comms->place_count);
    if (!comms->place || !comms->place_count)
        return SYN_ENOMEM;
    for (int32_t rank = 0; rank < comms->rank_count; rank++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, rank);
        size_t count = file ? syn_rank_comm_count(file) : 0;
        if (!file)
            continue;
        comms->place_count[rank] = count;
        comms->place[rank] = calloc(count + 1, sizeof **comms->place);
        if (!comms->place[rank])
            return SYN_ENOMEM;
        for (size_t i = 0; i <= count; i++)
            comms->place[rank][i].comm = SYN_NO_COMM;
    }
    return 0;
}

int syn_comms_open(struct syn_trace *trace, struct syn_names *names, struct syn_comms *out)
{
    struct entries entries = {0};
    memset(out, 0, sizeof *out);
    int status = make_places(trace, out);
    SYN_STEP(status, collect(trace, &entries));
    SYN_STEP(status, build(out, names, &entries));
    free(entries.at);
    if (status != SYN_OK)
        syn_comms_close(out);
    return status;
}

void syn_comms_close(struct syn_comms *comms)
{
    for (size_t i = 0; i < comms->count; i++)
        free(comms->comm[i].world_rank);
    for (int32_t rank = 0; comms->place && rank < comms->rank_count; rank++)
        free(comms->place[rank]);
    free(comms->comm);
    free(comms->place);
    free(comms->place_count);
    memset(comms, 0, sizeof *comms);
}
