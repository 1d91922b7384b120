/* preload/tune/measure.c - the program that `syncopate tune` launches. It makes the collectives of
 * a trace with each candidate setting, and reports their times. It is built once for each MPI.
 *
 * The plan is text on rank 0's standard input, numbers separated by blanks:
 *     RANKS MILLISECONDS SEED           then for each group
 *     GROUP OPERATION ROOT BYTES EXPECTED_NS PATTERNS SETS    (a row of trace/base/ops.def)
 *     COMMUNICATOR RANK ...             of each rank; -1: in none
 *     NS ...                            PATTERNS times one for each rank, after the first arrival
 *     SET NAME=NUMBER,NAME=NUMBER       a line for each candidate; "-": nothing is set
 * GROUP and SET are numbers that the command chooses.
 *
 * The answer is lines of fields, separated by tabs. To a plan without groups:
 *     N RANKS, M LIBRARY, H HOST        a line H for each rank
 *     V NAME VALUE WRITABLE DESCRIPTION LIST    a control variable. \v separates the lines of a
 *                                       description; LIST: "0=ignore,1=linear"
 * To other plans:
 *     S GROUP SET                       a candidate begins
 *     R GROUP SET                       a variable was refused, or a call failed
 *     W GROUP SET                       a result was wrong
 *     B GROUP SET KEPT DROPPED OPERATION INSIDE ROW    medians in ns: from the last entry to the
 *                                       last exit; of the ranks' mean time inside; and the first
 *                                       one of calls in a row
 *
 * Each candidate has duplicates of its group's communicators, made while its variables are set,
 * which are set again around each block of its instances: an MPI may read them at either. Every
 * rank enters an instance at a planned time of the common clock, with data that it has just
 * written. At the end of a block, calls follow one another at once, with data in the caches. Calls
 * of programs lie between these two cases. */
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
#define ROW_NS          20000000  /* longest row; at least as many instances as the block */
#define BLOCK_NS        200000000 /* longest block */
#define LEAD_NS         2000000   /* from the plan of a block to its first instance */
#define PAUSE_NS        300000    /* a longer wait releases the processor */
#define LATE_NS         20000     /* a later rank has missed its entry */
#define KEPT_LEAST      3         /* least number of instances of a candidate */
#define SETTINGS_MOST   4
#define WORDS           8192

static int world_rank, world_size;
static MPI_Comm control; /* for everything except measured calls */

/* ---- the plan ---- */

/* Returns zeroed memory, which is never freed. Ends the program if there is none. */
static void *room(size_t count, size_t bytes)
{
    void *made = calloc(count + 1, bytes);
    if (!made)
        MPI_Abort(MPI_COMM_WORLD, 2);
    return made;
}

/* Lateness of the last rank; last entry to last exit; mean time inside over the ranks; in ns. */
struct instance {
    double late, operation, inside;
    bool in_row;
};

struct group {
    size_t number;
    int row, root; /* row of trace/base/ops.def; root: a rank of the communicator */
    size_t bytes;
    int64_t *arrival, arrival_count; /* [arrival_count][ranks] */
    MPI_Comm base;                   /* MPI_COMM_NULL: this rank is in none */
    int rank, size;
    size_t block, elements; /* block: its bytes, or its doubles in a reduction; elements: all
                               doubles of a reduction */
    char *send, *receive;   /* [buffer_bytes] */
    size_t buffer_bytes;
    int *counts, *starts; /* [size] */
};

/* A candidate of a group. */
struct trial {
    struct group *group;
    size_t number;
    struct setting {
        MPI_T_cvar_handle handle;
        int value, first; /* first: the value before */
    } setting[SETTINGS_MOST];
    size_t setting_count;
    MPI_Comm comm;
    bool is_out;               /* refused, failed, or wrong */
    double longest_ns, row_ns; /* of its last block: the longest instance, and the mean in a row */
    struct instance *instance; /* [count]; only on rank 0 */
    size_t count, capacity;
};

struct plan {
    int64_t milliseconds, seed;
    struct trial *trial; /* [count] */
    size_t count, capacity;
};

static int64_t number(char **at)
{
    return strtoll(*at, at, 10);
}

/* ---- the common clock ---- */

static struct syn_tick_source ticks;
static struct syn_sync *clocks;

static int link_send(void *ctx, int peer, const void *data, size_t bytes)
{
    return MPI_Send(data, (int)bytes, MPI_BYTE, peer, 1, *(MPI_Comm *)ctx);
}

