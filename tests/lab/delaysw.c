/* tests/lab/delaysw.c - an Ethernet switch in user space that takes its time: between hosts that
 * are network namespaces of one machine, every frame is held back for a chosen, varying time. (The
 * kernels that tests run on often lack netem.)
 *
 *     delaysw [-d BASE_US] [-j JITTER_US] [-a ASYMMETRY_US] [-s SPIKE_US] [-n SEED]
 * NETWORK_NAMESPACE...
 *
 * In each of the network namespaces (paths, e.g. /proc/PID/ns/net) a tap device "eth0" appears,
 * with the Ethernet address 02:00:00:00:00:HH, HH counting from 1; its IP address is the caller's
 * business. Says "ready" on stdout, then forwards until it is killed. A frame from host i to host j
 * is delayed by BASE + U[0, JITTER) + (i > j ? ASYMMETRY : 0) + (one frame in 100 ? SPIKE : 0) and
 * never overtakes an earlier one between the same two hosts. Errors: one line on stderr, status 1;
 * wrong usage: 2. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
    HOST_LIMIT = 64,
    FRAME_LIMIT_BYTES = 65536 + 64,
    QUEUE_LIMIT_COUNT = 1 << 16, /* beyond it frames are dropped, as a switch does; TCP copes */
    READ_BURST_COUNT = 64,       /* from one port before the others and the queue get their turn */
    ADDRESS_BYTES = 6,
    SPIKE_ONE_IN = 100
};

struct frame {
    int64_t due_ns;
    uint64_t number; /* of arrival: frames that are due together leave in that order */
    int to;
    size_t bytes;
    unsigned char data[];
};

struct queue {
    struct frame **frames; /* a binary heap, the one due first on top */
    size_t count;
    size_t capacity;
};

struct port {
    int tap;
    unsigned char address[ADDRESS_BYTES];
};

struct delays {
    double base_ns;
    double jitter_ns;
    double asymmetry_ns;
    double spike_ns;
};

