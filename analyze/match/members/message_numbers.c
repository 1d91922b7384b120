/* analyze/match/members/message_numbers.c - numbers the messages of each channel.
 *
 * Several threads number the messages, one rank each at a time. The messages of a rank are listed
 * in the order of its file, put into the order in which its threads posted them, and counted. If a
 * message of a thread is missing, the thread's later ones get no number: the missing one may have
 * been on any channel. Then the ranks' ends of channels are joined to channels, in the order of
 * ranks. */
#include "analyze/match/members/message_numbers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/threads.h"
#include "sync/base/compare.h"
#include "sync/base/hash.h"
#include "sync/base/index.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/event.h"
#include "trace/base/frame.h"
#include "trace/events/attributes.h"
#include "trace/events/message.h"

/* One end of a channel, at one rank. */
struct end_key {
    uint32_t comm;
    int32_t peer; /* rank in MPI_COMM_WORLD; -2 - r: rank r of the communicator, of another
                     MPI_COMM_WORLD */
    int32_t tag;
    bool receives, partitioned;
};

struct channel_end {
    struct end_key key;
    uint32_t channel;
    uint32_t count;  /* numbered messages */
    uint32_t thread; /* index of the first thread that used it */
    bool is_shared;  /* several threads use it, or may use it */
    uint32_t unsure; /* 1 + index of a thread that may have posted an unknown message here. The
                        thread's later messages here get no numbers */
};

/* The number of the message at event `position` of a chunk. Later messages on the same end in the
 * chunk count on by one from there. */
struct restart {
    uint32_t position;
    uint32_t k; /* SYN_NO_NUMBER: this message and the later ones have no number */
};

struct syn_rank_numbers {
    struct channel_end *end; /* [end_count] */
    size_t end_count, end_capacity;
    struct syn_index index;  /* finds an end by its key */
    struct restart *restart; /* [first[chunk_count]], sorted by chunk and position */
    size_t restart_count, restart_capacity;
    size_t *first; /* [chunk_count + 1] index of a chunk's first restart */
    size_t chunk_count;
    const struct syn_comm_place *place; /* of the rank's communicators */
    const struct syn_rank_file *file;
    struct syn_channel_counts counts; /* messages without a number */
};

/* A member of an intercommunicator's group. */
struct syn_remote {
    uint32_t comm;
    int32_t rank, world_rank;
    int32_t leader; /* rank 0 of the group, which identifies the group */
};

/* ---- peers as ranks of MPI_COMM_WORLD ---- */

SYN_ORDER(by_comm_and_rank, struct syn_remote, SYN_UP(comm) ?: SYN_UP(rank) ?: SYN_UP(world_rank))

static int list_remotes(const struct syn_trace *trace, const struct syn_comms *comms,
                        struct syn_peers *peers)
{
    for (int32_t r = 0; r < comms->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, r);
        for (uint32_t i = 0; file && i < comms->place_count[r]; i++) {
            const struct syn_comm_record *record = syn_rank_comm(file, i);
            if (!record || record->remote_size == 0 || comms->place[r][i].comm == SYN_NO_COMM)
                continue;
            if (SYN_ROOM(peers->remote, peers->capacity, peers->count))
                return SYN_ENOMEM;
            peers->remote[peers->count++] = (struct syn_remote){
                comms->place[r][i].comm, record->rank, r, record->world_ranks[0]};
        }
    }
    if (peers->count > 0)
        qsort(peers->remote, peers->count, sizeof *peers->remote, by_comm_and_rank);
    return 0;
}

