/* analyze/cli/nearest.c - finds the word that a mistyped word stands for. RATIONALE: a suggestion
 * that differs much from the typed word does not help, so only the commonest mistakes count: one or
 * two edits. */
#include <string.h>

#include "analyze/cli/cli.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#define WORD_BYTES 64

/* Returns the restricted Damerau-Levenshtein distance of two words shorter than WORD_BYTES. */
static int distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int row[3][WORD_BYTES + 1];
    int *before = row[0], *last = row[1], *now = row[2];
    for (size_t j = 0; j <= b_length; j++)
        last[j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        now[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            now[j] =
                syn_least(syn_least(last[j], now[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = syn_least(now[j], before[j - 2] + 1);
        }
        int *spent = before;
        before = last;
        last = now;
        now = spent;
    }
    return last[b_length];
}

/* Takes the next word, from *rest on. Returns false if there is none. */
static bool next_word(const char **rest, const char **word, size_t *length)
{
    *word = *rest + strspn(*rest, " ");
    *length = strcspn(*word, " ");
    *rest = *word + *length;
    return *length > 0;
}

const char *syn_cli_nearest(const char *typed, const char *words, char *out, size_t capacity)
{
    const char *rest = words, *word, *best = NULL;
    const size_t typed_length = strlen(typed);
    size_t length, best_length = 0;
    int least = typed_length < 5 ? 2 : 3;
    if (typed_length == 0 || typed_length >= WORD_BYTES)
        return NULL;
    while (next_word(&rest, &word, &length)) {
        if (length >= WORD_BYTES || length >= capacity)
            continue;
        const int edits = distance(typed, typed_length, word, length);
        if (edits < least && (size_t)edits < length) {
            least = edits;
            best = word;
            best_length = length;
        }
    }
    if (!best)
        return NULL;
    memcpy(out, best, best_length);
    out[best_length] = '\0';
    return out;
}

int syn_cli_choice(const char *words, const char *value)
{
    const char *rest = words, *word;
    size_t length;
    for (int index = 0; next_word(&rest, &word, &length); index++)
        if (strlen(value) == length && memcmp(word, value, length) == 0)
            return index;
    return SYN_EINVAL;
}
