/* trace/directory/manifest.c - see manifest.h. */
#include "trace/directory/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "trace/base/frame.h"
#include "trace/base/guarded.h"
#include "trace/base/sink.h"

/* First line and checksum line have the same form in all versions. */
#define FIRST_KEY    "syncopate-trace "
#define CHECKSUM_KEY "checksum "
/* Limit of a manifest's size, far above that of any version. */
#define MANIFEST_BYTES_MAX 65536

int syn_rank_path(char *buffer, unsigned long buffer_bytes, const char *directory, int rank)
{
    return snprintf(buffer, buffer_bytes, "%s/rank-%06d.syn", directory, rank);
}

bool syn_rank_name_parse(const char *name, int32_t *rank, bool *is_part)
{
    if (strncmp(name, "rank-", 5) != 0)
        return false;
    const char *digits = name + 5;
    size_t count = strspn(digits, "0123456789");
    /* syn_rank_path writes six digits, and more only for larger ranks. */
    if (count < 6 || count > 10 || (count > 6 && digits[0] == '0'))
        return false;
    long long value = strtoll(digits, NULL, 10);
    *is_part = strcmp(digits + count, ".syn.part") == 0;
    if (value > INT32_MAX || !(*is_part || strcmp(digits + count, ".syn") == 0))
        return false;
    *rank = (int32_t)value;
    return true;
}

static int format_manifest(const struct syn_manifest *manifest, char *text, size_t capacity)
{
    char run_id[33];
    for (int i = 0; i < 16; i++)
        snprintf(run_id + 2 * i, 3, "%02x", manifest->run_id[i]);
    int length = snprintf(text, capacity,
                          FIRST_KEY "%d\n"
                                    "run_id %s\n"
                                    "size %" PRId32 "\n"
                                    "written_count %" PRId32 "\n"
                                    "event_count %" PRIu64 "\n"
                                    "start_unix_ns %" PRId64 "\n"
                                    "begin_ns %" PRId64 "\n"
                                    "duration_ns %" PRId64 "\n",
                          SYN_FORMAT_VERSION, run_id, manifest->size, manifest->written_count,
                          manifest->event_count, manifest->start_unix_ns, manifest->begin_ns,
                          manifest->duration_ns);
    uint64_t hash = syn_hash64(text, (size_t)length);
    return length + snprintf(text + length, capacity - (size_t)length,
                             CHECKSUM_KEY "%016" PRIx64 "\n", hash);
}

int syn_manifest_write_in(struct syn_place *place, const struct syn_manifest *manifest)
{
    char text[1024];
    struct syn_sink sink;
    int length = format_manifest(manifest, text, sizeof text);
    int status = syn_sink_file_in(place, SYN_MANIFEST_NAME, &sink);
    if (status != SYN_OK)
        return status;
    status = sink.write(sink.ctx, text, (size_t)length);
    SYN_STEP(status, sink.commit(sink.ctx));
    int error_number = errno;
    sink.close(sink.ctx);
    if (status == SYN_OK)
        syn_sink_sync_names(
            place); /* this also makes the names of the ranks' files durable, which exist by now */
    else
        syn_sink_discard_in(place, SYN_MANIFEST_NAME);
    errno = error_number;
    return status;
}

int syn_manifest_write(const char *directory, const struct syn_manifest *manifest)
{
    struct syn_place place;
    int status = syn_place_open(&place, directory, 0);
    SYN_STEP(status, syn_manifest_write_in(&place, manifest));
    int error_number = errno;
    syn_place_close(&place);
    errno = error_number;
    return status;
}

/* Reads the whole file as a string. *length excludes the terminator. */
static int read_text(const char *path, char *text, size_t capacity, size_t *length)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (file < 0 && errno == ELOOP)
        return SYN_ENOTTRACE;
    if (file < 0)
        return errno == ENOENT || errno == ENOTDIR ? SYN_EMISSING : SYN_EIO;
    struct stat state;
    int status = fstat(file, &state) == 0 && S_ISREG(state.st_mode) ? SYN_OK : SYN_ENOTTRACE;
    *length = 0;
    while (status == SYN_OK && *length < capacity - 1) {
        ssize_t got = read(file, text + *length, capacity - 1 - *length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = SYN_EIO;
        if (got <= 0)
            break;
        *length += (size_t)got;
    }
    close(file);
    text[*length] = 0;
    return status;
}

