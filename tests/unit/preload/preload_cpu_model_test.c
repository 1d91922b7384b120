/* tests/unit/preload/preload_cpu_model_test.c - the processor's name out of what kernels write. */
#include <criterion/criterion.h>

#include "preload/facts/cpu_model.h"

static void is_called(const char *cpuinfo, const char *expected)
{
    char model[128];
    cr_assert(syn_cpu_model(cpuinfo, model, sizeof model));
    cr_assert_str_eq(model, expected);
}

Test(cpu_model, is_the_kernels_name_or_that_of_the_part)
{
    is_called("processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 85\nmodel name\t: Xeon\n",
              "Xeon");
    is_called("processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
              "CPU variant\t: 0x1\nCPU part\t: 0xd40\nCPU revision\t: 1\n",
              "Neoverse-V1 (0x41 0xd40 r1p1)");
    is_called("CPU implementer\t: 0x61\nCPU variant\t: 0x1\nCPU part\t: 0x022\nCPU revision\t: 3\n",
              "0x61 0x022 r1p3");
    is_called("processor\t: 0\ncpu\t\t: POWER9, altivec supported\n", "POWER9, altivec supported");
    is_called("processor\t: 0\nhart\t\t: 0\nisa\t\t: rv64imafdc\nuarch\t\t: sifive,u74-mc\n",
              "sifive,u74-mc");
}

Test(cpu_model, is_not_there_where_nothing_says_it)
{
    char model[128];
    cr_assert_not(syn_cpu_model("processor\t: 0\nBogoMIPS\t: 2\n", model, sizeof model));
}
