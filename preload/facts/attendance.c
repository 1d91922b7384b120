/* preload/facts/attendance.c - see attendance.h.
 *
 * RATIONALE: The socket has an abstract name (Linux). So nothing is left behind however the
 * processes end. It costs each process some microseconds. If anything fails, the run goes on as if
 * all processes had registered. */
#include "preload/facts/attendance.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "preload/base/say.h"
#include "sync/base/hash.h"
#include "trace/base/guarded.h"
#include "trace/directory/launch.h"

/* The host's longest wait for the others. MPI's initialization has ended before. */
#define DEADLINE_S 5
/* The others wait this much longer for the host's answer, in case the host is stopped. */
#define HOST_GRACE_S 5
/* The host's answers. */
#define ALL_PRESENT  'y'
#define SOME_MISSING 'n'

/* Set by the thread in MPI_Init, and read by the thread that reports a long wait. */
static struct {
    struct syn_guarded socket; /* connected to the host; on the host, the listening socket */
    bool is_host;
    bool failed; /* this process could not register, while others may have */
} own = {.socket = SYN_GUARDED_NONE};

/* ---- which processes belong together ---- */

/* Adds a text to the hash *key. */
static void mix(uint64_t *key, const char *text)
{
    *key = syn_hash_add(*key, syn_hash64(text, strlen(text)));
}

/* Adds the value of an environment variable. Returns true if it has one. */
static bool mix_variable(uint64_t *key, const char *name)
{
    const char *value = getenv(name);
    mix(key, value ? value : "");
    return value && value[0];
}

/* Computes a key. Processes have the same key if they belong to one job and one process of the
 * launcher started them. Returns false if the launcher does not say. */
static bool job_key(uint64_t *key)
{
    /* Variables of the launcher's process. One machine may have several, as if it were several
     * machines. */
    static const char *const places[] = {
        "PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI3", "PMIX_SERVER_URI21",
        "PMIX_SERVER_URI2",  "SLURM_JOB_ID",     "SLURM_STEP_ID",    "SLURM_NODEID"};
    *key = 0;
    bool known = mix_variable(key, "PMIX_NAMESPACE");
    known |= mix_variable(key, "PMI_PORT");
    /* The process that made the descriptor named by PMI_FD is the launcher's on this machine. */
    struct ucred maker;
    socklen_t bytes = sizeof maker;
    const char *descriptor = getenv("PMI_FD");
    if (descriptor && getsockopt(atoi(descriptor), SOL_SOCKET, SO_PEERCRED, &maker, &bytes) == 0 &&
        maker.pid > 0) {
        char text[32];
        snprintf(text, sizeof text, "%ld", (long)maker.pid);
        mix(key, text);
        known = true;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        mix_variable(key, places[i]);
    return known;
}

/* Returns the number of the job's processes on this machine; 0: the launcher does not say. */
static int local_size(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
    const char *size = syn_launch_first_set(names, sizeof names / sizeof *names);
    const char *node = getenv("SLURM_NODEID");
    if (size)
        return atoi(size);
    if (!node)
        return 0;
    const char *list = getenv("SLURM_STEP_TASKS_PER_NODE");
    int index = atoi(node);
    while (list && *list) {
        char *end;
        const long value = strtol(list, &end, 10);
        const long times = strncmp(end, "(x", 2) == 0 ? strtol(end + 2, &end, 10) : 1;
        if (index < times)
            return (int)value;
        index -= (int)times;
        list = strchr(end, ',');
        list = list ? list + 1 : NULL;
    }
    return 0;
}

/* ---- registering ---- */

static bool is_of_our_user(int descriptor)
{
    struct ucred peer;
    socklen_t bytes = sizeof peer;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 &&
           peer.uid == geteuid();
}

/* Binds the socket to the address, which makes this process the host, or connects it to the host.
 * Tries again while the host has bound the address but does not listen yet. Returns false after an
 * error. */
static bool bind_or_connect(int descriptor, const struct sockaddr_un *address, socklen_t bytes)
{
    for (int tries = 0; tries < 1000; tries++) {
        own.is_host = bind(descriptor, (const struct sockaddr *)address, bytes) == 0;
        if (own.is_host)
            return listen(descriptor, SOMAXCONN) == 0;
        if (errno != EADDRINUSE)
            return false;
        if (connect(descriptor, (const struct sockaddr *)address, bytes) == 0)
            return is_of_our_user(descriptor);
        if (errno != ECONNREFUSED && errno != EAGAIN)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
    return false;
}

void syn_attendance_register(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    uint64_t key;
    if (own.socket.known || !job_key(&key))
        return;
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) {
        /* Other errors mean that sockets are forbidden. This holds for all processes of the job, so
         * no process registers or asks. */
        own.failed = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
        return;
    }
    own.failed = false;
    /* A name that begins with a NUL is abstract: it is not a file's. */
    const int length =
        snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "syncopate-%u-%016llx",
                 (unsigned)geteuid(), (unsigned long long)key);
    const size_t bytes = offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length;
    if (bind_or_connect(descriptor, &address, (socklen_t)bytes))
        syn_guarded_take(&own.socket, descriptor);
    else {
        own.failed = true;
        close(descriptor);
    }
}