/* Returns the rank of a peer in the remote group; -2 - peer if it is not in this MPI_COMM_WORLD. */
static int32_t remote_peer(const struct syn_peers *peers, const struct syn_comm_record *record,
                           uint32_t comm, int32_t peer)
{
    const struct syn_remote least = {.comm = comm, .rank = peer, .world_rank = INT32_MIN};
    size_t first = 0, end = peers->count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (by_comm_and_rank(&peers->remote[middle], &least) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    for (; first < peers->count && peers->remote[first].comm == comm &&
           peers->remote[first].rank == peer;
         first++)
        if (peers->remote[first].leader != record->world_ranks[0])
            return peers->remote[first].world_rank;
    return -2 - peer;
}

static int32_t world_peer(const struct syn_peers *peers, const struct syn_comm_record *record,
                          uint32_t comm, int32_t peer)
{
    if (record->remote_size != 0)
        return remote_peer(peers, record, comm, peer);
    return peer < record->size && record->world_ranks[peer] >= 0 ? record->world_ranks[peer]
                                                                 : -2 - peer;
}

/* ---- a rank's ends of channels ---- */

static uint64_t hash_key(const struct end_key *key)
{
    const uint64_t first = syn_hash_word((uint64_t)key->comm << 32 | (uint32_t)key->peer);
    return syn_hash_word(syn_hash_add(first, (uint64_t)(uint32_t)key->tag << 2 |
                                                 (uint64_t)key->receives << 1 |
                                                 (uint64_t)key->partitioned));
}

static uint64_t hash_end(const void *owner, uint32_t number)
{
    return hash_key(&((const struct channel_end *)owner)[number].key);
}

static bool is_key(const void *owner, uint32_t number, const void *key)
{
    const struct end_key *a = &((const struct channel_end *)owner)[number].key, *b = key;
    return a->comm == b->comm && a->peer == b->peer && a->tag == b->tag &&
           a->receives == b->receives && a->partitioned == b->partitioned;
}

/* The part of an event's values that identifies its message. */
struct half {
    struct end_key key;
    bool is_known, is_cancelled;
    bool any_source, any_tag; /* the receive asked for any, or it is not known */
};

static struct half half_of(const struct syn_rank_numbers *rank, const struct syn_peers *peers,
                           const struct syn_event_columns *columns, size_t i)
{
    const bool own = columns->flags != NULL;
    const struct syn_event_sayings *of = &columns->of_tuple;
    const size_t at = own ? i : columns->tuple[i];
    const uint16_t bits = own ? columns->attributes[i] : of->attributes[at];
    const uint16_t flags = own ? columns->flags[i] : of->flags[at];
    const uint32_t comm = own ? columns->comm[i] : of->comm[at];
    const int32_t peer = own ? columns->root[i] : of->root[at];
    const bool receives = (bits & SYN_MESSAGE_RECEIVE) != 0;
    const uint32_t placed = rank->place[comm].comm;
    struct half half = {
        .key = {.comm = placed,
                .tag = syn_message_tag(columns->sequence[i]),
                .receives = receives,
                .partitioned = (bits & SYN_MESSAGE_PARTITIONED) != 0},
        .is_known = peer >= 0 && !(bits & SYN_MESSAGE_UNKNOWN) && placed != SYN_NO_COMM,
        .is_cancelled =
            (bits & SYN_MESSAGE_CANCELLED) != 0 || (!receives && (flags & SYN_EVENT_FAILED) != 0),
        .any_source = peer < 0 || placed == SYN_NO_COMM || (bits & SYN_MESSAGE_ANY_SOURCE) != 0,
        .any_tag = (bits & SYN_MESSAGE_ANY_TAG) != 0};
    if (placed != SYN_NO_COMM && peer >= 0)
        half.key.peer = world_peer(peers, syn_rank_comm(rank->file, comm), placed, peer);
    return half;
}

static uint16_t op_at(const struct syn_event_columns *columns, size_t i)
{
    return columns->flags ? columns->op[i] : columns->of_tuple.op[columns->tuple[i]];
}

/* ---- ends that are known by tuple ---- */

/* The end of the latest message of a tuple. Equal tuples and tags have the same end. */
struct known_end {
    int32_t tag;
    uint32_t end; /* 1 + index; 0: not known */
};

/* Known ends of a chunk whose columns store values by tuple. */
struct known_ends {
    struct known_end *of; /* [capacity] by tuple */
    size_t capacity;
};

/* Forgets all ends, and makes room for the tuples of a chunk. Without memory none are kept. */
static void begin_known(struct known_ends *known, const struct syn_event_columns *columns)
{
    const size_t count = columns->flags || !columns->tuple ? 0 : columns->tuple_count;
    if (known->capacity < count) {
        free(known->of);
        known->of = malloc(count * sizeof *known->of);
        known->capacity = known->of ? count : 0;
    }
    if (known->capacity > 0)
        memset(known->of, 0, syn_least(count, known->capacity) * sizeof *known->of);
}

/* Returns the place for the end of an event's tuple, or NULL if the chunk has none. */
static struct known_end *known_end_of(const struct known_ends *known,
                                      const struct syn_event_columns *columns, size_t i)
{
    return !columns->flags && columns->tuple && columns->tuple[i] < known->capacity
               ? &known->of[columns->tuple[i]]
               : NULL;
}

/* ---- counting a rank's messages ---- */

struct entry {
    uint32_t order;
    uint32_t end; /* index of the end of a channel; of an unknown message, index in `unknown` */
    uint32_t k;
    uint16_t position; /* in the chunk */
    bool is_known, is_cancelled;
};
_Static_assert(SYN_CHUNK_EVENTS_MAX <= UINT16_MAX + 1, "a position fits");

/* The entries of a chunk. */
struct chunk_entries {
    size_t end;      /* one more than the index of the last one */
    uint32_t thread; /* index in the rank's list of threads */
};

struct counting {
    struct syn_rank_numbers *rank;
    const struct syn_peers *peers;
    struct entry *entry; /* [count], in the order of the file */
    size_t count, capacity;
    struct chunk_entries *chunk; /* [chunk_count] */
    struct half *unknown;        /* [unknown_count] messages whose channel is not known */
    size_t unknown_count, unknown_capacity;
    uint32_t *thread; /* [thread_count] the threads' numbers in the file */
    size_t thread_count, thread_capacity;
    struct known_ends known; /* of the chunk in hand */
};

static int thread_of(struct counting *counting, uint32_t number, uint32_t *out)
{
    for (size_t i = counting->thread_count; i-- > 0;)
        if (counting->thread[i] == number) {
            *out = (uint32_t)i;
            return 0;
        }
    if (SYN_ROOM(counting->thread, counting->thread_capacity, counting->thread_count))
        return SYN_ENOMEM;
    *out = (uint32_t)counting->thread_count;
    counting->thread[counting->thread_count++] = number;
    return 0;
}

/* Finds or adds the end of a channel, and sets *out to its index. Returns 0 or SYN_ENOMEM. */
static int find_end(struct syn_rank_numbers *rank, const struct end_key *key, uint32_t thread,
                    uint32_t *out)
{
    if (syn_index_make_room(&rank->index, rank->end_count, hash_end, rank->end) ||
        SYN_ROOM(rank->end, rank->end_capacity, rank->end_count))
        return SYN_ENOMEM;
    uint32_t *slot = syn_index_slot(&rank->index, hash_key(key), is_key, rank->end, key);
    if (!*slot) {
        rank->end[rank->end_count++] = (struct channel_end){.key = *key, .thread = thread};
        *slot = (uint32_t)rank->end_count;
    }
    *out = *slot - 1;
    rank->end[*out].is_shared |= rank->end[*out].thread != thread;
    return 0;
}

/* Lists a message of a chunk. */
static int list_message(struct counting *counting, const struct syn_event_columns *columns,
                        size_t i, uint32_t thread)
{
    struct known_end *known = known_end_of(&counting->known, columns, i);
    int status = counting->count < UINT32_MAX
                     ? SYN_ROOM(counting->entry, counting->capacity, counting->count)
                     : SYN_ENOMEM;
    struct entry entry = {.order = syn_message_order(columns->sequence[i]),
                          .k = SYN_NO_NUMBER,
                          .position = (uint16_t)i};
    if (known && known->end && known->tag == syn_message_tag(columns->sequence[i])) {
        entry.is_known = true;
        entry.end = known->end - 1;
    } else if (status == SYN_OK) {
        const struct half half = half_of(counting->rank, counting->peers, columns, i);
        entry.is_known = half.is_known;
        entry.is_cancelled = half.is_cancelled;
        if (half.is_known && !half.is_cancelled)
            status = find_end(counting->rank, &half.key, thread, &entry.end);
        if (known && half.is_known && !half.is_cancelled && status == SYN_OK)
            *known = (struct known_end){half.key.tag, entry.end + 1};
        if (!half.is_known && !half.is_cancelled) {
            status =
                SYN_ROOM(counting->unknown, counting->unknown_capacity, counting->unknown_count);
            if (status == SYN_OK) {
                entry.end = (uint32_t)counting->unknown_count;
                counting->unknown[counting->unknown_count++] = half;
            }
        }
    }
    if (status == SYN_OK)
        counting->entry[counting->count++] = entry;
    return status;
}

static int list_messages(struct counting *counting, struct syn_rank_file *file)
{
    struct syn_event_columns columns;
    struct syn_cursor *cursor;
    int status = syn_cursor_open(file, &cursor);
    if (status != SYN_OK)
        return status;
    syn_cursor_by_tuples(cursor);
    for (size_t chunk = 0; chunk < counting->rank->chunk_count && status == SYN_OK; chunk++) {
        struct chunk_entries *entries = &counting->chunk[chunk];
        entries->end = counting->count;
        syn_cursor_seek(cursor, chunk);
        status = syn_cursor_next(cursor, &columns);
        if (status == SYN_EDAMAGED || status == SYN_EEND) {
            status = SYN_OK;
            continue;
        }
        if (status == SYN_OK) {
            begin_known(&counting->known, &columns);
            status = thread_of(counting, columns.thread, &entries->thread);
        }
        for (size_t i = 0; status == SYN_OK && i < columns.count; i++)
            if (syn_is_message(op_at(&columns, i)))
                status = list_message(counting, &columns, i, entries->thread);
        entries->end = counting->count;
    }
    syn_cursor_close(cursor);
    return status;
}

/* Marks all ends at which a message of a thread may have been: `unknown`, or a missing one (NULL).
 * The thread's later messages there get no numbers. If another thread uses the end, its messages
 * have no order with this one. */
static void lose_channels(struct syn_rank_numbers *rank, uint32_t thread,
                          const struct half *unknown)
{
    for (size_t e = 0; e < rank->end_count; e++) {
        struct channel_end *end = &rank->end[e];
        const struct end_key *key = &end->key;
        if (unknown && (key->receives != unknown->key.receives ||
                        (unknown->key.comm != SYN_NO_COMM && key->comm != unknown->key.comm) ||
                        (!unknown->any_source && key->peer != unknown->key.peer) ||
                        (!unknown->any_tag && key->tag != unknown->key.tag)))
            continue;
        end->unsure = thread + 1;
        end->is_shared |= end->thread != thread;
    }
}

/* Numbers the messages of a thread. place[order] is 1 + index of the entry that the thread posted
 * as number `order`; 0: it is missing. */
static void count_thread(struct counting *counting, uint32_t thread, const uint32_t *place,
                         size_t count)
{
    struct syn_rank_numbers *rank = counting->rank;
    for (size_t order = 0; order < count; order++) {
        if (!place[order]) {
            lose_channels(rank, thread, NULL);
            return;
        }
        struct entry *entry = &counting->entry[place[order] - 1];
        if (entry->is_cancelled)
            continue;
        if (!entry->is_known) {
            lose_channels(rank, thread, &counting->unknown[entry->end]);
            continue;
        }
        struct channel_end *end = &rank->end[entry->end];
        if (end->unsure != thread + 1)
            entry->k = end->count++;
    }
}

/* Puts each thread's messages in the order in which they were posted, and numbers them. A thread of
 * n messages posted them as numbers 0 .. n - 1 if none is missing. A message with a higher number
 * comes after a missing one, so it needs no place. */
static int count_messages(struct counting *counting)
{
    struct syn_channel_counts *counts = &counting->rank->counts;
    const struct chunk_entries *chunk = counting->chunk;
    size_t *first = calloc(counting->thread_count + 2, sizeof *first);
    uint32_t *place = calloc(counting->count + 1, sizeof *place);
    uint64_t *most = calloc(counting->thread_count + 1, sizeof *most);
    const int status = first && place && most ? SYN_OK : SYN_ENOMEM;
    for (size_t c = 0, i = 0; status == SYN_OK && c < counting->rank->chunk_count; c++) {
        const uint32_t thread = chunk[c].thread;
        for (first[thread + 1] += chunk[c].end - i; i < chunk[c].end; i++)
            most[thread] = syn_largest(most[thread], (uint64_t)counting->entry[i].order + 1);
    }
    for (size_t t = 0; status == SYN_OK && t < counting->thread_count; t++) {
        counts->missing_count += most[t] - syn_least(most[t], (uint64_t)first[t + 1]);
        first[t + 1] += first[t];
    }
    for (size_t c = 0, i = 0; status == SYN_OK && c < counting->rank->chunk_count; c++)
        for (; i < chunk[c].end; i++) {
            const size_t at = first[chunk[c].thread] + counting->entry[i].order;
            if (at < first[chunk[c].thread + 1] && !place[at])
                place[at] = (uint32_t)i + 1;
        }
    for (size_t t = 0; status == SYN_OK && t < counting->thread_count; t++)
        count_thread(counting, (uint32_t)t, place + first[t], first[t + 1] - first[t]);
    free(first);
    free(place);
    free(most);
    return status;
}

/* The latest message on an end. */
struct last_number {
    uint32_t chunk; /* 1 + chunk */
    uint32_t k;
};

static int list_restarts(struct counting *counting)
{
    struct syn_rank_numbers *rank = counting->rank;
    struct last_number *last = calloc(rank->end_count + 1, sizeof *last);
    rank->first = calloc(rank->chunk_count + 2, sizeof *rank->first);
    int status = last && rank->first ? SYN_OK : SYN_ENOMEM;
    size_t chunk = 0;
    for (size_t i = 0; status == SYN_OK && i < counting->count; i++) {
        const struct entry *entry = &counting->entry[i];
        while (i >= counting->chunk[chunk].end)
            chunk++;
        rank->counts.cancelled_count += entry->is_cancelled;
        rank->counts.unmatched_count += !entry->is_cancelled && entry->k == SYN_NO_NUMBER;
        if (entry->is_cancelled || !entry->is_known)
            continue;
        struct last_number *before = &last[entry->end];
        const bool goes_on =
            before->chunk == (uint32_t)chunk + 1 &&
            (before->k == SYN_NO_NUMBER ? entry->k == SYN_NO_NUMBER : entry->k == before->k + 1);
        *before = (struct last_number){(uint32_t)chunk + 1, entry->k};
        if (goes_on)
            continue;
        status = SYN_ROOM(rank->restart, rank->restart_capacity, rank->restart_count);
        if (status != SYN_OK)
            break;
        rank->restart[rank->restart_count++] = (struct restart){entry->position, entry->k};
        rank->first[chunk + 1]++;
    }
    for (size_t c = 0; status == SYN_OK && c < rank->chunk_count; c++)
        rank->first[c + 1] += rank->first[c];
    free(last);
    return status;
}

static int count_rank(struct syn_rank_numbers *rank, const struct syn_peers *peers,
                      struct syn_rank_file *file)
{
    struct counting counting = {.rank = rank, .peers = peers};
    rank->chunk_count = syn_rank_chunk_count(file);
    counting.chunk = calloc(rank->chunk_count + 1, sizeof *counting.chunk);
    int status = counting.chunk ? list_messages(&counting, file) : SYN_ENOMEM;
    SYN_STEP(status, count_messages(&counting));
    SYN_STEP(status, list_restarts(&counting));
    free(counting.entry);
    free(counting.chunk);
    free(counting.unknown);
    free(counting.thread);
    free(counting.known.of);
    return status;
}

/* ---- all ranks ---- */

struct work {
    const struct syn_trace *trace;
    const struct syn_comms *comms;
    struct syn_message_numbers *numbers;
    pthread_mutex_t lock; /* guards the members below */
    int32_t next;
    int status;
};

static void *count_ranks(void *argument)
{
    struct work *work = argument;
    pthread_mutex_lock(&work->lock);
    while (work->next < work->numbers->rank_count && work->status == SYN_OK) {
        const int32_t r = work->next++;
        struct syn_rank_file *file = syn_trace_rank(work->trace, r);
        pthread_mutex_unlock(&work->lock);
        struct syn_rank_numbers *rank = &work->numbers->rank[r];
        rank->file = file;
        rank->place = work->comms->place[r];
        const int status = file ? count_rank(rank, &work->numbers->peers, file) : SYN_OK;
        pthread_mutex_lock(&work->lock);
        work->status = work->status != SYN_OK ? work->status : status;
    }
    pthread_mutex_unlock(&work->lock);
    return NULL;
}

static uint64_t hash_channel_of(const struct syn_channel *channel)
{
    const uint64_t ranks =
        (uint64_t)(uint32_t)channel->source << 32 | (uint32_t)channel->destination;
    return syn_hash_word(
        syn_hash_add(syn_hash_word(ranks), (uint64_t)channel->comm << 33 |
                                               (uint64_t)(uint32_t)channel->tag << 1 |
                                               (uint64_t)channel->partitioned));
}

static uint64_t hash_channel(const void *owner, uint32_t number)
{
    return hash_channel_of(&((const struct syn_channel *)owner)[number]);
}

static bool is_channel(const void *owner, uint32_t number, const void *key)
{
    const struct syn_channel *a = &((const struct syn_channel *)owner)[number], *b = key;
    return a->comm == b->comm && a->source == b->source && a->destination == b->destination &&
           a->tag == b->tag && a->partitioned == b->partitioned;
}

/* Joins the ranks' ends to the channels of the trace, and gives each end its channel. */
static int join_ends(struct syn_message_numbers *numbers)
{
    struct syn_index index = {0};
    size_t capacity = 0;
    int status = SYN_OK;
    for (int32_t r = 0; r < numbers->rank_count && status == SYN_OK; r++) {
        struct syn_rank_numbers *rank = &numbers->rank[r];
        for (size_t e = 0; e < rank->end_count && status == SYN_OK; e++) {
            struct channel_end *end = &rank->end[e];
            const bool receives = end->key.receives;
            const struct syn_channel key = {.comm = end->key.comm,
                                            .source = receives ? end->key.peer : r,
                                            .destination = receives ? r : end->key.peer,
                                            .tag = end->key.tag,
                                            .partitioned = end->key.partitioned};
            if (syn_index_make_room(&index, numbers->channel_count, hash_channel,
                                    numbers->channel) ||
                SYN_ROOM(numbers->channel, capacity, numbers->channel_count))
                status = SYN_ENOMEM;
            if (status != SYN_OK)
                break;
            uint32_t *slot =
                syn_index_slot(&index, hash_channel_of(&key), is_channel, numbers->channel, &key);
            if (!*slot) {
                numbers->channel[numbers->channel_count++] = key;
                *slot = (uint32_t)numbers->channel_count;
            }
            end->channel = *slot - 1;
            struct syn_channel *channel = &numbers->channel[end->channel];
            channel->ambiguous |= end->is_shared;
            *(receives ? &channel->received_count : &channel->sent_count) = end->count;
        }
    }
    syn_index_free(&index);
    return status;
}

/* Returns the least that any rank recorded, of the ranks that record. */
static enum syn_messages_recorded recorded_of(const struct syn_trace *trace)
{
    enum syn_messages_recorded least = SYN_MESSAGES_EVENTS;
    bool any = false;
    for (int32_t r = 0; r < syn_trace_size(trace); r++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, r);
        const char *recorded = file ? syn_rank_meta(file, "messages.recorded") : NULL;
        if (!file || !syn_rank_records(file))
            continue;
        any = true;
        if (!recorded || strcmp(recorded, "no") == 0)
            least = SYN_MESSAGES_OFF;
        else if (strcmp(recorded, "events") != 0)
            least = syn_least(least, SYN_MESSAGES_SUMS);
    }
    return any ? least : SYN_MESSAGES_OFF;
}

