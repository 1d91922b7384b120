/* preload/tune/measure.c - the program that `syncopate tune` launches: it makes the collectives of
 * a trace with each candidate setting, and says how long they took. Built once for each MPI.
 *
 * The plan is text on rank 0's standard input, numbers divided by blanks:
 *     RANKS MILLISECONDS SEED GROUPS    then for each group
 *     OPERATION ROOT BYTES EXPECTED_NS PATTERNS SETS    (a row of trace/base/ops.def)
 *     COMMUNICATOR RANK ...             of each rank; -1: in none
 *     NS ...                            PATTERNS times that of each rank, after the first to arrive
 *     NAME=NUMBER,NAME=NUMBER           a line for each candidate; "-": nothing is set, "!": left
 * out
 *
 * The answer is lines, fields divided by tabs. To a plan without groups:
 *     N RANKS, M LIBRARY, H HOST        a line H for each rank
 *     V NAME VALUE WRITABLE DESCRIPTION LIST    a control variable. \v divides the lines of a
 *                                       description; LIST: "0=ignore,1=linear"
 * To others:
 *     S GROUP SET                       a candidate begins
 *     R GROUP SET                       its variables kept their values, or its call failed
 *     W GROUP SET                       its result was wrong
 *     B GROUP SET KEPT DROPPED OPERATION INSIDE ROW    medians in ns: from the last entry to the
 *                                       last exit, of the ranks' mean time inside, and the first of
 *                                       calls in a row
 *
 * Each candidate has duplicates of its group's communicators, made while its variables are set.
 * They are set again around each block of its instances: so it does not matter whether an MPI reads
 * them when a communicator is made or at each call. Every rank enters an instance at a planned time
 * of the common clock, with data that it has just written. An instance is dropped where a rank
 * missed its time. At the end of a block calls follow one another at once, with data that lie in
 * the caches: programs are between the two. */
#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "sync/methods/sync.h"
#include "sync/time/clock.h"
#include "trace/base/ops.h"

#define BLOCK_INSTANCES 10
#define ROW_INSTANCES   100
#define ROW_NS          20000000  /* a row of long instances has fewer, but as many as the block */
#define BLOCK_NS        200000000 /* a block of long instances has fewer */
#define LEAD_NS         2000000   /* from a block's agreement to its first instance */
#define PAUSE_NS        300000    /* waiting that is longer gives the processor away */
#define LATE_NS         20000     /* a rank that is later missed its entry; later than the median */
#define KEPT_LEAST      3         /* instances of a candidate */
#define WORDS           8192

static int world_rank, world_size;
static MPI_Comm control; /* for all that is not measured */

struct operation {
    int row, root, rank, size;
    size_t block;    /* bytes of a block, of a reduction elements of each rank */
    size_t elements; /* of a reduction */
    char *send, *receive;
    size_t bytes; /* of either */
    int *counts, *starts;
};

/* ---- the plan ---- */

/* An instance, in ns: how late its last rank was, last entry to last exit, the ranks' mean inside.
 */
struct instance {
    double late, operation, inside;
    bool in_row;
};

/* A candidate of a group. */
struct trial {
    char *set;
    MPI_Comm comm;
    bool is_out;               /* refused, failed, or wrong */
    double longest_ns;         /* of its last block */
    struct instance *instance; /* [count]; rank 0's */
    size_t count, capacity;
};

struct group {
    int row, root; /* of trace/base/ops.def; a rank of the communicator */
    size_t bytes;
    int64_t color, key; /* this rank's communicator, -1: none; and rank in it */
    int64_t *arrival;   /* [arrival_count][ranks] */
    int64_t arrival_count;
    struct trial *trial; /* [count] */
    size_t count;
    struct operation op;
    MPI_Comm base;
};

struct plan {
    int64_t milliseconds, seed;
    struct group *group; /* [count] */
    size_t count;
};

static int64_t number(char **at)
{
    return strtoll(*at, at, 10);
}

