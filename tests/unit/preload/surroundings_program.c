/* Prints what the recorder would note about its own process, one "key value" a line: a process of
 * its own, so that tests choose its arguments, environment and binding. Exits with 1 where the
 * collection changed the binding or the environment. */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "preload/facts/factors.h"
#include "preload/facts/modules.h"
#include "preload/facts/topology.h"

extern char **environ;

static int print(void *ctx, const char *key, const char *value)
{
    int *left = ctx;
    printf("%s %s\n", key, value);
    return --*left == 0;
}

static size_t environment_bytes(void)
{
    size_t bytes = 0;
    for (char **entry = environ; *entry != NULL; entry++)
        bytes += strlen(*entry) + 1;
    return bytes;
}

static void print_module_of_main(void)
{
    struct syn_modules *modules;
    struct syn_frame frame;
    if (syn_modules_create(&modules) != 0)
        return;
    const uintptr_t address = (uintptr_t)&print_module_of_main;
    syn_modules_locate(modules, &address, 1, &frame);
    printf("main.module %u\nmain.path %s\nmain.offset %#lx\nmain.base %#lx\n", frame.module,
           syn_modules_at(modules, 0)->path, (unsigned long)frame.offset,
           (unsigned long)(address - frame.offset));
    syn_modules_free(modules);
}

int main(int argc, char **argv)
{
    cpu_set_t before, after;
    size_t bytes = environment_bytes();
    int left = argc > 1 && strcmp(argv[1], "--one") == 0 ? 1 : 1000000;
    sched_getaffinity(0, sizeof before, &before);
    syn_factors_of_host(print, &left);
    if (left > 0)
        syn_factors_of_process(print, &left);
    if (left > 0) {
        static struct syn_machine machine;
        syn_machine_read(&machine);
        syn_topology_collect(&machine, print, &left);
    }
    print_module_of_main();
    sched_getaffinity(0, sizeof after, &after);
    return environment_bytes() != bytes || !CPU_EQUAL(&before, &after);
}
