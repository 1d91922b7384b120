/* trace/directory/output_name.c - see output_name.h. */
#include "trace/directory/output_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sync/base/status.h"
#include "trace/directory/launch.h"

#define VALUE_BYTES 256

/* A name that is being written. */
struct name {
    char *text;
    size_t capacity;
    size_t count;
    bool failed;
};

static void put_char(struct name *name, char c)
{
    if (name->count + 1 >= name->capacity) {
        name->failed = true;
        return;
    }
    name->text[name->count++] = c;
    name->text[name->count] = '\0';
}

/* Appends `value` up to the first character that is in `end`, or "none". PBS names a job 123.server
 * and a task of an array 123[4].server. */
static void put_value(struct name *name, const char *value, const char *end)
{
    const size_t length = value ? strcspn(value, end) : 0;
    if (length == 0) {
        put_value(name, "none", "");
        return;
    }
    for (size_t i = 0; i < length; i++)
        put_char(name, value[i] == '/' ? '_' : value[i]);
}

#define FIRST_SET(...)                                       \
    syn_launch_first_set((const char *const[]){__VA_ARGS__}, \
                         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Appends the value of a placeholder. Returns false if the letter is none. */
static bool put_placeholder(struct name *name, char letter)
{
    char text[VALUE_BYTES] = "";
    switch (letter) {
    case 'j':
        put_value(name,
                  FIRST_SET("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "PJM_JOBID",
                            "JOB_ID"),
                  ".[");
        return true;
    case 's':
        put_value(name, FIRST_SET("SLURM_STEP_ID", "PALS_APID"), "");
        return true;
    case 'a': {
        /* A job that is no array has no task. For it LSF sets 0, and Grid Engine "undefined". */
        const char *task = FIRST_SET("SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID");
        const char *other = FIRST_SET("LSB_JOBINDEX", "SGE_TASK_ID");
        if (!task && other && strcmp(other, "0") != 0 && strcmp(other, "undefined") != 0)
            task = other;
        put_value(name, task, "");
        return true;
    }
    case 'h':
        gethostname(text, sizeof text - 1);
        put_value(name, text, ".");
        return true;
    case 'p':
        snprintf(text, sizeof text, "%ld", (long)getpid());
        put_value(name, text, "");
        return true;
    case 't': {
        const time_t now = time(NULL);
        struct tm local;
        if (localtime_r(&now, &local))
            strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
        put_value(name, text, "");
        return true;
    }
    case '%':
        put_char(name, '%');
        return true;
    default:
        return false;
    }
}

int syn_output_name(const char *pattern, char *out, size_t capacity, char *unknown)
{
    struct name name = {.text = out, .capacity = capacity};
    if (capacity == 0)
        return SYN_ENOMEM;
    out[0] = '\0';
    for (const char *at = pattern; *at; at++) {
        if (*at != '%') {
            put_char(&name, *at);
        } else if (!put_placeholder(&name, at[1])) {
            *unknown = at[1];
            return SYN_EINVAL;
        } else {
            at++;
        }
    }
    return name.failed ? SYN_ENOMEM : SYN_OK;
}

int syn_output_name_escape(const char *text, char *out, size_t capacity)
{
    struct name name = {.text = out, .capacity = capacity};
    for (const char *at = text; *at; at++) {
        if (*at == '%')
            put_char(&name, '%');
        put_char(&name, *at);
    }
    return name.failed ? SYN_ENOMEM : SYN_OK;
}
