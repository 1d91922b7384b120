/* tests/bench/make_trace.c - a trace out of nothing, with a known truth, for tests and for
 * measuring the analysis.
 *
 *     make_trace DIR [ranks=4] [events=10000] [groups=4] [late=-1] [late_ns=5000] [late_share=1]
 * [seed=1] [median_ns=4000] [bound_ns=20] [knots=1] [wander=0] [run=1] [rooted=0]
 * [split=0] [slow=1] [unknown_clock=0] [newer=0] [slow_group=-1] [run_effect=0] [site_shift=0]
 * [warmup=0] [sockets=0] [paused=0] [slow_rank=-1] [interval_ns=0] [messages_ns=0] [off_ns=0]
 * [off_share=0.01] [samples_ns=0] [lost_share=0] [clock_ratio=1] [twice=-1] [threads=1]
 * [dealt=0] [jump_at=0] [jump_ratio=1] [fall=1] [eager=0] [nonblocking=0] [hidden_ns=0]
 * [processors=0] [drawn=0] [blocking_share=0.3] [carried=0] [comms=1] [hung=0]
 * [program=0] [bytes=1024] [work_ns=10000] [finalize_ns=0] [unnamed=0] [init_ns=1000000]
 * [meetings=1]
 *
 * `events` is summed over the ranks. Instance i belongs to group i mod groups; a group has its own
 * call site and size. Every rank starts a jitter after the instance's beginning, rank `late`
 * another late_ns in a share of the instances; all leave a lognormal time after the last start,
 * each with a jitter of its own: so no causality is hurt and the spread, the operation and the last
 * rank are known. `split` adds two communicators of the even and the odd ranks (2: all but the
 * first instance is on them; 3: all but the first and the last). `slow` scales the operation, of
 * `slow_group` only where that is given, on `slow_rank` alone where that is. `run_effect` scales a
 * whole run's operations by a lognormal factor of that sigma, other for each group. `site_shift`
 * moves all call sites. The first `warmup` operations of each group take three times as long; those
 * from the `jump_at`-th on `jump_ratio` times, and each a little more or less than the one before,
 * so that the last takes `fall` times as long as the first. `sockets` divides the four ranks of a
 * node among so many. In every `paused`-th instance the profiler paused for 1 ms in the last rank's
 * call. The clocks were compared `knots` times, every 40 ms, if more than once now and then with a
 * bound half as wide again or twice as wide, and wander in between; none is off. With `interval_ns`
 * the trace says what recording cost, and that so much of each measured time is the measuring.
 * With `init_ns=0` it does not say what MPI_Init took longer. With `messages_ns` every rank spends
 * a lognormal time around that in messages before each instance; with `off_ns` rank `late` sleeps
 * so long before a share `off_share` of them, which the samples show that every rank takes as soon
 * as `samples_ns` have passed since its last one. They also show that others had its processor for
 * `lost_share` of the time, and that its clock ran at `clock_ratio` of the others' 3 GHz. The calls
 * of instance `twice` and the one after it have the same number. The first of two `threads` makes
 * the first half of the calls that are written at once (no notes then); with `dealt` any of the
 * `threads` makes each. With `eager` broadcasts
 * (`rooted`) wait for rank 0 alone, and every fourth group reduces to rank 0, where nobody else
 * waits. With `carried` the next instance begins when rank 0 has left, and a rank that leaves later
 * starts it later. With `nonblocking` every rank starts so many operations, one after the other,
 * works for `hidden_ns` and a little more, and completes them: all by one call or, every second
 * time, each by its own. With `drawn` the calls are those of drawn_calls.h. A node has so many
 * `processors` (0: not known). Without `split` there are `comms` communicators of all ranks, which
 * instances are on in turns. With `nodes` the ranks' files become that many node files (0: none).
 * A run that `hung` was killed where all ranks but the last were inside one more barrier; in the
 * third instance the last rank called another operation. With `finalize_ns` rank `late`, or rank 0,
 * enters MPI_Finalize so much later than the others, and traces say when each did.
 * With a `program` the calls are those of message_calls.h: `events` counts its steps, a message has
 * so many `bytes`, its transfer takes `median_ns`, a step `work_ns`, of rank `late` another
 * late_ns; without `meetings` its ranks make no collective. The calls of group 0 have the id of the
 * operation `unnamed`, which this version need not know. Equal arguments give equal traces but for
 * the run's id. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drawn_calls.h"
#include "made_comms.h"
#include "message_calls.h"
#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "tests/unit/trace/pack_node.h"
#include "trace/base/frame.h"
#include "trace/base/open_line.h"
#include "trace/base/ops.h"
#include "trace/base/sections.h"
#include "trace/directory/manifest.h"
#include "trace/events/notes.h"
#include "trace/write/writer.h"

#define BATCH         65536
#define RANKS_AT_ONCE 1024 /* whose files are written by one process: each has its compressor */
#define AT_ONCE       4    /* such processes */
#define KNOT_NS       INT64_C(40000000)
#define NOTES_MAX     2 /* that an event comes with */
#define EPOCH_UNIX_NS INT64_C(1790000000000000000)
#define BEGIN_NS      INT64_C(1000000) /* of the run, in global time */

