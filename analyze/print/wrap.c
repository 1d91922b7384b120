/* analyze/print/wrap.c - words in lines. A number keeps its unit. */
#include "analyze/print/wrap.h"

#include <stdbool.h>
#include <string.h>

#include "sync/base/integers.h"

/* How far a line must not be broken: to the end of the word, and of a unit that follows its number.
 */
static size_t word_length(const char *words)
{
    static const char *const units[] = {"%", "ns", "us", "ms", "s", "B", "KiB", "MiB", "GiB"};
    const size_t length = strcspn(words, " "), open = strspn(words, "[(");
    if (length == 0 || words[length] == '\0' || words[open] < '0' || words[open] > '9')
        return length;
    const size_t next = strcspn(words + length + 1, " ,;.)]");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i]) == next && strncmp(units[i], words + length + 1, next) == 0)
            return length + 1 + strcspn(words + length + 1, " ");
    return length;
}

void syn_text_wrapped(struct syn_text *text, size_t width, size_t indent, const char *first,
                      const char *words)
{
    const size_t first_width = syn_utf8_count(first);
    size_t column = syn_largest(first_width, indent);
    syn_text_string(text, first);
    for (size_t used = first_width; used < indent; used++)
        syn_text_char(text, ' ');
    for (bool start = true; *words; start = false) {
        size_t length = word_length(words);
        if (!start && column + 1 + length > width) {
            syn_text_char(text, '\n');
            syn_text_repeat(text, ' ', indent);
            column = indent;
        } else if (!start) {
            syn_text_char(text, ' ');
            column++;
        }
        syn_text_append(text, words, length);
        column += length;
        words += length + (words[length] == ' ');
    }
    syn_text_char(text, '\n');
}
