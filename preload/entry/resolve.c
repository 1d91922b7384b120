/* preload/entry/resolve.c - at the first MPI call, loads the backend for the MPI of the process and
 * fills the slots of the entries.
 *
 * In a process that makes no MPI call, none of this runs, except the destructor: there is no
 * constructor. There is no lock either. Several threads may enter at once, and one of them may hold
 * the dynamic linker's lock (if a library's constructor calls MPI), so a lock here could deadlock.
 * Instead each step is idempotent: all threads find the same MPI, the dynamic linker loads the
 * backend once, and all threads store the same values in the slots. */
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/entry/backend.h"
#include "preload/entry/dispositions.h"
#include "preload/entry/own_libraries.h"
#include "preload/entry/presence.h"
#include "preload/entry/which_mpi.h"
#include "sync/base/hash.h"
#include "sync/base/index.h"
#include "sync/base/names.h"
#include "sync/base/status.h"
#include "trace/directory/launch.h"

#define HIDDEN __attribute__((visibility("hidden")))

static const char *const entry_names[] = {
#define SYN_ENTRY(symbol) #symbol,
#include "preload/entry/entries.def"
};
enum { ENTRY_COUNT = sizeof entry_names / sizeof *entry_names };

extern HIDDEN void *syn_slots[ENTRY_COUNT];
HIDDEN void *syn_resolve(size_t index);

static void say_once(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns whether descriptor 2 still is the stderr of the first MPI call. The program may have
 * closed it, and opened a file of its own there. */
static bool is_still_stderr(void)
{
    static struct stat then;
    static int known;
    struct stat now;
    if (fstat(STDERR_FILENO, &now))
        return false;
    if (!__atomic_exchange_n(&known, 1, __ATOMIC_RELAXED))
        then = now;
    return now.st_dev == then.st_dev && now.st_ino == then.st_ino;
}

static void say_once(const char *format, ...)
{
    static int said;
    if (!is_still_stderr())
        return;
    if (__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED) || !syn_launch_speaks())
        return;
    char line[1024] = "syncopate: ";
    const size_t prefix = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + prefix, sizeof line - prefix - 1, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    strcat(syn_make_harmless(line), "\n");
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        return; /* stderr cannot be written: there is nowhere to report that */
}

/* Returns the first definition after the recorder's. dlsym(RTLD_NEXT) finds the calling object by
 * its return address, so the call must not become a tail call. */
static void *next_symbol(const char *name)
{
    void *volatile found = dlsym(RTLD_NEXT, name);
    return found;
}

/* Stores the path of this library as the kernel knows it. The dynamic linker's name may be relative
 * (LD_PRELOAD), and is wrong after the program has changed its directory. Returns false if there is
 * no path, or it is too long. */
static bool own_path(char *path, size_t path_bytes)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps) {
        /* Without /proc, the dynamic linker's name has to do. */
        Dl_info info;
        return dladdr(syn_slots, &info) && strchr(info.dli_fname, '/') &&
               snprintf(path, path_bytes, "%s", info.dli_fname) < (int)path_bytes;
    }
    const unsigned long own = (unsigned long)(void *)syn_slots;
    char line[4096 + 128];
    bool found = false;
    while (!found && fgets(line, sizeof line, maps)) {
        char *end;
        const unsigned long low = strtoul(line, &end, 16); /* sscanf takes three times as long */
        if (own < low || *end != '-' || own >= strtoul(end + 1, NULL, 16))
            continue;
        const char *name = strchr(line, '/');
        if (!name)
            continue;
        size_t length = strcspn(name, "\n");
        found = length < path_bytes;
        if (found)
            snprintf(path, path_bytes, "%.*s", (int)length, name);
    }
    fclose(maps);
    return found;
}

/* Stores the directory number `which` to search for backends; returns false if there is none. 0:
 * SYNCOPATE_BACKENDS. 1: the directory of this library. 2: the directory in which syncopate-backend
 * puts a backend for a user who cannot write to the other. It has the version in its name, because
 * resolver and backend must have the same version. */
static bool directory_of_backends(int which, char *path, size_t path_bytes)
{
    const char *named = getenv("SYNCOPATE_BACKENDS"), *home = getenv("HOME");
    if (which == 0 && named)
        return snprintf(path, path_bytes, "%s", named) < (int)path_bytes;
    if (which == 1 && own_path(path, path_bytes)) {
        *strrchr(path, '/') = '\0';
        return true;
    }
    return which == 2 && home &&
           snprintf(path, path_bytes, "%s/.local/lib/syncopate-%s", home, SYN_VERSION) <
               (int)path_bytes;
}

static void *open_backend(const char *flavour)
{
    char path[4096 + 64];
    for (int which = 0; which < 3; which++) {
        if (!directory_of_backends(which, path, 4096))
            continue;
        snprintf(path + strlen(path), 64, "/libsyncopate-%s.so", flavour);
        if (access(path, F_OK))
            continue;
        const struct link_map *before = syn_own_libraries_before(), *map = NULL;
        void *backend = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!backend)
            say_once("cannot load the part for %s, not recording: %s", flavour, dlerror());
        else if (dlinfo(backend, RTLD_DI_LINKMAP, &map) == 0)
            syn_own_libraries_bind(map, before);
        return backend;
    }
    say_once("there is no part for %s (syncopate-backend MPICC makes one); not recording", flavour);
    return NULL;
}

