/* analyze/symbols/symbols_file.c - the `symbols` file, a trace's own labels.
 *
 *   syncopate symbols 1
 *   frame <TAB> OBJECT <TAB> OFFSET <TAB> LABEL
 *   compiler <TAB> OBJECT <TAB> TEXT
 *   checksum <TAB> SUM
 *
 * OBJECT is a build id in hexadecimal digits, or path:PATH. OFFSET is hexadecimal. SUM is XXH3 of
 * all bytes before that line, 64 bits in 16 hexadecimal digits. Labels are used only if it is
 * right. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/symbols/symbols_internal.h"
#include "sync/base/cleanup.h"
#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "trace/base/sink.h"

#define MAGIC          "syncopate symbols "
#define VERSION        1
#define FILE_BYTES_MAX (INT64_C(256) << 20)
#define PATH_BYTES     4096

static int symbols_path(char *out, size_t capacity, const char *directory)
{
    int length = snprintf(out, capacity, "%s/" SYN_SYMBOLS_NAME, directory);
    return length > 0 && (size_t)length < capacity ? SYN_OK : SYN_EINVAL;
}

/* ---- reading ---- */

static int read_all(int fd, size_t bytes, char **out)
{
    char *text = malloc(bytes + 1);
    size_t filled = 0;
    if (!text)
        return SYN_ENOMEM;
    while (filled < bytes) {
        ssize_t got = read(fd, text + filled, bytes - filled);
        if (got <= 0)
            break;
        filled += (size_t)got;
    }
    text[filled] = '\0';
    *out = text;
    return SYN_OK;
}

static int read_file(const char *path, char **out)
{
    struct stat status;
    int result = SYN_EIO, fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno == ENOENT ? SYN_EMISSING : SYN_EIO;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        result = status.st_size > FILE_BYTES_MAX ? SYN_EDAMAGED
                                                 : read_all(fd, (size_t)status.st_size, out);
    close(fd);
    return result;
}

/* Reads the offset of a frame. Returns its label; NULL: the line is damaged. */
static const char *read_offset(const char *fields, uint64_t *offset)
{
    char *end = NULL;
    *offset = strtoull(fields, &end, 16);
    return end == fields || *end != '\t' ? NULL : end + 1;
}

/* Checks header, checksum and frames, and cuts the last line off. No label of a damaged file may be
 * used. Returns 0, SYN_EDAMAGED or SYN_EVERSION. */
static int check_text(char *text)
{
    char *last = strstr(text, "\nchecksum\t"), expected[17];
    if (strncmp(text, MAGIC, strlen(MAGIC)) != 0)
        return SYN_EDAMAGED;
    if (atoi(text + strlen(MAGIC)) != VERSION)
        return SYN_EVERSION;
    if (!last)
        return SYN_EDAMAGED;
    last++;
    snprintf(expected, sizeof expected, "%016" PRIx64, syn_hash64(text, (size_t)(last - text)));
    char *sum = last + strlen("checksum\t");
    if (strncmp(sum, expected, 16) != 0 || strcmp(sum + 16, "\n") != 0)
        return SYN_EDAMAGED;
    *last = '\0';
    uint64_t offset;
    for (const char *line = text; (line = strstr(line, "\nframe\t")) != NULL; line++) {
        const char *key = line + strlen("\nframe\t"), *fields = key + strcspn(key, "\t\n");
        if (*fields == '\t' && !read_offset(fields + 1, &offset))
            return SYN_EDAMAGED;
    }
    return SYN_OK;
}

static int take_line(struct syn_symbols *symbols, char *line)
{
    char *fields = NULL;
    const char *kind = strtok_r(line, "\t", &fields), *key = strtok_r(NULL, "\t", &fields);
    if (!kind || !key || !fields)
        return SYN_OK; /* a later version may add kinds of lines */
    struct symbol_object *object = symbol_store_object(&symbols->store, key);
    if (!object)
        return SYN_ENOMEM;
    if (strcmp(kind, "frame") == 0) {
        /* Labels are cleaned again: anybody can write a file with a right checksum. */
        uint64_t offset;
        const char *label = read_offset(fields, &offset);
        if (!label)
            return SYN_EDAMAGED;
        label = symbols_intern(symbols, label);
        struct symbol_frame *frame =
            label ? symbol_store_add(&symbols->store, object, offset, label) : NULL;
        if (!frame)
            return SYN_ENOMEM;
        frame->resolved = true;
        return SYN_OK;
    }
    if (strcmp(kind, "compiler") == 0 && !object->compiler)
        object->compiler = symbols_intern(symbols, fields);
    return SYN_OK;
}

