/* analyze/print/terminal.h - the abilities of the terminal, or of the file, to which a text
 * goes. */
#ifndef SYN_TERMINAL_H
#define SYN_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

struct syn_terminal {
    size_t width; /* columns: COLUMNS, the terminal's own, or 80 */
    bool colour;  /* a terminal, and no NO_COLOR */
    bool utf8;    /* the locale's characters are UTF-8 */
};

/* `to_stdout` false: the text goes to a file, where neither colour nor width of the terminal
 * matter. */
struct syn_terminal syn_terminal_detect(bool to_stdout);

enum syn_style { SYN_STYLE_BOLD, SYN_STYLE_DIM, SYN_STYLE_WARN, SYN_STYLE_GOOD, SYN_STYLE_BAD };
/* Escape sequences, "" where there is no colour. */
const char *syn_style_on(const struct syn_terminal *terminal, enum syn_style style);
const char *syn_style_off(const struct syn_terminal *terminal);

/* A line on a terminal's stderr that is redrawn as work goes on, and wiped at the end. Nothing
 * where stderr is no terminal. Shown only once the work has taken half a second. */
struct syn_progress {
    bool enabled;
    bool shown;
    double start_s, last_s;
    const char *what;
};
void syn_progress_start(struct syn_progress *progress, const char *what);
/* done and total in any unit. Cheap: looks at the clock, draws ten times a second. */
void syn_progress_update(struct syn_progress *progress, double done, double total);
void syn_progress_end(struct syn_progress *progress);

#endif
