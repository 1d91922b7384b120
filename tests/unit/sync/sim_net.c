#include "sim_net.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "sync/base/status.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

#define STACK_BYTES   (256 * 1024)
#define READ_NS       20  /* a read of the clock takes this, */
#define CALL_NS       100 /* a send or a receive its caller this */
#define MESSAGE_BYTES 64  /* kept in the message itself; longer ones are allocated */

struct message {
    struct message *next;
    int source;
    double arrival_ns; /* true time; under rendezvous: when the sender was ready */
    size_t bytes;
    void *data;
    char small[MESSAGE_BYTES];
};

struct sim_clock {
    double offset_ns, rate, wander_ns, wander_period_ns, wander_phase;
    double warm, warm_at_ns,
        warm_ns; /* by so much more of the rate, from when on, over what time */
};

struct rank {
    struct sim_net *net;
    int number;
    double now_ns; /* true time at this rank */
    struct sim_clock clock;
    struct message *inbox, **inbox_end;
    int64_t message_count, byte_count;
    int64_t received_count;
    int waiting_for; /* rank whose message is awaited; -1 none */
    int sending_to;  /* rendezvous: who must take our message; -1 none */
    double released_ns;
    bool finished;
    bool stalled_already;
    double turn_end_ns; /* when it has to leave the processor to others */
    ucontext_t start;   /* of the coroutine */
    bool started;
    jmp_buf place; /* where it goes on */
    void *stack;
    void *fake_stack;
};

struct sim_net {
    struct sim_options options;
    struct rank *ranks;
    uint64_t random;
    jmp_buf scheduler;
    void *scheduler_fake_stack;
    const void *scheduler_stack;
    size_t scheduler_stack_bytes;
    int current;
    void (*body)(struct sim_net *net, int rank, void *argument);
    void *argument;
};