int syn_message_numbers_make(const struct syn_trace *trace, const struct syn_comms *comms,
                             struct syn_message_numbers *out)
{
    struct work work = {.trace = trace, .comms = comms, .numbers = out};
    *out = (struct syn_message_numbers){.recorded = recorded_of(trace)};
    if (out->recorded != SYN_MESSAGES_EVENTS)
        return SYN_OK;
    out->rank = calloc((size_t)comms->rank_count + 1, sizeof *out->rank);
    if (!out->rank)
        return SYN_ENOMEM;
    out->rank_count = comms->rank_count;
    pthread_mutex_init(&work.lock, NULL);
    work.status = list_remotes(trace, comms, &out->peers);
    if (work.status == SYN_OK)
        syn_threads_run(syn_least(syn_thread_count(), (size_t)out->rank_count), count_ranks, &work);
    if (work.status == SYN_OK)
        work.status = join_ends(out);
    if (work.status == SYN_OK) {
        struct syn_channel_counts *sum = &out->counts;
        for (int32_t r = 0; r < out->rank_count; r++) {
            const struct syn_channel_counts *counts = &out->rank[r].counts;
            out->any |= out->rank[r].end_count > 0 || counts->cancelled_count > 0 ||
                        counts->unmatched_count > 0;
            sum->unmatched_count += counts->unmatched_count;
            sum->cancelled_count += counts->cancelled_count;
            sum->missing_count += counts->missing_count;
        }
        for (size_t c = 0; c < out->channel_count; c++) {
            const struct syn_channel *channel = &out->channel[c];
            const uint64_t sent = channel->sent_count, received = channel->received_count;
            const uint64_t both = syn_least(sent, received);
            if (channel->ambiguous) {
                sum->ambiguous_count += sent + received;
                continue;
            }
            sum->matched_count += both;
            sum->unmatched_count += sent + received - 2 * both;
        }
    }
    pthread_mutex_destroy(&work.lock);
    return work.status;
}

