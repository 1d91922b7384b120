/* analyze/record/input.h - one standard input for several runs. */
#ifndef SYN_RECORD_INPUT_H
#define SYN_RECORD_INPUT_H

/* Keep what comes from a pipe or a socket in a temporary file, which is standard input from then
 * on; a file stays as it is. A terminal is handed on to every run. Where nothing comes for
 * RECORD_INPUT_WAIT_S seconds, though whoever writes has not closed, standard input is /dev/null
 * and a line says so. Returns 0; SYN_EIO after a line where it cannot be kept. */
int record_input_keep(void);
#define RECORD_INPUT_WAIT_S 2
/* Before each run: standard input is where it was in record_input_keep. */
void record_input_rewind(void);

#endif
