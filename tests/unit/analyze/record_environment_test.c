/* LD_PRELOAD and what launchers are told, with launchers made up for the test: scripts that say
 * what they are. */
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "analyze/record/environment.h"
#include "analyze/record/program.h"
#include "analyze/record/refusal.h"
#include "sync/base/status.h"

#define OURS "/opt/lib/libsyncopate.so"

static char directory[] = "/tmp/syncopate-record-XXXXXX";

static void write_script(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
    chmod(path, 0755);
}

/* Settings of the user who runs the test are no part of it. */
static void unset_settings(void)
{
    char name[64];
    for (char **variable = environ; *variable;) {
        const size_t length = strcspn(*variable, "=");
        if (strncmp(*variable, "SYNCOPATE_", strlen("SYNCOPATE_")) == 0 && length < sizeof name) {
            snprintf(name, sizeof name, "%.*s", (int)length, *variable);
            unsetenv(name);
            variable = environ;
        } else {
            variable++;
        }
    }
}

static void create_launchers(void)
{
    cr_assert_not_null(mkdtemp(directory));
    write_script("mpirun.open", "#!/bin/sh\n# libopen-rte\n");
    write_script("mpiexec.hydra", "#!/bin/sh\n# HYD_\n");
    write_script("wrapper", "#!/bin/sh\n# libopen-rte\n");
    setenv("PATH", directory, 1);
    unsetenv("OMPI_MCA_mca_base_env_list");
    unset_settings();
    setenv("LD_PRELOAD", OURS, 1);
    setenv("SYNCOPATE_OUTPUT", "/out", 1);
}

static void remove_launchers(void)
{
    char path[256];
    static const char *const names[] = {"mpirun.open", "mpiexec.hydra", "wrapper", "static", ""};
    unsetenv("LD_PRELOAD");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        remove(path);
    }
}

TestSuite(record_environment, .init = create_launchers, .fini = remove_launchers);

static void expect_merged(const char *list, const char *expected)
{
    char *merged = record_preload_merge(list, OURS);
    cr_expect_str_eq(merged, expected, "%s became %s", list, merged);
    free(merged);
}

Test(record_environment, a_users_preloads_stay_in_force)
{
    expect_merged(NULL, OURS);
    expect_merged("", OURS);
    expect_merged("/a.so", OURS ":/a.so");
    expect_merged("/a.so /b.so:/c.so", OURS ":/a.so:/b.so:/c.so");
    expect_merged("/a.so:" OURS, OURS ":/a.so");
    expect_merged("/lib/libasan.so.8:/a.so", "/lib/libasan.so.8:" OURS ":/a.so");
    expect_merged("/lib/libclang_rt.asan-x86_64.so", "/lib/libclang_rt.asan-x86_64.so:" OURS);
    expect_merged("::  :", OURS);
}

/* The adapted command as one line. */
static void expect_command(const char *line, const char *expected)
{
    char copy[512], adapted[1024] = "", *words[32], *rest = NULL;
    int count = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    words[count] = NULL;
    char **command = record_command_adapt(words, OURS);
    for (char **word = command; *word != NULL; word++)
        snprintf(adapted + strlen(adapted), sizeof adapted - strlen(adapted), "%s%s",
                 word == command ? "" : " ", *word);
    record_command_free(command);
    cr_expect_str_eq(adapted, expected, "%s\nbecame   %s\nexpected %s", line, adapted, expected);
}

static const char *env_list(void)
{
    const char *list = getenv("OMPI_MCA_mca_base_env_list");
    return list != NULL ? list : "";
}

Test(record_environment, open_mpi_forwards_by_its_list)
{
    expect_command("mpirun.open -n 2 ./p : -n 1 ./q", "mpirun.open -n 2 ./p : -n 1 ./q");
    cr_expect_not_null(strstr(env_list(), "LD_PRELOAD"));
    cr_expect_not_null(strstr(env_list(), ";"));
    cr_expect_not_null(strstr(env_list(), "SYNCOPATE_OUTPUT"));
}

Test(record_environment, open_mpi_forwards_by_x_where_the_user_does_for_each_context)
{
    unsetenv("LD_PRELOAD");
    expect_command("mpirun.open -x A -n 2 ./p : -n 1 ./q",
                   "mpirun.open -x SYNCOPATE_OUTPUT -x A -n 2 ./p : -x SYNCOPATE_OUTPUT -n 1 ./q");
    cr_expect_str_empty(env_list(), "both together would abort the job");
    expect_command("mpirun.open -x SYNCOPATE_OUTPUT=/b ./p",
                   "mpirun.open -x SYNCOPATE_OUTPUT=/b ./p");
}

