/* analyze/hang/earlier.h - how long earlier waits at a place were. */
#ifndef SYN_HANG_EARLIER_H
#define SYN_HANG_EARLIER_H

#include "analyze/hang/hang.h"
#include "analyze/hang/look.h"

/* `earlier` of each wait: calls of the same operation from the same place on the same communicator,
 * of the rank that has waited longest. Messages have no events of their own: nothing is known of
 * earlier ones. 0 or SYN_ENOMEM. */
int syn_hang_find_earlier(const struct syn_look *look, const struct syn_looked *looked,
                          struct syn_hang *hang);

#endif