void syn_attendance_leave(void)
{
    syn_guarded_close(&own.socket);
}

/* ---- counting ---- */

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits for data or a connection. Returns false at the time `until_ms`. */
static bool await(int descriptor, int64_t until_ms)
{
    struct pollfd wanted = {.fd = descriptor, .events = POLLIN};
    for (;;) {
        const int64_t left_ms = until_ms - now_ms();
        const int found = poll(&wanted, 1, left_ms > 0 ? (int)left_ms : 0);
        if (found > 0 || (found == 0 && left_ms <= 0) || (found < 0 && errno != EINTR))
            return found > 0;
    }
}

/* Accepts up to `count` connections into guests [count], until the time `until_ms`. Returns their
 * number, or -1 if a connection could not be accepted. */
static int accept_guests(int descriptor, int *guests, int count, int64_t until_ms)
{
    int present = 0;
    while (present < count) {
        const int guest = accept4(descriptor, NULL, NULL, SOCK_CLOEXEC);
        if (guest >= 0 && is_of_our_user(guest))
            guests[present++] = guest;
        else if (guest >= 0)
            close(guest);
        else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
            return -1;
        else if (errno == EAGAIN && !await(descriptor, until_ms))
            break;
    }
    return present;
}

/* Returns true if all processes of this machine are registered. The host counts and answers. */
static bool are_all_present(int descriptor, struct syn_attendance *out)
{
    if (descriptor < 0)
        return !own.failed;
    if (!own.is_host) {
        char answer = SOME_MISSING;
        return await(descriptor, now_ms() + (DEADLINE_S + HOST_GRACE_S) * 1000) &&
               recv(descriptor, &answer, 1, 0) == 1 && answer == ALL_PRESENT;
    }
    const int others = out->expected - 1;
    int *guests = malloc((size_t)others * sizeof *guests);
    for (int i = 0; guests && i < others; i++)
        guests[i] = -1;
    const int guest_count =
        guests ? accept_guests(descriptor, guests, others, now_ms() + DEADLINE_S * 1000) : -1;
    out->is_host = true;
    out->present = guest_count < 0 ? out->expected : guest_count + 1;
    if (guests) {
        /* Unused places of `guests` are -1. */
        const bool complete = out->present == out->expected;
        const char answer = complete ? ALL_PRESENT : SOME_MISSING;
        for (int i = 0; i < others && guests[i] >= 0; i++) {
            if (send(guests[i], &answer, 1, MSG_NOSIGNAL) < 0)
                errno = 0; /* the process has ended: it needs no answer */
            close(guests[i]);
        }
    }
    free(guests);
    return out->present == out->expected;
}

/* ---- on several machines ---- */

void syn_attendance_say_waiting(void)
{
    const int descriptor = syn_guarded_get(&own.socket), expected = local_size();
    char here[64] = "";
    if (descriptor >= 0 ? !own.is_host : !syn_launch_speaks())
        return;
    if (descriptor >= 0 && expected > 0) {
        /* The host counts the processes that are registered by now, and closes their connections
         * without an answer. */
        int present = 1, guest;
        for (; present < expected && accept_guests(descriptor, &guest, 1, now_ms()) == 1; present++)
            close(guest);
        snprintf(here, sizeof here, " (of the %d on this machine %d came)", expected, present);
    }
    syn_say(SYN_SAY_LAUNCH,
            "has waited %d s for all processes of the run, and waits on: who is not under "
            "syncopate, or has its MPI linked in statically, never comes%s",
            SYN_ATTENDANCE_LONG_S, here);
}

/* ---- before the recorder's first collective call ---- */

/* RATIONALE: The result counts only if all processes are on one machine. With several machines each
 * would come to a result of its own, and the machines that go on would wait for those that do not.
 * A world of one process need not ask. */
bool syn_attendance_complete(int world_size, struct syn_attendance *out)
{
    bool complete = true;
    *out = (struct syn_attendance){.expected = local_size(), .waited_s = DEADLINE_S};
    out->is_unknown = world_size > 1 && out->expected != world_size;
    if (out->is_unknown)
        return true;
    if (world_size > 1)
        complete = are_all_present(syn_guarded_get(&own.socket), out);
    syn_attendance_leave();
    return complete;
}
