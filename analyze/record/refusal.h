/* analyze/record/refusal.h - explains why a launcher may have refused to start any rank. */
#ifndef SYN_RECORD_REFUSAL_H
#define SYN_RECORD_REFUSAL_H

#include <stdbool.h>

#include "analyze/print/text.h"

/* Returns the number of cores that this process may use. The hardware threads of a core count once,
 * as launchers count. */
int record_core_count(void);

/* Appends a sentence, without a full stop, for each refusal that `command` [NULL-terminated] and
 * the environment explain: Open MPI's mpirun refuses to run as root, or to start more ranks than
 * cores. Appends nothing for another launcher, if the refusal is switched off, or if hosts or slots
 * are named. */
void record_refusal_words(char *const *command, bool is_root, int core_count, struct syn_text *out);

#endif