/* Its sets stay in the text, which is cut at them. */
static int read_group(char **at, struct group *out)
{
    *out = (struct group){.row = (int)number(at), .base = MPI_COMM_NULL};
    out->root = (int)number(at);
    out->bytes = (size_t)number(at);
    const double expected_ns = (double)number(at);
    out->arrival_count = number(at);
    out->count = (size_t)number(at);
    const size_t arrivals = (size_t)(out->arrival_count * world_size);
    out->arrival = calloc(arrivals + 1, sizeof *out->arrival);
    out->trial = calloc(out->count + 1, sizeof *out->trial);
    if (!out->arrival || !out->trial)
        return SYN_ENOMEM;
    for (int r = 0; r < world_size; r++) {
        const int64_t color = number(at), key = number(at);
        if (r == world_rank) {
            out->color = color;
            out->key = key;
        }
    }
    for (size_t i = 0; i < arrivals; i++)
        out->arrival[i] = number(at);
    strsep(at, "\n");
    for (size_t i = 0; i < out->count; i++)
        out->trial[i] = (struct trial){.set = strsep(at, "\n"), .longest_ns = expected_ns};
    return *at ? 0 : SYN_EINVAL;
}

/* Rank 0's input on all ranks. It is freed at the program's end. */
static int read_plan(struct plan *out)
{
    size_t length = 0, capacity = 0;
    char *text = NULL;
    for (size_t got = 1; world_rank == 0 && got > 0; length += got) {
        if (SYN_ROOM(text, capacity, length) != SYN_OK)
            return SYN_ENOMEM;
        got = fread(text + length, 1, capacity - length, stdin);
    }
    int bytes = (int)length + 1;
    MPI_Bcast(&bytes, 1, MPI_INT, 0, control);
    text = realloc(text, (size_t)bytes);
    if (!text)
        return SYN_ENOMEM;
    text[length] = '\0';
    MPI_Bcast(text, bytes, MPI_CHAR, 0, control);
    const int64_t ranks = number(&text);
    out->milliseconds = number(&text);
    out->seed = number(&text);
    const size_t count = (size_t)number(&text);
    out->group = calloc(count + 1, sizeof *out->group);
    int status = !out->group ? SYN_ENOMEM : count > 0 && ranks != world_size ? SYN_EINVAL : SYN_OK;
    for (; status == SYN_OK && out->count < count; out->count++)
        status = read_group(&text, &out->group[out->count]);
    return status;
}

/* ---- the common clock ---- */

static struct syn_tick_source ticks;
static struct syn_sync *clocks;

static int link_send(void *ctx, int peer, const void *data, size_t bytes)
{
    (void)ctx;
    return MPI_Send(data, (int)bytes, MPI_BYTE, peer, 1, control) == MPI_SUCCESS ? 0
                                                                                 : SYN_ETRANSPORT;
}

static int link_recv(void *ctx, int peer, void *data, size_t bytes)
{
    (void)ctx;
    return MPI_Recv(data, (int)bytes, MPI_BYTE, peer, 1, control, MPI_STATUS_IGNORE) == MPI_SUCCESS
               ? 0
               : SYN_ETRANSPORT;
}

static int start_clocks(void)
{
    static struct syn_transport link = {.send = link_send, .recv = link_recv};
    struct syn_clock clock;
    struct syn_clock_identity identity;
    struct syn_sync_options options;
    link.rank = world_rank;
    link.size = world_size;
    if (syn_tick_source_init(&ticks, SYN_CLOCK_MONOTONIC_RAW, NULL, 0.001) != SYN_OK)
        return SYN_EINVAL;
    clock = syn_tick_source_clock(&ticks);
    syn_clock_identity_read(&ticks, &identity);
    syn_sync_options_default(&options);
    return syn_sync_begin(&options, &link, &clock, identity, &clocks);
}

static int64_t now_ns(void)
{
    const syn_local_time local = syn_tick_source_local(&ticks, syn_ticks_now(&ticks));
    return syn_timeline_global(syn_sync_timeline(clocks), local).ns;
}

static void wait_until(int64_t planned_ns)
{
    for (int64_t left; (left = planned_ns - now_ns()) > 0;) {
        if (left > PAUSE_NS)
            nanosleep(&(struct timespec){.tv_sec = (left - PAUSE_NS / 2) / 1000000000,
                                         .tv_nsec = (left - PAUSE_NS / 2) % 1000000000},
                      NULL);
        else if (left > PAUSE_NS / 20)
            sched_yield();
    }
}

/* ---- control variables ---- */

