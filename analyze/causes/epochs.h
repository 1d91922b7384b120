/* analyze/causes/epochs.h - a faster replay from one cut to the next, where all calls are blocking,
 * each over before its location begins another, on communicators of any members. Other than in
 * swift.h these may be parts of all locations, and members may call at different sites. */
#ifndef SYN_CAUSE_EPOCHS_H
#define SYN_CAUSE_EPOCHS_H

#include "analyze/causes/replay.h"

struct syn_epochs;
/* NULL: no memory. */
struct syn_epochs *syn_epochs_new(struct syn_replay *replay);
void syn_epochs_free(struct syn_epochs *epochs);
/* All locations stand behind a cut. Of those calls that each holds back, the first count
 * [location_count], replay as many as lead to another cut by whole epochs: they are held back no
 * longer, and all stand behind that one. What is left is subtracted into `count`. 0 or SYN_ENOMEM.
 */
int syn_epochs_go(struct syn_epochs *epochs, size_t *count);

#endif
