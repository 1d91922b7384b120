/* analyze/symbols/object.h - reads one ELF object on this machine, by elfutils. Only regular files
 * are opened, and only those that are the recorded object. */
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
    const uint8_t *build_id; /* [build_id_bytes]; NULL: it has none */
    size_t build_id_bytes;
    /* Nanoseconds since 1970. An object without a build id must not have changed since this time.
     * 0: such an object is not used. */
    int64_t unchanged_since_unix_ns;
};

struct syn_location {
    char *function;                   /* as compiled, so it may be mangled; NULL: unknown */
    char file[SYN_OBJECT_TEXT_BYTES]; /* base name; "": unknown */
    int line;                         /* 0: unknown */
    uint64_t symbol_offset;           /* of the return address, from the start of the symbol */
};
void syn_location_free(struct syn_location *location);

/* Opens the file at identity->path. If that is not the object, opens the debug file with the build
 * id under /usr/lib/debug/.build-id. Returns 0; SYN_EMISSING: neither file is the object;
 * SYN_ENOMEM. */
int syn_object_open(const struct syn_object_identity *identity, struct syn_object **out);
void syn_object_close(struct syn_object *object); /* `object` may be NULL */

/* Locates the call before the return address at `offset` from the load base. Returns whether
 * anything is known. Overwrites *out, which the caller frees with syn_location_free. */
bool syn_object_locate(struct syn_object *object, uint64_t offset, struct syn_location *out);

/* Writes the compiler's name: DW_AT_producer, else from the .comment section. Different names are
 * joined by "; ", the one with the most compilation units first. Returns whether a name is
 * known. */
bool syn_object_compiler(struct syn_object *object, char *out, size_t capacity);

#endif
