/* analyze/record/environment.c - see environment.h.
 *
 * How launchers treat the environment, found by experiment (Open MPI 4.1.4, MPICH 4.0.2;
 * tests/cli/record_*):
 *  - Both pass the whole environment to ranks on their own machine.
 *  - Open MPI passes to other machines only what -x or the MCA parameter mca_base_env_list
 *    names. Both together abort the job. -x counts for one application context (up to ":"),
 *    the list for all of them.
 *  - Hydra passes everything, unless -genvnone, -genvlist, -envnone or -envlist is given.
 *    -genv always counts. */
#include "analyze/record/environment.h"

#include <dlfcn.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/record/program.h"
#include "sync/base/status.h"
#include "trace/directory/output_name.h"
#include "trace/read/reader.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

extern char **environ;

/* ---- the library ---- */

/* Relative to the directory of the command. The last two are those of a build tree. */
static const char *const library_places[] = {
    "../lib/syncopate/libsyncopate.so",
    "../" SYN_LIBRARY_DIRECTORY "/syncopate/libsyncopate.so",
    "../lib/" SYN_MULTIARCH "/syncopate/libsyncopate.so",
    "../lib64/syncopate/libsyncopate.so",
    "../lib/libsyncopate.so",
    "../preload/libsyncopate.so",
};

