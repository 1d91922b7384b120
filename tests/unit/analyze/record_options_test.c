#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "analyze/print/command.h"
#include "analyze/record/options.h"

#define WORD_COUNT_MAX 32

static struct record_options options;
static struct syn_text why_text;
static const char *why;

/* Parses "record" and the words of a line. */
static enum syn_cli_step parse(const char *line)
{
    static char copy[1024];
    static char *words[WORD_COUNT_MAX];
    int count = 0;
    char *rest = NULL;
    snprintf(copy, sizeof copy, "record %s", line);
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    words[count] = NULL;
    syn_text_clear(&why_text);
    const enum syn_cli_step parsed = record_options_parse(count, words, &options, &why_text);
    why = syn_text_chars(&why_text);
    return parsed;
}

static const char *setting(const char *variable)
{
    for (int i = 0; i < SYN_RECORD_SETTING_COUNT; i++)
        if (strcmp(options.settings[i].variable, variable) == 0)
            return options.settings[i].value;
    return "no such setting";
}

Test(record_options, a_program_alone_gets_the_defaults)
{
    cr_assert_eq(parse("./program -o theirs --sync theirs"), SYN_CLI_GO);
    cr_expect_str_eq(options.directory, "syncopate-trace");
    cr_expect_eq(options.run_count, 1);
    cr_expect_not(options.quiet);
    cr_expect_not(options.around);
    cr_expect_null(setting("SYNCOPATE_SYNC"), "options of the program are the program's");
    cr_expect_str_eq(options.command[0], "./program");
    cr_expect_str_eq(options.command[4], "theirs");
}

Test(record_options, every_option_reaches_its_variable)
{
    cr_assert_eq(
        parse("-q -o out --sync hca --fitpoints 30 --exchanges=10 --sync-budget 0.5 --clock mpi "
              "--stack 0 --buffer 1G --level -3 --align none --ops Bcast,MPI_Allreduce p"),
        SYN_CLI_GO, "%s", why);
    cr_expect_str_eq(options.directory, "out");
    cr_expect(options.quiet);
    cr_expect_str_eq(setting("SYNCOPATE_SYNC"), "hca");
    cr_expect_str_eq(setting("SYNCOPATE_FITPOINTS"), "30");
    cr_expect_str_eq(setting("SYNCOPATE_EXCHANGES"), "10");
    cr_expect_str_eq(setting("SYNCOPATE_SYNC_BUDGET"), "0.5");
    cr_expect_str_eq(setting("SYNCOPATE_CLOCK"), "mpi");
    cr_expect_str_eq(setting("SYNCOPATE_STACK"), "0");
    cr_expect_str_eq(setting("SYNCOPATE_BUFFER"), "1G");
    cr_expect_str_eq(setting("SYNCOPATE_LEVEL"), "-3");
    cr_expect_str_eq(setting("SYNCOPATE_ALIGN"), "none");
    cr_expect_str_eq(setting("SYNCOPATE_OPS"), "Bcast,MPI_Allreduce");
}

Test(record_options, dashes_tell_around_from_inside)
{
    cr_assert_eq(parse("-- mpirun -n 4 ./program -- theirs"), SYN_CLI_GO);
    cr_expect(options.around);
    cr_expect_str_eq(options.command[0], "mpirun");
    cr_assert_eq(parse("-o -- ./program"), SYN_CLI_GO);
    cr_expect_not(options.around, "that was the name of the directory");
    cr_expect_str_eq(options.directory, "--");
    cr_assert_eq(parse("-o out ./program --"), SYN_CLI_GO);
    cr_expect_not(options.around);
    cr_assert_eq(parse("--runs 3 -- mpirun ./program"), SYN_CLI_GO);
    cr_expect(options.around);
    cr_expect_eq(options.run_count, 3);
}