static struct variable {
    char name[256];
    MPI_T_cvar_handle handle;
    int first; /* its value as found */
} * variables;
static size_t variable_count, variable_capacity;

static struct variable *find_variable(const char *name)
{
    int index, count;
    for (size_t i = 0; i < variable_count; i++)
        if (strcmp(variables[i].name, name) == 0)
            return &variables[i];
    if (SYN_ROOM(variables, variable_capacity, variable_count) != SYN_OK)
        return NULL;
    struct variable *found = &variables[variable_count];
    snprintf(found->name, sizeof found->name, "%s", name);
    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &found->handle, &count) != MPI_SUCCESS || count != 1 ||
        MPI_T_cvar_read(found->handle, &found->first) != MPI_SUCCESS)
        return NULL;
    variable_count++;
    return found;
}

static bool assign(const struct variable *variable, int value)
{
    int read = 0;
    return variable && MPI_T_cvar_write(variable->handle, &value) == MPI_SUCCESS &&
           MPI_T_cvar_read(variable->handle, &read) == MPI_SUCCESS && read == value;
}

/* Give all variables the values of `set`, and the others those that they had at first. Returns
 * false if one of them is refused. */
static bool use(const char *set)
{
    char words[WORDS], *next = words;
    bool obeyed = true;
    for (size_t i = 0; i < variable_count; i++)
        obeyed &= assign(&variables[i], variables[i].first);
    snprintf(words, sizeof words, "%s", set);
    for (char *value; (value = strsep(&next, ","));) {
        const char *name = strsep(&value, "=");
        if (value)
            obeyed &= assign(find_variable(name), atoi(value));
    }
    return obeyed;
}

static void print_clean(const char *before, const char *text)
{
    printf("%s", before);
    for (; *text; text++)
        putchar(*text == '\n' ? '\v' : *text == '\t' || *text == '\r' ? ' ' : *text);
}

static void tell_variable(int index)
{
    char name[256], words[WORDS], text[WORDS] = "";
    int name_bytes = sizeof name, word_bytes = sizeof words, other, count, number = 0, items = 0;
    MPI_Datatype type;
    MPI_T_enum list;
    MPI_T_cvar_handle handle;
    if (MPI_T_cvar_get_info(index, name, &name_bytes, &other, &type, &list, words, &word_bytes,
                            &other, &other) != MPI_SUCCESS ||
        !(strcasestr(name, "algorithm") || strcasestr(name, "coll_tuned_")) ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS || count >= WORDS)
        return;
    const bool is_number = type == MPI_INT || (list != MPI_T_ENUM_NULL && count == 1);
    if (is_number && MPI_T_cvar_read(handle, &number) == MPI_SUCCESS)
        snprintf(text, sizeof text, "%d", number);
    else if (type == MPI_CHAR)
        MPI_T_cvar_read(handle, text);
    print_clean("V\t", name);
    print_clean("\t", text);
    printf("\t%d", type == MPI_INT && MPI_T_cvar_write(handle, &number) == MPI_SUCCESS);
    print_clean("\t", words);
    word_bytes = sizeof words;
    if (list != MPI_T_ENUM_NULL)
        MPI_T_enum_get_info(list, &items, words, &word_bytes);
    for (int i = 0; i < items; i++) {
        word_bytes = sizeof words;
        if (MPI_T_enum_get_item(list, i, &number, words, &word_bytes) == MPI_SUCCESS)
            printf("%c%d=%s", i ? ',' : '\t', number, words);
    }
    putchar('\n');
    MPI_T_cvar_handle_free(&handle);
}

/* Tells the command what it must know before it plans. */
static void tell_all(void)
{
    char words[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME] = "", *hosts;
    int bytes, count = 0;
    MPI_Get_processor_name(host, &bytes);
    hosts = calloc((size_t)world_size, sizeof host);
    MPI_Gather(host, sizeof host, MPI_CHAR, hosts, sizeof host, MPI_CHAR, 0, control);
    if (world_rank == 0) {
        MPI_Get_library_version(words, &bytes);
        printf("N\t%d\n", world_size);
        print_clean("M\t", words);
        putchar('\n');
        for (int i = 0; i < world_size; i++)
            printf("H\t%s\n", hosts + (size_t)i * sizeof host);
        MPI_T_cvar_get_num(&count);
        for (int i = 0; i < count; i++)
            tell_variable(i);
    }
    free(hosts);
}

