/* tests/unit/preload/frame_rules_program.c - frame_rules_program OBJECT < ROWS: are the rules that
 * the recorder reads from an object's tables those that readelf --debug-dump=frames-interp prints?
 * Says how many rows there are, how many of them are known, and each that differs; exit status 1 if
 * one does. */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/recorder/stacks/frame_rules.h"

#define WORD_BYTES 32
#define COLUMN_MAX 32
#define COMMON_MAX 4096

/* ---- the object, as a loader would place it ---- */

static uintptr_t base;

static void fail(const char *what)
{
    fprintf(stderr, "frame_rules_program: %s\n", what);
    exit(2);
}

static void map_segment(int file, const Elf64_Phdr *header)
{
    const size_t page = 4096, before = header->p_offset % page;
    if (header->p_filesz > 0 &&
        mmap((void *)(base + header->p_vaddr - before), header->p_filesz + before, PROT_READ,
             MAP_PRIVATE | MAP_FIXED, file, (off_t)(header->p_offset - before)) == MAP_FAILED)
        fail("a segment cannot be mapped");
}

static struct syn_frame_tables map_object(const char *path)
{
    Elf64_Ehdr elf;
    Elf64_Phdr headers[64];
    struct syn_frame_tables tables = {0};
    size_t span = 0;
    const int file = open(path, O_RDONLY);
    if (file < 0 || pread(file, &elf, sizeof elf, 0) != sizeof elf || elf.e_phnum > 64 ||
        pread(file, headers, elf.e_phnum * sizeof *headers, (off_t)elf.e_phoff) < 0)
        fail("no object");
    for (int i = 0; i < elf.e_phnum; i++)
        if (headers[i].p_type == PT_LOAD)
            span = headers[i].p_vaddr + headers[i].p_memsz;
    void *room = mmap(NULL, span + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        fail("no memory");
    base = (uintptr_t)room;
    for (int i = 0; i < elf.e_phnum; i++) {
        if (headers[i].p_type == PT_LOAD)
            map_segment(file, &headers[i]);
        else if (headers[i].p_type == PT_GNU_EH_FRAME)
            tables.header = (const uint8_t *)base + headers[i].p_vaddr;
    }
    tables.start = room;
    tables.end = tables.start + span;
    if (!tables.header)
        fail("no tables");
    return tables;
}

/* ---- what readelf says ---- */

struct row {
    char end[WORD_BYTES], pointer[WORD_BYTES], address[WORD_BYTES];
};

static struct {
    uint64_t at;
    bool is_signal;
    struct row row;
} commons[COMMON_MAX];
static size_t common_count;

static size_t find_common(uint64_t at)
{
    for (size_t i = common_count; i-- > 0;)
        if (commons[i].at == at)
            return i;
    fail("a function without what it refers to");
    return 0;
}

/* ---- both ---- */

static size_t row_count, known_count, wrong_count;

static void write_rule(const struct syn_frame_rule *rule, struct row *row)
{
    strcpy(row->address, rule->end == SYN_FRAME_OUTERMOST ? "u" : "c-8");
    strcpy(row->end, "exp");
    if (rule->end == SYN_FRAME_END_BY_STACK || rule->end == SYN_FRAME_END_BY_POINTER)
        snprintf(row->end, WORD_BYTES, "%s%+" PRId64,
                 rule->end == SYN_FRAME_END_BY_STACK ? "rsp" : "rbp", rule->end_bytes);
    strcpy(row->pointer, rule->pointer == SYN_FRAME_POINTER_SAME ? "u" : "exp");
    if (rule->pointer == SYN_FRAME_POINTER_BY_END)
        snprintf(row->pointer, WORD_BYTES, "c%+" PRId64, rule->pointer_bytes);
}

static bool is_plain_place(const char *word)
{
    return strcmp(word, "u") == 0 || strcmp(word, "s") == 0 || strncmp(word, "c", 1) == 0;
}

/* May nobody know it? */
static bool is_unusual(const struct row *row)
{
    return (strncmp(row->end, "rsp", 3) != 0 && strncmp(row->end, "rbp", 3) != 0) ||
           !is_plain_place(row->pointer) || strcmp(row->address, "c-8") != 0;
}

static void compare_at(const struct syn_frame_tables *tables, uint64_t at, const struct row *row,
                       bool is_signal)
{
    struct syn_frame_rule rule;
    struct row ours = {.end = "unknown"};
    const bool known = syn_frame_rule_in(tables, base + at, &rule);
    bool agrees = is_signal || is_unusual(row);
    if (known) {
        write_rule(&rule, &ours);
        agrees = strcmp(ours.address, row->address) == 0 &&
                 (strcmp(row->address, "u") == 0 ||
                  (strcmp(ours.end, row->end) == 0 &&
                   (strcmp(ours.pointer, row->pointer) == 0 || strcmp(row->pointer, "s") == 0)));
    }
    known_count += known;
    row_count++;
    if (agrees)
        return;
    wrong_count++;
    printf("%" PRIx64 ": %s %s %s, not %s %s %s\n", at, ours.end, ours.pointer, ours.address,
           row->end, row->pointer, row->address);
}

/* A row is in force up to the next one. */
static void compare(const struct syn_frame_tables *tables, uint64_t from, uint64_t to,
                    const struct row *row, bool is_signal)
{
    if (to == from)
        return;
    compare_at(tables, from, row, is_signal);
    compare_at(tables, to - 1, row, is_signal);
}

/* ---- lines ---- */

struct reader {
    const struct syn_frame_tables *tables;
    bool of_function, is_signal;
    uint64_t at, until; /* of the row under way */
    struct row row;
    char columns[COLUMN_MAX][WORD_BYTES];
    int column_count;
};

static void end_row(struct reader *reader, uint64_t to)
{
    if (reader->of_function)
        compare(reader->tables, reader->at, to, &reader->row, reader->is_signal);
}

static void begin_entry(struct reader *reader, const char *line)
{
    const char *function = strstr(line, " FDE cie="), *common = strstr(line, " CIE ");
    end_row(reader, reader->until);
    reader->of_function = false;
    if (function) {
        uint64_t of;
        if (sscanf(function, " FDE cie=%" SCNx64 " pc=%" SCNx64 "..%" SCNx64, &of, &reader->at,
                   &reader->until) != 3)
            fail("a function that cannot be read");
        const size_t i = find_common(of);
        reader->row = commons[i].row;
        reader->is_signal = commons[i].is_signal;
        reader->of_function = true;
    } else if (common && common_count < COMMON_MAX) {
        commons[common_count].at = strtoull(line, NULL, 16);
        commons[common_count].is_signal = strstr(common, "zRS") || strstr(common, "zPLRS");
        strcpy(commons[common_count++].row.pointer, "u");
    }
}

static void read_columns(struct reader *reader, char *line)
{
    reader->column_count = 0;
    for (char *word = strtok(line, " \n"); word && reader->column_count < COLUMN_MAX;
         word = strtok(NULL, " \n"))
        snprintf(reader->columns[reader->column_count++], WORD_BYTES, "%s", word);
}

static void read_row(struct reader *reader, char *line)
{
    struct row row = {.pointer = "u"};
    uint64_t at = 0;
    int i = 0;
    for (char *word = strtok(line, " \n"); word && i < reader->column_count;
         word = strtok(NULL, " \n")) {
        if (word[0] == '(') /* another name of the register before it */
            continue;
        const char *name = reader->columns[i];
        if (i == 0)
            at = strtoull(word, NULL, 16);
        else if (i == 1)
            snprintf(row.end, WORD_BYTES, "%s", word);
        else if (strcmp(name, "rbp") == 0)
            snprintf(row.pointer, WORD_BYTES, "%s", word);
        else if (strcmp(name, "ra") == 0)
            snprintf(row.address, WORD_BYTES, "%s", word);
        i++;
    }
    if (!reader->of_function) {
        commons[common_count - 1].row = row;
        return;
    }
    end_row(reader, at);
    reader->at = at;
    reader->row = row;
}

static bool is_number(const char *text)
{
    return strspn(text, "0123456789abcdef") >= 8;
}

int main(int argc, char **argv)
{
    static char line[4096];
    if (argc != 2)
        fail("usage: frame_rules_program OBJECT < ROWS");
    const struct syn_frame_tables tables = map_object(argv[1]);
    struct reader reader = {.tables = &tables};
    bool is_other_section = false;
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "Contents of", 11) == 0)
            is_other_section = !strstr(line, " .eh_frame ");
        else if (is_other_section)
            continue;
        else if (is_number(line) && (strstr(line, " CIE ") || strstr(line, " FDE ")))
            begin_entry(&reader, line);
        else if (strncmp(line, "   LOC", 6) == 0)
            read_columns(&reader, line);
        else if (is_number(line) && strchr(line, ' ') && !strstr(line, "ZERO"))
            read_row(&reader, line);
    }
    end_row(&reader, reader.until);
    printf("%s: %zu places, %zu known, %zu wrong\n", argv[1], row_count, known_count, wrong_count);
    return wrong_count > 0;
}
