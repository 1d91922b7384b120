/* preload/facts/attendance.c - see attendance.h.
 *
 * RATIONALE: a socket in Linux's abstract names. It leaves nothing behind however its processes
 * end, and costs each some microseconds and nobody a turn. Whatever goes wrong with it, a run goes
 * on as if all had come. */
#include "preload/facts/attendance.h"

#include <errno.h>
#include <fcntl.h>
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

/* MPI's own initialization has ended when this begins. */
#define DEADLINE_S 5
/* A host that is stopped meanwhile is not waited for for ever either. */
#define HOST_GRACE_S 5
#define ALL_CAME     'y'
#define SOME_LACK    'n'

/* State of the thread in MPI_Init, read by the thread that tells of a long wait. */
static struct {
    struct syn_guarded line; /* to the host, or on which the host listens */
    bool is_host;
    bool could_not_come; /* and others may have */
} own = {.line = SYN_GUARDED_NONE};

/* ---- which processes belong together ---- */

static void mix(uint64_t *key, const char *text)
{
    *key = syn_hash_add(*key, syn_hash64(text, strlen(text)));
}

static bool mix_variable(uint64_t *key, const char *name)
{
    const char *value = getenv(name);
    mix(key, value ? value : "");
    return value && value[0];
}

/* Mixes in the process that made the descriptor named by PMI_FD: the launcher's process on this
 * machine. */
static bool mix_launcher(uint64_t *key)
{
    struct ucred maker;
    socklen_t bytes = sizeof maker;
    char text[32];
    const char *number = getenv("PMI_FD");
    if (!number || getsockopt(atoi(number), SOL_SOCKET, SO_PEERCRED, &maker, &bytes) ||
        maker.pid <= 0)
        return false;
    snprintf(text, sizeof text, "%ld", (long)maker.pid);
    mix(key, text);
    return true;
}

/* Makes a key that is equal for the processes of one job that one of the launcher's processes
 * started, and for no others. False where the launcher does not say. */
static bool job_key(uint64_t *key)
{
    /* Not of the job but of the launcher's process: two "machines" may be one in truth. */
    static const char *const places[] = {
        "PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI3", "PMIX_SERVER_URI21",
        "PMIX_SERVER_URI2",  "SLURM_JOB_ID",     "SLURM_STEP_ID",    "SLURM_NODEID"};
    *key = 0;
    bool known = mix_variable(key, "PMIX_NAMESPACE");
    known |= mix_variable(key, "PMI_PORT");
    known |= mix_launcher(key);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        mix_variable(key, places[i]);
    return known;
}

/* Returns the number of the job's processes on this machine; 0: the launcher does not say. */
static int local_size(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
    const char *told = syn_launch_first_set(names, sizeof names / sizeof *names);
    const char *node = getenv("SLURM_NODEID");
    if (told)
        return atoi(told);
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

/* ---- coming ---- */

static socklen_t address_of(uint64_t key, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    /* A name that begins with a zero is no file's. */
    const int length =
        snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "syncopate-%u-%016llx",
                 (unsigned)geteuid(), (unsigned long long)key);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static bool is_of_our_user(int descriptor)
{
    struct ucred peer;
    socklen_t bytes = sizeof peer;
    return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 &&
           peer.uid == geteuid();
}

/* The first to come gets the name. Between that and its listening others are refused. */
static bool come(int descriptor, const struct sockaddr_un *address, socklen_t bytes)
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
    struct sockaddr_un address;
    uint64_t key;
    if (own.line.known || !job_key(&key))
        return;
    const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) {
        /* Forbidden sockets are forbidden to all processes of a job, and nobody asks. */
        own.could_not_come =
            errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
        return;
    }
    own.could_not_come = false;
    if (come(descriptor, &address, address_of(key, &address)))
        syn_guarded_take(&own.line, descriptor);
    else {
        own.could_not_come = true;
        close(descriptor);
    }
}

void syn_attendance_leave(void)
{
    syn_guarded_close(&own.line);
}

/* ---- counting ---- */

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until there is something to read or to accept. */
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

/* Takes up to `count` connections into guests [count]; returns how many there were, or -1 where one
 * that came could not be taken. */
static int gather(int descriptor, int *guests, int count, int64_t until_ms)
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

static bool is_told_to_go_on(int descriptor)
{
    char word = SOME_LACK;
    if (!await(descriptor, now_ms() + (DEADLINE_S + HOST_GRACE_S) * 1000))
        return false;
    return recv(descriptor, &word, 1, 0) == 1 && word == ALL_CAME;
}

static bool all_are_here(int descriptor, struct syn_attendance *out)
{
    if (descriptor < 0)
        return !own.could_not_come;
    if (!own.is_host)
        return is_told_to_go_on(descriptor);
    const int others = out->expected - 1;
    int *guests = malloc((size_t)others * sizeof *guests);
    for (int i = 0; guests && i < others; i++)
        guests[i] = -1;
    const int came = guests ? gather(descriptor, guests, others, now_ms() + DEADLINE_S * 1000) : -1;
    out->is_host = true;
    out->present = came < 0 ? out->expected : came + 1;
    if (guests) {
        /* guests [count] ends with -1 where there are fewer. */
        const bool complete = out->present == out->expected;
        const char word = complete ? ALL_CAME : SOME_LACK;
        for (int i = 0; i < others && guests[i] >= 0; i++) {
            if (send(guests[i], &word, 1, MSG_NOSIGNAL) < 0)
                errno = 0; /* it has gone: nobody to tell */
            close(guests[i]);
        }
    }
    free(guests);
    return out->present == out->expected;
}

/* ---- on several machines ---- */

/* Returns how many of `expected` are present on this machine. Takes them in; nobody is told
 * anything. */
static int count_present(int descriptor, int expected)
{
    int present = 1, guest;
    while (present < expected && gather(descriptor, &guest, 1, now_ms()) == 1) {
        close(guest);
        present++;
    }
    return present;
}

void syn_attendance_say_waiting(void)
{
    const int descriptor = syn_guarded_get(&own.line), expected = local_size();
    char here[64] = "";
    if (descriptor >= 0 ? !own.is_host : !syn_launch_speaks())
        return;
    if (descriptor >= 0 && expected > 0)
        snprintf(here, sizeof here, " (of the %d on this machine %d came)", expected,
                 count_present(descriptor, expected));
    syn_say(SYN_SAY_LAUNCH,
            "has waited %d s for all processes of the run, and waits on: who is not under "
            "syncopate, or has its MPI linked in statically, never comes%s",
            SYN_ATTENDANCE_LONG_S, here);
}

/* ---- before our first collective call ---- */

/* A world of one is no part of what the launcher started, or all of it. Of several machines each
 * would find out by itself, and those that go on would wait for those that do not: only where all
 * are on one is what it finds out acted on, by all alike. */
bool syn_attendance_complete(int world_size, struct syn_attendance *out)
{
    bool complete = true;
    *out = (struct syn_attendance){.expected = local_size(), .waited_s = DEADLINE_S};
    out->is_unknown = world_size > 1 && out->expected != world_size;
    if (out->is_unknown)
        return true;
    if (world_size > 1)
        complete = all_are_here(syn_guarded_get(&own.line), out);
    syn_attendance_leave();
    return complete;
}