/* Returns whether the last line holds the checksum of all lines before it. */
static bool checksum_holds(const char *text, size_t length)
{
    const size_t line_bytes = strlen(CHECKSUM_KEY) + 16 + 1;
    char line[64];
    if (length < line_bytes || strlen(text) != length)
        return false;
    snprintf(line, sizeof line, CHECKSUM_KEY "%016" PRIx64 "\n",
             syn_hash64(text, length - line_bytes));
    return strcmp(text + length - line_bytes, line) == 0;
}

/* Finds the line that starts with `key`, and parses its number. Returns false if there is none
 * between low and high. */
static bool find_number(const char *text, const char *key, int64_t low, int64_t high, int64_t *out)
{
    char line_start[64];
    snprintf(line_start, sizeof line_start, "\n%s ", key);
    const char *at = strstr(text, line_start);
    if (!at)
        return false;
    char *end;
    errno = 0;
    long long value = strtoll(at + strlen(line_start), &end, 10);
    if (errno != 0 || *end != '\n' || value < low || value > high)
        return false;
    *out = value;
    return true;
}

int syn_manifest_read(const char *directory, struct syn_manifest *out)
{
    char path[PATH_MAX];
    size_t length;
    *out = (struct syn_manifest){0};
    if (snprintf(path, sizeof path, "%s/" SYN_MANIFEST_NAME, directory) >= (int)sizeof path)
        return SYN_EMISSING;
    char *text = malloc(MANIFEST_BYTES_MAX);
    if (!text)
        return SYN_ENOMEM;
    int status = read_text(path, text, MANIFEST_BYTES_MAX, &length);
    if (status == SYN_OK && strncmp(text, FIRST_KEY, strlen(FIRST_KEY)) != 0)
        status = SYN_ENOTTRACE;
    if (status == SYN_OK && !checksum_holds(text, length))
        status = SYN_EDAMAGED;
    if (status == SYN_OK) {
        unsigned long version = strtoul(text + strlen(FIRST_KEY), NULL, 10);
        out->format_version = version > UINT32_MAX ? UINT32_MAX : (uint32_t)version;
        if (out->format_version > SYN_FORMAT_VERSION)
            status = SYN_EVERSION;
    }
    if (status == SYN_OK) {
        int64_t size = 0, written_count = 0, event_count = 0;
        const char *run_id = strstr(text, "\nrun_id ");
        run_id = run_id ? run_id + strlen("\nrun_id ") : "";
        const bool has_id = strspn(run_id, "0123456789abcdef") == 32 && run_id[32] == '\n';
        for (int i = 0; has_id && i < 16; i++) {
            const char digits[3] = {run_id[2 * i], run_id[2 * i + 1], 0};
            out->run_id[i] = (uint8_t)strtoul(digits, NULL, 16);
        }
        if (!has_id || !find_number(text, "size", 1, INT32_MAX, &size) ||
            !find_number(text, "written_count", 0, INT32_MAX, &written_count) ||
            !find_number(text, "event_count", 0, INT64_MAX, &event_count) ||
            !find_number(text, "start_unix_ns", INT64_MIN, INT64_MAX, &out->start_unix_ns) ||
            !find_number(text, "duration_ns", INT64_MIN, INT64_MAX, &out->duration_ns))
            status = SYN_EDAMAGED;
        else if (!find_number(text, "begin_ns", INT64_MIN, INT64_MAX, &out->begin_ns))
            out->begin_ns = SYN_BEGIN_UNKNOWN;
        out->size = (int32_t)size;
        out->written_count = (int32_t)written_count;
        out->event_count = (uint64_t)event_count;
    }
    free(text);
    return status;
}