Test(record_options, what_makes_no_sense_is_refused_in_one_line_that_names_it)
{
    static const char *const lines[][2] = {
        {"", "which program"},
        {"--", "which program"},
        {"--sync ntp p", "--sync ntp"},
        {"--fitpoints 0 p", "--fitpoints 0"},
        {"--fitpoints many p", "--fitpoints many"},
        {"--exchanges 1e9 p", "--exchanges 1e9"},
        {"--sync-budget -1 p", "--sync-budget -1"},
        {"--sync-budget nan p", "--sync-budget nan"},
        {"--clock sundial p", "--clock sundial"},
        {"--stack 65 p", "--stack 65"},
        {"--stack -1 p", "--stack -1"},
        {"--buffer 63K p", "--buffer 63K"},
        {"--buffer 64MB p", "--buffer 64MB"},
        {"--buffer 99999999999999999999G p", "--buffer 999"},
        {"--level 23 p", "--level 23"},
        {"--align window=100h p", "--align window=100h"},
        {"--align window=10ns p", "--align window=10ns"},
        {"--align window= p", "--align window="},
        {"--align sometimes p", "--align sometimes"},
        {"--ops Bcast,Sendrecv p", "--ops Bcast,Sendrecv"},
        {"--ops , p", "--ops ,"},
        {"--runs 0 -- p", "--runs 0"},
        {"--runs 10000 -- p", "--runs 10000"},
        {"--runs 2 p", "--runs needs the launcher"},
        {"--until 0 -- p", "--until 0"},
        {"--until 100% -- p", "--until 100%"},
        {"--until soon -- p", "--until soon"},
        {"--until 2% p", "--until needs the launcher"},
        {"--on-hang , p", "--on-hang"},
        {"--on-hang report,kil p", "--on-hang"},
        {"--on-hang report --hang-after 0 p", "--hang-after"},
        {"--hang-after 5s p", "goes with --on-hang"},
        {"--on-hang report -o run-%t p", "run-%t has"},
        {"--on-hang report --clock mpi p", "--clock mpi"},
        {"--for 0 -- p", "--for 0"},
        {"--for 3d -- p", "--for 3d"},
        {"--for 1h30 -- p", "--for 1h30"},
        {"--for 30m p", "--for needs the launcher"},
        {"--frobnicate p", "--frobnicate"},
        {"-z p", "-z"},
        {"-o", "-o needs a value"},
        {"--sync", "--sync needs a value"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        cr_expect_eq(parse(lines[i][0]), SYN_CLI_WRONG, "%s", lines[i][0]);
        cr_expect_not_null(strstr(why, lines[i][1]), "%s: %s", lines[i][0], why);
        cr_expect_null(strchr(why, '\n'));
    }
}

Test(record_options, values_at_the_edges_are_taken)
{
    static const char *const lines[] = {
        "--buffer 64K p",         "--buffer 65536 p",  "--stack 64 p",     "--level 22 p",
        "--level -7 p",           "--sync-budget 0 p", "--align window p", "--align window=50us p",
        "--align window=0.001 p", "--align barrier p", "--align none p",   "--ops all p",
        "--ops ^Barrier p",       "--ops -Barrier p",  "--runs 9999 -- p"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        cr_expect_eq(parse(lines[i]), SYN_CLI_GO, "%s: %s", lines[i], why);
}

Test(record_options, a_rule_when_to_stop_repeats_the_run)
{
    cr_assert_eq(parse("--until 2% -- mpirun p"), SYN_CLI_GO, "%s", why);
    cr_expect(options.runs_given);
    cr_expect_eq(options.run_count, RECORD_UNTIL_RUNS);
    cr_expect_eq(options.until.share, 0.02);
    cr_expect_eq(options.until.budget_s, 0);
    cr_assert_eq(parse("--until 0.1 --runs 7 --for 2h -- mpirun p"), SYN_CLI_GO, "%s", why);
    cr_expect_eq(options.run_count, 7, "and no more");
    cr_expect_eq(options.until.budget_s, 7200);
    cr_assert_eq(parse("--for 90 -- mpirun p"), SYN_CLI_GO, "%s", why);
    cr_expect_eq(options.run_count, 9999);
    cr_expect_eq(options.until.budget_s, 90);
    cr_expect_eq(options.until.share, 0);
}

/* Values around 1000 and 100, `spread` of them apart. */
static struct record_series series_of(size_t count, double spread)
{
    struct record_series series = {0};
    for (size_t i = 0; i < count; i++) {
        const double at = 1 + spread * ((double)(i % 5) - 2) / 2;
        cr_assert_eq(record_series_add(&series, (double[]){1000e6 * at, 100e6 * at}), 0);
    }
    return series;
}

Test(record_options, a_watcher_is_wished_for)
{
    cr_assert_eq(parse("p"), SYN_CLI_GO, "%s", why);
    cr_expect_eq(options.on_hang.actions, 0);
    cr_assert_eq(parse("--on-hang report p"), SYN_CLI_GO, "%s", why);
    cr_expect_eq(options.on_hang.actions, RECORD_HANG_REPORT);
    cr_expect_eq(options.on_hang.after_s, 60);
    cr_assert_eq(parse("--on-hang kill p"), SYN_CLI_GO, "%s", why);
    cr_expect_eq(options.on_hang.actions, RECORD_HANG_REPORT | RECORD_HANG_KILL);
    cr_assert_eq(parse("-o run-%t --on-hang report,kill,stacks --hang-after 2m -- mpirun p"),
                 SYN_CLI_GO, "%s", why);
    cr_expect_eq(options.on_hang.actions,
                 RECORD_HANG_REPORT | RECORD_HANG_STACKS | RECORD_HANG_KILL);
    cr_expect_eq(options.on_hang.after_s, 120);
}

Test(record_until, is_reached_where_the_intervals_are_narrow)
{
    const struct record_until until = {.share = 0.02, .confidence = 0.95};
    static const struct {
        size_t count;
        double spread;
        bool reached;
    } cases[] = {{7, 0.001, false}, {8, 0.001, true}, {8, 0.03, false}, {40, 0.03, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct record_series series = series_of(cases[i].count, cases[i].spread);
        cr_expect_eq(record_until_is_reached(&until, &series), cases[i].reached, "case %zu", i);
        record_series_free(&series);
    }
}

Test(record_until, says_what_is_known)
{
    const struct record_until until = {.share = 0.02, .confidence = 0.95};
    struct record_series series = series_of(8, 0.02);
    struct syn_text words = {0};
    record_until_words(&until, &series, false, &words);
    cr_expect_str_eq(syn_text_chars(&words),
                     "run time 995 ms within 2.5 %, time in collectives 99.5 ms within 2.5 %");
    syn_text_free(&words);
    record_series_free(&series);
}

Test(record_until, a_program_without_collectives_is_judged_by_its_run_time)
{
    const struct record_until until = {.share = 0.02, .confidence = 0.95};
    struct record_series series = {0};
    struct syn_text words = {0};
    for (int i = 0; i < 8; i++)
        cr_assert_eq(record_series_add(&series, (double[]){1e9, 0}), 0);
    cr_expect(record_until_is_reached(&until, &series));
    record_until_words(&until, &series, false, &words);
    cr_expect_str_eq(syn_text_chars(&words), "run time 1.00 s within 0.0 %");
    syn_text_free(&words);
    record_series_free(&series);
}

Test(record_until, a_budget_is_spent_before_the_step_that_would_exceed_it)
{
    const struct record_until until = {.budget_s = 10};
    cr_expect_not(record_until_is_spent(&until, 7.4, 3));
    cr_expect(record_until_is_spent(&until, 7.6, 3));
    cr_expect_not(record_until_is_spent(&(struct record_until){.share = 0.1}, 1e9, 3));
}

Test(record_options, the_help_names_every_option)
{
    static const char *const names[] = {"-o",       "--output", "--runs",        "-q",
                                        "--quiet",  "--sync",   "--clock",       "--stack",
                                        "--buffer", "--level",  "--sync-budget", "--align",
                                        "--ops",    "--help",   "--fitpoints",   "--exchanges"};
    struct syn_text help = {0};
    cr_assert_eq(parse("--help"), SYN_CLI_HELP);
    syn_cli_help(&syn_command_record, &help);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        cr_expect_not_null(strstr(syn_text_chars(&help), names[i]), "%s", names[i]);
    syn_text_free(&help);
}
