/* preload/comms/key_counts.h - counts how often each key occurred. */
#ifndef SYN_KEY_COUNTS_H
#define SYN_KEY_COUNTS_H

#include <stdint.h>

/* Adds one to the count of `key` and returns the count. Returns 0 without memory. Not for
 * concurrent use. */
uint32_t syn_key_count(uint64_t key);

#endif
