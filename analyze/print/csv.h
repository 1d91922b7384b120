/* analyze/print/csv.h - one field of a CSV file (RFC 4180). */
#ifndef SYN_CSV_H
#define SYN_CSV_H

#include "analyze/print/text.h"

/* Quoted where it holds a comma, a quote, a line break or a space at an end; quotes doubled.
 * Control characters and what is not UTF-8 are as in syn_text_harmless, so that a row is a line.
 * A value that a spreadsheet would take for a formula (it starts with = + - or @) gets an
 * apostrophe in front. For texts: numbers are written as they are. */
void syn_csv_field(struct syn_text *text, const char *value);

#endif