Test(record_environment, a_list_of_the_users_own_is_extended)
{
    unsetenv("LD_PRELOAD");
    expect_command("mpirun.open --mca mca_base_env_list A;B ./p",
                   "mpirun.open --mca mca_base_env_list A;B;SYNCOPATE_OUTPUT ./p");
    cr_expect_str_empty(env_list());
    setenv("OMPI_MCA_mca_base_env_list", "A=1", 1);
    expect_command("mpirun.open ./p", "mpirun.open ./p");
    cr_expect_str_eq(env_list(), "A=1;SYNCOPATE_OUTPUT");
}

Test(record_environment, hydra_is_told_only_where_it_would_withhold)
{
    unsetenv("LD_PRELOAD");
    expect_command("mpiexec.hydra -n 2 ./p", "mpiexec.hydra -n 2 ./p");
    expect_command("mpiexec.hydra -genvlist A -n 2 ./p",
                   "mpiexec.hydra -genv SYNCOPATE_OUTPUT /out -genvlist A -n 2 ./p");
    cr_expect_str_empty(env_list());
}

Test(record_environment, preloads_in_the_command_line_are_added_to)
{
    unsetenv("LD_PRELOAD");
    expect_command("env LD_PRELOAD=/a.so ./p", "env LD_PRELOAD=" OURS ":/a.so ./p");
    expect_command("mpirun.open -x LD_PRELOAD=/a.so ./p",
                   "mpirun.open -x SYNCOPATE_OUTPUT -x LD_PRELOAD=" OURS ":/a.so ./p");
    expect_command("mpiexec.hydra -genv LD_PRELOAD /a.so ./p",
                   "mpiexec.hydra -genv LD_PRELOAD " OURS ":/a.so ./p");
    expect_command("./p LD_PRELOAD /a.so", "./p LD_PRELOAD /a.so");
}

Test(record_environment, other_commands_are_left_alone)
{
    expect_command("wrapper -x A : b", "wrapper -x A : b");
    expect_command("./nowhere -x A", "./nowhere -x A");
    cr_expect_str_empty(env_list());
}

Test(record_environment, only_what_was_given_is_set)
{
    struct record_options options = {
        .settings = {{"SYNCOPATE_STACK", "0"}, {"SYNCOPATE_LEVEL", NULL}}};
    for (int i = 2; i < SYN_RECORD_SETTING_COUNT; i++)
        options.settings[i].variable = "SYNCOPATE_OPS";
    setenv("LD_PRELOAD", "/a.so", 1);
    cr_assert_eq(record_environment_set(&options, OURS, "/there"), 0);
    cr_expect_str_eq(getenv("LD_PRELOAD"), OURS ":/a.so");
    cr_expect_str_eq(getenv("SYNCOPATE_OUTPUT"), "/there");
    cr_expect_str_eq(getenv("SYNCOPATE_STACK"), "0");
    cr_expect_null(getenv("SYNCOPATE_LEVEL"));
    cr_expect_null(getenv("SYNCOPATE_QUIET"));
}

Test(record_environment, a_library_with_a_blank_in_its_path_cannot_be_preloaded)
{
    char path[512], blank[300];
    snprintf(blank, sizeof blank, "%s/with blank.so", directory);
    fclose(fopen(blank, "w"));
    setenv("SYNCOPATE_LIBRARY", blank, 1);
    cr_expect_eq(record_library_find(path, sizeof path), SYN_ENOTSUP);
    remove(blank);
    cr_expect_eq(record_library_find(path, sizeof path), SYN_EMISSING);
}

