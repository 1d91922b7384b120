/* Running surroundings_program, for the tests of factors, topology and modules. */
#ifndef SYN_TEST_SURROUNDINGS_H
#define SYN_TEST_SURROUNDINGS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the output of the program, run by a shell as "env PREFIX PROGRAM ARGUMENTS"; *status is
 * its exit status. The caller frees. */
char *run_surroundings(const char *prefix, const char *arguments, int *status);
/* As above, for any program. */
char *run_program(const char *prefix, const char *program, const char *arguments, int *status);
/* The value of a key, into out; false where it was not printed. */
bool value_of(const char *printed, const char *key, char *out, size_t capacity);

#endif