int syn_symbols_load(struct syn_symbols *symbols, const char *directory)
{
    SYN_FREED char *text = NULL;
    char path[PATH_BYTES];
    int status = symbols_path(path, sizeof path, directory);
    SYN_STEP(status, read_file(path, &text));
    SYN_STEP(status, check_text(text));
    if (status == SYN_OK) {
        char *lines = NULL;
        strtok_r(text, "\n", &lines); /* the header */
        for (char *line; status == SYN_OK && (line = strtok_r(NULL, "\n", &lines));)
            status = take_line(symbols, line);
    }
    return status;
}

int syn_symbols_take(struct syn_symbols *symbols, struct syn_trace *trace)
{
    SYN_FREED char *text = NULL;
    const char *directory = syn_trace_directory(trace);
    int status = syn_symbols_load(symbols, directory);
    if (status == SYN_OK || status == SYN_EMISSING || status == SYN_ENOMEM)
        return status == SYN_ENOMEM ? status : SYN_OK;
    const char *why = status == SYN_EIO ? "cannot be read" : syn_status_text(status);
    if (asprintf(&text, "%s/" SYN_SYMBOLS_NAME ": %s; its labels are not used", directory, why) < 0)
        return SYN_ENOMEM;
    syn_trace_add_fault(trace, status, text);
    return SYN_OK;
}

/* ---- writing ---- */

static bool is_writable_key(const char *key)
{
    return !strpbrk(key, "\t\n");
}

static void write_frame(const struct symbol_frame *frame, void *ctx)
{
    if (frame->resolved && is_writable_key(frame->object->key))
        fprintf(ctx, "frame\t%s\t%" PRIx64 "\t%s\n", frame->object->key, frame->offset,
                frame->label);
}

static void write_compiler(const struct symbol_object *object, void *ctx)
{
    if (object->compiler && is_writable_key(object->key))
        fprintf(ctx, "compiler\t%s\t%s\n", object->key, object->compiler);
}

/* Formats the file in memory, which the caller frees. Returns 0 or SYN_ENOMEM. */
static int format_file(const struct syn_symbols *symbols, char **text, size_t *bytes)
{
    FILE *out = open_memstream(text, bytes);
    if (!out)
        return SYN_ENOMEM;
    fprintf(out, MAGIC "%d\n", VERSION);
    int status = symbol_store_each_object(&symbols->store, write_compiler, out);
    SYN_STEP(status, symbol_store_each_frame(&symbols->store, write_frame, out));
    fflush(out);
    fprintf(out, "checksum\t%016" PRIx64 "\n", syn_hash64(*text, *bytes));
    bool failed = status != SYN_OK || ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(*text);
        return SYN_ENOMEM;
    }
    return SYN_OK;
}

int syn_symbols_save(struct syn_symbols *symbols, const struct syn_trace *trace)
{
    SYN_FREED char *text = NULL;
    char path[PATH_BYTES];
    size_t bytes = 0;
    const struct syn_manifest *manifest = syn_trace_manifest(trace);
    int status = symbols_path(path, sizeof path, syn_trace_directory(trace));
    if (status != SYN_OK)
        return status;
    symbols->unchanged_since_unix_ns = manifest ? manifest->start_unix_ns : 0;
    for (int32_t rank = 0; rank < syn_trace_size(trace); rank++)
        if (syn_trace_rank(trace, rank)) {
            const struct syn_rank_file *file = syn_trace_rank(trace, rank);
            syn_symbols_compiler(symbols, file);
            for (uint32_t stack = 0; stack < syn_rank_stack_count(file); stack++)
                for (uint32_t depth = 0; syn_symbols_frame(symbols, file, stack, depth); depth++)
                    ;
        }
    symbols->unchanged_since_unix_ns = 0;
    status = format_file(symbols, &text, &bytes);
    SYN_STEP(status, syn_sink_write_file(path, text, bytes));
    return status;
}
