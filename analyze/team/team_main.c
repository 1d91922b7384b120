/* analyze/team/team_main.c - `mpirun -n N syncopate-MPI report ...`: one report by several
 * processes, on one machine or on many. Built once for each MPI; what is exchanged is decided in
 * analyze/. */
#include <fcntl.h>
#include <locale.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyze/command.h"
#include "analyze/match/members/team.h"
#include "analyze/report/report_command.h"
#include "analyze/threads.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#define TAG 1
/* Pieces of a message: a count in MPI is an int. */
#define PIECE_BYTES ((size_t)1 << 30)
/* MPI's own waiting takes a whole processor, which others here have work for. So who has waited for
 * some time pauses: longer the longer it has waited, but never for so long that it is felt. */
#define TRIES_BEFORE_PAUSE 50
#define PAUSE_NS           20000
#define PAUSE_MOST_NS      2000000

static int wait_for(MPI_Request *request)
{
    long pause_ns = PAUSE_NS;
    for (int tries = 0, done = 0;; tries++) {
        if (MPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return SYN_ETRANSPORT;
        if (done)
            return 0;
        if (tries < TRIES_BEFORE_PAUSE)
            continue;
        nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
        pause_ns = syn_least(2 * pause_ns, PAUSE_MOST_NS);
    }
}

static int send_piece(int peer, const char *data, size_t bytes)
{
    MPI_Request request;
    if (MPI_Isend(data, (int)bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request) != MPI_SUCCESS)
        return SYN_ETRANSPORT;
    return wait_for(&request);
}

static int receive_piece(int peer, char *data, size_t bytes)
{
    MPI_Request request;
    if (MPI_Irecv(data, (int)bytes, MPI_BYTE, peer, TAG, MPI_COMM_WORLD, &request) != MPI_SUCCESS)
        return SYN_ETRANSPORT;
    return wait_for(&request);
}

static int team_send(void *ctx, int peer, const void *data, size_t bytes)
{
    int status = 0;
    (void)ctx;
    for (const char *at = data; bytes > 0 && status == SYN_OK;) {
        size_t piece = syn_least(bytes, PIECE_BYTES);
        status = send_piece(peer, at, piece);
        at += piece;
        bytes -= piece;
    }
    return status;
}

static int team_recv(void *ctx, int peer, void *data, size_t bytes)
{
    int status = 0;
    (void)ctx;
    for (char *at = data; bytes > 0 && status == SYN_OK;) {
        size_t piece = syn_least(bytes, PIECE_BYTES);
        status = receive_piece(peer, at, piece);
        at += piece;
        bytes -= piece;
    }
    return status;
}

static void find_neighbours(void)
{
    MPI_Comm here;
    int count;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) !=
        MPI_SUCCESS)
        return;
    MPI_Comm_size(here, &count);
    MPI_Comm_free(&here);
    syn_processes_here_set((size_t)count);
}

static int usage(void)
{
    return syn_bad_input(
        "usage: mpirun -n N syncopate-%s report [OPTION...] TRACE... (see syncopate "
        "report --help)",
        SYN_TEAM_MPI);
}

/* Silences all processes but the first: all would write the same. */
static void only_one_speaks(const struct syn_team *team)
{
    int nowhere = team->link.rank == 0 ? -1 : open("/dev/null", O_WRONLY);
    if (nowhere < 0)
        return;
    dup2(nowhere, STDOUT_FILENO);
    close(nowhere);
    syn_keep_silent(true);
}

/* Once there was an exchange, the others wait for this process. */
static void leave(const struct syn_team *team, int status)
{
    if (status != SYN_EXIT_OK && team->begun)
        MPI_Abort(MPI_COMM_WORLD, status);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    struct syn_team team = {.link = {.send = team_send, .recv = team_recv}};
    int provided, status = SYN_EXIT_BAD;
    syn_ignore_size_signal();
    setlocale(LC_CTYPE, "");
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
        return syn_bad_input("MPI_Init_thread failed");
    MPI_Comm_rank(MPI_COMM_WORLD, &team.link.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &team.link.size);
    only_one_speaks(&team);
    find_neighbours();
    if (provided < MPI_THREAD_SERIALIZED)
        syn_bad_input("this MPI lets one thread only call it (MPI_THREAD_SERIALIZED is needed)");
    else if (argc < 2 || strcmp(argv[1], "report") != 0)
        status = usage();
    else if (syn_team_begin(&team) == 0)
        status = syn_team_report(argc - 1, argv + 1, &team);
    if (fflush(stdout) != 0 && status == SYN_EXIT_OK)
        status = syn_bad_input("standard output cannot be written");
    leave(&team, status);
    syn_team_end(&team);
    return status;
}
