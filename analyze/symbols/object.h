/* analyze/symbols/object.h - one ELF object of this machine, asked by elfutils what lies at an
 * offset. Only regular files are ever opened, and only those that prove to be the object that was
 * recorded. */
#ifndef SYN_OBJECT_H
#define SYN_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYN_OBJECT_TEXT_BYTES 1024

struct syn_object;

/* The identity that the object must have. */
struct syn_object_identity {
    const char *path;        /* absolute */
    const uint8_t *build_id; /* [build_id_bytes]; NULL where it had none */
    size_t build_id_bytes;
    /* Without a build id: the file must not have changed since this time (nanoseconds since 1970).
     * 0: an object without a build id is not believed at all. */
    int64_t unchanged_since_unix_ns;
};

struct syn_location {
    char *function;                   /* as compiled, maybe mangled, of any length; NULL unknown */
    char file[SYN_OBJECT_TEXT_BYTES]; /* basename; "" unknown */
    int line;                         /* 0 unknown */
    uint64_t symbol_offset;           /* of the return address from the symbol's start */
};
void syn_location_free(struct syn_location *location);

/* Opens the file at identity->path or, where that is another one, the debug file of the build id
 * under /usr/lib/debug/.build-id. Returns 0; SYN_EMISSING (no such file, or not the one);
 * SYN_ENOMEM. */
int syn_object_open(const struct syn_object_identity *identity, struct syn_object **out);
void syn_object_close(struct syn_object *object); /* NULL is fine */

/* Locates the call before a return address at `offset` from the load base. Returns whether anything
 * is known; out is overwritten, for syn_location_free. */
bool syn_object_locate(struct syn_object *object, uint64_t offset, struct syn_location *out);

/* Names the compiler: DW_AT_producer, else the .comment section. Distinct ones are joined by "; ",
 * the one with most compilation units first. Returns whether it says. */
bool syn_object_compiler(struct syn_object *object, char *out, size_t capacity);

#endif