/* ---- operations ---- */

static char byte_of(int rank, size_t index)
{
    return (char)(31 * rank + (int)(index % 251) + 1);
}

static double number_of(int rank, size_t index)
{
    return (rank + 1) * (1.0 + (double)(index % 13));
}

static bool reduces(int row)
{
    return syn_op_flags((uint16_t)row) & SYN_OPF_REDUCES;
}

static bool scatters_reduced(int row)
{
    return row == SYN_ROW_REDUCE_SCATTER || row == SYN_ROW_REDUCE_SCATTER_BLOCK;
}

static int begin_operation(const struct group *group, MPI_Comm comm, struct operation *out)
{
    *out = (struct operation){.row = group->row, .root = group->root};
    MPI_Comm_rank(comm, &out->rank);
    MPI_Comm_size(comm, &out->size);
    const size_t size = (size_t)out->size;
    out->elements = syn_largest((group->bytes + 7) / 8, (size_t)1);
    out->block = group->bytes;
    if (scatters_reduced(group->row)) {
        out->block = syn_largest(out->elements / size, (size_t)1);
        out->elements = out->block * size;
    }
    out->bytes = reduces(group->row) ? out->elements * 8 : syn_largest(out->block * size, size);
    out->send = malloc(out->bytes);
    out->receive = malloc(out->bytes);
    out->counts = malloc(2 * size * sizeof *out->counts);
    if (!out->send || !out->receive || !out->counts)
        return SYN_ENOMEM;
    out->starts = out->counts + size;
    for (size_t i = 0; i < size; i++) {
        out->counts[i] = (int)out->block;
        out->starts[i] = (int)(i * out->block);
    }
    for (size_t i = 0; i < out->bytes; i++)
        out->send[i] = byte_of(out->rank, i);
    for (size_t i = 0; reduces(group->row) && i < out->elements; i++)
        ((double *)(void *)out->send)[i] = number_of(out->rank, i);
    return 0;
}

static int perform(const struct operation *op, MPI_Comm comm)
{
    const int block = (int)op->block, elements = (int)op->elements, root = op->root;
    void *send = op->send, *receive = op->receive;
    switch (op->row) {
    case SYN_ROW_BARRIER:
        return MPI_Barrier(comm);
    case SYN_ROW_BCAST:
        return MPI_Bcast(receive, block, MPI_BYTE, root, comm);
    case SYN_ROW_GATHER:
        return MPI_Gather(send, block, MPI_BYTE, receive, block, MPI_BYTE, root, comm);
    case SYN_ROW_GATHERV:
        return MPI_Gatherv(send, block, MPI_BYTE, receive, op->counts, op->starts, MPI_BYTE, root,
                           comm);
    case SYN_ROW_SCATTER:
        return MPI_Scatter(send, block, MPI_BYTE, receive, block, MPI_BYTE, root, comm);
    case SYN_ROW_SCATTERV:
        return MPI_Scatterv(send, op->counts, op->starts, MPI_BYTE, receive, block, MPI_BYTE, root,
                            comm);
    case SYN_ROW_ALLGATHER:
        return MPI_Allgather(send, block, MPI_BYTE, receive, block, MPI_BYTE, comm);
    case SYN_ROW_ALLGATHERV:
        return MPI_Allgatherv(send, block, MPI_BYTE, receive, op->counts, op->starts, MPI_BYTE,
                              comm);
    case SYN_ROW_ALLTOALL:
        return MPI_Alltoall(send, block, MPI_BYTE, receive, block, MPI_BYTE, comm);
    case SYN_ROW_ALLTOALLV:
        return MPI_Alltoallv(send, op->counts, op->starts, MPI_BYTE, receive, op->counts,
                             op->starts, MPI_BYTE, comm);
    case SYN_ROW_REDUCE:
        return MPI_Reduce(send, receive, elements, MPI_DOUBLE, MPI_SUM, root, comm);
    case SYN_ROW_ALLREDUCE:
        return MPI_Allreduce(send, receive, elements, MPI_DOUBLE, MPI_SUM, comm);
    case SYN_ROW_REDUCE_SCATTER:
        return MPI_Reduce_scatter(send, receive, op->counts, MPI_DOUBLE, MPI_SUM, comm);
    case SYN_ROW_REDUCE_SCATTER_BLOCK:
        return MPI_Reduce_scatter_block(send, receive, block, MPI_DOUBLE, MPI_SUM, comm);
    case SYN_ROW_SCAN:
        return MPI_Scan(send, receive, elements, MPI_DOUBLE, MPI_SUM, comm);
    default:
        return MPI_Exscan(send, receive, elements, MPI_DOUBLE, MPI_SUM, comm);
    }
}

