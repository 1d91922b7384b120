/* preload/comms/key_counts.h - how many of each key there were. */
#ifndef SYN_KEY_COUNTS_H
#define SYN_KEY_COUNTS_H

#include <stdint.h>

/* One more of `key`: how many with this one. 0 where memory is short. One thread at a time. */
uint32_t syn_key_count(uint64_t key);

#endif
