/* analyze/print/units.h - figures as people read them. All into caller's buffers of SYN_UNIT_BYTES.
 */
#ifndef SYN_UNITS_H
#define SYN_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define SYN_UNIT_BYTES 48

/* Returns 0 for a value that so many digits behind the point would make a negative zero, any other
 * as it is. */
double syn_unit_no_minus_zero(double value, int digits);

/* Three digits and a unit: "812 ns", "3.41 us", "12.3 ms", "1.25 s". "-" for NAN. */
const char *syn_unit_time(char *buffer, double ns);
/* "8 B", "1 KiB", "1.5 KiB", "64 MiB": powers of 1024. */
const char *syn_unit_bytes(char *buffer, double bytes);
/* "12,345". */
const char *syn_unit_count(char *buffer, uint64_t count);
/* "34.2 %"; "-" for NAN. A part of a whole, 0..1: builds with tests stop at any other, and all
 * others print "-". */
const char *syn_unit_share(char *buffer, double share);
/* A ratio, likewise; it may be more than 1: "178.8 %". */
const char *syn_unit_percent(char *buffer, double ratio);
/* "p = 0.012", "p < 0.001"; "" for NAN. */
const char *syn_unit_p(char *buffer, double p);

/* "Allreduce" of "MPI_Allreduce"; other names as they are, "*" for NULL. */
const char *syn_unit_op(const char *op);
/* Without the blank between number and unit. */
void syn_unit_tight(char *cell);
/* A call site of at most `width` characters into text. What goes first is the module, then what is
 * in the brackets of C++ ("exchange<..>"), then namespaces, the offset, the file's name; the
 * function and its line stay. Where even these do not fit, the end survives, marked "..": see
 * docs/reports.md. */
struct syn_text;
void syn_unit_site(struct syn_text *text, const char *site, size_t width);
/* A call site in a sentence: whole, or where it has more than SYN_PLACE_WIDTH characters with
 * nothing but ".." in the brackets of C++. As it is, for syn_text_harmless. */
#define SYN_PLACE_WIDTH 60
void syn_unit_place(struct syn_text *text, const char *site);
/* The width at which the function and its line are still whole. */
size_t syn_unit_site_least(const char *site);
/* Any name of at most `width` characters; its end survives. */
void syn_unit_tail(struct syn_text *text, const char *name, size_t width);

#endif