/* Before an instance that is checked. */
static void clear_receive(const struct operation *op)
{
    memset(op->receive, 0, op->bytes);
    if (op->row == SYN_ROW_BCAST && op->rank == op->root)
        memcpy(op->receive, op->send, op->bytes);
}

/* Is what this rank received right? A block comes from the root, or one from each rank: the first
 * of its data, or that of this rank's own number. Sums are those of the ranks up to one. */
static bool is_right(const struct operation *op)
{
    const int row = op->row;
    const double *sum = (const double *)(const void *)op->receive;
    const bool gathers = row == SYN_ROW_GATHER || row == SYN_ROW_GATHERV || row == SYN_ROW_REDUCE;
    const bool scatters = row == SYN_ROW_SCATTER || row == SYN_ROW_SCATTERV;
    const bool is_own =
        scatters || scatters_reduced(row) || row == SYN_ROW_ALLTOALL || row == SYN_ROW_ALLTOALLV;
    const bool from_root = scatters || row == SYN_ROW_BCAST;
    const size_t first = is_own ? (size_t)op->rank * op->block : 0;
    const size_t elements = scatters_reduced(row) ? op->block : op->elements;
    const double ranks = row == SYN_ROW_SCAN     ? op->rank + 1
                         : row == SYN_ROW_EXSCAN ? op->rank
                                                 : op->size;
    if ((gathers && op->rank != op->root) || row == SYN_ROW_BARRIER)
        return true;
    for (size_t i = 0; reduces(row) && i < elements && ranks > 0; i++)
        if (sum[i] != ranks * (ranks + 1) / 2 * number_of(0, first + i))
            return false;
    for (int from = 0; !reduces(row) && from < (from_root ? 1 : op->size); from++)
        for (size_t i = 0; i < op->block; i++)
            if (op->receive[(size_t)from * op->block + i] !=
                byte_of(from_root ? op->root : from, first + i))
                return false;
    return true;
}

/* ---- blocks ---- */

/* A block as rank 0 plans it. */
struct block {
    int64_t start_ns, window_ns, count, row_count;
    int64_t arrival[BLOCK_INSTANCES]; /* number of the pattern */
};

/* If the program ends here, the command knows with which candidate. */
static void tell(char what, size_t group, size_t set)
{
    if (world_rank == 0) {
        printf("%c\t%zu\t%zu\n", what, group, set);
        fflush(stdout);
    }
}

/* Puts a candidate out if `mine` is false on any rank. */
static void put_out_unless(bool mine, char what, struct group *group, size_t number, size_t set)
{
    int here = mine, all = 0;
    MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_LAND, control);
    group->trial[set].is_out |= !all;
    if (!all)
        tell(what, number, set);
}

static int begin_group(struct group *group, size_t number)
{
    size_t in = 0;
    for (size_t i = 0; i < group->count; i++) {
        group->trial[i].is_out = group->trial[i].set[0] == '!';
        in += !group->trial[i].is_out;
    }
    if (in == 0)
        return 0;
    MPI_Comm_split(control, group->color < 0 ? MPI_UNDEFINED : (int)group->color, (int)group->key,
                   &group->base);
    if (group->base != MPI_COMM_NULL && begin_operation(group, group->base, &group->op) != SYN_OK)
        return SYN_ENOMEM;
    for (size_t i = 0; i < group->count; i++) {
        if (group->trial[i].is_out)
            continue;
        tell('S', number, i);
        const bool obeyed = use(group->trial[i].set);
        if (group->base != MPI_COMM_NULL) {
            MPI_Comm_dup(group->base, &group->trial[i].comm);
            MPI_Comm_set_errhandler(group->trial[i].comm, MPI_ERRORS_RETURN);
        }
        use("");
        put_out_unless(obeyed, 'R', group, number, i);
    }
    return 0;
}

