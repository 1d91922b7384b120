/* analyze/tune/launch.c - starts the measuring program through the user's launcher. */
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

#define SILENCE_S 60 /* seconds without output after which the launch is ended */

int tune_launcher_find(struct tune_launcher *launcher, const char *mpi)
{
    char library[4096];
    const char *said = mpi ? mpi : "an MPI that the trace does not name";
    const char *name = strstr(said, "Open MPI") ? "openmpi"
                       : strstr(said, "MPICH")  ? "mpich"
                                                : NULL;
    if (!name)
        return syn_bad_input("tune: nothing is known of the algorithms of %s", said);
    if (record_library_find(library, sizeof library) != SYN_OK)
        return syn_bad_input("tune: libsyncopate.so is not found, nor is what lies beside it");
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

/* Is called each second. Returns the signal to send if the program has been silent for too long,
 * else 0. */
static int watch(void *ctx)
{
    struct watched *watched = ctx;
    struct stat facts;
    if (fstat(watched->file, &facts) != 0 || facts.st_size != watched->bytes) {
        watched->bytes = facts.st_size;
        watched->silent_s = 0;
    }
    const int silent_s = ++watched->silent_s;
    return silent_s > SILENCE_S + 5 ? SIGKILL : silent_s > SILENCE_S ? SIGTERM : 0;
}

/* Appends the first line that contains words. */
static void first_words(FILE *file, struct syn_text *out)
{
    char line[256];
    while (fgets(line, sizeof line, file))
        if (strspn(line, "- \t\n") < strlen(line)) {
            line[strcspn(line, "\n")] = '\0';
            syn_text_harmless(out, line);
            return;
        }
    syn_text_string(out, "it said nothing");
}

int tune_launch(const struct tune_launcher *launcher, const char *settings, struct syn_text *plan,
                char **answer, struct syn_text *why)
{
    FILE *const file[FILES] = {tmpfile(), tmpfile(), tmpfile()};
    struct record_run run = {0};
    struct syn_text line = {0};
    size_t count = 0, capacity = 0;
    int status = SYN_EIO;
    while (launcher->word[count])
        count++;
    char **command = calloc(count + 6, sizeof *command);
    if (command && file[INPUT] && file[OUTPUT] && file[ERRORS] &&
        fputs(syn_text_chars(plan), file[INPUT]) >= 0 && fflush(file[INPUT]) == 0) {
        struct watched watched = {.file = fileno(file[OUTPUT])};
        syn_text_format(&line, "exec env %s \"$@\" </dev/fd/%d >/dev/fd/%d 2>/dev/fd/%d", settings,
                        fileno(file[INPUT]), fileno(file[OUTPUT]), fileno(file[ERRORS]));
        const char *const shell[] = {"sh", "-c", syn_text_chars(&line), "sh"};
        memcpy(command, shell, sizeof shell);
        memcpy(command + 4, launcher->word, count * sizeof *command);
        command[4 + count] = (char *)(intptr_t)launcher->program;
        status = record_run(command, &(struct record_chore){watch, &watched}, &run);
        rewind(file[OUTPUT]);
        rewind(file[ERRORS]);
        if (getdelim(answer, &capacity, '\0', file[OUTPUT]) < 0 && *answer)
            **answer = '\0';
        if (run.exit_status)
            first_words(file[ERRORS], why);
        if (status == SYN_OK)
            status = run.interrupted ? SYN_EEND : run.exit_status ? SYN_ETRANSPORT : SYN_OK;
    }
    for (int i = 0; i < FILES; i++)
        if (file[i])
            fclose(file[i]);
    syn_text_free(&line);
    free(command);
    return status;
}
