/* preload/entry/which_mpi.c - see which_mpi.h. */
#include "preload/entry/which_mpi.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "preload/entry/presence.h"

/* The major version of the standard ABI that the backend is compiled with. Minor versions only add
 * to the ABI. */
#define KNOWN_ABI_MAJOR 1

/* MPI_MAX_LIBRARY_VERSION_STRING of MPICH, the largest of all MPIs. */
#define LIBRARY_VERSION_BYTES 8192

/* Returns the major version of the standard ABI that this library has; 0: none. An MPI that has
 * both the standard ABI and one of its own returns -1 from the library with its own. */
static int standard_abi(const struct syn_host *host)
{
    int major = 0, minor = 0;
    int (*version)(int *, int *) = (int (*)(int *, int *))host->symbol("PMPI_Abi_get_version");
    return version && version(&major, &minor) == 0 && major > 0 ? major : 0;
}

/* Returns whether the library has the ABI that MPICH and its derivatives share. Its number, 12, is
 * in the library's name: libmpi.so.12, libmpich.so.12, libmpi_gnu_91.so.12. A build without numbers
 * in the names has a symbol for it. */
static bool has_abi_of_mpich(const struct syn_host *host, const char *name)
{
    const char *number = strstr(name, ".so.");
    if (number)
        return strncmp(number, ".so.12", 6) == 0 && (number[6] == '\0' || number[6] == '.');
    return host->object("MPII_Version_ABI") || host->object("MPIR_Version_ABI");
}

static bool is_derived_from_mpich(const char *text)
{
    static const char *const words[] = {"MPICH", "Intel(R) MPI", "MVAPICH", "ParaStation"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

static const char *by_own_abi(const struct syn_host *host, const char *name, char *why,
                              size_t why_bytes)
{
    char text[LIBRARY_VERSION_BYTES + 1];
    if (host->object("ompi_mpi_comm_world"))
        return "openmpi";
    /* Read the version text of the MPI library; "" if it has none. */
    int length = 0;
    int (*version)(char *, int *) =
        (int (*)(char *, int *))host->symbol("PMPI_Get_library_version");
    text[0] = '\0';
    if (!version || version(text, &length) != 0)
        text[0] = '\0';
    text[LIBRARY_VERSION_BYTES] = '\0';
    if (is_derived_from_mpich(text) && has_abi_of_mpich(host, name))
        return "mpich";
    snprintf(
        why, why_bytes,
        "the MPI of this program (%.60s%s%.40s) has neither the standard ABI nor Open MPI's or "
        "MPICH's",
        name, text[0] ? ": " : "", text);
    why[strcspn(why, "\n\t")] = '\0';
    return NULL;
}

const char *syn_which_mpi(const struct syn_host *host, char *why, size_t why_bytes)
{
    const char *name = syn_presence_mpi_name();
    const bool by_name = strncmp(name, "libmpi_abi.", 11) == 0;
    const int major = standard_abi(host);
    if (!by_name && major == 0)
        return by_own_abi(host, name, why, why_bytes);
    if (major == KNOWN_ABI_MAJOR)
        return "abi";
    if (major > 0)
        snprintf(why, why_bytes, "%.60s has version %d of the standard ABI, known is version %d",
                 name, major, KNOWN_ABI_MAJOR);
    else
        snprintf(why, why_bytes, "%.60s does not say which version of the standard ABI it has",
                 name);
    return NULL;
}
