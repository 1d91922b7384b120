/* tests/unit/preload/preload_frame_rules_test.c - rules of frames, from tables made by hand. (Those
 * of compilers: frame_rules.sh.) */
#include "preload/recorder/stacks/frame_rules.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __x86_64__
/* Places in a made object. */
#define COMMON_AT      64
#define FUNCTION_AT    128
#define CODE_AT        1024
#define CODE_BYTES     100
#define OBJECT_BYTES   2048
#define RETURN_ADDRESS 16

struct object {
    uint8_t *bytes; /* a page that nobody may read follows */
    struct syn_frame_tables tables;
};

static void put32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static uint32_t distance(const uint8_t *from, const uint8_t *to)
{
    return (uint32_t)(to - from);
}

/* Entries end where their bytes do, padded by nothing. */
static void put_entry(uint8_t *at, const uint8_t *data, size_t bytes)
{
    put32(at, (uint32_t)bytes);
    memcpy(at + 4, data, bytes);
}

struct description {
    const char *letters; /* "zR" where NULL */
    uint8_t data[4];     /* of the letters; the relative encoding where letters are NULL */
    size_t data_bytes;
    const uint8_t *common; /* instructions of the CIE behind the usual ones */
    size_t common_bytes;
    const uint8_t *function; /* of the FDE */
    size_t function_bytes;
};

static void put_common(struct object *object, const struct description *as)
{
    static const uint8_t usual[] = {0x0c, 7, 8, 0x80 + RETURN_ADDRESS, 1};
    uint8_t entry[64] = {0, 0, 0, 0, 1};
    size_t count = 5;
    const char *letters = as->letters ? as->letters : "zR";
    memcpy(entry + count, letters, strlen(letters) + 1);
    count += strlen(letters) + 1;
    entry[count++] = 1;    /* code step */
    entry[count++] = 0x78; /* data step: -8 */
    entry[count++] = RETURN_ADDRESS;
    entry[count++] = as->letters ? (uint8_t)as->data_bytes : 1;
    if (as->letters) {
        memcpy(entry + count, as->data, as->data_bytes);
        count += as->data_bytes;
    } else {
        entry[count++] = 0x1b;
    }
    memcpy(entry + count, usual, sizeof usual);
    count += sizeof usual;
    if (as->common_bytes > 0)
        memcpy(entry + count, as->common, as->common_bytes);
    put_entry(object->bytes + COMMON_AT, entry, count + as->common_bytes);
}

static void put_function(struct object *object, const struct description *as)
{
    uint8_t *at = object->bytes + FUNCTION_AT;
    uint8_t entry[128] = {0};
    put32(entry, distance(object->bytes + COMMON_AT, at + 4));
    put32(entry + 4, distance(at + 8, object->bytes + CODE_AT));
    put32(entry + 8, CODE_BYTES);
    if (as->function_bytes > 0) /* entry[12]: no data */
        memcpy(entry + 13, as->function, as->function_bytes);
    put_entry(at, entry, 13 + as->function_bytes);
}

static struct object make(const struct description *as)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *room =
        mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct object object;
    cr_assert_neq(room, MAP_FAILED);
    mprotect(room + page, page, PROT_NONE);
    object.bytes = room + page - OBJECT_BYTES;
    object.tables = (struct syn_frame_tables){
        .header = object.bytes, .start = object.bytes, .end = object.bytes + OBJECT_BYTES};
    memcpy(object.bytes, (const uint8_t[]){1, 0x1b, 0x03, 0x3b}, 4);
    put32(object.bytes + 8, 1);
    put32(object.bytes + 12, CODE_AT);
    put32(object.bytes + 16, FUNCTION_AT);
    put_common(&object, as);
    put_function(&object, as);
    return object;
}

static bool rule_at(const struct object *object, uintptr_t offset, struct syn_frame_rule *rule)
{
    memset(rule, 0xee, sizeof *rule);
    return syn_frame_rule_in(&object->tables, (uintptr_t)object->bytes + CODE_AT + offset, rule);
}

