/* analyze/record/program.c - finds the kind of a program by its ELF header and segments, with
 * libelf. */
#include "analyze/record/program.h"

#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "sync/base/status.h"

#define SCRIPT_LINE_BYTES 256 /* of the "#!" line, as many as the kernel reads */
#define SCRIPT_DEPTH_MAX  5

/* ---- which file ---- */

static int resolve(const char *path, char *out, size_t capacity)
{
    char resolved[PATH_MAX];
    struct stat status;

    if ((stat(path, &status) != 0 || !S_ISREG(status.st_mode) || access(path, X_OK) != 0) ||
        !realpath(path, resolved))
        return SYN_EMISSING;
    return snprintf(out, capacity, "%s", resolved) < (int)capacity ? SYN_OK : SYN_EMISSING;
}

/* Finds the file that execvp would start, with links resolved. Returns 0 or SYN_EMISSING. */
static int find_program(const char *command, char *path, size_t capacity)
{
    const char *list = getenv("PATH");
    if (strchr(command, '/'))
        return resolve(command, path, capacity);
    if (!list)
        list = "/bin:/usr/bin";
    for (const char *at = list;; at++) {
        char candidate[PATH_MAX];
        int directory_bytes = (int)strcspn(at, ":");
        snprintf(candidate, sizeof candidate, "%.*s%s%s", directory_bytes, at,
                 directory_bytes > 0 ? "/" : "", command);
        if (resolve(candidate, path, capacity) == SYN_OK)
            return SYN_OK;
        at += directory_bytes;
        if (*at == '\0')
            return SYN_EMISSING;
    }
}

/* ---- what it is ---- */

/* Says whether `wanted` accepts an entry of the dynamic section. `text` is the string of an entry
 * that has one; NULL: it cannot be read. */
static bool has_dynamic_entry(Elf *elf, bool (*wanted)(const GElf_Dyn *entry, const char *text))
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        GElf_Dyn entry;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (int i = 0; data && gelf_getdyn(data, i, &entry); i++)
            if (wanted(&entry, elf_strptr(elf, header.sh_link, entry.d_un.d_val)))
                return true;
    }
    return false;
}

static bool is_mark_of_program(const GElf_Dyn *entry, const char *text)
{
    (void)text;
    return entry->d_tag == DT_FLAGS_1 && (entry->d_un.d_val & DF_1_PIE);
}

static bool is_needed_mpi(const GElf_Dyn *entry, const char *text)
{
    return entry->d_tag == DT_NEEDED && text && strncmp(text, "libmpi", 6) == 0;
}

/* Returns the dynamic linker that starts the program; NULL: it needs none. */
static const char *interpreter(Elf *elf)
{
    size_t count = 0, bytes = 0;
    GElf_Phdr header;
    const char *file = elf_rawfile(elf, &bytes);
    if (elf_getphdrnum(elf, &count) != 0)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP)
            return file && header.p_offset < bytes &&
                           memchr(file + header.p_offset, 0, bytes - header.p_offset)
                       ? file + header.p_offset
                       : "";
    return NULL;
}

/* Says whether the file has texts of an MPI library, for a stripped program, which has no symbol
 * names. Programs do not use these texts: the name of the world communicator for error messages,
 * and the variable by which a launcher passes a rank. */
static bool has_texts_of_mpi(Elf *elf)
{
    static const char *const of_launchers[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"};
    size_t bytes = 0;
    const char *file = elf_rawfile(elf, &bytes);
    if (!file || !memmem(file, bytes, "MPI_COMM_WORLD", 14))
        return false;
    for (size_t i = 0; i < sizeof of_launchers / sizeof of_launchers[0]; i++)
        if (memmem(file, bytes, of_launchers[i], strlen(of_launchers[i])))
            return true;
    return false;
}

/* Says whether an executable contains an MPI library, so that its calls never leave the executable.
 * Libraries that a program loads, as python does, are not examined. */
static bool has_mpi_of_its_own(Elf *elf)
{
    bool has_names = false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) ||
            (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
            continue;
        has_names |= header.sh_type == SHT_SYMTAB;
        Elf_Data *data = elf_getdata(section, NULL);
        GElf_Sym symbol;
        for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
            const char *found = symbol.st_shndx != SHN_UNDEF
                                    ? elf_strptr(elf, header.sh_link, symbol.st_name)
                                    : NULL;
            /* Only an MPI library defines these names. A program that is linked with a static one
             * has the functions that it calls. */
            if (found &&
                (strcmp(found, "PMPI_Init") == 0 || strcmp(found, "PMPI_Init_thread") == 0 ||
                 strcmp(found, "PMPI_Session_init") == 0))
                return true;
        }
    }
    return !has_names && !has_dynamic_entry(elf, is_needed_mpi) && has_texts_of_mpi(elf);
}

