/* analyze/record/experiment.c - see experiment.h. */
#include "analyze/record/experiment.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/cleanup.h"
#include "sync/base/hash.h"
#include "sync/base/names.h"
#include "sync/base/status.h"
#include "trace/base/sink.h"

int record_run_name(char *out, size_t capacity, int number)
{
    return snprintf(out, capacity, "run-%04d", number);
}

/* Writes the word as a shell needs it. Control characters become spaces, since they would break the
 * line. */
static bool print_quoted(FILE *out, const char *word)
{
    const size_t capacity = SYN_SHELL_BYTES(strlen(word));
    SYN_FREED char *quoted = malloc(capacity);
    for (const char *at = quoted ? syn_shell_word(word, quoted, capacity) : ""; *at; at++)
        fputc(iscntrl((unsigned char)*at) ? ' ' : *at, out);
    return quoted != NULL;
}

static int write_text(const char *directory, const char *text, size_t bytes)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/" SYN_EXPERIMENT_NAME, directory) >= (int)sizeof path)
        return SYN_EIO;
    return syn_sink_write_file(path, text, bytes);
}

int record_experiment_write(const struct record_experiment *experiment)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return SYN_ENOMEM;
    bool failed = false;
    fprintf(out, "syncopate-experiment 1\ncommand");
    for (char **word = experiment->command; *word; word++) {
        fputc(' ', out);
        failed |= !print_quoted(out, *word);
    }
    fprintf(out, "\nstarted_unix_ns %lld\nplanned_count %d\n", experiment->started_unix_ns,
            experiment->planned_count);
    for (int i = 0; i < experiment->done_count; i++) {
        char name[32];
        record_run_name(name, sizeof name, i + 1);
        fprintf(out, "run %s %d %.6f\n", name, experiment->runs[i].exit_status,
                experiment->runs[i].seconds);
    }
    fflush(out);
    fprintf(out, "checksum %016" PRIx64 "\n", syn_hash64(text, bytes));
    failed |= ferror(out) != 0;
    failed |= fclose(out) != 0;
    int status = failed ? SYN_ENOMEM : write_text(experiment->directory, text, bytes);
    free(text);
    return status;
}

double record_experiment_left_s(const struct record_experiment *experiment)
{
    double sum = 0;
    for (int i = 0; i < experiment->done_count; i++)
        sum += experiment->runs[i].seconds;
    return experiment->done_count > 0
               ? sum / experiment->done_count * (experiment->planned_count - experiment->done_count)
               : 0;
}

void record_format_seconds(char *out, size_t capacity, double seconds)
{
    long whole = (long)(seconds + 0.5);
    if (whole < 60)
        snprintf(out, capacity, "%ld s", whole);
    else if (whole < 3600)
        snprintf(out, capacity, "%ld min %ld s", whole / 60, whole % 60);
    else
        snprintf(out, capacity, "%ld h %ld min", whole / 3600, whole % 3600 / 60);
}
