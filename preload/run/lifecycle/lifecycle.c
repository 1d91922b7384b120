/* preload/run/lifecycle/lifecycle.c - see lifecycle.h. A run is idle, recording, or stopped. It
 * starts once and ends once: at MPI_Finalize, MPI_Abort or the end of the process, whichever comes
 * first. */
#include "preload/run/lifecycle/lifecycle.h"

#include <unistd.h>

#include "preload/base/lock.h"
#include "preload/base/say.h"
#include "preload/calls/messages.h"
#include "preload/comms/communicators.h"
#include "preload/facts/attendance.h"
#include "preload/mpi/pmpi.h"
#include "preload/recorder/recorder.h"
#include "preload/run/end_facts.h"
#include "preload/run/lifecycle/end.h"
#include "preload/run/lifecycle/first_wait.h"
#include "preload/run/lifecycle/start.h"
#include "trace/directory/launch.h"

static int stop_at_finalize(MPI_Comm comm, int key, void *value, void *extra);

static struct syn_run run = {.finalize_keyval = MPI_KEYVAL_INVALID,
                             .at_finalize = stop_at_finalize};
static struct {
    enum { IDLE, RECORDING, STOPPED } phase; /* atomic; the thread that sets STOPPED ends the run */
    pid_t recording_pid;                     /* a forked child is not this run */
    int attempted;                           /* there was an attempt to record; atomic */
    void (*tell_initialized)(void);          /* atomic; set before any wrapper is called */
} life;

static bool is_recording(void)
{
    return __atomic_load_n(&life.phase, __ATOMIC_ACQUIRE) == RECORDING;
}

bool syn_lifecycle_began(void)
{
    return __atomic_load_n(&life.attempted, __ATOMIC_ACQUIRE);
}

/* ---- starting ---- */

/* Returns true if all processes are recorded. Our first collective call would wait for ever for a
 * process that is not. */
static bool all_take_part(int size)
{
    struct syn_attendance call;
    if (syn_attendance_complete(size, &call)) {
        if (call.is_unknown)
            syn_first_wait_expect();
        return true;
    }
    if (call.is_host)
        syn_say(SYN_SAY_FAILURE,
                "%d of the %d processes that the launcher started here take no part (waited %d s): "
                "not under syncopate, or with their MPI linked in statically; the run is not "
                "recorded",
                call.expected - call.present, call.expected, call.waited_s);
    return false;
}

static void start(MPI_Comm own)
{
    if (!run.of_sessions && !syn_pmpi_handles_agree()) {
        if (syn_launch_speaks())
            syn_say(
                SYN_SAY_FAILURE,
                "the handles of this MPI are not those of the part for %s: the run is not recorded",
                SYN_BACKEND_NAME);
        return;
    }
    const int cancel_state = syn_cancel_hold();
    int size = 0;
    /* A program of sessions was checked before `own` was made. */
    if ((run.of_sessions || syn_pmpi.Comm_size(syn_mpi.comm_world, &size) || all_take_part(size)) &&
        syn_run_start(&run, own)) {
        life.recording_pid = getpid();
        __atomic_store_n(&life.phase, RECORDING, __ATOMIC_RELEASE);
    }
    syn_cancel_restore(cancel_state);
}

/* MPI_Init after sessions: the run goes on and will end in MPI_Finalize. */
static void add_world(void)
{
    if (!run.of_sessions || !is_recording())
        return;
    run.of_sessions = false;
    syn_comms_add_world();
    syn_run_hook_finalize(&run);
}

/* ---- ending ---- */

