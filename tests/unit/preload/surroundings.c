#include "surroundings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

char *run_program(const char *prefix, const char *program, const char *arguments, int *status)
{
    char command[16384];
    char *text = NULL;
    size_t bytes = 0;
    snprintf(command, sizeof command, "env %s %s %s", prefix, program, arguments);
    FILE *out = open_memstream(&text, &bytes), *in = popen(command, "r");
    for (int byte; (byte = fgetc(in)) != EOF;)
        fputc(byte, out);
    fclose(out);
    *status = WEXITSTATUS(pclose(in));
    return text;
}

char *run_surroundings(const char *prefix, const char *arguments, int *status)
{
    return run_program(prefix, SURROUNDINGS_PROGRAM, arguments, status);
}

bool value_of(const char *printed, const char *key, char *out, size_t capacity)
{
    size_t key_bytes = strlen(key);
    for (const char *line = printed; line != NULL && *line != '\0';) {
        const char *end = strchr(line, '\n');
        if (strncmp(line, key, key_bytes) == 0 && line[key_bytes] == ' ') {
            snprintf(out, capacity, "%.*s", (int)strcspn(line + key_bytes + 1, "\n"),
                     line + key_bytes + 1);
            return true;
        }
        line = end != NULL ? end + 1 : NULL;
    }
    return false;
}
