/* preload/calls/control/control.c - see control.h. */
#include "preload/calls/control/control.h"

#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include "preload/base/lock.h"
#include "preload/mpi/fortran_wrappers.h"
#include "preload/recorder/recorder.h"
#include "trace/directory/lists.h"

#define PHASE_COUNT_MAX  255 /* the last one stands for all levels beyond the first 254 */
#define PHASE_NAME_BYTES 64

static struct {
    struct syn_lock lock; /* held while a phase is added or the recording is switched */
    struct {
        int level;
        char name[PHASE_NAME_BYTES];
    } phase[PHASE_COUNT_MAX];
    uint32_t phase_count;             /* atomic; phases below it do not change any more */
    char names[SYN_PHASES_BYTES];     /* --phases, "2=assembly,3=solve"; set at the start */
    struct syn_control_counts counts; /* atomic, except left_out, which is set at the start */
    void (*next_f)(MPI_Fint *level);  /* MPI's functions for Fortran, set at load time */
    void (*next_f08)(MPI_Fint *level);
} control = {.lock = SYN_LOCK_INITIALIZER};

void syn_control_start(const struct syn_options *options, int rank)
{
    memcpy(control.names, options->phases, sizeof control.names);
    control.counts.left_out = options->ranks[0] && !syn_rank_list_has(options->ranks, rank);
    if (control.counts.left_out)
        __atomic_or_fetch(&syn_control, SYN_CONTROL_LEFT_OUT, __ATOMIC_RELAXED);
}

void syn_control_passed(void)
{
    if (syn_control_now() & (SYN_CONTROL_OFF | SYN_CONTROL_LEFT_OUT))
        __atomic_add_fetch(&control.counts.passed_count, 1, __ATOMIC_RELAXED);
    else
        syn_recorder_lose(1);
}

void syn_control_counts(struct syn_control_counts *out)
{
    out->switch_count = __atomic_load_n(&control.counts.switch_count, __ATOMIC_RELAXED);
    out->passed_count = __atomic_load_n(&control.counts.passed_count, __ATOMIC_RELAXED);
    out->left_out = control.counts.left_out;
}

/* ---- phases ---- */

/* Writes the name that --phases gives the level, else the level as a number. */
static void name_phase(int level, char name[PHASE_NAME_BYTES])
{
    size_t length;
    const char *given = syn_phase_list_find(control.names, level, &length);
    if (given)
        snprintf(name, PHASE_NAME_BYTES, "%.*s", (int)length, given);
    else
        snprintf(name, PHASE_NAME_BYTES, "%d", level);
}

/* Returns the number of the level's phase, from 1; adds the phase if it is new. Under the lock. */
static uint32_t phase_of(int level)
{
    for (uint32_t i = 0; i < control.phase_count; i++)
        if (control.phase[i].level == level && i + 1 < PHASE_COUNT_MAX)
            return i + 1;
    if (control.phase_count == PHASE_COUNT_MAX)
        return PHASE_COUNT_MAX;
    control.phase[control.phase_count].level = level;
    if (control.phase_count + 1 < PHASE_COUNT_MAX)
        name_phase(level, control.phase[control.phase_count].name);
    else
        snprintf(control.phase[control.phase_count].name, PHASE_NAME_BYTES, "others");
    __atomic_store_n(&control.phase_count, control.phase_count + 1, __ATOMIC_RELEASE);
    return control.phase_count;
}

const char *syn_control_phase_name(uint32_t number)
{
    const uint32_t count = __atomic_load_n(&control.phase_count, __ATOMIC_ACQUIRE);
    return number >= 1 && number <= count ? control.phase[number - 1].name : NULL;
}

/* ---- MPI_Pcontrol ---- */

/* Returns the state after MPI_Pcontrol(level) in the state `now`. */
static uint32_t control_after(uint32_t now, int level)
{
    const uint32_t others = now & ~(SYN_CONTROL_OFF | SYN_CONTROL_PHASE);
    if (level == 0)
        return now | SYN_CONTROL_OFF;
    if (level == 1)
        return others;
    if (level > 1)
        return others | phase_of(level) << SYN_EVENT_PHASE_SHIFT;
    return now & ~SYN_CONTROL_PHASE; /* -n ends phase n */
}

/* Executes MPI_Pcontrol(level). */
__attribute__((visibility("hidden"))) void syn_control_obey(int level);
void syn_control_obey(int level)
{
    if (!syn_lock_take(&control.lock))
        return;
    const uint32_t phases_before = control.phase_count;
    const uint32_t before = syn_control_now();
    const uint32_t after = control_after(before, level);
    /* The name of a new phase must be declared before the first event of that phase. */
    if (control.phase_count > phases_before)
        syn_recorder_declare_new();
    /* Other threads may change the other bits meanwhile, so only these two are changed. */
    const uint32_t changed = SYN_CONTROL_OFF | SYN_CONTROL_PHASE;
    __atomic_and_fetch(&syn_control, after | ~changed, __ATOMIC_RELEASE);
    __atomic_or_fetch(&syn_control, after & changed, __ATOMIC_RELEASE);
    if (after != before)
        __atomic_add_fetch(&control.counts.switch_count, 1, __ATOMIC_RELAXED);
    syn_lock_give(&control.lock);
}

/* The wrapper of the C function (control_entry.S): calls syn_control_obey and jumps to the next
 * function with unchanged arguments. */
__attribute__((visibility("hidden"))) void syn_control_entry(void);
__attribute__((visibility("hidden"))) void (*syn_control_next)(void);

/* The wrappers of the Fortran functions, which have only the level as a parameter and no ierror. If
 * MPI's function calls the C function, that has no further effect. */

static void wrap_f(MPI_Fint *level)
{
    syn_control_obey(*level);
    control.next_f(level);
}

static void wrap_f08(MPI_Fint *level)
{
    syn_control_obey(*level);
    control.next_f08(level);
}

size_t syn_control_add(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    static const char *const c[] = {"MPI_Pcontrol"};
    static const char *const f[] = SYN_SPELLINGS("mpi_pcontrol", "MPI_PCONTROL");
    static const char *const f08[] = {"mpi_pcontrol_f08_"};
    size_t used = syn_fortran_add(host, wrappers, c, 1, &syn_control_next, syn_control_entry);
    used += syn_fortran_add(host, wrappers + used, f, 4, &control.next_f, (void (*)(void))wrap_f);
    used +=
        syn_fortran_add(host, wrappers + used, f08, 1, &control.next_f08, (void (*)(void))wrap_f08);
    return used;
}
