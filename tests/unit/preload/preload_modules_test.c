#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "preload/facts/modules.h"
#include "surroundings.h"

static struct syn_modules *modules;

static void create(void)
{
    cr_assert_eq(syn_modules_create(&modules), 0);
}

static void destroy(void)
{
    syn_modules_free(modules);
}

TestSuite(preload_modules, .init = create, .fini = destroy);

static uintptr_t base_of(const void *address)
{
    Dl_info info;
    cr_assert_neq(dladdr(address, &info), 0);
    return (uintptr_t)info.dli_fbase;
}

static bool locate(uintptr_t address, struct syn_frame *out)
{
    return syn_modules_locate(modules, &address, 1, out) == 1;
}

static size_t module_count(void)
{
    size_t count = 0;
    while (syn_modules_at(modules, count))
        count++;
    return count;
}

Test(preload_modules, an_address_of_the_program_is_an_offset_from_its_base)
{
    struct syn_frame frame;
    cr_assert(locate((uintptr_t)&create, &frame));
    cr_assert_eq(frame.module, 0, "the program comes first");
    cr_assert_eq(frame.offset, (uintptr_t)&create - base_of((void *)&create));
    const struct syn_module_record *record = syn_modules_at(modules, 0);
    cr_assert_not_null(strstr(record->path, "preload_modules_test"));
    cr_assert_eq(record->build_id_bytes, 20);
}

Test(preload_modules, an_address_of_libc_is_in_libc)
{
    struct syn_frame frame;
    void *function = dlsym(RTLD_NEXT, "gnu_get_libc_version");
    cr_assert(locate((uintptr_t)function, &frame));
    cr_assert_not_null(strstr(syn_modules_at(modules, frame.module)->path, "libc.so.6"));
    cr_assert_eq(frame.offset, (uintptr_t)function - base_of(function));
}

Test(preload_modules, an_address_in_no_object_is_unknown_and_kept)
{
    struct syn_frame frame;
    char *memory = malloc(64);
    cr_assert_not(locate((uintptr_t)memory, &frame));
    cr_assert_eq(frame.module, UINT32_MAX);
    cr_assert_eq(frame.offset, (uintptr_t)memory);
    cr_assert_not(locate(0, &frame));
    cr_assert_not(locate(UINTPTR_MAX, &frame));
    free(memory);
}

Test(preload_modules, the_vdso_has_its_name)
{
    struct syn_frame frame;
    uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
    if (vdso == 0)
        cr_skip_test("this kernel maps none");
    cr_assert(locate(vdso + 0x40, &frame));
    cr_assert_str_eq(syn_modules_at(modules, frame.module)->path, "linux-vdso.so.1");
}

Test(preload_modules, a_plugin_loaded_later_is_found_and_keeps_its_index_when_unloaded)
{
    struct syn_frame frame, again;
    size_t count = module_count();
    void *plugin = dlopen(MODULES_PLUGIN, RTLD_NOW);
    cr_assert_not_null(plugin, "%s", dlerror());
    void *function = dlsym(plugin, "modules_plugin_function");
    cr_assert(locate((uintptr_t)function, &frame));
    cr_assert_geq(frame.module, count, "an index of its own");
    cr_assert_str_eq(syn_modules_at(modules, frame.module)->path, MODULES_PLUGIN);
    cr_assert_not_null(syn_modules_at(modules, frame.module)->build_id);
    dlclose(plugin);
    syn_modules_refresh(modules);
    cr_assert_str_eq(syn_modules_at(modules, frame.module)->path, MODULES_PLUGIN);
    plugin = dlopen(MODULES_PLUGIN, RTLD_NOW);
    function = dlsym(plugin, "modules_plugin_function");
    cr_assert(locate((uintptr_t)function, &again));
    cr_assert_eq(again.offset, frame.offset);
    cr_assert_str_eq(syn_modules_at(modules, again.module)->path, MODULES_PLUGIN);
    dlclose(plugin);
}

/* The other one lies where the first one lay: mostly. */
Test(preload_modules, an_object_in_the_place_of_one_that_was_unloaded_is_told_from_it)
{
    struct syn_frame frame, other_frame;
    void *plugin = dlopen(MODULES_PLUGIN, RTLD_NOW);
    const uintptr_t function = (uintptr_t)dlsym(plugin, "modules_plugin_function");
    cr_assert(locate(function, &frame));
    dlclose(plugin);
    plugin = dlopen(MODULES_OTHER_PLUGIN, RTLD_NOW);
    const uintptr_t other = (uintptr_t)dlsym(plugin, "modules_plugin_function");
    cr_assert(locate(other, &other_frame));
    cr_expect_str_eq(syn_modules_at(modules, other_frame.module)->path, MODULES_OTHER_PLUGIN, "%s",
                     function == other ? "in the same place" : "elsewhere");
    dlclose(plugin);
}

Test(preload_modules, refreshing_without_a_change_adds_nothing)
{
    size_t count = module_count();
    for (int i = 0; i < 3; i++)
        cr_assert_eq(syn_modules_refresh(modules), 0);
    cr_assert_eq(module_count(), count);
    cr_assert_null(syn_modules_at(modules, count));
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(syn_modules_at(modules, i)->index, i);
}

Test(preload_modules, two_runs_agree_however_the_kernel_places_them)
{
    int status;
    char first[64], second[64];
    char *one = run_surroundings("", "", &status), *other = run_surroundings("", "", &status);
    cr_assert(value_of(one, "main.offset", first, sizeof first));
    cr_assert(value_of(other, "main.offset", second, sizeof second));
    cr_assert_str_eq(first, second);
    cr_assert(value_of(one, "main.base", first, sizeof first));
    cr_assert_eq(strtoul(first, NULL, 16) % 4096, 0, "a load base is a page's address");
    cr_assert_neq(strtoul(first, NULL, 16), 0);
    free(one);
    free(other);
}

Test(preload_modules, a_program_at_a_fixed_address_has_the_base_zero)
{
    int status;
    char base[64], module[16];
    char *printed = run_program("", SURROUNDINGS_FIXED_PROGRAM, "", &status);
    cr_assert(value_of(printed, "main.module", module, sizeof module));
    cr_assert_str_eq(module, "0");
    cr_assert(value_of(printed, "main.base", base, sizeof base));
    cr_assert_str_eq(base, "0");
    free(printed);
}