struct fabric {
    struct delays delays;
    int host_count;
    struct port ports[HOST_LIMIT];
    int64_t last_due_ns[HOST_LIMIT][HOST_LIMIT];
    uint64_t frame_count;
    struct queue queue;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool before(const struct frame *a, const struct frame *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->number < b->number;
}

/* Takes the frame over; false (and not taken) where there is no room. */
static bool queue_push(struct queue *queue, struct frame *frame)
{
    if (queue->count == QUEUE_LIMIT_COUNT)
        return false;
    if (queue->count == queue->capacity) {
        size_t capacity = queue->capacity ? 2 * queue->capacity : 256;
        struct frame **frames = realloc(queue->frames, capacity * sizeof *frames);
        if (!frames)
            return false;
        queue->frames = frames;
        queue->capacity = capacity;
    }
    size_t hole = queue->count++;
    while (hole > 0 && before(frame, queue->frames[(hole - 1) / 2])) {
        queue->frames[hole] = queue->frames[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    queue->frames[hole] = frame;
    return true;
}

/* The frame due first, now the caller's; the queue must not be empty. */
static struct frame *queue_pop(struct queue *queue)
{
    struct frame *first = queue->frames[0];
    struct frame *moved = queue->frames[--queue->count];
    size_t hole = 0;
    for (size_t child; (child = 2 * hole + 1) < queue->count; hole = child) {
        if (child + 1 < queue->count && before(queue->frames[child + 1], queue->frames[child]))
            child++;
        if (!before(queue->frames[child], moved))
            break;
        queue->frames[hole] = queue->frames[child];
    }
    queue->frames[hole] = moved;
    return first;
}

static int64_t delay_ns(const struct delays *delays, int from, int to)
{
    double delay = delays->base_ns + delays->jitter_ns * drand48();
    if (from > to)
        delay += delays->asymmetry_ns;
    if (delays->spike_ns > 0 && drand48() * SPIKE_ONE_IN < 1)
        delay += delays->spike_ns;
    return (int64_t)delay;
}

/* Lack of memory or room drops the frame: TCP sends it again. */
static void enqueue(struct fabric *fabric, int from, int to, const unsigned char *data,
                    size_t bytes)
{
    struct frame *frame = malloc(sizeof *frame + bytes);
    if (!frame)
        return;
    int64_t *last_due_ns = &fabric->last_due_ns[from][to];
    int64_t due_ns = now_ns() + delay_ns(&fabric->delays, from, to);
    if (due_ns < *last_due_ns)
        due_ns = *last_due_ns;
    *frame =
        (struct frame){.due_ns = due_ns, .number = fabric->frame_count++, .to = to, .bytes = bytes};
    memcpy(frame->data, data, bytes);
    if (queue_push(&fabric->queue, frame))
        *last_due_ns = due_ns;
    else
        free(frame);
}

static bool is_for(const unsigned char *data, const struct port *port)
{
    bool group = data[0] & 1; /* broadcast and multicast */
    return group || memcmp(data, port->address, ADDRESS_BYTES) == 0;
}

static void receive(struct fabric *fabric, int from)
{
    static unsigned char data[FRAME_LIMIT_BYTES];
    for (int burst = 0; burst < READ_BURST_COUNT; burst++) {
        ssize_t bytes = read(fabric->ports[from].tap, data, sizeof data);
        if (bytes < ADDRESS_BYTES)
            return;
        for (int to = 0; to < fabric->host_count; to++)
            if (to != from && is_for(data, &fabric->ports[to]))
                enqueue(fabric, from, to, data, (size_t)bytes);
    }
}

static void deliver_due(struct fabric *fabric)
{
    struct queue *queue = &fabric->queue;
    while (queue->count > 0 && queue->frames[0]->due_ns <= now_ns()) {
        struct frame *frame = queue_pop(queue);
        /* A full or vanished device loses the frame, as a wire would. */
        ssize_t written = write(fabric->ports[frame->to].tap, frame->data, frame->bytes);
        (void)written;
        free(frame);
    }
}

/* Timeout of ppoll: the time until the next frame is due; NULL (for ever) if there is none. */
static struct timespec *until_due(const struct queue *queue, struct timespec *timeout)
{
    if (queue->count == 0)
        return NULL;
    int64_t wait_ns = queue->frames[0]->due_ns - now_ns();
    if (wait_ns < 0)
        wait_ns = 0;
    *timeout = (struct timespec){.tv_sec = wait_ns / 1000000000, .tv_nsec = wait_ns % 1000000000};
    return timeout;
}

static int forward(struct fabric *fabric)
{
    struct pollfd polled[HOST_LIMIT];
    for (int host = 0; host < fabric->host_count; host++)
        polled[host] = (struct pollfd){.fd = fabric->ports[host].tap, .events = POLLIN};
    for (;;) {
        struct timespec timeout;
        int ready =
            ppoll(polled, (nfds_t)fabric->host_count, until_due(&fabric->queue, &timeout), NULL);
        if (ready < 0 && errno != EINTR)
            return -1;
        for (int host = 0; ready > 0 && host < fabric->host_count; host++)
            if (polled[host].revents)
                receive(fabric, host);
        deliver_due(fabric);
    }
}

/* A tap device in the current network namespace, with the host's Ethernet address. -1: errno. */
static int tap_open(int host, struct port *port)
{
    struct ifreq request = {.ifr_name = "eth0", .ifr_flags = IFF_TAP | IFF_NO_PI};
    port->tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (port->tap < 0 || ioctl(port->tap, TUNSETIFF, &request) < 0)
        return -1;
    const unsigned char address[ADDRESS_BYTES] = {0x02, 0, 0, 0, 0, (unsigned char)(host + 1)};
    memcpy(port->address, address, sizeof address);
    request.ifr_hwaddr.sa_family = ARPHRD_ETHER;
    memcpy(request.ifr_hwaddr.sa_data, address, sizeof address);
    return ioctl(port->tap, SIOCSIFHWADDR, &request);
}

/* A tap belongs to the namespace in which it was made, and can be used from any other. */
static int port_open(const char *namespace_path, int host, struct port *port)
{
    int namespace = open(namespace_path, O_RDONLY | O_CLOEXEC);
    if (namespace < 0 || setns(namespace, CLONE_NEWNET) < 0)
        return -1;
    close(namespace);
    return tap_open(host, port);
}

static int fabric_open(struct fabric *fabric, char *const *namespace_paths)
{
    for (int host = 0; host < fabric->host_count; host++)
        if (port_open(namespace_paths[host], host, &fabric->ports[host]) < 0) {
            fprintf(stderr, "delaysw: %s: %s\n", namespace_paths[host], strerror(errno));
            return -1;
        }
    return 0;
}

/* Microseconds on the command line, nanoseconds in here. */
static bool parse_delay(const char *text, double *delay)
{
    char *end;
    *delay = strtod(text, &end) * 1e3;
    return end != text && *end == '\0' && *delay >= 0 && *delay <= 1e9;
}

static bool parse_options(int argc, char **argv, struct delays *delays)
{
    bool right = true;
    for (int option; (option = getopt(argc, argv, "d:j:a:s:n:")) != -1;)
        switch (option) {
        case 'd':
            right &= parse_delay(optarg, &delays->base_ns);
            break;
        case 'j':
            right &= parse_delay(optarg, &delays->jitter_ns);
            break;
        case 'a':
            right &= parse_delay(optarg, &delays->asymmetry_ns);
            break;
        case 's':
            right &= parse_delay(optarg, &delays->spike_ns);
            break;
        case 'n':
            srand48(strtol(optarg, NULL, 10));
            break;
        default:
            right = false;
        }
    return right;
}

int main(int argc, char **argv)
{
    static struct fabric fabric;
    bool right = parse_options(argc, argv, &fabric.delays);
    fabric.host_count = argc - optind;
    if (!right || fabric.host_count < 1 || fabric.host_count > HOST_LIMIT) {
        fprintf(stderr,
                "usage: delaysw [-d BASE_US] [-j JITTER_US] [-a ASYMMETRY_US] [-s SPIKE_US] "
                "[-n SEED] NETWORK_NAMESPACE...\n");
        return 2;
    }
    prctl(PR_SET_TIMERSLACK, 1UL); /* or the kernel adds 50 us to what was asked for */
    if (fabric_open(&fabric, argv + optind) < 0)
        return 1;
    puts("ready");
    fflush(stdout);
    forward(&fabric);
    perror("delaysw");
    return 1;
}
