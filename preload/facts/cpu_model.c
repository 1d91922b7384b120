/* preload/facts/cpu_model.c - see cpu_model.h. */
#include "preload/facts/cpu_model.h"

#include <stdio.h>
#include <stdlib.h>

#include "preload/facts/fields.h"

/* Processors of clusters and clouds, by implementer and part in the register MIDR_EL1. Source: the
 * makers' manuals. */
static const struct {
    unsigned implementer, part;
    const char *name;
} parts[] = {
    {0x41, 0xd03, "Cortex-A53"},  {0x41, 0xd07, "Cortex-A57"},  {0x41, 0xd08, "Cortex-A72"},
    {0x41, 0xd0b, "Cortex-A76"},  {0x41, 0xd0c, "Neoverse-N1"}, {0x41, 0xd40, "Neoverse-V1"},
    {0x41, 0xd49, "Neoverse-N2"}, {0x41, 0xd4f, "Neoverse-V2"}, {0x43, 0x0af, "ThunderX2"},
    {0x46, 0x001, "A64FX"},       {0x48, 0xd01, "Kunpeng-920"}, {0xc0, 0xac3, "Ampere-1"},
};

static unsigned number(const char *cpuinfo, const char *field)
{
    char text[32];
    return syn_find_field(cpuinfo, field, ':', text, sizeof text) ? (unsigned)strtoul(text, NULL, 0)
                                                                  : 0;
}

bool syn_cpu_model(const char *cpuinfo, char *out, size_t room)
{
    if (syn_find_field(cpuinfo, "model name", ':', out, room))
        return true;
    const unsigned implementer = number(cpuinfo, "CPU implementer");
    if (implementer == 0)
        return syn_find_field(cpuinfo, "cpu", ':', out, room) ||
               syn_find_field(cpuinfo, "uarch", ':', out, room) ||
               syn_find_field(cpuinfo, "isa", ':', out, room);
    /* The name follows from the numbers of aarch64. */
    const unsigned part = number(cpuinfo, "CPU part");
    const char *name = NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].implementer == implementer && parts[i].part == part)
            name = parts[i].name;
    snprintf(out, room, "%s%s0x%02x 0x%03x r%up%u%s", name ? name : "", name ? " (" : "",
             implementer, part, number(cpuinfo, "CPU variant"), number(cpuinfo, "CPU revision"),
             name ? ")" : "");
    return true;
}