struct plan {
    const char *directory;
    double ranks, events, groups, late, late_ns, late_share, seed, median_ns, bound_ns, knots,
        wander, run, rooted, split, slow, unknown_clock, newer, slow_group, run_effect, site_shift,
        warmup, sockets, paused, slow_rank, interval_ns, messages_ns, off_ns, off_share, samples_ns,
        lost_share, clock_ratio, twice, threads, dealt, jump_at, jump_ratio, fall, eager, nodes,
        nonblocking, hidden_ns, processors, drawn, blocking_share, carried, comms, hung, program,
        bytes, work_ns, finalize_ns, unnamed, init_ns, meetings;
};

struct rank {
    struct syn_writer *writer;
    struct syn_event *events; /* [BATCH + NOTES_MAX]; NULL: another process writes them */
    size_t count;             /* of entries: events and notes */
    size_t note_count;
    uint64_t total;
    struct syn_sample sample; /* the last one */
    int64_t off_ns;           /* slept so far */
    int64_t end_ns;           /* of its last call */
};

struct maker {
    struct plan plan;
    int rank_count;
    struct rank *rank;
    struct syn_event unwritten; /* takes what another process writes */
    int64_t *start_ns;          /* [rank_count], of the instance in hand */
    uint64_t *sequence;         /* of WORLD, the even ranks, the odd ranks; or of each of `comms` */
    int64_t now_ns;
    uint64_t random;
    double *group_factor;    /* [groups], of this run; NULL: 1 */
    uint64_t instance_count; /* made so far */
};