void syn_message_numbers_free(struct syn_message_numbers *numbers)
{
    for (int32_t r = 0; r < numbers->rank_count; r++) {
        free(numbers->rank[r].end);
        free(numbers->rank[r].restart);
        free(numbers->rank[r].first);
        syn_index_free(&numbers->rank[r].index);
    }
    free(numbers->rank);
    free(numbers->channel);
    free(numbers->peers.remote);
    memset(numbers, 0, sizeof *numbers);
}

/* ---- reading ---- */

struct syn_message_reader {
    const struct syn_message_numbers *numbers;
    const struct syn_rank_numbers *rank;
    const struct restart *restart, *restart_end; /* restarts of the chunk that are still ahead */
    uint32_t position;                           /* in the chunk, of the next event */
    bool has_begun;                              /* `known` belongs to the chunk */
    struct known_ends known;
    uint32_t next[]; /* [end_count] number of the next message on each end */
};

struct syn_message_reader *syn_message_reader_new(const struct syn_message_numbers *numbers,
                                                  int32_t rank)
{
    const struct syn_rank_numbers *of = &numbers->rank[rank];
    struct syn_message_reader *reader =
        calloc(1, sizeof *reader + (of->end_count + 1) * sizeof reader->next[0]);
    if (reader) {
        reader->numbers = numbers;
        reader->rank = of;
    }
    return reader;
}

