/* trace/base/coding/parity.h - repairs one damage of some bytes, wherever in a stretch of a file it
 * is. docs/trace-format.md, "PARITY". */
#ifndef SYN_PARITY_H
#define SYN_PARITY_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"

/* Less than so many bytes in a row can be repaired. */
#define SYN_PARITY_REACH 512
#define SYN_PARITY_BYTES (16 + SYN_PARITY_REACH)
/* No frame that is guarded is longer. */
#define SYN_PARITY_DATA_MAX ((size_t)32 << 20)

/* Append the payload for `data` [bytes]. */
void syn_parity_put(const uint8_t *data, size_t bytes, struct syn_bytes *out);
/* How long the data is that the payload [SYN_PARITY_BYTES] is of. */
uint64_t syn_parity_data_bytes(const uint8_t *payload);
/* Is `data` as it was? */
int syn_parity_check(const uint8_t *payload, const uint8_t *data, size_t bytes);
/* Make it so: 0, or SYN_EDAMAGED (more than that is damaged; it is as it came). */
int syn_parity_repair(const uint8_t *payload, uint8_t *data, size_t bytes);

#endif
