/* analyze/symbols/label.c - demangles and cleans names.
 *
 * RATIONALE: Debian has two demanglers with a C interface: libiberty, a static library whose
 * interface is private to the toolchain, and __cxa_demangle, which has a stable ABI and is in the
 * libstdc++ that every C++ program needs. The latter is loaded at run time, so that users of C and
 * Fortran need no C++. */
#include "analyze/symbols/label.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle_function(const char *mangled, char *buffer, size_t *bytes, int *status);

/* Returns the index of the parenthesis that opens the one at `end`, or SIZE_MAX. */
static size_t matching_open(const char *name, size_t end)
{
    size_t depth = 0;
    for (size_t at = end + 1; at-- > 0;) {
        depth += name[at] == ')';
        depth -= name[at] == '(';
        if (depth == 0)
            return at;
    }
    return SIZE_MAX;
}

static bool ends_with(const char *text, size_t bytes, const char *suffix)
{
    size_t suffix_bytes = strlen(suffix);
    return bytes >= suffix_bytes && memcmp(text + bytes - suffix_bytes, suffix, suffix_bytes) == 0;
}

/* Returns the length of a name without the qualifiers after its parameters, and without the
 * compiler's marks on copies of a function. */
static size_t cut_suffixes(const char *name, size_t bytes)
{
    static const char *const qualifiers[] = {" const", " volatile", " &", " &&"};
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < sizeof qualifiers / sizeof qualifiers[0]; i++)
            if (ends_with(name, bytes, qualifiers[i])) {
                bytes -= strlen(qualifiers[i]);
                again = true;
            }
        const char *clone = bytes > 0 && name[bytes - 1] == ']' ? strstr(name, " [clone") : NULL;
        if (clone) {
            bytes = (size_t)(clone - name);
            again = true;
        }
    }
    return bytes;
}

/* Returns the start of the last word outside of brackets: before it is the result type, which the
 * demangled name of a function template begins with. An operator's name may contain blanks. */
static size_t result_type_bytes(const char *name, size_t bytes)
{
    size_t start = 0;
    int depth = 0;
    for (size_t at = 0; at < bytes; at++) {
        if (strncmp(name + at, "operator", 8) == 0 && depth == 0)
            return start;
        depth += strchr("<({", name[at]) != NULL;
        depth -= strchr(">)}", name[at]) != NULL;
        if (name[at] == ' ' && depth == 0)
            start = at + 1;
    }
    return start;
}

void syn_label_cut_parameters(char *name)
{
    size_t bytes = cut_suffixes(name, strlen(name));
    if (bytes == 0 || name[bytes - 1] != ')')
        return;
    size_t open = matching_open(name, bytes - 1);
    /* A name such as "f(int)::{lambda()#1}" has returned above. In a bare "operator()" the
     * parentheses belong to the name. */
    if (open == SIZE_MAX || open == 0 || ends_with(name, open, "operator"))
        return;
    name[open] = '\0';
    size_t type_bytes = result_type_bytes(name, open);
    memmove(name, name + type_bytes, open - type_bytes + 1);
}

/* Returns a demangled name, which the caller frees; NULL: it is no C++ name, or there is no
 * demangler. */
static char *demangle(const char *compiled_name)
{
    int fault = -1;
    static demangle_function *demangler;
    static bool looked;
    if (!looked) {
        void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
        if (library)
            demangler = (demangle_function *)dlsym(library, "__cxa_demangle");
        looked = true;
    }
    char *name = demangler ? demangler(compiled_name, NULL, NULL, &fault) : NULL;
    if (name && fault == 0) {
        syn_label_cut_parameters(name);
        return name;
    }
    free(name);
    return NULL;
}

char *syn_label_function(const char *compiled_name)
{
    const char *procedure = strstr(compiled_name, "_MOD_");
    char *name = strncmp(compiled_name, "_Z", 2) == 0 ? demangle(compiled_name) : NULL;
    if (name)
        return name;
    /* Names in C and Fortran have no dot: it begins the compiler's mark on a copy of a function
     * ("solve.constprop.0"), or on a function inside another one ("halo.1"). */
    const size_t bytes = strcspn(compiled_name, ".");
    if (strncmp(compiled_name, "__", 2) != 0 || !procedure)
        return strndup(compiled_name, bytes > 0 ? bytes : strlen(compiled_name));
    return asprintf(&name, "%.*s::%.*s", (int)(procedure - compiled_name) - 2, compiled_name + 2,
                    (int)strcspn(procedure + 5, "."), procedure + 5) < 0
               ? NULL
               : name;
}

/* ---- clean text ---- */

/* Returns the bytes of the character at `text`; 0: it is not UTF-8, or is a control character.
 * Overlong forms, surrogates and values above U+10FFFF are not UTF-8. C1 controls count as
 * controls, since some terminals obey them. */
static size_t character_bytes(const unsigned char *text)
{
    if (text[0] >= 0x20 && text[0] < 0x7f)
        return 1;
    if (text[0] >= 0xc2 && text[0] <= 0xdf && (text[1] & 0xc0) == 0x80)
        return text[0] == 0xc2 && text[1] < 0xa0 ? 0 : 2;
    if (text[0] >= 0xe0 && text[0] <= 0xef && (text[1] & 0xc0) == 0x80 &&
        (text[2] & 0xc0) == 0x80) {
        bool overlong = text[0] == 0xe0 && text[1] < 0xa0;
        bool surrogate = text[0] == 0xed && text[1] >= 0xa0;
        return overlong || surrogate ? 0 : 3;
    }
    if (text[0] >= 0xf0 && text[0] <= 0xf4 && (text[1] & 0xc0) == 0x80 &&
        (text[2] & 0xc0) == 0x80 && (text[3] & 0xc0) == 0x80) {
        bool overlong = text[0] == 0xf0 && text[1] < 0x90;
        bool beyond = text[0] == 0xf4 && text[1] >= 0x90;
        return overlong || beyond ? 0 : 4;
    }
    return 0;
}

char *syn_label_clean(const char *text)
{
    size_t used = 0;
    char *out = malloc(strlen(text) + 1);
    if (!out)
        return NULL;
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        size_t bytes = character_bytes(at);
        size_t needed = bytes > 0 ? bytes : 1;
        if (bytes == 0)
            out[used] = '?';
        else
            memcpy(out + used, at, bytes);
        used += needed;
        at += needed;
    }
    out[used] = '\0';
    return out;
}