void syn_message_reader_free(struct syn_message_reader *reader)
{
    if (reader)
        free(reader->known.of);
    free(reader);
}

void syn_message_reader_seek(struct syn_message_reader *reader, size_t chunk)
{
    const struct syn_rank_numbers *rank = reader->rank;
    reader->position = 0;
    reader->has_begun = false;
    reader->restart = reader->restart_end = NULL;
    if (rank->first && chunk < rank->chunk_count) {
        reader->restart = rank->restart + rank->first[chunk];
        reader->restart_end = rank->restart + rank->first[chunk + 1];
    }
}

/* Returns the mark of the next message on an end. It follows from the channel of the end, and the
 * number there. */
static struct syn_message_mark mark_on(struct syn_message_reader *reader, uint32_t end)
{
    uint32_t *next = &reader->next[end];
    if (reader->restart < reader->restart_end && reader->restart->position == reader->position)
        *next = (reader->restart++)->k;
    const uint32_t k = *next;
    *next += k != SYN_NO_NUMBER;
    const uint32_t number = reader->rank->end[end].channel;
    const struct syn_channel *channel = &reader->numbers->channel[number];
    if (channel->ambiguous && k != SYN_NO_NUMBER)
        return (struct syn_message_mark){SYN_CHANNEL_AMBIGUOUS, 0};
    if (k >= syn_least(channel->sent_count, channel->received_count))
        return (struct syn_message_mark){SYN_CHANNEL_UNMATCHED, k};
    return (struct syn_message_mark){number, k};
}