static double uniform(struct maker *maker)
{
    uint64_t x = maker->random += UINT64_C(0x9E3779B97F4A7C15); /* splitmix64 */
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    x ^= x >> 31;
    return ((double)(x >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct maker *maker)
{
    double radius = sqrt(-2 * log(uniform(maker)));
    return radius * cos(2 * M_PI * uniform(maker));
}

static double lognormal(struct maker *maker, double median, double sigma)
{
    return median * exp(sigma * normal(maker));
}

static void check(int status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "make_trace: %s: %s\n", what, syn_status_text(status));
    exit(1);
}

static int parse(int argc, char **argv, struct plan *plan)
{
    struct {
        const char *name;
        double *value;
    } keys[] = {{"ranks", &plan->ranks},
                {"events", &plan->events},
                {"groups", &plan->groups},
                {"late", &plan->late},
                {"late_ns", &plan->late_ns},
                {"late_share", &plan->late_share},
                {"seed", &plan->seed},
                {"median_ns", &plan->median_ns},
                {"bound_ns", &plan->bound_ns},
                {"knots", &plan->knots},
                {"wander", &plan->wander},
                {"run", &plan->run},
                {"rooted", &plan->rooted},
                {"split", &plan->split},
                {"slow", &plan->slow},
                {"unknown_clock", &plan->unknown_clock},
                {"newer", &plan->newer},
                {"slow_group", &plan->slow_group},
                {"run_effect", &plan->run_effect},
                {"site_shift", &plan->site_shift},
                {"paused", &plan->paused},
                {"slow_rank", &plan->slow_rank},
                {"warmup", &plan->warmup},
                {"jump_at", &plan->jump_at},
                {"jump_ratio", &plan->jump_ratio},
                {"fall", &plan->fall},
                {"eager", &plan->eager},
                {"nonblocking", &plan->nonblocking},
                {"hidden_ns", &plan->hidden_ns},
                {"processors", &plan->processors},
                {"drawn", &plan->drawn},
                {"blocking_share", &plan->blocking_share},
                {"carried", &plan->carried},
                {"comms", &plan->comms},
                {"hung", &plan->hung},
                {"program", &plan->program},
                {"bytes", &plan->bytes},
                {"work_ns", &plan->work_ns},
                {"nodes", &plan->nodes},
                {"sockets", &plan->sockets},
                {"interval_ns", &plan->interval_ns},
                {"messages_ns", &plan->messages_ns},
                {"off_ns", &plan->off_ns},
                {"off_share", &plan->off_share},
                {"samples_ns", &plan->samples_ns},
                {"lost_share", &plan->lost_share},
                {"clock_ratio", &plan->clock_ratio},
                {"twice", &plan->twice},
                {"threads", &plan->threads},
                {"dealt", &plan->dealt},
                {"finalize_ns", &plan->finalize_ns},
                {"unnamed", &plan->unnamed},
                {"init_ns", &plan->init_ns},
                {"meetings", &plan->meetings}};
    for (int i = 2; i < argc; i++) {
        size_t k = 0, length = strcspn(argv[i], "=");
        while (k < sizeof keys / sizeof *keys &&
               (strlen(keys[k].name) != length || strncmp(keys[k].name, argv[i], length) != 0))
            k++;
        if (k == sizeof keys / sizeof *keys || argv[i][length] != '=')
            return -1;
        *keys[k].value = strtod(argv[i] + length + 1, NULL);
    }
    plan->directory = argv[1];
    return 0;
}

/* ---- declarations ---- */

/* The cost of recording: a wrapper takes 200 ns with its stack. interval_ns of that lies in the
 * measured interval. */
static void write_costs(const struct maker *maker, struct syn_writer *writer)
{
    char text[32];
    snprintf(text, sizeof text, "%.1f", maker->plan.interval_ns);
    check(syn_writer_meta(writer, "cost.interval_ns", text), "meta");
    check(syn_writer_meta(writer, "cost.call_ns", "180.0"), "meta");
    check(syn_writer_meta(writer, "cost.stack_ns", "20.0"), "meta");
    snprintf(text, sizeof text, "%.0f", maker->plan.init_ns);
    if (maker->plan.init_ns > 0) {
        check(syn_writer_meta(writer, "cost.init_ns", text), "meta");
        check(syn_writer_meta(writer, "cost.init.host_ns", "300000"), "meta");
        check(syn_writer_meta(writer, "cost.init.clock_ns", "600000"), "meta");
    }
    check(syn_writer_meta(writer, "cost.finalize_ns", "2000000"), "meta");
    check(syn_writer_meta(writer, "cost.pause_count", "2"), "meta");
    check(syn_writer_meta(writer, "cost.pauses_ns", "100000"), "meta");
    check(syn_writer_meta(writer, "cost.longest_pause_ns", "70000"), "meta");
}

static void write_metas(struct maker *maker, struct syn_writer *writer, int rank)
{
    char text[64];
    snprintf(text, sizeof text, "node%02d", rank / 4);
    check(syn_writer_meta(writer, "host.name", text), "meta");
    snprintf(text, sizeof text, "%d", rank % 4);
    check(syn_writer_meta(writer, "rank.core", text), "meta");
    if (maker->plan.sockets > 0) {
        snprintf(text, sizeof text, "%d", rank % 4 * (int)maker->plan.sockets / 4);
        check(syn_writer_meta(writer, "rank.package", text), "meta");
    }
    snprintf(text, sizeof text, "%.0f", maker->plan.processors);
    if (maker->plan.processors > 0)
        check(syn_writer_meta(writer, "host.cpu_count", text), "meta");
    check(syn_writer_meta(writer, "program.path", "/opt/lab/bin/synthetic"), "meta");
    snprintf(text, sizeof text, "--seed %.0f", maker->plan.seed);
    check(syn_writer_meta(writer, "program.args", text), "meta");
    check(syn_writer_meta(writer, "mpi.name", "Synthetic MPI 1.0"), "meta");
    check(syn_writer_meta(writer, "sync.method", "auto"), "meta");
    if (maker->plan.interval_ns > 0)
        write_costs(maker, writer);
    if (maker->plan.messages_ns > 0 || maker->plan.program > 0)
        check(syn_writer_meta(writer, "messages.recorded",
                              maker->plan.program > 0 ? "events" : "yes"),
              "meta");
    snprintf(text, sizeof text, "%.0f", maker->plan.messages_ns);
    if (maker->plan.messages_ns > 0 && maker->plan.events == 0) /* no event says it */
        check(syn_writer_meta(writer, "messages.sum_ns", text), "meta");
    snprintf(text, sizeof text, "%.0f", maker->plan.samples_ns);
    if (maker->plan.samples_ns > 0)
        check(syn_writer_meta(writer, "sample.interval_ns", text), "meta");
}

/* Several of all ranks, not parts? */
static bool has_copies(const struct plan *plan)
{
    return plan->comms > 1 && plan->split == 0 && plan->drawn == 0;
}

static void write_comms(const struct maker *maker, struct syn_writer *writer, int rank)
{
    const struct plan *plan = &maker->plan;
    const uint32_t parted = plan->drawn != 0 ? DRAWN_COMMS : plan->split != 0 ? 2 : 1;
    const struct made_comms comms = {.count = has_copies(plan) ? (uint32_t)plan->comms : parted,
                                     .copies = has_copies(plan),
                                     .rank_count = maker->rank_count};
    check(made_comms_write(&comms, writer, rank), "communicator");
}

static void write_stacks(struct maker *maker, struct syn_writer *writer)
{
    static const uint8_t build_id[20] = {1, 2, 3, 4};
    struct syn_module_record module = {0, "/opt/lab/bin/synthetic", build_id, sizeof build_id};
    check(syn_writer_module(writer, &module), "module");
    const uint32_t count = maker->plan.drawn != 0 ? DRAWN_STACKS : (uint32_t)maker->plan.groups;
    for (uint32_t i = 0; i < count; i++) {
        struct syn_frame frame = {0,
                                  0x1000 + 0x40 * (uint64_t)i + (uint64_t)maker->plan.site_shift};
        struct syn_stack_record stack = {i, 1, &frame};
        check(syn_writer_stack(writer, &stack), "stack");
    }
}

static void write_clock(struct maker *maker, struct syn_writer *writer, int rank,
                        struct syn_timeline *timeline)
{
    struct syn_sync_quality quality = {.begin_ns = 12000000,
                                       .end_ns = 3000000,
                                       .message_count = 1000,
                                       .round_count = 2,
                                       .group_size = 1,
                                       .reference_rank = rank ? 0 : -1,
                                       .half_width_ns = rank ? (int64_t)maker->plan.bound_ns : 0};
    syn_timeline_init(timeline);
    for (int i = 0; i < (int)maker->plan.knots && maker->plan.unknown_clock == 0; i++) {
        const int worse = maker->plan.knots > 1 ? (rank + i) % 3 : 0;
        const struct syn_knot knot = {i * KNOT_NS, 0, quality.half_width_ns * (2 + worse) / 2};
        check(syn_timeline_add(timeline, knot), "timeline");
    }
    timeline->wander = rank ? maker->plan.wander : 0;
    check(syn_writer_clock(writer, timeline, NULL, 0, &quality), "clock");
}

static void open_rank(struct maker *maker, int rank, const struct syn_writer_identity *identity)
{
    /* a tick is a nanosecond */
    struct syn_tick_source ticks = {.kind = SYN_CLOCK_TSC, .multiplier = UINT64_C(1) << 32};
    struct rank *out = &maker->rank[rank];
    struct syn_sink sink;
    char path[4096];
    syn_rank_path(path, sizeof path, maker->plan.directory, rank);
    check(syn_sink_file(path, &sink), path);
    check(syn_writer_open(sink, identity, 1, &ticks, &out->writer), path);
    out->events = malloc((BATCH + NOTES_MAX) * sizeof *out->events);
    if (!out->events)
        check(SYN_ENOMEM, path);
    write_metas(maker, out->writer, rank);
    write_comms(maker, out->writer, rank);
    write_stacks(maker, out->writer);
}

/* ---- events ---- */

/* Thread of a rank's i-th entry. */
static uint32_t thread_of(const struct maker *maker, int rank, size_t i)
{
    const struct rank *out = &maker->rank[rank];
    const uint32_t threads = (uint32_t)maker->plan.threads;
    if (maker->plan.dealt > 0)
        return (uint32_t)(syn_hash_word(out->total + i + ((uint64_t)rank << 40)) >> 40) % threads;
    return threads > 1 && i >= out->count / 2;
}

static void write_threads(struct maker *maker, int rank, const struct syn_timeline *timeline)
{
    struct rank *out = &maker->rank[rank];
    struct syn_event *own = malloc((out->count + 1) * sizeof *own);
    check(own ? SYN_OK : SYN_ENOMEM, "events");
    for (uint32_t thread = 0; thread < (uint32_t)maker->plan.threads; thread++) {
        size_t count = 0;
        for (size_t i = 0; i < out->count; i++)
            if (thread_of(maker, rank, i) == thread)
                own[count++] = out->events[i];
        check(syn_writer_entries(out->writer, thread, own, count, 0, timeline), "events");
    }
    free(own);
}

static void flush(struct maker *maker, int rank)
{
    struct rank *out = &maker->rank[rank];
    struct syn_timeline timeline;
    write_clock(maker, out->writer, rank, &timeline);
    if (maker->plan.threads > 1)
        write_threads(maker, rank, &timeline);
    else
        check(
            syn_writer_entries(out->writer, 0, out->events, out->count, out->note_count, &timeline),
            "events");
    syn_timeline_free(&timeline);
    out->total += out->count - out->note_count;
    out->count = out->note_count = 0;
}

/* Returns the place of the next entry; a dummy for ranks that this process does not write. */
static struct syn_event *add_entry(struct maker *maker, struct rank *rank)
{
    return rank->events ? &rank->events[rank->count++] : &maker->unwritten;
}

static void add_note(struct maker *maker, struct rank *rank, struct syn_event note)
{
    *add_entry(maker, rank) = note;
    rank->note_count += rank->events != NULL;
}

/* Adds messages and time off the processor before rank r's start in an instance. The start moves
 * later by as much. */
static void make_segment(struct maker *maker, int r)
{
    const struct plan *plan = &maker->plan;
    struct rank *out = &maker->rank[r];
    if (plan->messages_ns > 0) {
        int64_t messages_ns = (int64_t)lognormal(maker, plan->messages_ns, 0.3);
        maker->start_ns[r] += messages_ns;
        add_note(maker, out, syn_note_of_messages(messages_ns, 0));
    }
    if (plan->off_ns > 0 && r == (int)plan->late && uniform(maker) < plan->off_share) {
        maker->start_ns[r] += (int64_t)plan->off_ns;
        out->off_ns += (int64_t)plan->off_ns;
    }
}

/* After the end of a call: the processor is the rank's own, but where it sleeps. */
static void make_sample(struct maker *maker, int r, int64_t end_ns)
{
    struct rank *out = &maker->rank[r];
    struct syn_sample *sample = &out->sample;
    if (maker->plan.samples_ns <= 0 ||
        (sample->has && end_ns - sample->time < maker->plan.samples_ns))
        return;
    *sample = (struct syn_sample){.time = end_ns + 300,
                                  .cpu_ns = (uint64_t)(end_ns + 300 - out->off_ns),
                                  .voluntary_switches = (uint32_t)(out->off_ns > 0),
                                  .processor = r % 4,
                                  .has = SYN_SAMPLE_HAS_USAGE};
    if (maker->plan.lost_share > 0) {
        const double lost = r == (int)maker->plan.late ? maker->plan.lost_share : 0.001;
        sample->run_delay_ns = (uint64_t)(lost * (double)end_ns);
        sample->involuntary_switches = (uint32_t)(lost * (double)end_ns / 1e4);
        sample->has |= SYN_SAMPLE_HAS_RUN_DELAY;
    }
    if (maker->plan.clock_ratio != 1) {
        const double ratio = r == (int)maker->plan.late ? maker->plan.clock_ratio : 1;
        sample->cycles = (uint64_t)(3 * ratio * (double)sample->cpu_ns);
        sample->instructions = 2 * sample->cpu_ns;
        sample->has |= SYN_SAMPLE_HAS_COUNTERS;
    }
    add_note(maker, out, syn_note_of_sample(sample));
}

/* Operation of a group. A few operations and sizes are enough for a report to show something. */
static uint16_t op_of(const struct maker *maker, uint32_t group)
{
    static const uint16_t ops[] = {SYN_OP_BLOCKING(ALLREDUCE), SYN_OP_BLOCKING(BARRIER),
                                   SYN_OP_BLOCKING(ALLTOALL), SYN_OP_BLOCKING(ALLGATHER)};
    if (maker->plan.unnamed != 0 && group == 0)
        return (uint16_t)maker->plan.unnamed;
    if (maker->plan.rooted != 0 && group % 4 == 3)
        return SYN_OP_BLOCKING(BCAST);
    if (maker->plan.eager != 0 && group % 4 == 2)
        return SYN_OP_BLOCKING(REDUCE);
    return ops[group % 4];
}

static void make_starts(struct maker *maker, int first, int step)
{
    const struct plan *plan = &maker->plan;
    bool late = uniform(maker) < plan->late_share;
    for (int r = first; r < maker->rank_count; r += step) {
        maker->start_ns[r] = maker->now_ns + (int64_t)(uniform(maker) * 1000);
        if (late && r == (int)plan->late)
            maker->start_ns[r] += (int64_t)plan->late_ns;
        if (plan->carried != 0 && maker->start_ns[r] < maker->rank[r].end_ns)
            maker->start_ns[r] = maker->rank[r].end_ns;
        make_segment(maker, r);
    }
}

static double slowness_of(const struct plan *plan, uint32_t group)
{
    return plan->slow_group < 0 || group == (uint32_t)plan->slow_group ? plan->slow : 1;
}

/* Factor on the durations of operations at this moment, compared with the beginning of the run. */
static double change_of(const struct maker *maker)
{
    const struct plan *plan = &maker->plan;
    double at = (double)maker->instance_count, all = plan->events / (double)maker->rank_count;
    bool jumped = plan->jump_at > 0 && at >= plan->jump_at * plan->groups;
    return (jumped ? plan->jump_ratio : 1) * pow(plan->fall, at / all);
}

/* Factor on the durations of a group's operations in this run. */
static double factor_of(const struct maker *maker, uint32_t group)
{
    const struct plan *plan = &maker->plan;
    double cold = (double)maker->instance_count < plan->warmup * plan->groups ? 3 : 1;
    double slow = plan->slow_rank < 0 ? slowness_of(plan, group) : 1;
    return cold * slow * change_of(maker) * (maker->group_factor ? maker->group_factor[group] : 1);
}

/* Drawn from numbers of their own, so that a trace without the effect stays what it was. */
static void draw_run_effect(struct maker *maker)
{
    struct maker dice = {.random = maker->random ^ UINT64_C(0x5DEECE66D)};
    size_t count = (size_t)maker->plan.groups;
    if (maker->plan.run_effect == 0)
        return;
    maker->group_factor = malloc(count * sizeof *maker->group_factor);
    for (size_t g = 0; g < count && maker->group_factor; g++)
        maker->group_factor[g] = lognormal(&dice, 1, maker->plan.run_effect);
    if (!maker->group_factor)
        check(SYN_ENOMEM, "run effect");
}

static bool pauses(const struct maker *maker)
{
    uint64_t every = (uint64_t)maker->plan.paused;
    return every > 0 && maker->sequence[0] % every == every - 1;
}

/* Whom rank `r` of an instance waits for: when that one came. */
static int64_t due_of(const struct maker *maker, uint16_t op, int r, int64_t last_ns)
{
    const int64_t own_ns = maker->start_ns[r], root_ns = maker->start_ns[0];
    if (maker->plan.eager != 0 && op == SYN_OP_BLOCKING(BCAST))
        return own_ns > root_ns ? own_ns : root_ns;
    if (op == SYN_OP_BLOCKING(REDUCE) && r != 0)
        return own_ns;
    return last_ns;
}

static void make_instance(struct maker *maker, uint32_t group, uint32_t comm, int first, int step)
{
    uint16_t op = op_of(maker, group);
    int64_t last_ns = INT64_MIN, end_ns = 0;
    make_starts(maker, first, step);
    for (int r = first; r < maker->rank_count; r += step)
        last_ns = maker->start_ns[r] > last_ns ? maker->start_ns[r] : last_ns;
    double operation_ns =
        lognormal(maker, maker->plan.median_ns * factor_of(maker, group) * (1 + group % 3), 0.3);
    for (int r = first; r < maker->rank_count; r += step) {
        struct rank *out = &maker->rank[r];
        struct syn_event *event = add_entry(maker, out);
        bool rooted = op == SYN_OP_BLOCKING(BCAST) || op == SYN_OP_BLOCKING(REDUCE);
        double own_ns = operation_ns;
        if (r == (int)maker->plan.slow_rank)
            own_ns *= slowness_of(&maker->plan, group);
        int64_t end =
            due_of(maker, op, r, last_ns) + (int64_t)own_ns + (int64_t)(uniform(maker) * 200);
        *event = (struct syn_event){
            .start_ticks = maker->start_ns[r],
            .end_ticks = end,
            .call_end_ticks = end,
            .wait_start_ticks = maker->start_ns[r],
            .bytes = op == SYN_OP_BLOCKING(BARRIER) ? 0 : UINT64_C(8) << (group % 12),
            .sequence = maker->sequence[comm],
            .comm = has_copies(&maker->plan) ? comm : comm != 0,
            .stack = group,
            .root = rooted ? 0 : -1,
            .op = op};
        if (maker->plan.hung != 0 && r + 1 == maker->rank_count && maker->sequence[comm] == 2)
            event->op = SYN_OP_BLOCKING(ALLGATHER);
        if (pauses(maker) && r + step >= maker->rank_count) {
            event->flags = SYN_EVENT_PERTURBED;
            end = event->end_ticks = event->call_end_ticks = end + 1000000;
        }
        out->end_ns = end;
        end_ns = end > end_ns ? end : end_ns;
        make_sample(maker, r, end);
        if (out->count >= BATCH)
            flush(maker, r);
    }
    if (maker->plan.twice < 0 || maker->instance_count != (uint64_t)maker->plan.twice)
        maker->sequence[comm]++;
    if (maker->plan.carried != 0)
        end_ns = maker->rank[first].end_ns;
    maker->now_ns = end_ns + (int64_t)lognormal(maker, 2000, 0.5);
}

/* ---- nonblocking operations ---- */

/* Several that a rank starts one after the other, and completes later. */
struct batch {
    uint64_t first; /* instance */
    uint32_t count;
    bool at_once;    /* by one call */
    int64_t last_ns; /* when the last rank has started the first; the others follow alike */
};
#define START_NS 200 /* in a call that starts one, */
#define NEXT_NS  300 /*   and to the next such call */

/* When rank r begins to complete the k-th, and when that is over. */
static int64_t complete_one(struct maker *maker, const struct batch *batch, uint32_t k,
                            int64_t wait_ns)
{
    const uint32_t last = batch->at_once ? batch->count - 1 : k;
    const int64_t done_ns = batch->last_ns + last * NEXT_NS + (int64_t)maker->plan.median_ns;
    return (wait_ns > done_ns ? wait_ns : done_ns) + 100 + (int64_t)(uniform(maker) * 200);
}

/* Returns when rank r has completed the last of them. */
static int64_t make_batch_of(struct maker *maker, const struct batch *batch, int r)
{
    struct rank *out = &maker->rank[r];
    int64_t wait_ns = maker->start_ns[r] + (batch->count - 1) * NEXT_NS + START_NS +
                      (int64_t)(maker->plan.hidden_ns + lognormal(maker, 500, 0.5));
    int64_t end_ns = complete_one(maker, batch, 0, wait_ns);
    for (uint32_t k = 0; k < batch->count; k++) {
        const int64_t start_ns = maker->start_ns[r] + k * NEXT_NS;
        if (k > 0 && !batch->at_once) {
            wait_ns = end_ns + 100;
            end_ns = complete_one(maker, batch, k, wait_ns);
        }
        *add_entry(maker, out) = (struct syn_event){
            .start_ticks = start_ns,
            .end_ticks = end_ns,
            .call_end_ticks = start_ns + START_NS,
            .wait_start_ticks = wait_ns,
            .bytes = 8,
            .sequence = maker->sequence[0] + k,
            .stack = (uint32_t)((batch->first + k) % (uint64_t)maker->plan.groups),
            .root = -1,
            .op = syn_op_id(SYN_ROW_ALLREDUCE, SYN_FORM_NONBLOCKING)};
        if (out->count >= BATCH)
            flush(maker, r);
    }
    return end_ns;
}

static void make_batch(struct maker *maker, uint64_t first, uint64_t left)
{
    struct batch batch = {.first = first, .last_ns = INT64_MIN};
    const uint64_t most = (uint64_t)maker->plan.nonblocking;
    int64_t end_ns = 0;
    batch.count = (uint32_t)(left < most ? left : most);
    batch.at_once = first / most % 2 == 0;
    make_starts(maker, 0, 1);
    for (int r = 0; r < maker->rank_count; r++)
        batch.last_ns = maker->start_ns[r] > batch.last_ns ? maker->start_ns[r] : batch.last_ns;
    for (int r = 0; r < maker->rank_count; r++) {
        const int64_t own_end_ns = make_batch_of(maker, &batch, r);
        end_ns = own_end_ns > end_ns ? own_end_ns : end_ns;
    }
    maker->sequence[0] += batch.count;
    maker->now_ns = end_ns + (int64_t)lognormal(maker, 2000, 0.5);
}

static void make_batches(struct maker *maker, uint64_t count)
{
    const uint64_t each = (uint64_t)maker->plan.nonblocking;
    for (uint64_t i = 0; i < count; i += each)
        make_batch(maker, i, count - i);
}

/* ---- drawn ones ---- */

static void write_drawn(void *context, int rank, const struct syn_event *event, int64_t messages_ns,
                        int64_t wait_messages_ns)
{
    struct maker *maker = context;
    struct rank *out = &maker->rank[rank];
    if (messages_ns > 0 || wait_messages_ns > 0)
        add_note(maker, out, syn_note_of_messages(messages_ns, wait_messages_ns));
    *add_entry(maker, out) = *event;
    if (out->count >= BATCH)
        flush(maker, rank);
}

static void make_drawn(struct maker *maker, uint64_t count)
{
    const struct plan *plan = &maker->plan;
    const struct drawn_plan drawn = {.rank_count = maker->rank_count,
                                     .calls = count,
                                     .seed = maker->random,
                                     .median_ns = plan->median_ns,
                                     .messages_ns = plan->messages_ns,
                                     .blocking_share = plan->blocking_share};
    maker->now_ns =
        maker->rank_count <= DRAWN_RANKS_MOST ? drawn_calls(&drawn, write_drawn, maker) : -1;
    check(maker->now_ns < 0 ? SYN_EINVAL : SYN_OK, "drawn calls");
}

/* ---- messages ---- */

static void write_message(void *context, int rank, const struct syn_event *event)
{
    write_drawn(context, rank, event, 0, 0);
}

static void make_program(struct maker *maker)
{
    const struct plan *plan = &maker->plan;
    const struct message_plan program = {.program = (int)plan->program,
                                         .rank_count = maker->rank_count,
                                         .steps = (uint64_t)plan->events,
                                         .seed = maker->random,
                                         .bytes = (uint64_t)plan->bytes,
                                         .late = (int)plan->late,
                                         .work_ns = plan->work_ns,
                                         .late_ns = plan->late_ns,
                                         .transfer_ns = plan->median_ns,
                                         .meets = plan->meetings != 0,
                                         .begin_ns = BEGIN_NS};
    maker->now_ns = message_calls(&program, write_message, maker);
    check(maker->now_ns < 0 ? SYN_EINVAL : SYN_OK, "messages");
}

static void make_events(struct maker *maker)
{
    uint64_t count = (uint64_t)(maker->plan.events / maker->rank_count);
    uint32_t group_count = (uint32_t)maker->plan.groups;
    maker->now_ns = BEGIN_NS;
    if (maker->plan.program > 0) {
        make_program(maker);
        return;
    }
    if (maker->plan.drawn != 0) {
        make_drawn(maker, count);
        return;
    }
    if (maker->plan.nonblocking > 0) {
        make_batches(maker, count);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint32_t group = (uint32_t)(i % group_count);
        maker->instance_count = i;
        bool often = i % 3 == 2 || (maker->plan.split > 1 && i > 0);
        often &= maker->plan.split < 3 || i + 1 < count;
        bool split = maker->plan.split != 0 && maker->rank_count > 1 && often;
        if (split)
            for (int part = 0; part < 2; part++)
                make_instance(maker, group, (uint32_t)part + 1, part, 2);
        else
            make_instance(
                maker, group,
                has_copies(&maker->plan) ? (uint32_t)(i % (uint64_t)maker->plan.comms) : 0, 0, 1);
    }
}

/* The manifest again, one version later and with a checksum that holds. */
static void make_newer(const char *directory)
{
    char path[4096], text[4096];
    snprintf(path, sizeof path, "%s/" SYN_MANIFEST_NAME, directory);
    FILE *file = fopen(path, "r+");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    char *version = memchr(text, '\n', length), *checksum = NULL;
    text[length] = '\0';
    if (version)
        checksum = strstr(version, "\nchecksum ");
    if (!checksum)
        check(SYN_EDAMAGED, path);
    version[-1] = '0' + SYN_FORMAT_VERSION + 1;
    checksum++;
    sprintf(checksum, "checksum %016llx\n",
            (unsigned long long)syn_hash64(text, (size_t)(checksum - text)));
    rewind(file);
    if (fwrite(text, 1, length, file) != length || fclose(file) != 0)
        check(SYN_EIO, path);
}

/* The call that a rank was inside when the run was killed, or the last rank's last one. */
static void write_open_call(const struct maker *maker, int rank)
{
    const bool is_last = rank + 1 == maker->rank_count;
    struct syn_bytes calls = {0};
    struct syn_open_line line = {.start_ticks = maker->rank[rank].end_ns + (is_last ? -1 : 1000),
                                 .end_ticks = is_last ? maker->rank[rank].end_ns : 0,
                                 .sequence = maker->sequence[0] - is_last,
                                 .stack = 0,
                                 .peer = -1,
                                 .call = SYN_OP_BLOCKING(BARRIER),
                                 .of_op = SYN_OPEN_NO_OP};
    syn_put_open(&calls, 0, &line);
    check(syn_writer_open_calls(maker->rank[rank].writer, &calls, 1), "open calls");
    syn_bytes_free(&calls);
}

/* Rank `late`, or rank 0, enters MPI_Finalize finalize_ns after the others. */
static void write_finalize(const struct maker *maker, struct syn_writer *writer, int rank)
{
    const bool is_late = rank == (int)fmax(0, maker->plan.late);
    char text[32];
    snprintf(text, sizeof text, "%lld",
             (long long)maker->now_ns + (is_late ? (long long)maker->plan.finalize_ns : 0));
    check(syn_writer_meta(writer, SYN_META_FINALIZE_TICKS, text), "meta");
}

static void finish_rank(struct maker *maker, int rank)
{
    struct rank *out = &maker->rank[rank];
    flush(maker, rank);
    struct syn_end_record end = {maker->plan.hung != 0 ? SYN_ENDING_KILLED : SYN_ENDING_FINALIZE,
                                 out->total, 0};
    if (maker->plan.hung != 0)
        write_open_call(maker, rank);
    else if (maker->plan.finalize_ns > 0)
        write_finalize(maker, out->writer, rank);
    check(syn_writer_finish(out->writer, &end), "finish");
    syn_writer_close(out->writer);
    free(out->events);
    out->events = NULL;
}

/* The result of a process that writes the files of ranks `first` to `end` - 1. Every process draws
 * the same events of all ranks. */
struct made {
    uint64_t event_count;
    int64_t now_ns; /* at the end */
};

static struct made make_ranks(struct maker *maker, struct syn_writer_identity *identity, int first,
                              int end)
{
    struct made made = {0};
    for (identity->rank = first; identity->rank < end; identity->rank++)
        open_rank(maker, identity->rank, identity);
    make_events(maker);
    for (int rank = first; rank < end; rank++) {
        finish_rank(maker, rank);
        made.event_count += maker->rank[rank].total;
    }
    made.now_ns = maker->now_ns;
    return made;
}

/* In a process of its own, which tells by the pipe. */
static void start_process(struct maker *maker, struct syn_writer_identity *identity, int first,
                          int report)
{
    const pid_t process = fork();
    if (process > 0)
        return;
    check(process < 0 ? SYN_ENOMEM : SYN_OK, "fork");
    const int end = first + RANKS_AT_ONCE;
    const struct made made =
        make_ranks(maker, identity, first, end < maker->rank_count ? end : maker->rank_count);
    _exit(write(report, &made, sizeof made) != sizeof made);
}

static struct made make_by_processes(struct maker *maker, struct syn_writer_identity *identity)
{
    struct made all = {0};
    int running = 0, ends[2], first = 0;
    check(pipe(ends) == 0 ? SYN_OK : SYN_EIO, "pipe");
    while (running > 0 || first < maker->rank_count) {
        struct made made;
        int status;
        for (; running < AT_ONCE && first < maker->rank_count; first += RANKS_AT_ONCE, running++)
            start_process(maker, identity, first, ends[1]);
        if (wait(&status) < 0 || status != 0 || read(ends[0], &made, sizeof made) != sizeof made)
            check(SYN_EIO, "a process that writes files");
        all.event_count += made.event_count;
        all.now_ns = made.now_ns;
        running--;
    }
    return all;
}

static void make(struct maker *maker, struct syn_writer_identity *identity)
{
    const struct made made = maker->rank_count > RANKS_AT_ONCE
                                 ? make_by_processes(maker, identity)
                                 : make_ranks(maker, identity, 0, maker->rank_count);
    struct syn_manifest manifest = {.size = maker->rank_count,
                                    .written_count = maker->rank_count,
                                    .start_unix_ns = EPOCH_UNIX_NS,
                                    .begin_ns = BEGIN_NS,
                                    .duration_ns =
                                        made.now_ns - BEGIN_NS + (int64_t)maker->plan.finalize_ns,
                                    .event_count = made.event_count};
    memcpy(manifest.run_id, identity->run_id, sizeof manifest.run_id);
    check(syn_manifest_write(maker->plan.directory, &manifest), "manifest");
}

int main(int argc, char **argv)
{
    struct maker maker = {.plan = {.ranks = 4,
                                   .events = 10000,
                                   .groups = 4,
                                   .meetings = 1,
                                   .late = -1,
                                   .late_ns = 5000,
                                   .late_share = 1,
                                   .seed = 1,
                                   .median_ns = 4000,
                                   .bound_ns = 20,
                                   .knots = 1,
                                   .run = 1,
                                   .slow = 1,
                                   .slow_group = -1,
                                   .clock_ratio = 1,
                                   .off_share = 0.01,
                                   .twice = -1,
                                   .blocking_share = 0.3,
                                   .threads = 1,
                                   .comms = 1,
                                   .bytes = 1024,
                                   .work_ns = 10000,
                                   .init_ns = 1000000,
                                   .jump_ratio = 1,
                                   .fall = 1,
                                   .slow_rank = -1}};
    struct syn_writer_identity identity = {.run_id = "synthetic run"};
    if (argc < 2 || parse(argc, argv, &maker.plan)) {
        fprintf(stderr, "usage: make_trace DIR [KEY=NUMBER...] (see tests/bench/make_trace.c)\n");
        return 2;
    }
    maker.rank_count = identity.size = (int)maker.plan.ranks;
    maker.random = (uint64_t)maker.plan.seed * 1000003 + (uint64_t)maker.plan.run;
    draw_run_effect(&maker);
    identity.run_id[15] = (uint8_t)maker.plan.run;
    maker.rank = calloc((size_t)maker.rank_count, sizeof *maker.rank);
    maker.start_ns = calloc((size_t)maker.rank_count, sizeof *maker.start_ns);
    maker.sequence = calloc((size_t)maker.plan.comms + 3, sizeof *maker.sequence);
    if (!maker.rank || !maker.start_ns || !maker.sequence)
        check(SYN_ENOMEM, "start");
    int claim;
    check(syn_trace_claim(maker.plan.directory, &claim), maker.plan.directory);
    syn_trace_release(claim);
    make(&maker, &identity);
    if (maker.plan.nodes > 0)
        check(pack_nodes(maker.plan.directory, maker.rank_count, (int32_t)maker.plan.nodes),
              "node files");
    if (maker.plan.newer != 0)
        make_newer(maker.plan.directory);
    free(maker.group_factor);
    free(maker.rank);
    free(maker.start_ns);
    free(maker.sequence);
    return 0;
}
