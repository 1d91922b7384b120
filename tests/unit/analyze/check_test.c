/* The exit status of `syncopate check` where a step after the verification fails. */
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>

#include "analyze/cli/cli.h"
#include "analyze/match/members/message_numbers.h"
#include "analyze/print/command.h"
#include "made_trace.h"
#include "sync/base/status.h"

static bool fails;
int __real_syn_message_numbers_make(const struct syn_trace *trace, const struct syn_comms *comms,
                                    struct syn_message_numbers *out);
int __wrap_syn_message_numbers_make(const struct syn_trace *trace, const struct syn_comms *comms,
                                    struct syn_message_numbers *out);

int __wrap_syn_message_numbers_make(const struct syn_trace *trace, const struct syn_comms *comms,
                                    struct syn_message_numbers *out)
{
    return fails ? SYN_ENOMEM : __real_syn_message_numbers_make(trace, comms, out);
}

static int check(const char *directory)
{
    char name[] = "check", path[64];
    snprintf(path, sizeof path, "%s", directory);
    char *argv[] = {name, path, NULL};
    return syn_command_check.run(2, argv);
}

Test(check, messages_that_cannot_be_counted_are_not_whole)
{
    struct made_trace made;
    made_begin(&made, 2);
    for (int r = 0; r < 2; r++)
        made_event(&made, r, 100, 200, (struct syn_event){.op = 1});
    struct syn_trace *trace = made_open(&made, 0);
    cr_expect_eq(check(made.directory), SYN_EXIT_OK);
    fails = true;
    cr_expect_eq(check(made.directory), SYN_EXIT_NO);
    made_end(&made, trace);
}