static struct block plan_block(const struct group *group, double longest_ns)
{
    struct block block = {.start_ns = now_ns() + LEAD_NS + 20000 * (int64_t)world_size};
    int64_t span_ns = 0;
    for (size_t i = 0; i < BLOCK_INSTANCES; i++) {
        block.arrival[i] = lrand48() % group->arrival_count;
        for (int r = 0; r < world_size; r++)
            span_ns = syn_largest(span_ns, group->arrival[block.arrival[i] * world_size + r]);
    }
    block.window_ns = span_ns + 2 * (int64_t)longest_ns + 100000;
    block.count = syn_largest(
        (int64_t)3, syn_least((int64_t)BLOCK_INSTANCES, (int64_t)BLOCK_NS / block.window_ns));
    block.row_count =
        syn_largest(block.count, syn_least((int64_t)ROW_INSTANCES,
                                           ROW_NS / syn_largest((int64_t)longest_ns, (int64_t)1)));
    return block;
}

/* One block of a candidate. The ranks learn from rank 0 when its instances begin. The result of the
 * last one is checked. Rank 0 gets the worst lateness, the mean operation of the communicators that
 * make it side by side, and the ranks' mean time inside. The first call in a row is not counted. */
static int make_block(struct group *group, size_t number, size_t set)
{
    enum { MOST = BLOCK_INSTANCES + ROW_INSTANCES };
    struct trial *trial = &group->trial[set];
    struct block block = {0};
    double late[MOST] = {0}, entry[MOST], leave[MOST], last_entry[MOST], last_leave[MOST];
    double worst[MOST], sum[2 * MOST + 2] = {0}, all[2 * MOST + 2], longest = 0;
    bool failed = false, right = true;
    tell('S', number, set);
    if (world_rank == 0)
        block = plan_block(group, trial->longest_ns);
    MPI_Bcast(&block, sizeof block, MPI_BYTE, 0, control);
    const int planned = (int)block.count, count = planned + (int)block.row_count;
    double *inside = sum, *operation = sum + count, *members = sum + 2 * count;
    use(trial->set);
    for (int i = 0; i < count && group->base != MPI_COMM_NULL && !failed; i++) {
        if (i <= planned)
            clear_receive(&group->op);
        const int64_t planned_ns =
            i < planned ? block.start_ns + i * block.window_ns +
                              group->arrival[block.arrival[i] * world_size + world_rank]
                        : now_ns();
        wait_until(planned_ns);
        const int64_t entry_ns = now_ns();
        failed = perform(&group->op, trial->comm) != MPI_SUCCESS;
        const int64_t exit_ns = now_ns();
        late[i] = (double)(entry_ns - planned_ns);
        entry[i] = (double)(entry_ns - block.start_ns);
        leave[i] = (double)(exit_ns - block.start_ns);
        inside[i] = (double)(exit_ns - entry_ns);
    }
    right = group->base == MPI_COMM_NULL || failed || is_right(&group->op);
    use("");
    put_out_unless(!failed, 'R', group, number, set);
    if (trial->is_out)
        return 0;
    put_out_unless(right, 'W', group, number, set);
    if (group->base != MPI_COMM_NULL) {
        MPI_Reduce(entry, last_entry, count, MPI_DOUBLE, MPI_MAX, 0, group->base);
        MPI_Reduce(leave, last_leave, count, MPI_DOUBLE, MPI_MAX, 0, group->base);
        for (int i = 0; i < count && group->op.rank == 0; i++)
            operation[i] = last_leave[i] - last_entry[i];
        members[0] = 1;
        members[1] = group->op.rank == 0;
    }
    MPI_Reduce(sum, all, 2 * count + 2, MPI_DOUBLE, MPI_SUM, 0, control);
    MPI_Reduce(late, worst, count, MPI_DOUBLE, MPI_MAX, 0, control);
    for (int i = 0; i < count && world_rank == 0; i += i + 1 == planned ? 2 : 1) {
        if (SYN_ROOM(trial->instance, trial->capacity, trial->count) != SYN_OK)
            return SYN_ENOMEM;
        const double operation_ns = all[count + i] / all[2 * count + 1];
        trial->instance[trial->count++] =
            (struct instance){worst[i], operation_ns, all[i] / all[2 * count], i >= planned};
        longest = fmax(longest, operation_ns);
    }
    trial->longest_ns = fmin(longest, BLOCK_NS);
    return 0;
}

