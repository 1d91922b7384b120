/* preload/topology.c - the kernel says which PUs, hwloc says what they are part of.
 *
 * RATIONALE: hwloc's own calls for the binding are not used: sched_getaffinity and sched_getcpu say
 * the same without a topology, so the ranks' places are known even where hwloc is not there. */
#include "topology.h"

#include <dlfcn.h>
#include <hwloc.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define PU_COUNT_MAX (CPU_SETSIZE * 8)
#define LIST_BYTES   2048

struct pu_set {
    cpu_set_t parts[PU_COUNT_MAX / CPU_SETSIZE];
};

struct place {
    int (*emit)(void *ctx, const char *key, const char *value);
    void *ctx;
    bool stopped;
    int pu; /* the operating system's number; -1 unknown */
    bool bound_known;
    struct pu_set bound;
};

/* What is needed of libhwloc.so, found at run time. hwloc.h's inline helpers call the library
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

struct machine {
    struct hwloc_calls calls;
    hwloc_topology_t topology;
};

static void put(struct place *place, const char *key, const char *value)
{
    if (!place->stopped && value[0] != '\0')
        place->stopped = place->emit(place->ctx, key, value) != 0;
}

__attribute__((format(printf, 3, 4))) static void put_format(struct place *place, const char *key,
                                                             const char *format, ...)
{
    char value[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    put(place, key, value);
}

/* ---- lists such as "0-3,8" ---- */

struct list {
    char text[LIST_BYTES];
    size_t used;
    int first; /* of the run that is growing; -1: none */
    int last;
};

static void list_end_run(struct list *list)
{
    const char *comma = list->used > 0 ? "," : "";
    size_t room = sizeof list->text - list->used;
    int added = 0;
    if (list->first < 0)
        return;
    if (list->first == list->last)
        added = snprintf(list->text + list->used, room, "%s%d", comma, list->first);
    else
        added = snprintf(list->text + list->used, room, "%s%d-%d", comma, list->first, list->last);
    if (added > 0)
        list->used = (size_t)added < room ? list->used + (size_t)added : sizeof list->text - 1;
    list->first = -1;
}

/* Numbers come in rising order. */
static void list_add(struct list *list, int number)
{
    if (list->first >= 0 && number == list->last + 1) {
        list->last = number;
        return;
    }
    list_end_run(list);
    list->first = list->last = number;
}

static void list_start(struct list *list)
{
    list->text[0] = '\0';
    list->used = 0;
    list->first = list->last = -1;
}

static bool is_bound_to(const struct place *place, int pu)
{
    return CPU_ISSET_S((size_t)pu, sizeof place->bound, place->bound.parts);
}

/* ---- hwloc ---- */

