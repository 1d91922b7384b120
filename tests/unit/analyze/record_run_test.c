#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/record/experiment.h"
#include "analyze/record/run.h"

static struct record_run run_shell(const char *script)
{
    struct record_run run;
    char *command[] = {"sh", "-c", (char *)script, NULL};
    cr_assert_eq(record_run(command, NULL, &run), 0);
    return run;
}

Test(record_run, exit_statuses_are_passed_on)
{
    cr_expect_eq(run_shell("exit 0").exit_status, 0);
    cr_expect_eq(run_shell("exit 7").exit_status, 7);
    cr_expect_eq(run_shell("kill -9 $$").exit_status, 128 + 9);
    cr_expect(run_shell("kill -9 $$").interrupted);
    cr_expect_not(run_shell("exit 7").interrupted);
}

Test(record_run, what_cannot_be_started_says_why)
{
    struct record_run run;
    char *missing[] = {"nowhere-to-be-found", NULL}, *directory[] = {"/tmp", NULL};
    cr_assert_eq(record_run(missing, NULL, &run), 0);
    cr_expect_eq(run.exec_errno, ENOENT);
    cr_expect_eq(record_exec_status(run.exec_errno), 127);
    cr_assert_eq(record_run(directory, NULL, &run), 0);
    cr_expect_eq(run.exec_errno, EACCES);
    cr_expect_eq(record_exec_status(run.exec_errno), 126);
}

/* The child asks its parent (this process) for the signal that it waits for. */
Test(record_run, a_signal_sent_to_us_reaches_the_command)
{
    struct record_run run =
        run_shell("trap 'exit 33' TERM; kill -TERM $PPID; while :; do sleep 0.01; done");
    cr_expect_eq(run.exit_status, 33);
    cr_expect(run.interrupted);
    run = run_shell("trap 'exit 34' USR1; kill -USR1 $PPID; while :; do sleep 0.01; done");
    cr_expect_eq(run.exit_status, 34);
    cr_expect_not(run.interrupted, "a signal that the launcher handles ends nothing");
}

/* The command counts how often it is told: a launcher takes the second time for impatience. */
Test(record_run, a_signal_sent_to_the_whole_group_reaches_the_command_once)
{
    if (getpgrp() != getpid())
        cr_assert_eq(setpgid(0, 0), 0, "the group of the tests must not be told");
    struct record_run run =
        run_shell("n=0; i=0; trap 'n=$((n+1))' TERM; kill -TERM 0; "
                  "while [ $i -lt 10 ]; do sleep 0.1; i=$((i+1)); done; exit $n");
    cr_expect_eq(run.exit_status, 1, "told %d times", run.exit_status);
    run = run_shell("n=0; i=0; trap 'n=$((n+1))' TERM; kill -TERM $PPID; kill -TERM 0; "
                    "while [ $i -lt 10 ]; do sleep 0.1; i=$((i+1)); done; exit $n");
    cr_expect_eq(run.exit_status, 1, "as timeout does: told %d times", run.exit_status);
}

static int end_it(void *count)
{
    return ++*(int *)count == 1 ? SIGTERM : 0;
}

Test(record_run, a_chore_of_each_second_may_end_the_command)
{
    int count = 0;
    struct record_run run;
    const struct record_chore chore = {end_it, &count};
    char *command[] = {"sleep", "60", NULL};
    cr_assert_eq(record_run(command, &chore, &run), 0);
    cr_expect_eq(run.exit_status, 128 + SIGTERM);
    cr_expect_eq(count, 1);
}

Test(record_run, an_ignored_signal_stays_ignored)
{
    struct sigaction now;
    signal(SIGHUP, SIG_IGN);
    cr_expect_eq(run_shell("kill -HUP $$; exit 5").exit_status, 5);
    sigaction(SIGHUP, NULL, &now);
    cr_expect_eq(now.sa_handler, SIG_IGN);
}

Test(record_run, an_experiment_says_what_was_done)
{
    char directory[] = "/tmp/syncopate-experiment-XXXXXX", path[256], text[1024] = "";
    char *command[] = {"mpirun", "-n", "2", "./my program", NULL};
    struct record_run runs[3] = {{.seconds = 1.5}, {.exit_status = 3, .seconds = 2.5}};
    const struct record_experiment experiment = {.directory = directory,
                                                 .command = command,
                                                 .planned_count = 3,
                                                 .done_count = 2,
                                                 .runs = runs};
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_eq(record_experiment_write(&experiment), 0);
    snprintf(path, sizeof path, "%s/" SYN_EXPERIMENT_NAME, directory);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    cr_assert_gt(fread(text, 1, sizeof text - 1, file), 0);
    fclose(file);
    cr_expect_eq(strncmp(text, "syncopate-experiment 1\ncommand mpirun -n 2 './my program'\n", 58),
                 0, "%s", text);
    cr_expect_not_null(strstr(
        text, "\nplanned_count 3\nrun run-0001 0 1.500000\nrun run-0002 3 2.500000\nchecksum "));
    cr_expect_float_eq(record_experiment_left_s(&experiment), 2.0, 1e-9);
    remove(path);
    rmdir(directory);
}

Test(record_run, times_read_as_people_write_them)
{
    char text[64];
    record_format_seconds(text, sizeof text, 0.4);
    cr_expect_str_eq(text, "0 s");
    record_format_seconds(text, sizeof text, 59.4);
    cr_expect_str_eq(text, "59 s");
    record_format_seconds(text, sizeof text, 750);
    cr_expect_str_eq(text, "12 min 30 s");
    record_format_seconds(text, sizeof text, 11100);
    cr_expect_str_eq(text, "3 h 5 min");
}
