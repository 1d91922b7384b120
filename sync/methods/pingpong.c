/* sync/methods/pingpong.c - bounds an offset by ping-pong messages (session.h). */
#include "sync/methods/session.h"

/* Sends *value in each message; if it is NULL, the time of sending. */
static void ping(struct syn_link *link, int peer, int count, const int64_t *value,
                 struct syn_exchange *out)
{
    for (int i = 0; i < count; i++) {
        const int64_t *message = !value ? &out[i].send_ns : value;
        out[i].send_ns = syn_link_now_ns(link);
        syn_link_send(link, peer, message, sizeof *message);
        syn_link_recv(link, peer, &out[i].stamp_ns, sizeof out[i].stamp_ns);
        out[i].recv_ns = syn_link_now_ns(link);
    }
}

void syn_ping(struct syn_link *link, int peer, int count, struct syn_exchange *out)
{
    ping(link, peer, count, NULL, out);
}

void syn_ping_with_best(struct syn_link *link, int peer, int count, int64_t best_rtt_ns,
                        struct syn_exchange *out)
{
    ping(link, peer, count, &best_rtt_ns, out);
}

void syn_echo(struct syn_link *link, int peer, int count, const struct syn_timeline *stamps)
{
    for (int i = 0; i < count; i++) {
        int64_t stamp_ns;
        syn_link_recv(link, peer, &stamp_ns, sizeof stamp_ns);
        const syn_local_time now = {syn_link_now_ns(link)};

        stamp_ns = !stamps ? now.ns : syn_timeline_global(stamps, now).ns;
        syn_link_send(link, peer, &stamp_ns, sizeof stamp_ns);
    }
}

/* A round trip is about as short as the best one if it exceeds that by at most half, or by
 * QUICK_NS: tests and queues add that much even if nothing disturbs. */
#define QUICK_NS 400

bool syn_echo_judging(struct syn_link *link, int peer, int count, const struct syn_timeline *stamps)
{
    int64_t best_rtt_ns = 0, shortest_ns = INT64_MAX, sent_ns = 0;

    for (int i = 0; i < count; i++) {
        int64_t stamp_ns;
        syn_link_recv(link, peer, &best_rtt_ns, sizeof best_rtt_ns);
        const int64_t now_ns = syn_link_now_ns(link);
        if (i > 0 && now_ns - sent_ns < shortest_ns)
            shortest_ns = now_ns - sent_ns;
        stamp_ns = !stamps ? now_ns : syn_timeline_global(stamps, (syn_local_time){now_ns}).ns;
        sent_ns = now_ns;
        syn_link_send(link, peer, &stamp_ns, sizeof stamp_ns);
    }
    return shortest_ns <= best_rtt_ns + (best_rtt_ns / 2 > QUICK_NS ? best_rtt_ns / 2 : QUICK_NS);
}

void syn_echo_learning(struct syn_link *link, int peer, int count, struct syn_exchange *out)
{
    struct syn_exchange exchange = {0};

    for (int i = 0; i < count; i++) {
        syn_link_recv(link, peer, &exchange.stamp_ns, sizeof exchange.stamp_ns);
        exchange.recv_ns = syn_link_now_ns(link);
        if (i > 0)
            out[i - 1] = exchange;
        exchange.send_ns = exchange.recv_ns;
        syn_link_send(link, peer, &exchange.send_ns, sizeof exchange.send_ns);
    }
}

/* Message of Netgauge's ping: tells whether it is the last, since only the pinging rank sees round
 * trips. */
struct netgauge_ping {
    int64_t stamp_ns;
    int64_t is_last;
};

struct syn_exchange syn_ping_until_settled(struct syn_link *link, int peer)
{
    struct syn_exchange best = {0, 0, INT64_MAX};
    int since_best = 0;

    for (int i = 1; since_best < SYN_PINGPONG_COUNT && i <= SYN_NETGAUGE_LIMIT; i++) {
        struct netgauge_ping ping = {syn_link_now_ns(link), 0};
        struct syn_exchange now = {.send_ns = ping.stamp_ns};
        syn_link_send(link, peer, &ping, sizeof ping);
        syn_link_recv(link, peer, &now.stamp_ns, sizeof now.stamp_ns);
        now.recv_ns = syn_link_now_ns(link);
        since_best++;
        if (now.recv_ns - now.send_ns < best.recv_ns - best.send_ns) {
            best = now;
            since_best = 0;
        }
    }
    syn_link_send(link, peer, &(struct netgauge_ping){.is_last = 1}, sizeof(struct netgauge_ping));
    return best;
}

void syn_echo_until_settled(struct syn_link *link, int peer)
{
    for (int i = 0; i <= SYN_NETGAUGE_LIMIT; i++) {
        struct netgauge_ping ping;
        int64_t stamp_ns;
        syn_link_recv(link, peer, &ping, sizeof ping);
        stamp_ns = syn_link_now_ns(link);
        if (ping.is_last)
            break;
        syn_link_send(link, peer, &stamp_ns, sizeof stamp_ns);
    }
}
