/* trace/directory/lists.h - two lists that users write as options and that the recorder obeys:
 * which ranks record, and what the program's phases are called. Here because both the command,
 * which checks them, and the recorder read them, and the two share nothing else. */
#ifndef SYN_LISTS_H
#define SYN_LISTS_H

#include <stdbool.h>
#include <stddef.h>

/* Ranks: "0-3,8,16-64:4" (the last: every fourth from 16 on). 0 or SYN_EINVAL; the empty list is
 * none. */
int syn_rank_list_check(const char *list);
/* Is `rank` named by a list that passed the check? */
bool syn_rank_list_has(const char *list, int rank);

/* Phases: "2=assembly,3=solve", levels of MPI_Pcontrol from 2 on, one name for each. 0 or
 * SYN_EINVAL. */
int syn_phase_list_check(const char *list);
/* The name of `level` in a list that passed the check, *length bytes of it; NULL where it has none.
 */
const char *syn_phase_list_find(const char *list, int level, size_t *length);

#endif
