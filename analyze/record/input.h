/* analyze/record/input.h - gives the same standard input to each of several runs. */
#ifndef SYN_RECORD_INPUT_H
#define SYN_RECORD_INPUT_H

/* Prepares standard input. Input from a pipe or a socket is copied to a temporary file, which
 * replaces standard input; a regular file stays as it is; a terminal is read by each run in turn.
 * If nothing arrives for RECORD_INPUT_WAIT_S seconds and the writer has not closed, /dev/null
 * replaces standard input, and a line says so. Returns 0, or SYN_EIO after a line if the input
 * cannot be kept. */
int record_input_keep(void);
#define RECORD_INPUT_WAIT_S 2
/* Sets standard input back to its position at record_input_keep. Call it before each run. */
void record_input_rewind(void);

#endif
