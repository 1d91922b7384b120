/* analyze/report/report_command.h - the command, made by a team. */
#ifndef SYN_REPORT_COMMAND_H
#define SYN_REPORT_COMMAND_H

#include "analyze/match/members/team.h"

/* syn_command_report by all processes of a team, each with the same arguments: process 0 writes the
 * report, which is the same as if it had been alone. Returns the exit status of each. */
int syn_team_report(int argc, char **argv, struct syn_team *team);

#endif
