/* preload/facts/topology.c - see topology.h. The PUs of the thread come from the kernel, the
 * objects that they belong to from hwloc.
 *
 * RATIONALE: sched_getaffinity and sched_getcpu replace hwloc's calls for the binding, so that it
 * is known without hwloc, too. Only one rank of a machine loads hwloc's topology, because that
 * takes some milliseconds: too much if 64 ranks on two processors did so. */
#include "preload/facts/topology.h"

#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "preload/facts/fields.h"
#include "sync/base/integers.h"

#if !defined(SYN_WITHOUT_HWLOC) && __has_include(<hwloc.h>)
#define HAVE_HWLOC 1
#include <hwloc.h>
#else
#define HAVE_HWLOC 0
#endif

#define LIST_BYTES 2048

struct pu_set {
    cpu_set_t parts[SYN_PU_COUNT_MAX / CPU_SETSIZE];
};

/* The place of this rank. */
struct place {
    struct syn_fact_sink sink;
    int pu; /* the operating system's number; -1: unknown */
    bool bound_known;
    struct pu_set bound; /* PUs on which the rank may run */
};

static bool is_in(const struct pu_set *set, int pu)
{
    return CPU_ISSET_S((size_t)pu, sizeof *set, set->parts);
}

/* Emits a set as a list such as "0-3,8". */
static void put_set(struct place *place, const char *key, const struct pu_set *set)
{
    char text[LIST_BYTES] = "";
    size_t used = 0;
    for (int first = 0, last; first < SYN_PU_COUNT_MAX; first = last + 1) {
        last = first;
        if (!is_in(set, first))
            continue;
        while (last + 1 < SYN_PU_COUNT_MAX && is_in(set, last + 1))
            last++;
        const size_t room = sizeof text - used;
        const int added =
            first == last ? snprintf(text + used, room, "%s%d", used ? "," : "", first)
                          : snprintf(text + used, room, "%s%d-%d", used ? "," : "", first, last);
        used = syn_least(used + (size_t)added, sizeof text - 1);
    }
    syn_put_fact(&place->sink, key, text);
}

/* ---- hwloc ---- */

#if HAVE_HWLOC
/* Functions of libhwloc.so, looked up at run time. The inline functions of hwloc.h call the library
 * directly and so cannot be used here. */
struct hwloc_calls {
    __typeof__(&hwloc_get_api_version) get_api_version;
    __typeof__(&hwloc_topology_init) topology_init;
    __typeof__(&hwloc_topology_set_flags) topology_set_flags;
    __typeof__(&hwloc_topology_load) topology_load;
    __typeof__(&hwloc_topology_destroy) topology_destroy;
    __typeof__(&hwloc_get_type_depth) get_type_depth;
    __typeof__(&hwloc_get_nbobjs_by_depth) get_nbobjs_by_depth;
    __typeof__(&hwloc_get_obj_by_depth) get_obj_by_depth;
    __typeof__(&hwloc_bitmap_isset) bitmap_isset;
};

struct loaded {
    struct hwloc_calls calls;
    hwloc_topology_t topology;
};

static bool load_machine(struct loaded *machine)
{
    struct hwloc_calls *calls = &machine->calls;
    /* Mostly loaded already: Open MPI and MPICH use it. It stays loaded, since MPI may need it. */
    void *library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
#define FIND(name) ((calls->name = (__typeof__(calls->name))dlsym(library, "hwloc_" #name)) != NULL)
    const bool found = FIND(get_api_version) && FIND(topology_init) && FIND(topology_set_flags) &&
                       FIND(topology_load) && FIND(topology_destroy) && FIND(get_type_depth) &&
                       FIND(get_nbobjs_by_depth) && FIND(get_obj_by_depth) && FIND(bitmap_isset);
#undef FIND
    if (!found || calls->get_api_version() >> 16 != HWLOC_API_VERSION >> 16 ||
        calls->topology_init(&machine->topology) != 0)
        return false;
    /* Without the first flag hwloc may bind this thread to one PU after another, to run CPUID on
     * each. With the second flag it also reports PUs that only other ranks may use. */
    const unsigned long flags = HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING |
                                HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED |
                                HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
                                HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
    if (calls->topology_set_flags(machine->topology, flags) == 0 &&
        calls->topology_load(machine->topology) == 0)
        return true;
    calls->topology_destroy(machine->topology);
    return false;
}

static unsigned count_objects(const struct loaded *machine, hwloc_obj_type_t type)
{
    int depth = machine->calls.get_type_depth(machine->topology, type);
    bool at_one_depth = depth >= 0 || depth == HWLOC_TYPE_DEPTH_NUMANODE;
    return at_one_depth ? machine->calls.get_nbobjs_by_depth(machine->topology, depth) : 0;
}

static hwloc_obj_t object_at(const struct loaded *machine, hwloc_obj_type_t type, unsigned index)
{
    int depth = machine->calls.get_type_depth(machine->topology, type);
    return machine->calls.get_obj_by_depth(machine->topology, depth, index);
}

static void append_count(char *text, size_t capacity, unsigned count, const char *noun)
{
    size_t used = strlen(text);
    if (count > 0)
        snprintf(text + used, capacity - used, "%s%u %s%s", used > 0 ? ", " : "", count, noun,
                 count > 1 ? "s" : "");
}

/* Sets the member at `offset` of each struct syn_pu to the number of the object of this type that
 * the PU belongs to. */