static struct syn_message_mark mark_of(struct syn_message_reader *reader,
                                       const struct syn_event_columns *columns, size_t i)
{
    const struct syn_rank_numbers *rank = reader->rank;
    struct known_end *known = known_end_of(&reader->known, columns, i);
    if (known && known->end && known->tag == syn_message_tag(columns->sequence[i]))
        return mark_on(reader, known->end - 1);
    if (!syn_is_message(op_at(columns, i)))
        return (struct syn_message_mark){SYN_NO_CHANNEL, 0};
    const struct half half = half_of(rank, &reader->numbers->peers, columns, i);
    if (half.is_cancelled)
        return (struct syn_message_mark){SYN_CHANNEL_CANCELLED, 0};
    if (!half.is_known || rank->end_count == 0)
        return (struct syn_message_mark){SYN_CHANNEL_UNMATCHED, SYN_NO_NUMBER};
    const uint32_t slot =
        *syn_index_slot(&rank->index, hash_key(&half.key), is_key, rank->end, &half.key);
    if (!slot)
        return (struct syn_message_mark){SYN_CHANNEL_UNMATCHED, SYN_NO_NUMBER};
    if (known)
        *known = (struct known_end){half.key.tag, slot};
    return mark_on(reader, slot - 1);
}

void syn_message_reader_next(struct syn_message_reader *reader,
                             const struct syn_event_columns *columns, size_t first, size_t count,
                             struct syn_message_mark *mark)
{
    if (!reader->has_begun)
        begin_known(&reader->known, columns);
    reader->has_begun = true;
    for (size_t i = 0; i < count; i++, reader->position++)
        mark[i] = mark_of(reader, columns, first + i);
}