/* Rounds: in each one every candidate of every group has a block, in random order, which is the
 * same on all ranks. */
static int make_rounds(const struct plan *plan)
{
    struct pair {
        size_t group, set;
    } *pair = NULL;
    unsigned short order[3] = {1, 2, (unsigned short)plan->seed};
    size_t count = 0, capacity = 0;
    const double begun = MPI_Wtime();
    int goes_on = true, status = SYN_OK;
    for (size_t i = 0; i < plan->count; i++)
        for (size_t k = 0; k < plan->group[i].count; k++) {
            if (SYN_ROOM(pair, capacity, count) != SYN_OK)
                return SYN_ENOMEM;
            pair[count] = (struct pair){i, k};
            count += !plan->group[i].trial[k].is_out;
        }
    for (int round = 0; goes_on && status == SYN_OK; round++) {
        for (size_t i = count; i > 0; i--) {
            const size_t j = (size_t)nrand48(order) % i;
            const struct pair drawn = pair[j];
            struct group *group = &plan->group[drawn.group];
            pair[j] = pair[i - 1];
            pair[i - 1] = drawn;
            if (!group->trial[drawn.set].is_out && status == SYN_OK)
                status = make_block(group, drawn.group, drawn.set);
        }
        goes_on = round < 2 || (MPI_Wtime() - begun) * 1e3 < (double)plan->milliseconds;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, control);
    }
    free(pair);
    return status;
}

/* ---- what is told ---- */

static int compare_numbers(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median_of(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare_numbers);
    return n == 0 ? 0 : (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* The instances of a group may be as late as LATE_NS, and later where hardly any were in time. */
static int tell_group(const struct group *group, size_t number)
{
    size_t count = 0, late = 0;
    for (size_t k = 0; k < group->count; k++)
        count += group->trial[k].count;
    double *values = calloc(3 * count + 1, sizeof *values), *inside = values + count,
           *rows = inside + count;
    if (!values)
        return SYN_ENOMEM;
    for (size_t k = 0; k < group->count; k++)
        for (size_t i = 0; i < group->trial[k].count; i++)
            if (!group->trial[k].instance[i].in_row)
                values[late++] = group->trial[k].instance[i].late;
    const double latest = fmax(LATE_NS, median_of(values, late));
    for (size_t k = 0; k < group->count; k++) {
        const struct trial *trial = &group->trial[k];
        size_t kept = 0, in_row = 0;
        for (size_t i = 0; i < trial->count; i++)
            if (trial->instance[i].in_row)
                rows[in_row++] = trial->instance[i].operation;
            else if (trial->instance[i].late <= latest) {
                values[kept] = trial->instance[i].operation;
                inside[kept++] = trial->instance[i].inside;
            }
        if (kept >= KEPT_LEAST)
            printf("B\t%zu\t%zu\t%zu\t%zu\t%.0f\t%.0f\t%.0f\n", number, k, kept,
                   trial->count - in_row - kept, median_of(values, kept), median_of(inside, kept),
                   median_of(rows, in_row));
    }
    free(values);
    return 0;
}

/* ---- all of it ---- */

static int measure(const struct plan *plan)
{
    int status = start_clocks();
    for (size_t i = 0; i < plan->count && status == SYN_OK; i++)
        status = begin_group(&plan->group[i], i);
    if (status == SYN_OK)
        status = make_rounds(plan);
    for (size_t i = 0; i < plan->count && status == SYN_OK && world_rank == 0; i++)
        status = tell_group(&plan->group[i], i);
    return status;
}

/* A rank that fails ends all. Memory lasts until the end. */
int main(int argc, char **argv)
{
    struct plan plan = {0};
    int provided;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS ||
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return 2;
    MPI_Comm_dup(MPI_COMM_WORLD, &control);
    MPI_Comm_rank(control, &world_rank);
    MPI_Comm_size(control, &world_size);
    int status = read_plan(&plan);
    if (status == SYN_OK && plan.count == 0)
        tell_all();
    else if (status == SYN_OK)
        status = measure(&plan);
    if (status != SYN_OK)
        MPI_Abort(MPI_COMM_WORLD, 2);
    fflush(stdout);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
