/* preload/base/large_stack.h - a stack that is large enough for what MPI does. */
#pragma once

/* Calls work(argument): on the caller's stack if 512 KiB of it are left, else on a stack of its own
 * that is unmapped afterwards. Without memory for that, on the caller's. */
void syn_on_large_stack(void (*work)(void *argument), void *argument);