static int link_recv(void *ctx, int peer, void *data, size_t bytes)
{
    return MPI_Recv(data, (int)bytes, MPI_BYTE, peer, 1, *(MPI_Comm *)ctx, MPI_STATUS_IGNORE);
}

static void start_clocks(void)
{
    const struct syn_transport link = {world_rank, world_size, link_send, link_recv, &control};
    struct syn_clock_identity identity;
    struct syn_sync_options options;
    int status = syn_tick_source_init(&ticks, SYN_CLOCK_MONOTONIC_RAW, NULL, 0.001);
    const struct syn_clock clock = syn_tick_source_clock(&ticks);
    syn_clock_identity_read(&ticks, &identity);
    syn_sync_options_default(&options);
    SYN_STEP(status, syn_sync_begin(&options, &link, &clock, identity, &clocks));
    if (status != SYN_OK)
        MPI_Abort(MPI_COMM_WORLD, 2);
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

/* Finds the variables of "NAME=NUMBER,NAME=NUMBER". Returns false if one does not exist or is no
 * single number. */
static bool read_set(const char *set, struct trial *trial)
{
    char name[256];
    int value, taken, index, count;
    while (sscanf(set, "%255[^=]=%d%n", name, &value, &taken) == 2) {
        struct setting *setting = &trial->setting[trial->setting_count];
        if (trial->setting_count == SETTINGS_MOST ||
            MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
            MPI_T_cvar_handle_alloc(index, NULL, &setting->handle, &count) != MPI_SUCCESS ||
            count != 1 || MPI_T_cvar_read(setting->handle, &setting->first) != MPI_SUCCESS)
            return false;
        setting->value = value;
        trial->setting_count++;
        set += taken + (set[taken] == ',');
    }
    return true;
}

/* Sets the candidate's variables to its values, or back to those before. Returns false if one of
 * them is refused. */
static bool apply(const struct trial *trial, bool is_on)
{
    bool obeyed = true;
    for (size_t i = 0; i < trial->setting_count; i++) {
        const struct setting *setting = &trial->setting[i];
        const int value = is_on ? setting->value : setting->first;
        int read = !value;
        obeyed &= MPI_T_cvar_write(setting->handle, &value) == MPI_SUCCESS &&
                  MPI_T_cvar_read(setting->handle, &read) == MPI_SUCCESS && read == value;
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

/* Reports the facts that the command needs before it plans. */
static void tell_all(void)
{
    char words[MPI_MAX_LIBRARY_VERSION_STRING], host[MPI_MAX_PROCESSOR_NAME] = "";
    char *hosts = room((size_t)world_size, sizeof host);
    int bytes, count = 0;
    MPI_Get_processor_name(host, &bytes);
    MPI_Gather(host, sizeof host, MPI_CHAR, hosts, sizeof host, MPI_CHAR, 0, control);
    if (world_rank > 0)
        return;
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

static void make_buffers(struct group *group)
{
    MPI_Comm_rank(group->base, &group->rank);
    MPI_Comm_size(group->base, &group->size);
    const size_t size = (size_t)group->size;
    const bool reduced = reduces(group->row);
    group->elements = syn_largest((group->bytes + 7) / 8, (size_t)1);
    group->block = reduced ? group->elements : group->bytes;
    if (group->row == SYN_ROW_REDUCE_SCATTER || group->row == SYN_ROW_REDUCE_SCATTER_BLOCK) {
        group->block = syn_largest(group->elements / size, (size_t)1);
        group->elements = group->block * size;
    }
    group->buffer_bytes = reduced ? group->elements * 8 : syn_largest(group->block * size, size);
    group->send = room(group->buffer_bytes, 1);
    group->receive = room(group->buffer_bytes, 1);
    group->counts = room(2 * size, sizeof *group->counts);
    group->starts = group->counts + size;
    for (size_t i = 0; i < size; i++) {
        group->counts[i] = (int)group->block;
        group->starts[i] = (int)(i * group->block);
    }
    for (size_t i = 0; i < group->buffer_bytes && !reduced; i++)
        group->send[i] = byte_of(group->rank, i);
    for (size_t i = 0; i < group->elements && reduced; i++)
        ((double *)(void *)group->send)[i] = number_of(group->rank, i);
}

static int perform(const struct group *group, MPI_Comm comm)
{
    const int n = (int)group->block, root = group->root, *counts = group->counts;
    const int *starts = group->starts;
    const MPI_Datatype type = reduces(group->row) ? MPI_DOUBLE : MPI_BYTE;
    void *in = group->send, *out = group->receive;
    switch (group->row) {
#define OPERATION(NAME, result, call) \
    case SYN_ROW_##NAME:              \
        return call;
#include "preload/tune/operations.def"
#undef OPERATION
    }
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

/* Clears the receive buffer before an instance whose result is checked; the root of a broadcast
 * sends from it. */
static void clear_receive(const struct group *group)
{
    memset(group->receive, 0, group->buffer_bytes);
    if (group->row == SYN_ROW_BCAST && group->rank == group->root)
        memcpy(group->receive, group->send, group->buffer_bytes);
}

/* Returns whether this rank received the right data: sums over the ranks below `end`, or the
 * blocks that begin at `first` in the data of the ranks from `from` to `end`. */
static bool is_right(const struct group *group)
{
    static const int results[] = {
#define OPERATION(NAME, result, call) [SYN_ROW_##NAME] = (result),
#include "preload/tune/operations.def"
#include "sync/base/compare.h"
#undef OPERATION
    };
    const int result = results[group->row];
    const double *sum = (const double *)(const void *)group->receive;
    const size_t first = result & OWN_BLOCK ? (size_t)group->rank * group->block : 0;
    const int from = result & OF_ROOT ? group->root : 0;
    const int end = result & OF_ROOT     ? from + 1
                    : result & OF_LOWER  ? group->rank
                    : result & UP_TO_OWN ? group->rank + 1
                                         : group->size;
    if (result & NO_DATA || (result & AT_ROOT && group->rank != group->root))
        return true;
    for (size_t i = 0; i < group->block && reduces(group->row) && end > 0; i++)
        if (sum[i] != (double)end * (end + 1) / 2 * number_of(0, first + i))
            return false;
    for (int r = from; r < end && !reduces(group->row); r++)
        for (size_t i = 0; i < group->block; i++)
            if (group->receive[(size_t)(r - from) * group->block + i] != byte_of(r, first + i))
                return false;
    return true;
}

/* ---- blocks ---- */

/* The plan of a block, made by rank 0. */
struct block {
    int64_t start_ns, window_ns, count, row_count;
    int64_t arrival[BLOCK_INSTANCES]; /* numbers of the patterns */
};

/* Reports an event of a candidate at once, so that the command knows the candidate if the program
 * ends there. */
static void tell(char what, const struct trial *trial)
{
    if (world_rank == 0) {
        printf("%c\t%zu\t%zu\n", what, trial->group->number, trial->number);
        fflush(stdout);
    }
}

/* Excludes a candidate if `mine` is false on any rank. */
static void put_out_unless(bool mine, char what, struct trial *trial)
{
    int here = mine, all = 0;
    MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_LAND, control);
    trial->is_out |= !all;
    if (!all)
        tell(what, trial);
}

static struct block plan_block(const struct trial *trial)
{
    const struct group *group = trial->group;
    struct block block = {.start_ns = now_ns() + LEAD_NS + 20000 * (int64_t)world_size};
    int64_t span_ns = 0;
    for (size_t i = 0; i < BLOCK_INSTANCES; i++) {
        block.arrival[i] = lrand48() % group->arrival_count;
        for (int r = 0; r < world_size; r++)
            span_ns = syn_largest(span_ns, group->arrival[block.arrival[i] * world_size + r]);
    }
    block.window_ns = span_ns + 2 * (int64_t)trial->longest_ns + 100000;
    block.count = syn_largest(3, syn_least(BLOCK_INSTANCES, BLOCK_NS / block.window_ns));
    block.row_count =
        syn_largest(block.count, (int64_t)fmin(ROW_INSTANCES, ROW_NS / fmax(trial->row_ns, 1)));
    return block;
}

/* Makes one block of a candidate, with a row of calls at its end. Rank 0 tells the ranks when the
 * instances of the block begin. The receive buffer is cleared before each instance up to the first
 * call of the row, and checked after the row. Rank 0 gets the worst lateness, the mean operation
 * time of the communicators that run in parallel, and the ranks' mean time inside. The first half
 * of the row is not counted, because it finds the caches as the block's instances left them. */
static void make_block(struct trial *trial)
{
    const struct group *group = trial->group;
    enum { MOST = BLOCK_INSTANCES + ROW_INSTANCES };
    struct block block = {0};
    double late[MOST] = {0}, worst[MOST], own[2 * MOST], last[2 * MOST]; /* entries, then exits */
    double sum[2 * MOST + 2] = {0}, all[2 * MOST + 2], longest = 0, row = 0;
    bool failed = false;
    tell('S', trial);
    if (world_rank == 0)
        block = plan_block(trial);
    MPI_Bcast(&block, sizeof block, MPI_BYTE, 0, control);
    const int planned = (int)block.count, count = planned + (int)block.row_count;
    double *inside = sum, *operation = sum + count, *members = sum + 2 * count;
    apply(trial, true);
    for (int i = 0; i < count && group->base != MPI_COMM_NULL && !failed; i++) {
        if (i <= planned)
            clear_receive(group);
        const int64_t planned_ns =
            i < planned ? block.start_ns + i * block.window_ns +
                              group->arrival[block.arrival[i] * world_size + world_rank]
                        : now_ns();
        wait_until(planned_ns);
        const int64_t entry_ns = now_ns();
        failed = perform(group, trial->comm) != MPI_SUCCESS;
        const int64_t exit_ns = now_ns();
        late[i] = (double)(entry_ns - planned_ns);
        own[i] = (double)(entry_ns - block.start_ns);
        own[count + i] = (double)(exit_ns - block.start_ns);
        inside[i] = (double)(exit_ns - entry_ns);
    }
    const bool right = group->base == MPI_COMM_NULL || failed || is_right(group);
    apply(trial, false);
    put_out_unless(!failed, 'R', trial);
    if (trial->is_out)
        return;
    put_out_unless(right, 'W', trial);
    if (group->base != MPI_COMM_NULL) {
        MPI_Reduce(own, last, 2 * count, MPI_DOUBLE, MPI_MAX, 0, group->base);
        for (int i = 0; i < count && group->rank == 0; i++)
            operation[i] = last[count + i] - last[i];
        members[0] = 1;
        members[1] = group->rank == 0;
    }
    MPI_Reduce(sum, all, 2 * count + 2, MPI_DOUBLE, MPI_SUM, 0, control);
    MPI_Reduce(late, worst, count, MPI_DOUBLE, MPI_MAX, 0, control);
    const int row_begin = planned + (count - planned) / 2;
    for (int i = 0; i < count && world_rank == 0; i = i + 1 == planned ? row_begin : i + 1) {
        if (SYN_ROOM(trial->instance, trial->capacity, trial->count) != SYN_OK)
            MPI_Abort(MPI_COMM_WORLD, 2);
        const double operation_ns = all[count + i] / all[2 * count + 1];
        trial->instance[trial->count++] =
            (struct instance){worst[i], operation_ns, all[i] / all[2 * count], i >= planned};
        longest = fmax(longest, operation_ns);
        row += i < planned ? 0 : operation_ns / (count - row_begin);
    }
    trial->longest_ns = fmin(longest, BLOCK_NS);
    trial->row_ns = row;
}

/* Makes rounds. In each round every candidate of every group has a block, in a random order that is
 * the same on all ranks. */
static void make_rounds(const struct plan *plan)
{
    unsigned short order[3] = {1, 2, (unsigned short)plan->seed};
    const double begun = MPI_Wtime();
    int goes_on = true;
    for (int round = 0; goes_on; round++) {
        for (size_t i = plan->count; i > 0; i--) {
            const size_t j = (size_t)nrand48(order) % i;
            const struct trial drawn = plan->trial[j];
            plan->trial[j] = plan->trial[i - 1];
            plan->trial[i - 1] = drawn;
            if (!drawn.is_out)
                make_block(&plan->trial[i - 1]);
        }
        goes_on = round < 2 || (MPI_Wtime() - begun) * 1e3 < (double)plan->milliseconds;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, control);
    }
}

/* ---- what is told ---- */

SYN_ORDER(compare_numbers, double, SYN_UP_ITSELF)

static double median_of(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare_numbers);
    return n == 0 ? 0 : (x[(n - 1) / 2] + x[n / 2]) / 2;
}

/* Reports a candidate's medians. Instances count up to a lateness of LATE_NS, or of the median
 * lateness if that is larger. */
static void tell_trial(const struct trial *trial)
{
    double *values = room(3 * trial->count, sizeof *values), *inside = values + trial->count,
           *rows = inside + trial->count;
    size_t planned = 0, kept = 0, in_row = 0;
    for (size_t i = 0; i < trial->count; i++)
        if (!trial->instance[i].in_row)
            values[planned++] = trial->instance[i].late;
    const double latest = fmax(LATE_NS, median_of(values, planned));
    for (size_t i = 0; i < trial->count; i++)
        if (trial->instance[i].in_row)
            rows[in_row++] = trial->instance[i].operation;
        else if (trial->instance[i].late <= latest) {
            values[kept] = trial->instance[i].operation;
            inside[kept++] = trial->instance[i].inside;
        }
    if (kept >= KEPT_LEAST)
        printf("B\t%zu\t%zu\t%zu\t%zu\t%.0f\t%.0f\t%.0f\n", trial->group->number, trial->number,
               kept, planned - kept, median_of(values, kept), median_of(inside, kept),
               median_of(rows, in_row));
    free(values);
}

/* ---- reading the plan ---- */

/* Duplicates the group's communicator while the candidate's variables are set. */
static void begin_trial(const char *set, struct trial *trial)
{
    tell('S', trial);
    const bool obeyed = read_set(set, trial) && apply(trial, true);
    if (trial->group->base != MPI_COMM_NULL) {
        MPI_Comm_dup(trial->group->base, &trial->comm);
        MPI_Comm_set_errhandler(trial->comm, MPI_ERRORS_RETURN);
    }
    apply(trial, false);
    put_out_unless(obeyed, 'R', trial);
}

/* Reads a group and its candidates, and makes their communicators. */
static void begin_group(char **at, struct plan *plan)
{
    struct group *group = room(1, sizeof *group);
    int64_t color = -1, key = 0;
    group->number = (size_t)number(at);
    group->row = (int)number(at);
    group->root = (int)number(at);
    group->bytes = (size_t)number(at);
    const double expected_ns = (double)number(at);
    group->arrival_count = number(at);
    int64_t left = number(at);
    const size_t arrivals = (size_t)(group->arrival_count * world_size);
    group->arrival = room(arrivals, sizeof *group->arrival);
    for (int r = 0; r < world_size; r++) {
        const int64_t of_rank = number(at), rank = number(at);
        color = r == world_rank ? of_rank : color;
        key = r == world_rank ? rank : key;
    }
    for (size_t i = 0; i < arrivals; i++)
        group->arrival[i] = number(at);
    MPI_Comm_split(control, color < 0 ? MPI_UNDEFINED : (int)color, (int)key, &group->base);
    if (group->base != MPI_COMM_NULL)
        make_buffers(group);
    for (; left > 0; left--) {
        if (SYN_ROOM(plan->trial, plan->capacity, plan->count) != SYN_OK)
            MPI_Abort(MPI_COMM_WORLD, 2);
        struct trial *trial = &plan->trial[plan->count++];
        *trial = (struct trial){.group = group, .longest_ns = expected_ns, .row_ns = expected_ns};
        trial->number = (size_t)number(at);
        begin_trial(strsep(at, "\n") + 1, trial);
    }
}

/* Returns the plan, which rank 0 reads and sends to all ranks. */
static struct plan begin_plan(void)
{
    struct plan plan = {0};
    size_t capacity = 0;
    char *text = NULL;
    int bytes = world_rank == 0 ? (int)getdelim(&text, &capacity, '\0', stdin) + 1 : 0;
    MPI_Bcast(&bytes, 1, MPI_INT, 0, control);
    if (bytes == 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    text = world_rank == 0 ? text : room((size_t)bytes, 1);
    MPI_Bcast(text, bytes, MPI_CHAR, 0, control);
    const int64_t ranks = number(&text);
    plan.milliseconds = number(&text);
    plan.seed = number(&text);
    text += strspn(text, "\n");
    if (*text && ranks != world_size)
        MPI_Abort(MPI_COMM_WORLD, 2);
    while (*text)
        begin_group(&text, &plan);
    return plan;
}

/* ---- all of it ---- */

int main(int argc, char **argv)
{
    int provided;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS ||
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return 2;
    MPI_Comm_dup(MPI_COMM_WORLD, &control);
    MPI_Comm_rank(control, &world_rank);
    MPI_Comm_size(control, &world_size);
    const struct plan plan = begin_plan();
    if (plan.count == 0)
        tell_all();
    else {
        start_clocks();
        srand48(plan.seed);
        make_rounds(&plan);
    }
    for (size_t i = 0; i < plan.count && world_rank == 0; i++)
        tell_trial(&plan.trial[i]);
    fflush(stdout);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