static bool find_calls(struct hwloc_calls *calls)
{
    /* Usually there already: both MPIs use it. It stays loaded: unloading could only do harm. */
    void *library = dlopen("libhwloc.so.15", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return false;
#define FIND(name) ((calls->name = (__typeof__(calls->name))dlsym(library, "hwloc_" #name)) != NULL)
    bool found = FIND(get_api_version) && FIND(topology_init) && FIND(topology_set_flags) &&
                 FIND(topology_load) && FIND(topology_destroy) && FIND(get_type_depth) &&
                 FIND(get_nbobjs_by_depth) && FIND(get_obj_by_depth) && FIND(bitmap_isset);
#undef FIND
    return found && calls->get_api_version() >> 16 == HWLOC_API_VERSION >> 16;
}

static bool load_machine(struct machine *machine)
{
    /* Without the first flag hwloc may bind this thread to one PU after another to ask each by
     * CPUID. */
    unsigned long flags = HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING |
                          HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS |
                          HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
    if (!find_calls(&machine->calls) || machine->calls.topology_init(&machine->topology) != 0)
        return false;
    if (machine->calls.topology_set_flags(machine->topology, flags) == 0 &&
        machine->calls.topology_load(machine->topology) == 0)
        return true;
    machine->calls.topology_destroy(machine->topology);
    return false;
}

static unsigned count_objects(const struct machine *machine, hwloc_obj_type_t type)
{
    int depth = machine->calls.get_type_depth(machine->topology, type);
    bool at_one_depth = depth >= 0 || depth == HWLOC_TYPE_DEPTH_NUMANODE;
    return at_one_depth ? machine->calls.get_nbobjs_by_depth(machine->topology, depth) : 0;
}

static hwloc_obj_t object_at(const struct machine *machine, hwloc_obj_type_t type, unsigned index)
{
    int depth = machine->calls.get_type_depth(machine->topology, type);
    return machine->calls.get_obj_by_depth(machine->topology, depth, index);
}

/* The object of a type that has a PU; NULL where there is none. */
static hwloc_obj_t object_of_pu(const struct machine *machine, hwloc_obj_type_t type, int pu)
{
    unsigned count = count_objects(machine, type);
    for (unsigned i = 0; pu >= 0 && i < count; i++) {
        hwloc_obj_t object = object_at(machine, type, i);
        if (object != NULL && object->cpuset != NULL &&
            machine->calls.bitmap_isset(object->cpuset, (unsigned)pu))
            return object;
    }
    return NULL;
}

static void append_count(char *text, size_t capacity, unsigned count, const char *noun)
{
    size_t used = strlen(text);
    if (count > 0)
        snprintf(text + used, capacity - used, "%s%u %s%s", used > 0 ? ", " : "", count, noun,
                 count > 1 ? "s" : "");
}

static void put_host(struct place *place, const struct machine *machine)
{
    char text[160] = "";
    append_count(text, sizeof text, count_objects(machine, HWLOC_OBJ_PACKAGE), "package");
    append_count(text, sizeof text, count_objects(machine, HWLOC_OBJ_NUMANODE), "NUMA node");
    append_count(text, sizeof text, count_objects(machine, HWLOC_OBJ_CORE), "core");
    append_count(text, sizeof text, count_objects(machine, HWLOC_OBJ_PU), "PU");
    put(place, "host.topology", text);
    unsigned l3_count = count_objects(machine, HWLOC_OBJ_L3CACHE);
    hwloc_obj_t l3 = l3_count > 0 ? object_at(machine, HWLOC_OBJ_L3CACHE, 0) : NULL;
    if (l3 != NULL && l3->attr != NULL)
        put_format(place, "host.l3", "%u x %llu KiB", l3_count,
                   (unsigned long long)l3->attr->cache.size / 1024);
}

static void put_object_of_pu(struct place *place, const struct machine *machine, const char *key,
                             hwloc_obj_type_t type)
{
    hwloc_obj_t object = object_of_pu(machine, type, place->pu);
    if (object != NULL)
        put_format(place, key, "%u",
                   type == HWLOC_OBJ_NUMANODE ? object->os_index : object->logical_index);
}

static bool core_is_bound(const struct place *place, const struct machine *machine,
                          hwloc_obj_t core)
{
    for (int pu = 0; pu < PU_COUNT_MAX; pu++)
        if (is_bound_to(place, pu) && machine->calls.bitmap_isset(core->cpuset, (unsigned)pu))
            return true;
    return false;
}

static void put_bound_cores(struct place *place, const struct machine *machine)
{
    struct list list;
    unsigned count = count_objects(machine, HWLOC_OBJ_CORE);
    list_start(&list);
    for (unsigned i = 0; i < count; i++) {
        hwloc_obj_t core = object_at(machine, HWLOC_OBJ_CORE, i);
        if (core != NULL && core->cpuset != NULL && core_is_bound(place, machine, core))
            list_add(&list, (int)core->logical_index);
    }
    list_end_run(&list);
    put(place, "rank.bound_cores", list.text);
}

static void put_is_bound(struct place *place, const struct machine *machine)
{
    unsigned count = count_objects(machine, HWLOC_OBJ_PU), bound_count = 0;
    for (unsigned i = 0; i < count; i++) {
        hwloc_obj_t pu = object_at(machine, HWLOC_OBJ_PU, i);
        bound_count +=
            pu != NULL && pu->os_index < PU_COUNT_MAX && is_bound_to(place, (int)pu->os_index);
    }
    put(place, "rank.bound", bound_count < count ? "yes" : "no");
}

static void put_l3_sharing(struct place *place, const struct machine *machine)
{
    struct list list;
    hwloc_obj_t l3 = object_of_pu(machine, HWLOC_OBJ_L3CACHE, place->pu);
    if (l3 == NULL)
        return;
    list_start(&list);
    for (int pu = 0; pu < PU_COUNT_MAX; pu++)
        if (machine->calls.bitmap_isset(l3->cpuset, (unsigned)pu))
            list_add(&list, pu);
    list_end_run(&list);
    put(place, "rank.l3_sharing", list.text);
}

static void put_machine(struct place *place, const struct machine *machine)
{
    unsigned version = machine->calls.get_api_version();
    put_host(place, machine);
    put_object_of_pu(place, machine, "rank.package", HWLOC_OBJ_PACKAGE);
    put_object_of_pu(place, machine, "rank.numa_node", HWLOC_OBJ_NUMANODE);
    put_object_of_pu(place, machine, "rank.core", HWLOC_OBJ_CORE);
    put_l3_sharing(place, machine);
    if (place->bound_known) {
        put_bound_cores(place, machine);
        put_is_bound(place, machine);
    }
    put_format(place, "topology.source", "hwloc %u.%u.%u", version >> 16, version >> 8 & 0xff,
               version & 0xff);
}

/* ---- the kernel ---- */

static void put_kernel(struct place *place)
{
    struct list list;
    if (place->pu >= 0)
        put_format(place, "rank.pu", "%d", place->pu);
    if (!place->bound_known)
        return;
    list_start(&list);
    for (int pu = 0; pu < PU_COUNT_MAX; pu++)
        if (is_bound_to(place, pu))
            list_add(&list, pu);
    list_end_run(&list);
    put(place, "rank.bound_pus", list.text);
}

void syn_topology_collect(int (*emit)(void *ctx, const char *key, const char *value), void *ctx)
{
    struct place place = {.emit = emit, .ctx = ctx, .pu = sched_getcpu()};
    struct machine machine;
    place.bound_known = sched_getaffinity(0, sizeof place.bound, place.bound.parts) == 0;
    put_kernel(&place);
    if (!load_machine(&machine)) {
        put(&place, "topology.source", "kernel");
        return;
    }
    put_machine(&place, &machine);
    machine.calls.topology_destroy(machine.topology);
}
