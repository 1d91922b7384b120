/* analyze/print/units.h - writes numbers with a unit, and call sites, for people.
 *
 * Functions with a `buffer` [SYN_UNIT_BYTES] write into the buffer and return it. */
#ifndef SYN_UNITS_H
#define SYN_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define SYN_UNIT_BYTES 48

/* Returns 0 if `value`, written with this many decimals, would be a negative zero, else `value`. */
double syn_unit_no_minus_zero(double value, int digits);

/* Three significant digits and a unit: "812 ns", "3.41 us", "12.3 ms", "1.25 s". "-" for NAN and
 * infinity. */
const char *syn_unit_time(char *buffer, double ns);
/* "8 B", "1 KiB", "1.5 KiB", "64 MiB": units are powers of 1024. "-" for NAN and infinity. */
const char *syn_unit_bytes(char *buffer, double bytes);
/* "12,345". */
const char *syn_unit_count(char *buffer, uint64_t count);
/* A share of a whole, 0..1: "34.2 %"; "-" for NAN. A value above 1 is "-", and stops a build with
 * assertions. */
const char *syn_unit_share(char *buffer, double share);
/* Any ratio: "178.8 %"; "-" for NAN. */
const char *syn_unit_percent(char *buffer, double ratio);
/* A p value: "p = 0.012", "p < 0.001"; "" for NAN. */
const char *syn_unit_p(char *buffer, double p);

/* Returns the name of an operation without "MPI_"; "*" for NULL. */
const char *syn_unit_op(const char *op);
/* Removes the first blank of a cell: the one between number and unit. */
void syn_unit_tight(char *cell);
/* Appends a call site of at most `width` characters. If the whole site is too long, parts are left
 * out in this order: the module; what is in the brackets of C++ ("exchange<..>"); namespaces; the
 * offset; the file's name. The function and its line remain. If these are too long, too, only their
 * end is shown, after "..". docs/reports.md describes this. */
struct syn_text;
void syn_unit_site(struct syn_text *text, const char *site, size_t width);
/* Appends a call site for a sentence. A site of more than SYN_PLACE_WIDTH characters has ".." in
 * the brackets of C++. Control characters are not replaced: that is left to syn_text_harmless. */
#define SYN_PLACE_WIDTH 60
void syn_unit_place(struct syn_text *text, const char *site);
/* Returns the least width at which syn_unit_site shows the whole function and its line. */
size_t syn_unit_site_least(const char *site);
/* Appends a name of at most `width` characters. Of a longer name the end is shown, after "..". */
void syn_unit_tail(struct syn_text *text, const char *name, size_t width);

#endif