static void expect(const struct object *object, uintptr_t offset, struct syn_frame_rule wanted)
{
    struct syn_frame_rule rule;
    cr_assert(rule_at(object, offset, &rule), "at %zu", (size_t)offset);
    cr_expect_eq(rule.end, wanted.end, "at %zu", (size_t)offset);
    cr_expect_eq(rule.pointer, wanted.pointer, "at %zu", (size_t)offset);
    cr_expect_eq(rule.end_bytes, wanted.end_bytes, "at %zu: %lld", (size_t)offset,
                 (long long)rule.end_bytes);
    cr_expect(wanted.pointer == SYN_FRAME_POINTER_SAME ||
                  rule.pointer_bytes == wanted.pointer_bytes,
              "at %zu: %lld", (size_t)offset, (long long)rule.pointer_bytes);
}

#define OF(...)                                 \
    .function = (const uint8_t[]){__VA_ARGS__}, \
    .function_bytes = sizeof((const uint8_t[]){__VA_ARGS__})

/* push rbp; mov rbp, rsp; ...; leave; and a part behind it that is as before. */
static const struct description by_pointer = {
    OF(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 50, 0x0a, 0xc6, 0x0c, 7, 8, 0x41, 0x0b)};

Test(frame_rules, rows_hold_from_their_place_to_the_next)
{
    const struct object object = make(&by_pointer);
    struct syn_frame_rule saved = {
        .end_bytes = 16, .pointer = SYN_FRAME_POINTER_BY_END, .pointer_bytes = -16};
    expect(&object, 0, (struct syn_frame_rule){.end_bytes = 8});
    expect(&object, 1, saved);
    expect(&object, 3, saved);
    saved.end = SYN_FRAME_END_BY_POINTER;
    expect(&object, 4, saved);
    expect(&object, 53, saved);
    expect(&object, 54, (struct syn_frame_rule){.end_bytes = 8});
    expect(&object, 55, saved);
    expect(&object, CODE_BYTES - 1, saved);
}

Test(frame_rules, there_is_none_outside_of_functions)
{
    const struct object object = make(&by_pointer);
    struct syn_frame_rule rule;
    cr_expect_not(rule_at(&object, CODE_BYTES, &rule));
    cr_expect_not(rule_at(&object, (uintptr_t)-1, &rule));
}

/* The rules that gcc writes for a function that realigns its stack. */
Test(frame_rules, a_frame_that_was_realigned_has_its_end_saved)
{
    const struct description as = {
        OF(0x44, 0x0c, 10, 0, 0x41, 0x10, 6, 2, 0x76, 0, 0x41, 0x0f, 3, 0x76, 0x78, 0x06)};
    const struct object object = make(&as);
    struct syn_frame_rule rule;
    expect(&object, 3, (struct syn_frame_rule){.end_bytes = 8});
    cr_expect_not(rule_at(&object, 4, &rule), "by another register");
    expect(&object, 6,
           (struct syn_frame_rule){.end = SYN_FRAME_END_SAVED,
                                   .end_bytes = -8,
                                   .pointer = SYN_FRAME_POINTER_BY_POINTER});
}

Test(frame_rules, who_has_no_return_address_has_no_caller)
{
    const struct description as = {OF(0x07, RETURN_ADDRESS)};
    const struct object object = make(&as);
    struct syn_frame_rule rule;
    cr_assert(rule_at(&object, 0, &rule));
    cr_expect_eq(rule.end, SYN_FRAME_OUTERMOST);
}

/* The longer forms of instructions, and those of registers that nobody asks for. */
Test(frame_rules, long_forms_say_the_same)
{
    const struct description as = {OF(0x03, 1, 0, 0x12, 7, 0x7e, 0x05, 6, 2, 0x11, 3, 3, 0x09, 12,
                                      13, 0x2e, 16, 0x16, 14, 1, 0x30, 0x04, 1, 0, 0, 0, 0x13, 0x7d,
                                      0x06, 6)};
    const struct object object = make(&as);
    expect(&object, 1,
           (struct syn_frame_rule){
               .end_bytes = 16, .pointer = SYN_FRAME_POINTER_BY_END, .pointer_bytes = -16});
    expect(&object, 2, (struct syn_frame_rule){.end_bytes = 24});
}

static void expect_unknown(struct description as, const char *what)
{
    const struct object object = make(&as);
    struct syn_frame_rule rule;
    cr_expect_not(rule_at(&object, 10, &rule), "%s", what);
}