/* splitmix64: the same numbers on every platform. */
static uint64_t next_random(struct sim_net *net)
{
    uint64_t z = (net->random += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double uniform(struct sim_net *net)
{
    return (double)(next_random(net) >> 11) * 0x1p-53;
}

static double plus_minus(struct sim_net *net, double limit)
{
    return (2 * uniform(net) - 1) * limit;
}

static int host_of(const struct sim_net *net, int rank)
{
    return net->options.ranks_per_host > 1 ? rank / net->options.ranks_per_host : rank;
}

static struct sim_clock draw_clock(struct sim_net *net, int host)
{
    const struct sim_options *o = &net->options;

    return (struct sim_clock){.offset_ns = plus_minus(net, o->offset_ns),
                              .rate = 1 + plus_minus(net, o->drift_ppm * 1e-6),
                              .wander_ns = o->wander_ns,
                              .wander_period_ns = o->wander_period_s * 1e9 * (0.5 + uniform(net)),
                              .wander_phase = 6.283185307179586 * uniform(net),
                              .warm = host > 0 ? o->warm_ppm * 1e-6 : 0,
                              .warm_at_ns = o->warm_at_s * 1e9,
                              .warm_ns = o->warm_s * 1e9};
}

struct sim_net *sim_net_new(const struct sim_options *options)
{
    struct sim_net *net = calloc(1, sizeof *net);

    net->options = *options;
    net->random = options->seed * UINT64_C(7919) + 1;
    net->ranks = calloc((size_t)options->ranks, sizeof *net->ranks);
    for (int i = 0; i < options->ranks; i++) {
        struct rank *rank = &net->ranks[i];
        *rank = (struct rank){.net = net, .number = i, .inbox_end = NULL};
        rank->inbox_end = &rank->inbox;
        rank->now_ns = uniform(net) * 1e6; /* ranks start within a millisecond */
        rank->clock = i > 0 && host_of(net, i) == host_of(net, i - 1)
                          ? net->ranks[i - 1].clock
                          : draw_clock(net, host_of(net, i));
    }
    return net;
}

void sim_net_free(struct sim_net *net)
{
    for (int i = 0; i < net->options.ranks; i++)
        for (struct message *m = net->ranks[i].inbox, *next; m != NULL; m = next) {
            next = m->next;
            if (m->data != m->small)
                free(m->data);
            free(m);
        }
    free(net->ranks);
    free(net);
}

/* --- coroutines --- */

/* Contexts start coroutines. Jumps switch between them, without a system call. */

static __attribute__((no_sanitize_address)) void enter(struct sim_net *net, struct rank *rank)
{
    net->current = rank->number;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(&net->scheduler_fake_stack, rank->stack, STACK_BYTES);
#endif
    if (_setjmp(net->scheduler) == 0) {
        if (rank->started)
            _longjmp(rank->place, 1);
        rank->started = true;
        setcontext(&rank->start);
    }
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(net->scheduler_fake_stack, NULL, NULL);
#endif
}

static __attribute__((no_sanitize_address)) void leave(struct rank *rank)
{
    struct sim_net *net = rank->net;

#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(rank->finished ? NULL : &rank->fake_stack, net->scheduler_stack,
                                   net->scheduler_stack_bytes);
#endif
    if (_setjmp(rank->place) == 0)
        _longjmp(net->scheduler, 1);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(rank->fake_stack, &net->scheduler_stack,
                                    &net->scheduler_stack_bytes);
#endif
}

static void coroutine(unsigned high, unsigned low)
{
    struct rank *rank = (struct rank *)(uintptr_t)((uint64_t)high << 32 | low);
    struct sim_net *net = rank->net;

#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(NULL, &net->scheduler_stack, &net->scheduler_stack_bytes);
#endif
    net->body(net, rank->number, net->argument);
    rank->finished = true;
    leave(rank);
}

static void prepare(struct rank *rank)
{
    const uint64_t address = (uint64_t)(uintptr_t)rank;

    rank->stack =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    rank->started = rank->finished = false;
    rank->waiting_for = rank->sending_to = -1;
    getcontext(&rank->start);
    rank->start.uc_stack.ss_sp = rank->stack;
    rank->start.uc_stack.ss_size = STACK_BYTES;
    rank->start.uc_link = NULL;
    makecontext(&rank->start, (void (*)(void))coroutine, 2, (unsigned)(address >> 32),
                (unsigned)address);
}

static struct message **find_message(struct rank *rank, int source)
{
    for (struct message **at = &rank->inbox; *at != NULL; at = &(*at)->next)
        if ((*at)->source == source)
            return at;
    return NULL;
}

static bool can_run(struct rank *rank)
{
    if (rank->finished || rank->sending_to >= 0)
        return false;
    return rank->waiting_for < 0 || find_message(rank, rank->waiting_for) != NULL;
}

bool sim_net_run(struct sim_net *net, void (*body)(struct sim_net *net, int rank, void *argument),
                 void *argument)
{
    int finished = 0;
    bool moved = true;

    net->body = body;
    net->argument = argument;
    for (int i = 0; i < net->options.ranks; i++)
        prepare(&net->ranks[i]);
    while (moved) {
        moved = false;
        for (int i = 0; i < net->options.ranks; i++)
            while (can_run(&net->ranks[i])) {
                enter(net, &net->ranks[i]);
                finished += net->ranks[i].finished;
                moved = true;
            }
    }
    for (int i = 0; i < net->options.ranks; i++)
        munmap(net->ranks[i].stack, STACK_BYTES);
    return finished == net->options.ranks;
}

/* --- time --- */

static double latest_ns(const struct sim_net *net)
{
    double latest = 0;

    for (int i = 0; i < net->options.ranks; i++)
        latest = fmax(latest, net->ranks[i].now_ns);
    return latest;
}

double sim_net_now_ns(const struct sim_net *net)
{
    return latest_ns(net);
}

double sim_net_rank_now_ns(const struct sim_net *net, int rank)
{
    return net->ranks[rank].now_ns;
}

void sim_net_pass(struct sim_net *net, double duration_ns)
{
    const double until_ns = latest_ns(net) + duration_ns;

    for (int i = 0; i < net->options.ranks; i++)
        net->ranks[i].now_ns = until_ns;
}

static double exponential(struct sim_net *net, double mean_ns)
{
    return -mean_ns * log(1 - uniform(net));
}

/* Its time is up: others run. */
static void take_turns(struct rank *rank)
{
    const struct sim_options *o = &rank->net->options;

    while (o->preempt_run_ns > 0 && rank->now_ns >= rank->turn_end_ns) {
        const double resumed_ns = rank->turn_end_ns + exponential(rank->net, o->preempt_wait_ns);
        rank->now_ns = fmax(rank->now_ns, resumed_ns);
        rank->turn_end_ns = resumed_ns + exponential(rank->net, o->preempt_run_ns);
    }
}

static void spend(struct rank *rank, double duration_ns)
{
    const struct sim_options *o = &rank->net->options;

    rank->now_ns += duration_ns;
    take_turns(rank);
    if (o->stall_ns > 0 && rank->number == o->stalled_rank && !rank->stalled_already &&
        rank->now_ns >= o->stall_start_ns) {
        rank->stalled_already = true;
        rank->now_ns += o->stall_ns;
    }
}

static double clock_value(const struct sim_clock *clock, double true_ns)
{
    double value = clock->offset_ns + clock->rate * true_ns;

    if (clock->wander_ns > 0)
        value += clock->wander_ns *
                 sin(6.283185307179586 * true_ns / clock->wander_period_ns + clock->wander_phase);
    const double warming_ns = fmin(fmax(0, true_ns - clock->warm_at_ns), clock->warm_ns);
    if (clock->warm_ns > 0) /* the integral of a drift that rises evenly, and then stays */
        value += clock->warm * (warming_ns * warming_ns / 2 / clock->warm_ns +
                                fmax(0, true_ns - clock->warm_at_ns - clock->warm_ns));
    return value;
}

int64_t sim_net_clock_at(const struct sim_net *net, int rank, double true_ns)
{
    return (int64_t)floor(clock_value(&net->ranks[rank].clock, true_ns));
}

int64_t sim_net_error_ns(const struct sim_net *net, int rank, double true_ns,
                         const struct syn_timeline *timeline)
{
    const syn_local_time local = {sim_net_clock_at(net, rank, true_ns)};

    return syn_timeline_global(timeline, local).ns - sim_net_clock_at(net, 0, true_ns);
}

static syn_local_time read_clock(void *ctx)
{
    struct rank *rank = ctx;
    const double late_ns = rank->net->options.clock_jitter_ns * uniform(rank->net);
    const double value = clock_value(&rank->clock, rank->now_ns + READ_NS / 2.0);

    spend(rank, READ_NS);
    return (syn_local_time){(int64_t)floor(value + late_ns)};
}

static void pass_asleep(void *ctx, int64_t duration_ns)
{
    struct rank *rank = ctx;

    rank->now_ns += (double)duration_ns;
    rank->turn_end_ns = rank->now_ns + exponential(rank->net, rank->net->options.preempt_run_ns);
    spend(rank, 0);
}

struct syn_clock sim_net_clock(struct sim_net *net, int rank)
{
    return (struct syn_clock){.now = read_clock, .ctx = &net->ranks[rank], .sleep = pass_asleep};
}

struct syn_clock_identity sim_net_identity(const struct sim_net *net, int rank)
{
    return (struct syn_clock_identity){
        .machine = net->options.lying_identity ? 77 : 1000 + (uint64_t)host_of(net, rank)};
}

/* --- messages --- */

/* Draws a value for a stretch of time: all ranks see the same one. */
static double drawn_for_stretch(const struct sim_net *net, double now_ns, double period_ns)
{
    struct sim_net stretch = {.random = net->options.seed};

    stretch.random += (uint64_t)(now_ns / period_ns) << 20;
    return uniform(&stretch);
}

static bool is_slow(const struct sim_net *net, double now_ns)
{
    const struct sim_options *o = &net->options;

    return o->slow_share > 0 && drawn_for_stretch(net, now_ns, o->slow_period_ns) < o->slow_share;
}

/* By how much messages of this direction are late. */
static double lean_ns(const struct sim_net *net, double now_ns, bool is_upwards)
{
    const struct sim_options *o = &net->options;

    if (!(o->lean_ns > 0))
        return 0;
    const double lean = 2 * drawn_for_stretch(net, now_ns, o->lean_period_ns) - 1;
    return o->lean_ns * fmax(0, is_upwards ? lean : -lean);
}

static double latency_ns(struct sim_net *net, int source, int destination)
{
    const struct sim_options *o = &net->options;
    const bool is_near =
        net->options.ranks_per_host > 1 && host_of(net, source) == host_of(net, destination);
    double latency = is_near ? 200 : o->latency_ns > 0 ? o->latency_ns : 2000;

    if (destination > source)
        latency *= 1 + o->asymmetry;
    latency -= o->jitter_ns * (is_near ? 0.1 : 1) * log(1 - uniform(net));
    if (o->spike_probability > 0 && uniform(net) < o->spike_probability)
        latency += o->spike_ns * uniform(net);
    if (is_slow(net, net->ranks[source].now_ns))
        latency += o->slow_ns * (0.5 + 0.5 * uniform(net));
    latency += lean_ns(net, net->ranks[source].now_ns, destination > source);
    return latency;
}

static void append(struct rank *rank, int source, double arrival_ns, const void *data, size_t bytes)
{
    struct message *message = malloc(sizeof *message);

    message->next = NULL;
    message->source = source;
    message->arrival_ns = arrival_ns;
    message->bytes = bytes;
    message->data = bytes <= sizeof message->small ? message->small : malloc(bytes);
    memcpy(message->data, data, bytes);
    *rank->inbox_end = message;
    rank->inbox_end = &message->next;
}

static int sim_send(void *ctx, int peer, const void *data, size_t bytes)
{
    struct rank *rank = ctx;
    struct sim_net *net = rank->net;
    const double wire_ns = latency_ns(net, rank->number, peer);

    rank->message_count++;
    rank->byte_count += (int64_t)bytes;
    spend(rank, CALL_NS + net->options.byte_ns * (double)bytes);
    append(&net->ranks[peer], rank->number, rank->now_ns + (net->options.rendezvous ? 0 : wire_ns),
           data, bytes);
    if (net->options.rendezvous) {
        rank->sending_to = peer;
        leave(rank);
        rank->now_ns = fmax(rank->now_ns, rank->released_ns);
    }
    return SYN_OK;
}

static bool is_failing(struct rank *rank)
{
    const struct sim_options *o = &rank->net->options;

    rank->received_count++;
    return o->fail_at > 0 && rank->number == o->fail_rank && rank->received_count >= o->fail_at &&
           rank->received_count < (int64_t)o->fail_at + o->fail_count;
}

void sim_net_lose_next(struct sim_net *net, int rank)
{
    net->options.fail_rank = rank;
    net->options.fail_at = (int)net->ranks[rank].received_count + 1;
    net->options.fail_count = 1;
}

/* Under rendezvous the wire is crossed once both sides are ready, and the sender hears of it later.
 */
static void release_sender(struct rank *rank, struct message *message)
{
    struct rank *sender = &rank->net->ranks[message->source];
    const double ready_ns = fmax(message->arrival_ns, rank->now_ns);

    message->arrival_ns = ready_ns + latency_ns(rank->net, message->source, rank->number);
    sender->released_ns =
        message->arrival_ns + latency_ns(rank->net, rank->number, message->source);
    sender->sending_to = -1;
}

static int sim_recv(void *ctx, int peer, void *data, size_t bytes)
{
    struct rank *rank = ctx;
    struct message **at, *message;

    spend(rank, CALL_NS / 2.0);
    while ((at = find_message(rank, peer)) == NULL) {
        rank->waiting_for = peer;
        leave(rank);
    }
    rank->waiting_for = -1;
    message = *at;
    if (message->bytes != bytes) {
        fprintf(stderr, "rank %d expects %zu bytes of rank %d, which sent %zu\n", rank->number,
                bytes, peer, message->bytes);
        abort();
    }
    if (rank->net->options.rendezvous)
        release_sender(rank, message);
    memcpy(data, message->data, bytes);
    rank->now_ns = fmax(rank->now_ns, message->arrival_ns);
    spend(rank, CALL_NS / 2.0);
    *at = message->next;
    if (rank->inbox_end == &message->next)
        rank->inbox_end = at;
    if (message->data != message->small)
        free(message->data);
    free(message);
    return is_failing(rank) ? SYN_ETRANSPORT : SYN_OK;
}

struct syn_transport sim_net_transport(struct sim_net *net, int rank)
{
    return (struct syn_transport){rank, net->options.ranks, sim_send, sim_recv, &net->ranks[rank]};
}

int64_t sim_net_message_count(const struct sim_net *net, int rank)
{
    return net->ranks[rank].message_count;
}

int64_t sim_net_byte_count(const struct sim_net *net, int rank)
{
    return net->ranks[rank].byte_count;
}
