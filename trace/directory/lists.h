/* trace/directory/lists.h - parses two lists that users write as options: the ranks that record,
 * and the names of the program's phases. The commands check the lists, and the recorder obeys them.
 */
#ifndef SYN_LISTS_H
#define SYN_LISTS_H

#include <stdbool.h>
#include <stddef.h>

/* Checks a list of ranks: "0-3,8,16-64:4". The last range is every fourth rank from 16 to 64.
 * Returns 0 or SYN_EINVAL; the empty list is invalid. */
int syn_rank_list_check(const char *list);
/* Returns whether a list that passed the check contains `rank`. */
bool syn_rank_list_has(const char *list, int rank);

/* Checks a list of phases: "2=assembly,3=solve". Levels are those of MPI_Pcontrol, 2 or more, each
 * with one name. Returns 0 or SYN_EINVAL; the empty list is invalid. */
int syn_phase_list_check(const char *list);
/* Returns the name of `level` in a list that passed the check, *length bytes without terminator;
 * NULL if the level has no name. */
const char *syn_phase_list_find(const char *list, int level, size_t *length);

#endif
