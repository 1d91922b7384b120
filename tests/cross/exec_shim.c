/* tests/cross/exec_shim.c - lets an emulated program start another one of its processor.
 *
 * The kernel knows no such programs (unless binfmt_misc, which only root sets up for the whole
 * machine, tells it of them). Linked into every program of a build for another processor, where it
 * comes before libc's: given a program of this processor, it starts the emulator with it,
 * $SYN_EMULATOR -L $SYN_EMULATOR_ROOT. Criterion needs that, which runs each test in a process of
 * its own. */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGUMENTS_MAX 4096

typedef int exec_function(const char *, char *const[], char *const[]);

static bool read_header(const char *path, Elf64_Ehdr *header)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool whole = file >= 0 && read(file, header, sizeof *header) == sizeof *header;
    if (file >= 0)
        close(file);
    return whole && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0;
}

/* Returns true if the program is for the processor that this program was compiled for. */
static bool is_foreign(const char *path)
{
    Elf64_Ehdr own, other;
    return read_header("/proc/self/exe", &own) && read_header(path, &other) &&
           own.e_machine == other.e_machine;
}

__attribute__((visibility("default"))) int execve(const char *path, char *const arguments[],
                                                  char *const environment[])
{
    char *emulator = getenv("SYN_EMULATOR"), *root = getenv("SYN_EMULATOR_ROOT");
    char *with[ARGUMENTS_MAX + 8] = {emulator, "-L", root, "-0", arguments[0], (char *)path};
    exec_function *next = (exec_function *)dlsym(RTLD_NEXT, "execve");
    size_t count = 0;
    while (arguments[count] && count < ARGUMENTS_MAX)
        count++;
    if (!emulator || !root || count == ARGUMENTS_MAX || !is_foreign(path))
        return next(path, arguments, environment);
    for (size_t i = 1; i < count; i++)
        with[5 + i] = arguments[i];
    return next(emulator, with, environment);
}