static bool own_directory(char *path, size_t capacity)
{
    ssize_t length = readlink("/proc/self/exe", path, capacity - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

static bool find_near(const char *directory, char *path)
{
    for (size_t i = 0; i < COUNT_OF(library_places); i++) {
        char candidate[2 * PATH_MAX];
        snprintf(candidate, sizeof candidate, "%s/%s", directory, library_places[i]);
        if (access(candidate, R_OK) == 0 && realpath(candidate, path))
            return true;
    }
    return false;
}

/* Dynamic linkers of glibc replace $LIB by "lib64" or the like, a directory of the root. The parent
 * of the root is the root itself.
 * RATIONALE: musl's linker ends a program whose preloaded library has relocations that it does not
 * know, but ignores a path that does not exist. So programs linked with musl start, unrecorded. */
#define ONLY_GLIBC "/$LIB/../../../../../../../.."

/* Says whether the dynamic linker finds files behind ONLY_GLIBC: not where the C library is not
 * below the root. It looks for one that is loaded. */
static bool has_only_glibc(void)
{
    char name[2 * PATH_MAX];
    Dl_info libc;
    if (!dladdr(__extension__(void *) realpath, &libc) || libc.dli_fname[0] != '/')
        return false;
    snprintf(name, sizeof name, ONLY_GLIBC "%s", libc.dli_fname);
    void *found = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (found)
        dlclose(found);
    return found != NULL;
}

int record_library_find(char *path, size_t capacity)
{
    char directory[PATH_MAX], found[PATH_MAX];
    const char *named = getenv("SYNCOPATE_LIBRARY");
    bool is_there = named && named[0] != '\0'
                        ? access(named, R_OK) == 0 && realpath(named, found)
                        : own_directory(directory, sizeof directory) && find_near(directory, found);
    if (!is_there || snprintf(path, capacity, "%s", found) >= (int)capacity)
        return SYN_EMISSING;
    return strpbrk(path, " :\t\n") ? SYN_ENOTSUP : SYN_OK;
}

int record_preload_entry(char *entry, size_t capacity)
{
    char library[PATH_MAX];
    const int status = record_library_find(library, sizeof library);
    const char *root = status == SYN_OK && has_only_glibc() ? ONLY_GLIBC : "";
    if (status == SYN_EMISSING)
        return status;
    const int length = snprintf(entry, capacity, "%s%s", root, library);
    return length < (int)capacity ? status : SYN_EMISSING;
}

/* ---- LD_PRELOAD ---- */

static bool is_sanitizer(const char *entry)
{
    const char *slash = strrchr(entry, '/');
    const char *name = slash ? slash + 1 : entry;
    return fnmatch("lib[atulm]*san.so*", name, 0) == 0 ||
           fnmatch("libclang_rt.*san*.so*", name, 0) == 0;
}

char *record_preload_merge(const char *list, const char *library)
{
    char *copy = strdup(list ? list : ""), *merged = NULL, *rest = NULL;
    size_t bytes = 0;
    bool placed = false;
    FILE *out = copy ? open_memstream(&merged, &bytes) : NULL;
    if (!out) {
        free(copy);
        return NULL;
    }
    for (char *entry = strtok_r(copy, " :", &rest); entry; entry = strtok_r(NULL, " :", &rest)) {
        if (strcmp(entry, library) == 0)
            continue;
        if (!placed && !is_sanitizer(entry)) {
            fprintf(out, "%s:", library);
            placed = true;
        }
        fprintf(out, "%s:", entry);
    }
    if (!placed)
        fprintf(out, "%s:", library);
    fclose(out);
    free(copy);
    if (bytes > 0)
        merged[bytes - 1] = '\0';
    return merged;
}

/* Lets the library come before the runtime of AddressSanitizer. A program with that runtime ends at
 * once if another library, such as a preloaded one, comes first. There is no need to: our functions
 * that replace those of the C library call the runtime's. */
static int allow_preload_before_sanitizer(char *const *command)
{
    char merged[4096];
    const char *given = getenv("ASAN_OPTIONS");
    bool sanitized = false;
    for (; command && *command && !sanitized; command++)
        sanitized = record_program_is_sanitized(*command);
    if (!sanitized ||
        snprintf(merged, sizeof merged, "%s%sverify_asan_link_order=0", given ? given : "",
                 given && given[0] ? ":" : "") >= (int)sizeof merged)
        return 0;
    return setenv("ASAN_OPTIONS", merged, 1);
}

int record_environment_set(const struct record_options *options, const char *library,
                           const char *directory)
{
    char *preload = record_preload_merge(getenv("LD_PRELOAD"), library);
    int failed = !preload || setenv("LD_PRELOAD", preload, 1) != 0;
    free(preload);
    failed |= allow_preload_before_sanitizer(options->command) != 0;
    char output[2 * PATH_MAX];
    failed |= syn_output_name_escape(directory, output, sizeof output) != SYN_OK ||
              setenv("SYNCOPATE_OUTPUT", output, 1) != 0;
    if (options->quiet)
        failed |= setenv("SYNCOPATE_QUIET", "1", 1) != 0;
    for (size_t i = 0; i < SYN_RECORD_SETTING_COUNT; i++)
        if (options->settings[i].value)
            failed |= setenv(options->settings[i].variable, options->settings[i].value, 1) != 0;
    syn_rank_look_in(getenv("SYNCOPATE_SPILL")); /* this process may read the trace */
    return failed ? SYN_ENOMEM : SYN_OK;
}

/* ---- launchers ---- */

/* A list of arguments that grows. */
struct arguments {
    char **items; /* NULL-terminated */
    size_t count;
    bool failed;
};

static void push(struct arguments *arguments, char *item)
{
    char **items = !item || arguments->failed
                       ? NULL
                       : realloc(arguments->items, (arguments->count + 2) * sizeof items[0]);
    if (!items) {
        free(item);
        arguments->failed = true;
        return;
    }
    items[arguments->count++] = item;
    items[arguments->count] = NULL;
    arguments->items = items;
}

static void push_copy(struct arguments *arguments, const char *item)
{
    push(arguments, strdup(item));
}

static bool has_any_of(char **command, const char *const *words, size_t word_count)
{
    for (char **at = command; *at; at++)
        if (record_is_any_of(*at, words, word_count))
            return true;
    return false;
}

/* Says whether ranks need the variable: "LD_PRELOAD=..." or "SYNCOPATE_...=...". */
static bool is_forwarded(const char *entry)
{
    return strncmp(entry, "LD_PRELOAD=", 11) == 0 ||
           (strncmp(entry, "SYNCOPATE_", 10) == 0 && strchr(entry, '='));
}

static char *entry_name(const char *entry)
{
    return strndup(entry, strcspn(entry, "="));
}

/* Says whether the command line passes the variable on: "-x NAME" or "-x NAME=value". */
static bool has_x_of(char **command, const char *name)
{
    size_t bytes = strlen(name);
    for (char **at = command; *at; at++)
        if (strcmp(*at, "-x") == 0 && at[1] && strncmp(at[1], name, bytes) == 0 &&
            (at[1][bytes] == '\0' || at[1][bytes] == '='))
            return true;
    return false;
}

/* Returns the list "A;B" with the names of all variables that ranks need appended. */
static char *extended_env_list(const char *list)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return NULL;
    fputs(list, out);
    bool first = list[0] == '\0';
    for (char **entry = environ; *entry; entry++)
        if (is_forwarded(*entry)) {
            fprintf(out, "%s%.*s", first ? "" : ";", (int)strcspn(*entry, "="), *entry);
            first = false;
        }
    return fclose(out) == 0 ? text : NULL;
}

#define ENV_LIST_VARIABLE "OMPI_MCA_mca_base_env_list"

/* Extends the value of an mca_base_env_list in the command line. Returns whether there is one. */
static bool extend_env_list_argument(struct arguments *arguments)
{
    for (size_t i = 0; i + 1 < arguments->count; i++)
        if (strcmp(arguments->items[i], "mca_base_env_list") == 0) {
            char *list = extended_env_list(arguments->items[i + 1]);
            if (list) {
                free(arguments->items[i + 1]);
                arguments->items[i + 1] = list;
            }
            return true;
        }
    return false;
}

/* Returns a copy of an argument. If it sets LD_PRELOAD, which would replace ours, the library is
 * added to its value. */
static char *adapted_argument(char **command, size_t index, const char *library)
{
    static const char *const setters[] = {"-genv", "-env", "--genv", "--env"};
    static const char name[] = "LD_PRELOAD=";
    bool as_assignment = index > 0 && strncmp(command[index], name, sizeof name - 1) == 0;
    bool as_value = index >= 2 && strcmp(command[index - 1], "LD_PRELOAD") == 0 &&
                    record_is_any_of(command[index - 2], setters, COUNT_OF(setters));
    if (!as_assignment && !as_value)
        return strdup(command[index]);
    const char *value = as_assignment ? command[index] + sizeof name - 1 : command[index];
    SYN_FREED char *merged = record_preload_merge(value, library);
    char *adapted = NULL;
    if (merged && asprintf(&adapted, "%s%s", as_assignment ? name : "", merged) < 0)
        adapted = NULL;
    return adapted;
}

/* Copies the command, and adds the options by which its launcher passes our variables on. */
char **record_command_adapt(char **command, const char *library)
{
    static const char *const withholders[] = {"-genvnone",  "-genvlist",  "-envnone",  "-envlist",
                                              "--genvnone", "--genvlist", "--envnone", "--envlist"};
    static const char *const x_words[] = {"-x"};
    struct arguments arguments = {NULL, 0, false};
    enum record_launcher launcher = record_launcher_identify(command[0]);
    bool by_x = launcher == RECORD_LAUNCHER_OPENMPI && has_any_of(command, x_words, 1);
    bool by_genv = launcher == RECORD_LAUNCHER_HYDRA &&
                   has_any_of(command, withholders, COUNT_OF(withholders));
    for (size_t i = 0; command[i]; i++) {
        push(&arguments, adapted_argument(command, i, library));
        if (by_x && (i == 0 || strcmp(command[i], ":") == 0)) {
            for (char **entry = environ; *entry; entry++) {
                char *name = is_forwarded(*entry) ? entry_name(*entry) : NULL;
                if (name && !has_x_of(command, name)) {
                    push_copy(&arguments, "-x");
                    push(&arguments, name);
                } else {
                    free(name);
                }
            }
        }
        if (by_genv && i == 0) {
            for (char **entry = environ; *entry; entry++) {
                if (!is_forwarded(*entry))
                    continue;
                push_copy(&arguments, "-genv");
                push(&arguments, entry_name(*entry));
                push_copy(&arguments, strchr(*entry, '=') + 1);
            }
        }
    }
    if (launcher == RECORD_LAUNCHER_OPENMPI && !by_x && !extend_env_list_argument(&arguments)) {
        const char *old = getenv(ENV_LIST_VARIABLE);
        SYN_FREED char *list = extended_env_list(old ? old : "");
        if (list)
            setenv(ENV_LIST_VARIABLE, list, 1);
    }
    if (arguments.failed) {
        record_command_free(arguments.items);
        return NULL;
    }
    return arguments.items;
}

void record_command_free(char **command)
{
    for (char **word = command; word && *word; word++)
        free(*word);
    free(command);
}

char *record_path_absolute(const char *path)
{
    char here[PATH_MAX], *absolute = NULL;
    if (path[0] == '/')
        return strdup(path);
    if (!getcwd(here, sizeof here) || asprintf(&absolute, "%s/%s", here, path) < 0)
        return NULL;
    return absolute;
}
