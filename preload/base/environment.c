/* preload/base/environment.c - see environment.h. */
#include "preload/base/environment.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *at_start;

static void copy_environment(void)
{
    size_t bytes;
    char *entry = NULL, *copy = NULL;
    size_t entry_bytes = 0;
    ssize_t length;
    FILE *from = fopen("/proc/self/environ", "re"), *to = open_memstream(&copy, &bytes);
    while (from && to && (length = getdelim(&entry, &entry_bytes, '\0', from)) > 0)
        fwrite(entry, 1, (size_t)length, to);
    free(entry);
    if (from)
        fclose(from);
    if (to && !fclose(to))
        at_start = copy;
}

/* The stream of memory ends the copy by a zero byte. */
const char *syn_environment_at_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, copy_environment);
    return at_start ? at_start : "";
}

const char *syn_environment(const char *name)
{
    const size_t length = strlen(name);
    const char *present = getenv(name);
    if (present)
        return present;
    for (const char *entry = syn_environment_at_start(); *entry; entry += strlen(entry) + 1)
        if (strncmp(entry, name, length) == 0 && entry[length] == '=')
            return entry + length + 1;
    return NULL;
}
