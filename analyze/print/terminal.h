/* analyze/print/terminal.h - width and abilities of the terminal or file to which a text is
 * written, and a progress line. */
#ifndef SYN_TERMINAL_H
#define SYN_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

struct syn_terminal {
    size_t width; /* columns, 60..400: COLUMNS, the terminal's own, or 80 */
    bool colour;  /* escape sequences may be used */
    bool utf8;    /* the locale's encoding is UTF-8 */
};

/* Returns the abilities of stdout. `to_stdout` false: the text goes to a file, which has no colour,
 * and whose width is COLUMNS or 80. There is no colour if stdout is no terminal, NO_COLOR is set
 * and not empty, or TERM is unset or "dumb". */
struct syn_terminal syn_terminal_detect(bool to_stdout);

enum syn_style { SYN_STYLE_BOLD, SYN_STYLE_DIM, SYN_STYLE_WARN, SYN_STYLE_GOOD, SYN_STYLE_BAD };
/* Return escape sequences, or "" if there is no colour. */
const char *syn_style_on(const struct syn_terminal *terminal, enum syn_style style);
const char *syn_style_off(const struct syn_terminal *terminal);

/* A progress line on stderr: redrawn while work goes on, and wiped at the end. It is shown only if
 * stderr is a terminal and the work takes at least half a second. */
struct syn_progress {
    bool enabled;
    bool shown;
    double start_s, last_s;
    const char *what;
};
void syn_progress_start(struct syn_progress *progress, const char *what);
/* Redraws the line, at most ten times a second. `done` and `total` have the same unit. Cheap: most
 * calls only read the clock. */
void syn_progress_update(struct syn_progress *progress, double done, double total);
void syn_progress_end(struct syn_progress *progress);

#endif
