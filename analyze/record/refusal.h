/* analyze/record/refusal.h - why a launcher may have refused to start any rank. */
#ifndef SYN_RECORD_REFUSAL_H
#define SYN_RECORD_REFUSAL_H

#include <stdbool.h>

#include "analyze/print/text.h"

/* Cores that this process may use: hardware threads of one core count once, as launchers count. */
int record_core_count(void);

/* Append a sentence, without a full stop, for each refusal that `command` [NULL-terminated] and the
 * environment explain: Open MPI's mpirun refuses root, and more ranks than cores. Appends nothing
 * for another launcher, where the refusal is switched off, and where hosts or slots are named. */
void record_refusal_words(char *const *command, bool is_root, int core_count, struct syn_text *out);

#endif
