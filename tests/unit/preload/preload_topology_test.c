#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "surroundings.h"

static char value[4096];

/* A CPU that this process may use, the last of them: not the one that comes by default. */
static int last_allowed_cpu(void)
{
    cpu_set_t set;
    int last = -1;
    sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set))
            last = cpu;
    return last;
}

Test(preload_topology, a_bound_rank_says_where)
{
    int status, cpu = last_allowed_cpu();
    char prefix[64], expected[16];
    snprintf(prefix, sizeof prefix, "taskset -c %d", cpu);
    snprintf(expected, sizeof expected, "%d", cpu);
    char *printed = run_surroundings(prefix, "", &status);
    cr_assert_eq(status, 0, "the collection changed the environment or the binding");
    cr_assert(value_of(printed, "rank.pu", value, sizeof value));
    cr_assert_str_eq(value, expected);
    cr_assert(value_of(printed, "rank.bound_pus", value, sizeof value));
    cr_assert_str_eq(value, expected);
    if (sysconf(_SC_NPROCESSORS_ONLN) > 1) {
        cr_assert(value_of(printed, "rank.bound", value, sizeof value));
        cr_assert_str_eq(value, "yes");
    }
    free(printed);
}

Test(preload_topology, hwloc_places_the_rank)
{
    int status;
    char *printed = run_surroundings("", "", &status), expected[64];
    cr_assert(value_of(printed, "topology.source", value, sizeof value));
    cr_assert_eq(strncmp(value, "hwloc 2.", 8), 0, "got %s", value);
    cr_assert(value_of(printed, "rank.package", value, sizeof value));
    cr_assert(value_of(printed, "rank.core", value, sizeof value));
    cr_assert(value_of(printed, "rank.numa_node", value, sizeof value));
    cr_assert(value_of(printed, "rank.bound_cores", value, sizeof value));
    cr_assert(value_of(printed, "host.topology", value, sizeof value));
    snprintf(expected, sizeof expected, "%ld PU", sysconf(_SC_NPROCESSORS_ONLN));
    cr_assert_not_null(strstr(value, expected), "%s", value);
    free(printed);
}

/* hwloc's own way to pretend: a machine of 2 packages, 4 cores each, 2 PUs a core. */
Test(preload_topology, objects_of_a_larger_machine_are_found)
{
    int status;
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        cr_skip_test("needs a PU 1 to bind to");
    char *printed = run_surroundings(
        "HWLOC_SYNTHETIC='pack:2 numa:1 l3:1 core:4 pu:2' HWLOC_THISSYSTEM=1 taskset -c 1", "",
        &status);
    cr_assert(value_of(printed, "host.topology", value, sizeof value));
    cr_assert_str_eq(value, "2 packages, 2 NUMA nodes, 8 cores, 16 PUs");
    cr_assert(value_of(printed, "rank.bound_cores", value, sizeof value));
    cr_assert_str_eq(value, "0", "PU 1 is the second one of core 0");
    cr_assert(value_of(printed, "rank.l3_sharing", value, sizeof value));
    cr_assert_str_eq(value, "0-7");
    cr_assert(value_of(printed, "rank.package", value, sizeof value));
    cr_assert_str_eq(value, "0");
    free(printed);
}

Test(preload_topology, without_hwloc_the_kernel_says_what_it_knows)
{
    int status;
    /* A file of that name which is no library stands in the way of the real one. */
    char directory[] = "/tmp/syncopate-topology-XXXXXX", path[128], prefix[256];
    cr_assert_not_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/libhwloc.so.15", directory);
    FILE *file = fopen(path, "w");
    fputs("no library", file);
    fclose(file);
    snprintf(prefix, sizeof prefix, "LD_LIBRARY_PATH=%s", directory);
    char *printed = run_surroundings(prefix, "", &status);
    unlink(path);
    rmdir(directory);
    cr_assert_eq(status, 0);
    cr_assert(value_of(printed, "topology.source", value, sizeof value));
    cr_assert_str_eq(value, "kernel");
    cr_assert(value_of(printed, "rank.pu", value, sizeof value));
    cr_assert(value_of(printed, "rank.bound_pus", value, sizeof value));
    cr_assert_not(value_of(printed, "rank.package", value, sizeof value));
    free(printed);
}
