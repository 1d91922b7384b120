/* analyze/print/pager.h - long answers by way of $PAGER, on a terminal. */
#ifndef SYN_PAGER_H
#define SYN_PAGER_H

#include <stdbool.h>

#include "analyze/print/text.h"

/* Show the text through $PAGER, and wait until the user has left it. False where nothing was shown:
 * standard output is no terminal, the text fits its screen, PAGER is not set (or is "cat"), or it
 * cannot be started. */
bool syn_pager_show(const struct syn_text *text);

#endif