Test(frame_rules, what_is_unusual_is_unknown)
{
    expect_unknown((struct description){.letters = "zRS", .data = {0x1b}, .data_bytes = 1},
                   "a signal's frame");
    expect_unknown((struct description){.letters = "zR", .data = {0}, .data_bytes = 1},
                   "absolute addresses");
    expect_unknown((struct description){.letters = "R", .data = {0x1b}, .data_bytes = 1},
                   "data of unknown length");
    expect_unknown((struct description){OF(0x0f, 2, 0x77, 8)}, "an expression");
    expect_unknown((struct description){OF(0x0f, 3, 0x77, 8, 0x06)}, "an end saved elsewhere");
    expect_unknown((struct description){OF(0x10, 6, 2, 0x77, 8)}, "a pointer saved elsewhere");
    expect_unknown((struct description){OF(0x0a, 0x0b, 0x0b)}, "what was saved once, twice");
    expect_unknown((struct description){OF(0x0c, 3, 8)}, "an end by another register");
    expect_unknown((struct description){OF(0x90, 2)}, "a return address elsewhere");
    expect_unknown((struct description){OF(0x07, 6)}, "no frame pointer");
    expect_unknown((struct description){OF(0x0b)}, "what was not saved");
    expect_unknown((struct description){OF(0x3f)}, "no instruction");
    expect_unknown((struct description){OF(0x0c, 7)}, "half an instruction");
    expect_unknown((struct description){OF(0x10, 6, 100, 0x76)}, "more than there is");
}

Test(frame_rules, letters_of_languages_are_passed_over)
{
    const struct description as = {.letters = "zPLR", .data = {0x02, 1, 2, 0x1b}, .data_bytes = 4};
    const struct description longer = {OF(0x41, 0x0e, 32)};
    struct object object = make(&longer);
    put_common(&object,
               &(struct description){.letters = "zLR", .data = {0x1b, 0x1b}, .data_bytes = 2});
    expect(&object, 1, (struct syn_frame_rule){.end_bytes = 32});
    object = make(&as);
    struct syn_frame_rule rule;
    cr_expect_not(rule_at(&object, 1, &rule), "data end before the encoding");
}

/* A table with any byte changed, or cut off anywhere, gives some rule or none, and nothing outside
 * of it is read. */
Test(frame_rules, damaged_tables_are_read_within_their_bounds)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    const struct object object = make(&by_pointer);
    const uintptr_t code = (uintptr_t)object.bytes + CODE_AT;
    const size_t end = FUNCTION_AT + 4 + 13 + by_pointer.function_bytes;
    struct syn_frame_rule rule;
    for (size_t at = 0; at < 256; at++) {
        const uint8_t was = object.bytes[at];
        for (size_t i = 0; i < sizeof values; i++) {
            object.bytes[at] = values[i];
            (void)syn_frame_rule_in(&object.tables, code + 60, &rule);
        }
        object.bytes[at] = was;
        const struct syn_frame_tables cut = {
            .header = object.bytes, .start = object.bytes, .end = object.bytes + at};
        cr_expect_eq(syn_frame_rule_in(&cut, code + 60, &rule), at >= end, "cut at %zu", at);
        struct syn_frame_tables moved = object.tables;
        moved.header = object.tables.end - at;
        cr_expect_not(at > 0 && syn_frame_rule_in(&moved, code, &rule));
    }
    expect(&object, 0, (struct syn_frame_rule){.end_bytes = 8});
}

#if defined(DLFO_STRUCT_HAS_EH_DBASE) /* glibc 2.35 */
/* Rules of this very function, as the loader has it. */
Test(frame_rules, loaded_objects_are_found)
{
    struct syn_frame_rule rule;
    syn_frame_rules_begin();
    const uintptr_t here = (uintptr_t)&rule_at, c_library = (uintptr_t)&qsort;
    cr_assert(syn_frame_rule_at(here, &rule));
    cr_expect_eq(rule.end, SYN_FRAME_END_BY_STACK);
    cr_expect_eq(rule.end_bytes, 8);
    cr_expect(syn_frame_rule_at(c_library, &rule));
    cr_expect_not(syn_frame_rule_at((uintptr_t)&rule, &rule), "no code");
}
#endif
#else
Test(frame_rules, are_of_another_processor)
{
}
#endif
