/* preload/comms/comm_names.c - see comm_names.h. */
#include "preload/comms/comm_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"

static const char *const words[SYN_HOW_COUNT] = {
    [SYN_HOW_NOT_WRAPPED] = "communicator",
    [SYN_HOW_PREDEFINED] = "communicator",
    [SYN_HOW_DUP] = "dup",
    [SYN_HOW_SPLIT] = "split",
    [SYN_HOW_SPLIT_TYPE] = "typed split",
    [SYN_HOW_GROUP] = "group",
    [SYN_HOW_GROUP_ALONE] = "group",
    [SYN_HOW_LEADERS] = "intercomm",
    [SYN_HOW_FROM_GROUP] = "group",
    [SYN_HOW_SHRINK] = "shrunk",
    [SYN_HOW_MERGE] = "merge",
    [SYN_HOW_CART] = "cart",
    [SYN_HOW_CART_SUB] = "sub-grid",
    [SYN_HOW_GRAPH] = "graph",
    [SYN_HOW_SPAWN] = "spawn",
    [SYN_HOW_CONNECTION] = "connection",
    [SYN_HOW_WINDOW] = "window",
    [SYN_HOW_FILE] = "file",
};

struct syn_shared_text *syn_shared_text_new(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    struct syn_shared_text *made = malloc(sizeof *made + bytes);
    if (made) {
        made->reference_count = 1;
        memcpy(made->text, text, bytes);
    }
    return made;
}

struct syn_shared_text *syn_shared_text_share(struct syn_shared_text *text)
{
    if (text)
        text->reference_count++;
    return text;
}

void syn_shared_text_release(struct syn_shared_text *text)
{
    if (text && --text->reference_count == 0)
        free(text);
}

/* ---- details ---- */

/* Names the pieces of a grid of two dimensions: "rows" or "columns". neighbor_in_count of a
 * cartesian communicator is twice the number of its dimensions. */
static void put_remaining(char *text, size_t bytes, const struct syn_comm *parent,
                          const struct syn_origin *origin)
{
    if (!parent || parent->how != SYN_HOW_CART || parent->neighbor_in_count != 4)
        return;
    const bool first = origin->number[0] != 0, second = origin->number[1] != 0;
    if (first != second)
        snprintf(text, bytes, "%s", second ? "rows" : "columns");
}

size_t syn_origin_text_length(const struct syn_origin *origin)
{
    size_t length = strnlen(origin->text, origin->text_bytes);
    while (length > 0 && origin->text[length - 1] == ' ')
        length--;
    return length;
}

/* Writes the last component of the path. */
static void put_path(char *text, size_t bytes, const struct syn_origin *origin)
{
    const size_t length = syn_origin_text_length(origin);
    size_t start = length;
    while (start > 0 && origin->text[start - 1] != '/')
        start--;
    const size_t shown = length - start < bytes ? length - start : bytes - 1;
    snprintf(text, bytes, "%.*s", (int)shown, origin->text + start);
}

void syn_comm_detail(struct syn_comm *comm, const struct syn_comm *parent,
                     const struct syn_origin *origin)
{
    comm->detail[0] = '\0';
    if (origin->how == SYN_HOW_CART && origin->number) {
        /* "2x3x4"; "12-dimensional" if that does not fit. */
        char *text = comm->detail;
        const size_t bytes = sizeof comm->detail;
        size_t used = 0;
        for (int i = 0; i < origin->number_count && used < bytes; i++)
            used += (size_t)snprintf(text + used, bytes - used, "%s%d", i ? "x" : "",
                                     origin->number[i]);
        if (used >= bytes)
            snprintf(text, bytes, "%d-dimensional", origin->number_count);
    } else if (origin->how == SYN_HOW_CART_SUB && origin->number)
        put_remaining(comm->detail, sizeof comm->detail, parent, origin);
    else if (origin->how == SYN_HOW_FILE && origin->text)
        put_path(comm->detail, sizeof comm->detail, origin);
    else if (origin->how == SYN_HOW_FROM_GROUP && origin->text) {
        const size_t length = syn_origin_text_length(origin), most = sizeof comm->detail - 1;
        snprintf(comm->detail, sizeof comm->detail, "%.*s", (int)(length < most ? length : most),
                 origin->text);
    }
}

/* ---- names ---- */

/* A text that is being written.
 * RATIONALE: Some programs make communicators all the time, and each gets a name. Appending takes a
 * tenth of the time of snprintf. */
struct text {
    char *at;        /* end of the text so far */
    const char *end; /* place of the final NUL in a full buffer */
};

/* Longer names of parents are cut. */
#define PARENT_NAME_BYTES ((size_t)100)

static void append(struct text *text, const char *more, size_t bytes)
{
    const size_t room = (size_t)(text->end - text->at), count = syn_least(bytes, room);
    memcpy(text->at, more, count);
    text->at += count;
}

static void put_word(struct text *text, const char *word)
{
    append(text, word, strlen(word));
}

/* Writes "split 3", "2x3 cart 1", "rows 2" (not "rows sub-grid 2") or "file 1 data.nc". */
static void put_kind(struct text *text, const struct syn_comm *comm)
{
    const bool has_detail = comm->detail[0] != '\0', is_last = comm->how == SYN_HOW_FILE;
    const bool is_alone = comm->how == SYN_HOW_CART_SUB && has_detail;
    if (has_detail && !is_last)
        put_word(text, comm->detail);
    if (has_detail && !is_last && !is_alone)
        put_word(text, " ");
    if (!is_alone)
        put_word(text, words[comm->how]);
    uint32_t number = comm->number;
    char digits[16];
    char *const end = digits + sizeof digits;
    char *at = end;
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    *--at = ' ';
    append(text, at, (size_t)(end - at));
    if (is_last) {
        put_word(text, " ");
        put_word(text, comm->detail);
    }
}

/* The name refers to the parent if there is one, else to the members. */
void syn_comm_name(const struct syn_comm *comm, char name[SYN_COMM_NAME_BYTES])
{
    struct text text = {.at = name, .end = name + SYN_COMM_NAME_BYTES - 1};
    if (comm->name) {
        snprintf(name, SYN_COMM_NAME_BYTES, "%s", comm->name->text);
        return;
    }
    if (!comm->parent_name) {
        /* "intercomm of ranks 0-3 and 4-7", the same in both groups. */
        char ranks[64], others[64], number[16] = "";
        const struct syn_ranks *first = comm->group, *second = comm->remote;
        if (second && (second->rank[0] < first->rank[0])) {
            first = comm->remote;
            second = comm->group;
        }
        if (comm->number > 1)
            snprintf(number, sizeof number, " %u", comm->number);
        syn_ranks_text(first, ranks, sizeof ranks);
        if (second)
            syn_ranks_text(second, others, sizeof others);
        snprintf(name, SYN_COMM_NAME_BYTES, "%s%s%s%s of %s%s%s",
                 second && comm->how != SYN_HOW_CONNECTION ? "intercomm" : words[comm->how], number,
                 comm->detail[0] ? " " : "", comm->detail, ranks, second ? " and " : "",
                 second ? others : "");
        return;
    }
    put_kind(&text, comm);
    put_word(&text, " of ");
    append(&text, comm->parent_name->text, strnlen(comm->parent_name->text, PARENT_NAME_BYTES));
    *text.at = '\0';
}

struct syn_shared_text *syn_comm_name_shared(struct syn_comm *comm)
{
    char name[SYN_COMM_NAME_BYTES];
    if (!comm->name) {
        syn_comm_name(comm, name);
        comm->name = syn_shared_text_new(name);
    }
    return syn_shared_text_share(comm->name);
}