static bool claim_end(void)
{
    __typeof__(life.phase) recording = RECORDING;
    return life.recording_pid == getpid() &&
           __atomic_compare_exchange_n(&life.phase, &recording, STOPPED, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static void stop(void)
{
    if (!claim_end())
        return;
    const int cancel_state = syn_cancel_hold();
    syn_run_end_together(&run);
    syn_cancel_restore(cancel_state);
}

static void stop_alone(enum syn_ending ending)
{
    if (!claim_end())
        return;
    const int cancel_state = syn_cancel_hold();
    syn_run_end_alone(&run, ending);
    syn_cancel_restore(cancel_state);
}

static int stop_at_finalize(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    stop();
    return MPI_SUCCESS;
}

/* Runs after the program's atexit functions, since one of them may call MPI_Finalize. */
static __attribute__((destructor)) void stop_at_exit(void)
{
    stop_alone(SYN_ENDING_EXIT);
}

/* ---- the wrappers ---- */

void syn_lifecycle_prepare(void)
{
    const int cancel_state = syn_cancel_hold();
    syn_attendance_register();
    syn_cancel_restore(cancel_state);
}

void syn_lifecycle_initialized(int result)
{
    if (result == MPI_SUCCESS) {
        __atomic_load_n(&life.tell_initialized, __ATOMIC_RELAXED)();
        if (__atomic_exchange_n(&life.attempted, 1, __ATOMIC_ACQ_REL))
            add_world();
        else
            start(syn_mpi.comm_null);
    }
    syn_first_wait_over(); /* in case no run has begun */
}

bool syn_lifecycle_admits(int process_count)
{
    static struct syn_lock asking = SYN_LOCK_INITIALIZER;
    static enum { NOT_ASKED, ADMITTED, REFUSED } answer;
    if (!syn_lock_take(&asking))
        return false;
    if (answer == NOT_ASKED)
        answer = all_take_part(process_count) ? ADMITTED : REFUSED;
    if (answer == REFUSED)
        __atomic_store_n(&life.attempted, 1, __ATOMIC_RELEASE);
    syn_lock_give(&asking);
    return answer == ADMITTED;
}

bool syn_lifecycle_begin_sessions(MPI_Comm own)
{
    if (__atomic_exchange_n(&life.attempted, 1, __ATOMIC_ACQ_REL))
        return false;
    run.of_sessions = true;
    start(own);
    return is_recording();
}

void syn_lifecycle_end_sessions(void)
{
    if (run.of_sessions)
        stop();
}

/* Reports calls after the end of recording. RATIONALE: our delete callback on MPI_COMM_SELF was set
 * first, so it runs last. MPICH then runs the callbacks of MPI_COMM_WORLD, which may still call
 * collectives, but ranks can no longer exchange their counts. */
void syn_lifecycle_finalized(void)
{
    char count[32];
    const uint64_t late_count = syn_recorder_late_count();
    const bool was_recorded = __atomic_load_n(&life.phase, __ATOMIC_ACQUIRE) == STOPPED;
    if (late_count > 0 && was_recorded && run.rank == 0 && life.recording_pid == getpid())
        syn_say(
            SYN_SAY_LATE,
            "rank 0: in MPI_Finalize %s call%s came behind the end of the recording: not in the "
            "trace",
            syn_with_commas(late_count, count), late_count == 1 ? "" : "s");
}

void syn_lifecycle_abort(void)
{
    stop_alone(SYN_ENDING_ABORT);
}

static int wrap_Init(int *argc, char ***argv)
{
    syn_lifecycle_prepare();
    const int result = syn_next.Init(argc, argv);
    syn_lifecycle_initialized(result);
    return result;
}

static int wrap_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    syn_lifecycle_prepare();
    const int result = syn_next.Init_thread(argc, argv, required, provided);
    syn_lifecycle_initialized(result);
    return result;
}

static int wrap_Finalize(void)
{
    SYN_OPEN_FINALIZE(SYN_CALL_Finalize);
    const int result = syn_next.Finalize();
    syn_lifecycle_finalized();
    return result;
}

static int wrap_Abort(MPI_Comm comm, int code)
{
    stop_alone(SYN_ENDING_ABORT);
    return syn_next.Abort(comm, code);
}

size_t syn_lifecycle_add(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    __atomic_store_n(&life.tell_initialized, host->initialized, __ATOMIC_RELAXED);
    const struct {
        __typeof__(&MPI_Init) Init;
        __typeof__(&MPI_Init_thread) Init_thread;
        __typeof__(&MPI_Finalize) Finalize;
        __typeof__(&MPI_Abort) Abort;
    } typed = {wrap_Init, wrap_Init_thread, wrap_Finalize, wrap_Abort};
    wrappers[0] = (struct syn_wrapper){"MPI_Init", (void (*)(void))typed.Init};
    wrappers[1] = (struct syn_wrapper){"MPI_Init_thread", (void (*)(void))typed.Init_thread};
    wrappers[2] = (struct syn_wrapper){"MPI_Finalize", (void (*)(void))typed.Finalize};
    wrappers[3] = (struct syn_wrapper){"MPI_Abort", (void (*)(void))typed.Abort};
    return SYN_LIFECYCLE_WRAPPERS;
}
