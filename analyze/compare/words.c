/* analyze/compare/words.c - splits a command line into words as a shell does, without expansion. */
#include "analyze/compare/words.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"

/* A line that is being split. Words are written to `to`, each terminated; `to` is never ahead of
 * `from`. */
struct splitter {
    const char *from;
    char *to;
    const char *why;
};

static int refuse(struct splitter *splitter, const char *why)
{
    splitter->why = why;
    return SYN_EINVAL;
}

static int take_single_quoted(struct splitter *splitter)
{
    for (splitter->from++; *splitter->from != '\''; splitter->from++) {
        if (*splitter->from == '\0')
            return refuse(splitter, "a quote is not closed");
        *splitter->to++ = *splitter->from;
    }
    splitter->from++;
    return 0;
}

static int take_double_quoted(struct splitter *splitter)
{
    for (splitter->from++; *splitter->from != '"'; splitter->from++) {
        if (*splitter->from == '\\' && splitter->from[1] && strchr("\"\\$`", splitter->from[1]))
            splitter->from++;
        else if (*splitter->from == '$' || *splitter->from == '`')
            return refuse(splitter, "what a shell would expand needs a shell: sh -c '...'");
        if (*splitter->from == '\0')
            return refuse(splitter, "a quote is not closed");
        *splitter->to++ = *splitter->from;
    }
    splitter->from++;
    return 0;
}

static int take_word(struct splitter *splitter)
{
    int status = 0;
    while (status == SYN_OK && *splitter->from && !strchr(" \t\n", *splitter->from)) {
        if (*splitter->from == '\'') {
            status = take_single_quoted(splitter);
        } else if (*splitter->from == '"') {
            status = take_double_quoted(splitter);
        } else if (strchr("|&;<>()$`*?", *splitter->from)) {
            status = refuse(splitter, "what a shell would act upon needs a shell: sh -c '...'");
        } else {
            if (*splitter->from == '\\' && *++splitter->from == '\0')
                return refuse(splitter, "nothing follows the last backslash");
            *splitter->to++ = *splitter->from++;
        }
    }
    *splitter->to++ = '\0';
    return status;
}

int syn_words_split(const char *line, char ***words, const char **why)
{
    size_t length = strlen(line), count = 0;
    /* There is at most a word for every other character. All words are in `text`, where the first
     * word starts, so that syn_words_free can free both. */
    char **list = malloc((length / 2 + 2) * sizeof *list);
    char *text = malloc(length + 2);
    int status = list && text ? 0 : SYN_ENOMEM;
    struct splitter splitter = {line, text, NULL};
    while (status == SYN_OK) {
        splitter.from += strspn(splitter.from, " \t\n");
        if (*splitter.from == '\0')
            break;
        list[count++] = splitter.to;
        status = take_word(&splitter);
    }
    if (status == SYN_OK && count == 0)
        status = refuse(&splitter, "the command is empty");
    *why = splitter.why;
    if (status != SYN_OK) {
        free(list);
        free(text);
        return status;
    }
    list[count] = NULL;
    *words = list;
    return 0;
}

void syn_words_free(char **words)
{
    if (words)
        free(words[0]);
    free(words);
}