static void number_pus(const struct loaded *machine, hwloc_obj_type_t type, size_t offset,
                       struct syn_machine *out)
{
    const unsigned count = count_objects(machine, type);
    for (unsigned i = 0; i < count; i++) {
        hwloc_obj_t object = object_at(machine, type, i);
        if (!object || !object->cpuset)
            continue;
        const unsigned number = type == HWLOC_OBJ_NUMANODE ? object->os_index : i;
        for (int pu = 0; pu < out->pu_count; pu++)
            if (machine->calls.bitmap_isset(object->cpuset, (unsigned)pu))
                memcpy((char *)&out->pu[pu] + offset, &(int16_t){(int16_t)number}, sizeof(int16_t));
    }
}

/* Fills *out from hwloc; leaves it as it is if there is no hwloc. */
static void read_machine(struct syn_machine *out)
{
    struct loaded machine;
    if (!load_machine(&machine))
        return;
    const unsigned version = machine.calls.get_api_version();
    const unsigned l3_count = count_objects(&machine, HWLOC_OBJ_L3CACHE);
    hwloc_obj_t l3 = l3_count > 0 ? object_at(&machine, HWLOC_OBJ_L3CACHE, 0) : NULL;
    append_count(out->topology, sizeof out->topology, count_objects(&machine, HWLOC_OBJ_PACKAGE),
                 "package");
    append_count(out->topology, sizeof out->topology, count_objects(&machine, HWLOC_OBJ_NUMANODE),
                 "NUMA node");
    append_count(out->topology, sizeof out->topology, count_objects(&machine, HWLOC_OBJ_CORE),
                 "core");
    append_count(out->topology, sizeof out->topology, count_objects(&machine, HWLOC_OBJ_PU), "PU");
    if (l3 && l3->attr)
        snprintf(out->l3, sizeof out->l3, "%u x %llu KiB", l3_count,
                 (unsigned long long)l3->attr->cache.size / 1024);
    snprintf(out->source, sizeof out->source, "hwloc %u.%u.%u", version >> 16, version >> 8 & 0xff,
             version & 0xff);
    const unsigned count = count_objects(&machine, HWLOC_OBJ_PU);
    memset(out->pu, 0xff, sizeof out->pu); /* all members -1 */
    for (unsigned i = 0; i < count; i++) {
        hwloc_obj_t pu = object_at(&machine, HWLOC_OBJ_PU, i);
        if (!pu || pu->os_index >= SYN_PU_COUNT_MAX)
            continue;
        out->pu[pu->os_index].exists = 1;
        if ((int)pu->os_index >= out->pu_count)
            out->pu_count = (int)pu->os_index + 1;
    }
    number_pus(&machine, HWLOC_OBJ_PACKAGE, offsetof(struct syn_pu, package), out);
    number_pus(&machine, HWLOC_OBJ_NUMANODE, offsetof(struct syn_pu, numa_node), out);
    number_pus(&machine, HWLOC_OBJ_CORE, offsetof(struct syn_pu, core), out);
    number_pus(&machine, HWLOC_OBJ_L3CACHE, offsetof(struct syn_pu, l3), out);
    machine.calls.topology_destroy(machine.topology);
}
#else
static void read_machine(struct syn_machine *out)
{
    (void)out;
}
#endif

void syn_machine_read(struct syn_machine *out)
{
    memset(out, 0, sizeof *out);
    snprintf(out->source, sizeof out->source, "kernel");
    read_machine(out);
}

size_t syn_machine_bytes(const struct syn_machine *machine)
{
    return offsetof(struct syn_machine, pu) + (size_t)machine->pu_count * sizeof machine->pu[0];
}

/* ---- this rank's place ---- */

static void put_number(struct place *place, const char *key, int number)
{
    if (number >= 0)
        syn_put_fact_format(&place->sink, key, "%d", number);
}

void syn_topology_collect(const struct syn_machine *machine,
                          int (*emit)(void *ctx, const char *key, const char *value), void *ctx)
{
    struct place place = {.sink = {.emit = emit, .ctx = ctx}, .pu = sched_getcpu()};
    struct syn_fact_sink *sink = &place.sink;
    place.bound_known = sched_getaffinity(0, sizeof place.bound, place.bound.parts) == 0;
    put_number(&place, "rank.pu", place.pu);
    if (place.bound_known)
        put_set(&place, "rank.bound_pus", &place.bound);
    syn_put_fact(sink, "host.topology", machine->topology);
    syn_put_fact(sink, "host.l3", machine->l3);
    if (place.pu >= 0 && place.pu < machine->pu_count) {
        const struct syn_pu *own = &machine->pu[place.pu];
        put_number(&place, "rank.package", own->package);
        put_number(&place, "rank.numa_node", own->numa_node);
        put_number(&place, "rank.core", own->core);
        struct pu_set sharing = {0};
        for (int pu = 0; pu < machine->pu_count; pu++)
            if (own->l3 >= 0 && machine->pu[pu].l3 == own->l3)
                CPU_SET_S((size_t)pu, sizeof sharing, sharing.parts);
        put_set(&place, "rank.l3_sharing", &sharing);
    }
    if (place.bound_known && machine->pu_count > 0) {
        struct pu_set cores = {0}; /* set of core numbers, all below SYN_PU_COUNT_MAX */
        bool bound = false;
        for (int pu = 0; pu < machine->pu_count; pu++) {
            const bool is_bound_to = is_in(&place.bound, pu);
            if (machine->pu[pu].core >= 0 && is_bound_to)
                CPU_SET_S((size_t)machine->pu[pu].core, sizeof cores, cores.parts);
            bound |= machine->pu[pu].exists == 1 && !is_bound_to;
        }
        put_set(&place, "rank.bound_cores", &cores);
        syn_put_fact(sink, "rank.bound", bound ? "yes" : "no");
    }
    syn_put_fact(sink, "topology.source", machine->source);
}