/* ---- MPI, initialized past us ---- */

static int initialized; /* atomic */

static void note_initialized(void)
{
    __atomic_store_n(&initialized, 1, __ATOMIC_RELAXED);
}

static __attribute__((destructor)) void say_if_past_us(void)
{
    if (__atomic_load_n(&initialized, __ATOMIC_RELAXED) || syn_presence_disabled() ||
        !syn_presence_is_first_process())
        return;
    const char *ran = syn_presence_mpi_that_ran(), *in_front = syn_presence_in_front();
    if (!ran)
        return;
    if (in_front)
        say_once("MPI was initialized past the recorder, by the MPI_Init of %s, which comes before "
                 "the recorder's: nothing is recorded",
                 in_front[0] ? in_front : "the program itself");
    else if (strcmp(ran, syn_presence_mpi_name()) != 0)
        say_once("MPI was initialized past the recorder: it is the one of %s, and %s was loaded "
                 "before: nothing is recorded",
                 ran[0] ? ran : "the program itself", syn_presence_mpi_name());
    else
        say_once("MPI was initialized past the recorder, by PMPI_Init, by a function that was "
                 "looked up in the MPI library itself, or from a library opened with "
                 "RTLD_DEEPBIND: nothing is recorded");
}

/* ---- the backend ---- */

static const struct syn_host host = {.symbol = syn_presence_symbol,
                                     .object = syn_presence_object,
                                     .next = next_symbol,
                                     .initialized = note_initialized,
                                     .hide_actions = syn_dispositions_hide,
                                     .take_actions = syn_dispositions_take};

static const struct syn_wrapper *wrappers_of(void *backend, size_t *count)
{
    syn_backend_function *function = (syn_backend_function *)dlsym(backend, SYN_BACKEND_FUNCTION);
    const char *missing = SYN_BACKEND_FUNCTION;
    const struct syn_wrapper *wrappers = function ? function(&host, count, &missing) : NULL;
    if (!wrappers)
        say_once("this MPI has no %s, not recording", missing);
    return wrappers;
}

/* ---- wrappers by name ---- */

struct names {
    const struct syn_wrapper *wrappers;
    struct syn_index index;
};

static bool is(const void *wrappers, uint32_t number, const void *name)
{
    return strcmp(((const struct syn_wrapper *)wrappers)[number].name, name) == 0;
}

static uint32_t *slot_of(const struct names *names, const char *name)
{
    return syn_index_slot(&names->index, syn_hash64(name, strlen(name)), is, names->wrappers, name);
}

/* Fills `names` with the wrappers by name, except those of functions that this MPI lacks. Out of
 * memory, `names` stays empty and nothing is recorded. */
static void enter_names(struct names *names, const struct syn_wrapper *wrappers, size_t count)
{
    *names = (struct names){.wrappers = wrappers};
    if (syn_index_grow(&names->index, count + 1, 0, NULL, NULL) != SYN_OK)
        return;
    for (size_t i = 0; i < count; i++)
        if (wrappers[i].name)
            *slot_of(names, wrappers[i].name) = (uint32_t)(i + 1);
}

static const struct syn_wrapper *find_wrappers(size_t *count)
{
    char why[256] = "";
    if (syn_presence_disabled() || !syn_presence_mpi_name()[0])
        return NULL;
    const char *flavour = syn_which_mpi(&host, why, sizeof why);
    if (!flavour) {
        say_once("%s; not recording", why);
        return NULL;
    }
    void *backend = open_backend(flavour);
    return backend ? wrappers_of(backend, count) : NULL;
}

/* Is called in place of a function that no loaded MPI defines. The name of such a function is
 * hidden, but the process may have taken its address earlier. The slot does not keep this function,
 * because an MPI may be loaded later. ierror of a Fortran subroutine is not set: its position among
 * the arguments is unknown here. */
static int no_mpi(void)
{
    enum { SOME_ERROR = 16 };
    say_once("an MPI function was called, but no MPI library that has it is loaded");
    return SOME_ERROR;
}

/* Fills the slots of all wrappers, and the slot of entry `index`. Returns the function that entry
 * `index` leads to. Other slots stay as they are: their functions may not be loaded yet, and most
 * are never called. */
void *syn_resolve(size_t index)
{
    size_t count = 0;
    is_still_stderr();
    const struct syn_wrapper *wrappers = find_wrappers(&count);
    struct names names;
    enter_names(&names, wrappers, wrappers ? count : 0);
    void *target = NULL;
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        const uint32_t number = names.index.slot ? *slot_of(&names, entry_names[i]) : 0;

        void *leads_to = number > 0 ? (void *)names.wrappers[number - 1].function : NULL;
        if (!leads_to && i == index)
            leads_to = syn_presence_symbol(entry_names[i]);
        if (leads_to)
            __atomic_store_n(&syn_slots[i], leads_to, __ATOMIC_RELEASE);
        if (i == index)
            target = leads_to;
    }
    syn_index_free(&names.index);
    return target ? target : (void *)no_mpi;
}