static enum record_program inspect_elf(int fd, const struct stat *status)
{
    GElf_Ehdr header;
    enum record_program kind = RECORD_PROGRAM_UNKNOWN;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    const char *linker = elf ? interpreter(elf) : NULL;
    if (!elf || !gelf_getehdr(elf, &header))
        kind = RECORD_PROGRAM_UNKNOWN;
    else if (header.e_machine != EM_X86_64 || header.e_ident[EI_CLASS] != ELFCLASS64)
        kind = RECORD_PROGRAM_FOREIGN;
    /* A library has no interpreter either, nor has the dynamic linker. A statically linked program
     * is at fixed addresses, or is marked as a program. */
    else if (!linker && (header.e_type == ET_DYN && !has_dynamic_entry(elf, is_mark_of_program)))
        kind = RECORD_PROGRAM_DYNAMIC;
    else if (!linker)
        kind = has_mpi_of_its_own(elf) ? RECORD_PROGRAM_STATIC_MPI : RECORD_PROGRAM_STATIC;
    else if (linker && strstr(linker, "/ld-musl"))
        kind = RECORD_PROGRAM_MUSL;
    else if (has_mpi_of_its_own(elf))
        kind = RECORD_PROGRAM_STATIC_MPI;
    /* The kernel tells the dynamic linker if the program has more privileges than the user. */
    else if ((status->st_mode & S_ISUID && status->st_uid != getuid()) ||
             (status->st_mode & S_ISGID && status->st_mode & S_IXGRP &&
              status->st_gid != getgid()) ||
             (getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0))
        kind = RECORD_PROGRAM_PRIVILEGED;
    else
        kind = RECORD_PROGRAM_DYNAMIC;
    elf_end(elf);
    return kind;
}

/* Finds the command that a "#!" line starts: its interpreter, or the command that env looks up.
 * Returns false if there is none. */
static bool script_interpreter(char *line, char *command, size_t capacity)
{
    char *rest = NULL;
    line[strcspn(line, "\n")] = '\0';
    char *word = strtok_r(line + 2, " \t", &rest);
    const char *slash = word ? strrchr(word, '/') : NULL;
    if (slash && strcmp(slash, "/env") == 0) {
        do
            word = strtok_r(NULL, " \t", &rest);
        while (word && (word[0] == '-' || strchr(word, '=')));
    }
    return word && snprintf(command, capacity, "%s", word) < (int)capacity;
}

/* Reads the start of a file. Returns its kind if that is certain; else UNKNOWN, with the next
 * command to inspect in `next` ("": none). */
static enum record_program inspect_file(const char *path, char *next, size_t capacity)
{
    char start[SCRIPT_LINE_BYTES + 1] = "";
    struct stat status;
    enum record_program kind = RECORD_PROGRAM_UNKNOWN;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    next[0] = '\0';
    if (fd < 0)
        return kind;
    if (fstat(fd, &status) == 0 && pread(fd, start, SCRIPT_LINE_BYTES, 0) > 4) {
        if (memcmp(start, ELFMAG, SELFMAG) == 0)
            kind = inspect_elf(fd, &status);
        else if (start[0] == '#' && start[1] == '!' && !script_interpreter(start, next, capacity))
            next[0] = '\0';
    }
    close(fd);
    return kind;
}

enum record_program record_program_inspect(const char *command)
{
    char path[PATH_MAX], next[SCRIPT_LINE_BYTES];
    for (int depth = 0; depth < SCRIPT_DEPTH_MAX; depth++) {
        if (find_program(command, path, sizeof path) != SYN_OK)
            return RECORD_PROGRAM_UNKNOWN;
        enum record_program kind = inspect_file(path, next, sizeof next);
        if (kind != RECORD_PROGRAM_UNKNOWN || next[0] == '\0')
            return depth > 0 && kind == RECORD_PROGRAM_STATIC ? RECORD_PROGRAM_UNKNOWN : kind;
        command = next;
    }
    return RECORD_PROGRAM_UNKNOWN;
}

/* ---- launchers ---- */

/* Says whether the start of a file contains the word. Open MPI 5's mpirun is not known by its name,
 * but mentions prterun. */
static bool mentions(const char *path, const char *word)
{
    static char buffer[1 << 20];
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t bytes = fd >= 0 ? pread(fd, buffer, sizeof buffer, 0) : -1;
    if (fd >= 0)
        close(fd);
    return bytes > 0 && memmem(buffer, (size_t)bytes, word, strlen(word));
}

bool record_program_is_sanitized(const char *command)
{
    char path[PATH_MAX];
    return find_program(command, path, sizeof path) == SYN_OK && mentions(path, "libasan.so");
}

const char *record_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool record_is_any_of(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static bool is_mpi_launcher_name(const char *name)
{
    return strncmp(name, "mpirun", 6) == 0 || strncmp(name, "mpiexec", 7) == 0 ||
           strcmp(name, "orterun") == 0 || strcmp(name, "prterun") == 0;
}

enum record_launcher record_launcher_identify(const char *command)
{
    char path[PATH_MAX];
    if (find_program(command, path, sizeof path) != SYN_OK ||
        !is_mpi_launcher_name(record_base_name(path)))
        return RECORD_LAUNCHER_OTHER;
    const char *name = record_base_name(path);
    if (strcmp(name, "orterun") == 0 || strcmp(name, "prterun") == 0 ||
        mentions(path, "libopen-rte") || mentions(path, "prterun"))
        return RECORD_LAUNCHER_OPENMPI;
    if (strstr(name, "hydra") || mentions(path, "HYD_"))
        return RECORD_LAUNCHER_HYDRA;
    return RECORD_LAUNCHER_OTHER;
}
