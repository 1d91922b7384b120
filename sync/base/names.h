/* sync/base/names.h - names that others chose (paths, programs, communicators), made safe to show
 * and to repeat in a shell. Needs libc only. */
#ifndef SYN_BASE_NAMES_H
#define SYN_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the length in bytes of the UTF-8 character at `bytes` [length]. Returns 0 if there is no
 * valid one: a stray or cut sequence, an overlong form, a surrogate, a value beyond U+10FFFF. */
size_t syn_utf8_length(const char *bytes, size_t length);
/* Returns true if a terminal or a browser would obey the character at `bytes` instead of showing
 * it: C0, DEL, C1 (U+0080..U+009F), and characters that end lines or change the direction of text
 * (U+200E, U+200F, U+2028..U+202E, U+2066..U+2069). `length`: as syn_utf8_length returns it; true
 * if 0. */
bool syn_utf8_is_control(const char *bytes, size_t length);
/* Both replace each control character and each byte of invalid UTF-8 by '?', in place. Return the
 * new length, and `line`. */
size_t syn_make_bytes_harmless(char *bytes, size_t length);
char *syn_make_harmless(char *line);

/* Writes a word as a shell reads it: as it is, or in single quotes if it is empty or has characters
 * other than letters, digits and -_=+./:,@%^ . Returns `out` [capacity]; a word that does not fit
 * is cut. SYN_SHELL_BYTES(length) bytes are always enough. */
#define SYN_SHELL_BYTES(length) (4 * (length) + 3)
char *syn_shell_word(const char *word, char *out, size_t capacity);

#endif
