/* trace/base/coding/parity.h - repairs one damaged stretch of bytes at any place of a guarded
 * frame. docs/trace-format.md, "PARITY". */
#ifndef SYN_PARITY_H
#define SYN_PARITY_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"

/* A damaged stretch shorter than this many bytes can be repaired. */
#define SYN_PARITY_REACH 512
#define SYN_PARITY_BYTES (16 + SYN_PARITY_REACH)
/* The largest length of guarded data, in bytes. */
#define SYN_PARITY_DATA_MAX ((size_t)32 << 20)

/* Appends the parity payload for `data` [bytes]. */
void syn_parity_put(const uint8_t *data, size_t bytes, struct syn_bytes *out);
/* Returns the length of the data that `payload` [SYN_PARITY_BYTES] guards, in bytes. */
uint64_t syn_parity_data_bytes(const uint8_t *payload);
/* Returns 0 if `data` [bytes] and the payload are undamaged, else SYN_EDAMAGED. */
int syn_parity_check(const uint8_t *payload, const uint8_t *data, size_t bytes);
/* Repairs `data` in place. Returns 0, or SYN_EDAMAGED if the damage is too large; `data` is then
 * unchanged. */
int syn_parity_repair(const uint8_t *payload, uint8_t *data, size_t bytes);

#endif
