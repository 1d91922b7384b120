/* trace/directory/spawned.c - see spawned.h. Ranks of several hosts may announce and take worlds at
 * once. mkdir and rename decide: they succeed for only one of them. */
#include "trace/directory/spawned.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sync/base/status.h"
#include "trace/directory/manifest.h"

#define PREFIX     "spawned-"
#define PART       ".part"
#define NUMBER_MAX 1000000

bool syn_spawned_name_parse(const char *name, uint32_t *number, bool *is_part)
{
    const size_t prefix = sizeof PREFIX - 1;
    if (strncmp(name, PREFIX, prefix) != 0)
        return false;
    const size_t digits = strspn(name + prefix, "0123456789");
    const char *rest = name + prefix + digits;
    if (digits < 4 || digits > 7 || (*rest && strcmp(rest, PART) != 0))
        return false;
    *number = 0;
    for (size_t i = 0; i < digits; i++)
        *number = *number * 10 + (uint32_t)(name[prefix + i] - '0');
    *is_part = *rest != '\0';
    return true;
}

void syn_spawned_name(uint32_t number, char name[SYN_SPAWNED_NAME_BYTES])
{
    snprintf(name, SYN_SPAWNED_NAME_BYTES, PREFIX "%04u", number);
}

/* Writes the path of a spawned world's directory. Returns false if it is too long. */
static bool put_path(char path[PATH_MAX], const char *directory, uint32_t number, bool is_part)
{
    char name[SYN_SPAWNED_NAME_BYTES];
    syn_spawned_name(number, name);
    return snprintf(path, PATH_MAX, "%s/%s%s", directory, name, is_part ? PART : "") < PATH_MAX;
}

static bool is_taken(const char *directory, uint32_t number)
{
    char path[PATH_MAX];
    struct stat state;
    return put_path(path, directory, number, false) && lstat(path, &state) == 0;
}

int syn_spawned_announce(const char *directory, uint32_t *number)
{
    char path[PATH_MAX];
    for (uint32_t i = 1; i < NUMBER_MAX; i++) {
        if (is_taken(directory, i))
            continue;
        if (!put_path(path, directory, i, true))
            errno = ENAMETOOLONG;
        else if (mkdir(path, 0777) == 0) {
            *number = i;
            if (!is_taken(directory, i))
                return SYN_OK;
            rmdir(path); /* this number was announced and taken by others meanwhile */
            continue;
        } else if (errno == EEXIST)
            continue;
        return SYN_EIO;
    }
    errno = EMFILE;
    return SYN_EIO;
}

void syn_spawned_withdraw(const char *directory, uint32_t number)
{
    char path[PATH_MAX];
    if (put_path(path, directory, number, true))
        rmdir(path);
}

/* Counts of the spawned worlds that a directory holds. */
struct findings {
    size_t count, announced_count;
    uint32_t first_announced; /* defined if announced_count > 0 */
    bool is_recording;        /* a rank's file is being written */
};

static int look(const char *directory, struct findings *out)
{
    DIR *stream = opendir(directory);
    *out = (struct findings){0};
    if (!stream)
        return errno == ENOENT ? SYN_EMISSING : SYN_EIO;
    for (struct dirent *entry; (entry = readdir(stream));) {
        uint32_t number;
        int32_t rank;
        bool is_part;
        if (syn_rank_name_parse(entry->d_name, &rank, &is_part))
            out->is_recording |= is_part;
        else if (syn_spawned_name_parse(entry->d_name, &number, &is_part)) {
            out->count++;
            if (is_part && (out->announced_count == 0 || number < out->first_announced))
                out->first_announced = number;
            out->announced_count += is_part;
        }
    }
    closedir(stream);
    return SYN_OK;
}

int syn_spawned_claim(const char *directory, uint32_t *number)
{
    struct findings found;
    int status = SYN_EMISSING;
    while (status == SYN_EMISSING) { /* another process may take the found world first; each time
                                        one world fewer is left */
        status = look(directory, &found);
        if (status != SYN_OK)
            return status;
        if (found.announced_count > 0)
            *number = found.first_announced;
        else if (!found.is_recording)
            return SYN_EMISSING;
        else if ((status = syn_spawned_announce(directory, number)))
            return status;
        char from[PATH_MAX], to[PATH_MAX];
        if (!put_path(from, directory, *number, true) || !put_path(to, directory, *number, false)) {
            errno = ENAMETOOLONG;
            return SYN_EIO;
        }
        status = rename(from, to) == 0 ? SYN_OK : errno == ENOENT ? SYN_EMISSING : SYN_EIO;
    }
    return status;
}

size_t syn_spawned_count(const char *directory, size_t *announced_count)
{
    struct findings found;
    look(directory, &found);
    *announced_count = found.announced_count;
    return found.count;
}
