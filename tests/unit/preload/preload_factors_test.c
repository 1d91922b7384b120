#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "preload/facts/factors.h"
#include "surroundings.h"

static char value[SYN_FACTOR_VALUE_BYTES + 1];

Test(preload_factors, the_host_is_described)
{
    int status;
    char *printed = run_surroundings("", "", &status);
    struct utsname names;
    uname(&names);
    cr_assert_eq(status, 0, "the collection changed the environment or the binding");
    cr_assert(value_of(printed, "host.name", value, sizeof value));
    cr_assert_str_eq(value, names.nodename);
    cr_assert(value_of(printed, "host.kernel", value, sizeof value));
    cr_assert_not_null(strstr(value, names.release));
    cr_assert(value_of(printed, "host.cpu_count", value, sizeof value));
    cr_assert_eq(atol(value), sysconf(_SC_NPROCESSORS_ONLN));
    cr_assert(value_of(printed, "host.memory_bytes", value, sizeof value));
    cr_assert_gt(atoll(value), 1 << 20);
    cr_assert(value_of(printed, "host.cpu_flags_tsc", value, sizeof value));
    free(printed);
}

/* As the C library knows them, where it and the kernel do. */
Test(preload_factors, the_caches_are_those_of_the_machine)
{
    int status;
    char *printed = run_surroundings("", "", &status);
    const long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
    char expected[64];
    snprintf(expected, sizeof expected, "L1d %ldK", bytes / 1024);
    if (bytes > 0 && access("/sys/devices/system/cpu/cpu0/cache/index0/size", R_OK) == 0) {
        cr_assert(value_of(printed, "host.caches", value, sizeof value));
        cr_expect(strstr(value, expected), "%s: %s", value, expected);
    }
    free(printed);
}

Test(preload_factors, the_program_is_the_program)
{
    int status;
    char *printed = run_surroundings("", "", &status), here[4096];
    cr_assert(value_of(printed, "program.path", value, sizeof value));
    cr_assert_str_eq(value, SURROUNDINGS_PROGRAM);
    cr_assert(value_of(printed, "program.directory", value, sizeof value));
    cr_assert_str_eq(value, getcwd(here, sizeof here));
    cr_assert(value_of(printed, "program.build_id", value, sizeof value));
    cr_assert_eq(strspn(value, "0123456789abcdef"), 40);
    cr_assert_not(value_of(printed, "program.args", value, sizeof value), "there are none");
    free(printed);
}

Test(preload_factors, arguments_are_quoted_and_secrets_left_out)
{
    int status;
    char *printed = run_surroundings(
        "", "-n 4 'two words' \"it's\" --password hunter2 --api-token=hunter3 --key-size 12 ''",
        &status);
    cr_assert(value_of(printed, "program.args", value, sizeof value));
    cr_assert_str_eq(value, "-n 4 'two words' 'it'\\''s' --password '(left out)' "
                            "--api-token=(left out) --key-size 12 ''");
    cr_assert_null(strstr(printed, "hunter"));
    free(printed);
}

Test(preload_factors, long_arguments_are_cut_and_say_so)
{
    int status;
    char arguments[10000];
    memset(arguments, 'a', sizeof arguments - 1);
    arguments[sizeof arguments - 1] = '\0';
    char *printed = run_surroundings("", arguments, &status);
    cr_assert(value_of(printed, "program.args", value, sizeof value));
    cr_assert_lt(strlen(value), SYN_FACTOR_VALUE_BYTES);
    cr_assert_str_eq(value + strlen(value) - 4, "a...");
    cr_assert_eq(status, 0);
    free(printed);
}

Test(preload_factors, the_environment_holds_what_steers_and_no_secrets)
{
    int status;
    char *printed = run_surroundings(
        "OMP_NUM_THREADS=3 SYNCOPATE_STACK=0 OMPI_MCA_btl=self UCX_AUTH_TOKEN=hunter2 "
        "SLURM_API_KEY=hunter2 HOME=/nowhere OMPI_ARGV=hunter2",
        "", &status);
    cr_assert(value_of(printed, "env.OMP_NUM_THREADS", value, sizeof value));
    cr_assert_str_eq(value, "3");
    cr_assert(value_of(printed, "env.SYNCOPATE_STACK", value, sizeof value));
    cr_assert(value_of(printed, "env.OMPI_MCA_btl", value, sizeof value));
    cr_assert_not(value_of(printed, "env.HOME", value, sizeof value));
    cr_assert_null(strstr(printed, "hunter"));
    free(printed);
}

Test(preload_factors, long_environment_values_are_cut_and_say_so)
{
    int status;
    char prefix[8000] = "OMP_PLACES=";
    memset(prefix + strlen(prefix), 'p', 7000);
    char *printed = run_surroundings(prefix, "", &status);
    cr_assert(value_of(printed, "env.OMP_PLACES", value, sizeof value));
    cr_assert_str_eq(value + strlen(value) - 4, "p...");
    free(printed);
}

Test(preload_factors, the_launcher_is_the_one_of_the_start)
{
    int status;
    char *printed =
        run_surroundings("-u OMPI_COMM_WORLD_RANK -u PMI_RANK -u PMIX_RANK", "", &status);
    cr_assert(value_of(printed, "launcher", value, sizeof value));
    cr_assert_str_eq(value, "none");
    free(printed);
    printed = run_surroundings("OMPI_COMM_WORLD_RANK=0 PMIX_RANK=0", "", &status);
    cr_assert(value_of(printed, "launcher", value, sizeof value));
    cr_assert_str_eq(value, "Open MPI (orterun)");
    free(printed);
}

Test(preload_factors, emit_can_end_the_collection)
{
    int status;
    char *printed = run_surroundings("", "--one", &status);
    cr_assert(value_of(printed, "host.name", value, sizeof value));
    cr_assert_not(value_of(printed, "host.kernel", value, sizeof value));
    free(printed);
}

Test(preload_factors, a_program_started_by_the_loader_is_not_the_loader)
{
    int status;
    char *printed = run_program("", "/lib64/ld-linux-x86-64.so.2", SURROUNDINGS_PROGRAM, &status);
    cr_assert(value_of(printed, "program.path", value, sizeof value));
    cr_assert_str_eq(value, SURROUNDINGS_PROGRAM);
    cr_assert(value_of(printed, "main.path", value, sizeof value));
    cr_assert_str_eq(value, SURROUNDINGS_PROGRAM);
    free(printed);
}

Test(preload_factors, names_that_steer_are_told_from_secrets)
{
    cr_assert(syn_factor_env_wanted("OMPI_MCA_coll"));
    cr_assert(syn_factor_env_wanted("LD_PRELOAD"));
    cr_assert(syn_factor_env_wanted("KMP_AFFINITY"));
    cr_assert_not(syn_factor_env_wanted("PATH"));
    cr_assert_not(syn_factor_env_wanted("AWS_SECRET_ACCESS_KEY"));
    cr_assert_not(syn_factor_env_wanted("SLURM_JWT_TOKEN"));
    cr_assert_not(syn_factor_env_wanted("OMPI_password"));
    cr_assert_not(syn_factor_env_wanted("MY_OMPI_MCA"), "a prefix is one at the start only");
}
