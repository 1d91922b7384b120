/* analyze/tune/launch.c - start the program that measures, through the user's launcher. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/command.h"
#include "analyze/record/environment.h"
#include "analyze/record/run.h"
#include "analyze/tune/tune.h"
#include "sync/base/status.h"

#define SILENCE_S 60 /* after so long without a line the launch is ended */

int tune_launcher_find(struct tune_launcher *launcher, const char *mpi)
{
    char library[4096];
    const char *name = mpi && strstr(mpi, "Open MPI") ? "openmpi"
                       : mpi && strstr(mpi, "MPICH")  ? "mpich"
                                                      : NULL;
    if (!name)
        return syn_bad_input("tune: nothing is known of the algorithms of %s",
                             mpi ? mpi : "an MPI that the trace does not name");
    if (record_library_find(library, sizeof library) != SYN_OK)
        return syn_bad_input(
            "tune: libsyncopate.so is not found, and so is not what lies beside it");
    *strrchr(library, '/') = '\0';
    snprintf(launcher->program, sizeof launcher->program, "%.4000s/syncopate-tune-%s", library,
             name);
    if (access(launcher->program, X_OK) != 0)
        return syn_bad_input("%s: %s; it is built where the MPI's header is found",
                             launcher->program, strerror(errno));
    return 0;
}

enum { INPUT, OUTPUT, ERRORS, FILES };

struct watched {
    int file;
    off_t bytes;
    int silent_s;
};

/* Each second: has the program said anything? */
static int watch(void *ctx)
{
    struct watched *watched = ctx;
    struct stat facts;
    if (fstat(watched->file, &facts) != 0 || facts.st_size != watched->bytes) {
        watched->bytes = facts.st_size;
        watched->silent_s = 0;
    }
    watched->silent_s++;
    return watched->silent_s > SILENCE_S + 5 ? SIGKILL
           : watched->silent_s > SILENCE_S   ? SIGTERM
                                             : 0;
}

static void read_all(FILE *file, struct syn_text *out)
{
    char piece[8192];
    rewind(file);
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        syn_text_append(out, piece, got);
}

/* Appends the first line that has words in it. */
static void first_words(FILE *file, struct syn_text *out)
{
    char line[256];
    rewind(file);
    while (fgets(line, sizeof line, file))
        if (strspn(line, "- \t\n") < strlen(line)) {
            line[strcspn(line, "\n")] = '\0';
            syn_text_harmless(out, line);
            return;
        }
    syn_text_string(out, "it said nothing");
}

int tune_launch(const struct tune_launcher *launcher, const char *settings, struct syn_text *plan,
                struct syn_text *answer, struct syn_text *why)
{
    struct record_run run = {0};
    struct syn_text line = {0};
    FILE *const file[FILES] = {tmpfile(), tmpfile(), tmpfile()};
    const bool is_written = file[INPUT] && file[OUTPUT] && file[ERRORS] &&
                            fputs(syn_text_chars(plan), file[INPUT]) >= 0 &&
                            fflush(file[INPUT]) == 0;
    struct watched watched = {.file = is_written ? fileno(file[OUTPUT]) : -1};
    size_t count = 0;
    while (launcher->word[count])
        count++;
    char **command = calloc(count + 6, sizeof *command);
    int status = !command ? SYN_ENOMEM : is_written ? SYN_OK : SYN_EIO;
    if (status == SYN_OK) {
        syn_text_format(&line, "exec env %s \"$@\" </dev/fd/%d >/dev/fd/%d 2>/dev/fd/%d", settings,
                        fileno(file[INPUT]), fileno(file[OUTPUT]), fileno(file[ERRORS]));
        const char *const shell[] = {"sh", "-c", syn_text_chars(&line), "sh"};
        memcpy(command, shell, sizeof shell);
        memcpy(command + 4, launcher->word, count * sizeof *command);
        command[4 + count] = (char *)(intptr_t)launcher->program;
        status = record_run(command, &(struct record_chore){watch, &watched}, &run);
    }
    if (status == SYN_OK) {
        read_all(file[OUTPUT], answer);
        if (run.exit_status)
            first_words(file[ERRORS], why);
        status = run.interrupted ? SYN_EEND : run.exit_status ? SYN_ETRANSPORT : SYN_OK;
    }
    for (int i = 0; i < FILES; i++)
        if (file[i])
            fclose(file[i]);
    syn_text_free(&line);
    free(command);
    return status;
}