/* In a child that is another user. Returns the kind, or -1 where this user cannot become one. */
static int kind_for_nobody(const char *path)
{
    int status;
    const pid_t child = fork();
    if (child == 0)
        _exit(setuid(65534) ? 255 : (int)record_program_inspect(path));
    waitpid(child, &status, 0);
    return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

/* Only root may give a file capabilities, or to another user; nobody else has this test. */
Test(record_environment, a_program_with_privileges)
{
    /* version 2, effective; permitted: CAP_NET_RAW */
    static const unsigned capabilities[5] = {0x02000001, 1u << 13};
    char path[256], command[600];
    snprintf(path, sizeof path, "%s/privileged", directory);
    snprintf(command, sizeof command, "/bin/cp /bin/true %s && /bin/chmod 755 %s %s", path, path,
             directory);
    cr_assert_eq(system(command), 0);
    if (geteuid() != 0 || kind_for_nobody(path) < 0)
        cr_skip_test("only root can make such a program");
    cr_expect_eq(kind_for_nobody(path), RECORD_PROGRAM_DYNAMIC);
    chmod(path, 04755);
    cr_expect_eq(kind_for_nobody(path), RECORD_PROGRAM_PRIVILEGED, "set-user-ID");
    cr_expect_eq(record_program_inspect(path), RECORD_PROGRAM_DYNAMIC, "of the user's own");
    chmod(path, 02755);
    cr_expect_eq(kind_for_nobody(path), RECORD_PROGRAM_DYNAMIC, "of the child's own group");
    chmod(path, 0755);
    if (setxattr(path, "security.capability", capabilities, sizeof capabilities, 0) == 0)
        cr_expect_eq(kind_for_nobody(path), RECORD_PROGRAM_PRIVILEGED, "capabilities");
    cr_expect_eq(record_program_inspect(path), RECORD_PROGRAM_DYNAMIC, "root has them anyway");
    remove(path);
}

Test(record_environment, programs_are_told_apart)
{
    char path[256];
    cr_expect_eq(record_program_inspect("/bin/true"), RECORD_PROGRAM_DYNAMIC);
    cr_expect_eq(record_program_inspect("/lib64/ld-linux-x86-64.so.2"), RECORD_PROGRAM_DYNAMIC);
    cr_expect_eq(record_program_inspect(STATIC_PROGRAM), RECORD_PROGRAM_STATIC);
    cr_expect_eq(record_program_inspect(PLUGIN), RECORD_PROGRAM_DYNAMIC, "a plug-in");
    cr_expect_eq(record_program_inspect("nowhere-to-be-found"), RECORD_PROGRAM_UNKNOWN);
    cr_expect_eq(record_program_inspect("wrapper"), RECORD_PROGRAM_DYNAMIC, "by its interpreter");
    write_script("static", "#!/usr/bin/env -S A=1 " STATIC_PROGRAM " -x\n");
    snprintf(path, sizeof path, "%s/static", directory);
    cr_expect_eq(record_program_inspect(path), RECORD_PROGRAM_UNKNOWN,
                 "a static shell may start anything");
    write_script("static", "#!/tmp\n");
    cr_expect_eq(record_program_inspect(path), RECORD_PROGRAM_UNKNOWN);
    write_script("static", "");
    cr_expect_eq(record_program_inspect(path), RECORD_PROGRAM_UNKNOWN);
}

/* Compare the words on a command's refusal. The variables that allow it are the tester's own. */
static void expect_refusal(bool is_root, int core_count, const char *expected, ...)
{
    char *command[16];
    struct syn_text words = {0};
    size_t count = 0;
    va_list list;
    va_start(list, expected);
    while (count + 1 < sizeof command / sizeof *command && (command[count] = va_arg(list, char *)))
        count++;
    va_end(list);
    command[count] = NULL;
    record_refusal_words(command, is_root, core_count, &words);
    cr_assert_str_eq(syn_text_chars(&words), expected);
    syn_text_free(&words);
}

static void create_unallowed(void)
{
    create_launchers();
    unsetenv("OMPI_ALLOW_RUN_AS_ROOT");
    unsetenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM");
    unsetenv("OMPI_MCA_rmaps_base_oversubscribe");
    unsetenv("PRTE_MCA_rmaps_default_mapping_policy");
    unsetenv("SLURM_JOB_ID");
}

#define ROOT                                                                \
    "mpirun.open refuses to run as root: set OMPI_ALLOW_RUN_AS_ROOT=1 and " \
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, or give it --allow-run-as-root"
#define SLOTS "mpirun.open refuses 4 ranks on 2 cores: give it --oversubscribe, or fewer ranks"

TestSuite(record_refusal, .init = create_unallowed, .fini = remove_launchers);

Test(record_refusal, open_mpi_refuses_root_and_more_ranks_than_cores)
{
    expect_refusal(true, 4, ROOT, "mpirun.open", "-n", "4", "./program", NULL);
    expect_refusal(false, 2, SLOTS, "mpirun.open", "-np", "4", "./program", "-n", "9", NULL);
    expect_refusal(false, 2, SLOTS, "mpirun.open", "-n", "3", "./a", ":", "-n", "1", "./b", NULL);
    expect_refusal(true, 2, ROOT "; " SLOTS, "mpirun.open", "-n", "4", "./program", NULL);
}

Test(record_refusal, what_is_allowed_is_not_named)
{
    expect_refusal(false, 4, "", "mpirun.open", "-n", "4", "./program", NULL);
    expect_refusal(true, 4, "", "mpirun.open", "--allow-run-as-root", "-n", "4", "./p", NULL);
    expect_refusal(false, 2, "", "mpirun.open", "--oversubscribe", "-n", "4", "./program", NULL);
    expect_refusal(false, 2, "", "mpirun.open", "-H", "a:8", "-n", "4", "./program", NULL);
    expect_refusal(true, 1, "", "mpiexec.hydra", "-n", "4", "./program", NULL);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    expect_refusal(true, 2, "", "mpirun.open", "-n", "4", "./program", NULL);
}

Test(record_refusal, there_is_a_core)
{
    cr_assert_geq(record_core_count(), 1);
    cr_assert_leq(record_core_count(), sysconf(_SC_NPROCESSORS_ONLN));
}
