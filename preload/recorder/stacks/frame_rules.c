/* preload/recorder/stacks/frame_rules.c - see frame_rules.h. */
#include "preload/recorder/stacks/frame_rules.h"

#if defined(__x86_64__)
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "sync/base/bytes.h"
#include "sync/base/layout.h"

/* Encodings of addresses (LSB, 10.5) that linkers for x86-64 use. */
#define RELATIVE_INT32        0x1b /* relative to its own place */
#define HEADER_RELATIVE_INT32 0x3b
#define UINT32                0x03
#define SIZE_MASK             0x07
#define IS_ABSENT             0xff

/* Register numbers in the tables (System V ABI for AMD64, figure 3.36). */
#define FRAME_POINTER  6
#define STACK_POINTER  7
#define RETURN_ADDRESS 16

/* Largest depth of saved states; compilers need one. */
#define SAVED_MAX 8

/* ---- rows: the rules in force from an instruction on ---- */

enum end_kind { END_UNKNOWN, END_BY_REGISTER, END_SAVED };

enum place_kind { PLACE_SAME, PLACE_BY_END, PLACE_BY_POINTER, PLACE_NONE, PLACE_UNKNOWN };

struct place {
    enum place_kind kind;
    int64_t bytes;
};

struct row {
    enum end_kind end;
    uint64_t end_register; /* END_SAVED: saved below the frame pointer */
    int64_t end_bytes;
    struct place pointer, address; /* of the caller's frame pointer and the return address */
};

/* Common information entry (CIE): rules and instructions shared by many functions. */
struct common {
    uint64_t code_step;
    int64_t data_step;
    const uint8_t *instructions, *instructions_end;
};

struct program {
    const struct common *common;
    struct row row, initial;
    struct row saved[SAVED_MAX];
    size_t saved_count;
    uint64_t until; /* stop at this instruction (offset in the function) */
    uint64_t at;
};

/* ---- reading ---- */

static inline uint8_t take_byte(struct syn_take *take)
{
    if (take->at < take->end)
        return *take->at++;
    take->failed = true;
    return 0;
}

static uint64_t take_small(struct syn_take *take, size_t count)
{
    const uint8_t *bytes = syn_take_bytes(take, count);
    uint64_t value = 0;
    for (size_t i = 0; bytes && i < count; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static int32_t load_int32(const uint8_t *at)
{
    return (int32_t)syn_load32(at);
}

/* Reads a signed number, seven bits in a byte (SLEB128). */
static SYN_HOT int64_t take_signed(struct syn_take *take)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    for (; (byte & 0x80) && shift < 64; shift += 7) {
        byte = take_byte(take);
        value |= (uint64_t)(byte & 0x7f) << shift;
    }
    if (byte & 0x80)
        take->failed = true;
    if ((byte & 0x40) && shift < 64)
        value |= ~(uint64_t)0 << shift;
    return (int64_t)value;
}

static SYN_HOT struct syn_take take_block(struct syn_take *take)
{
    const uint64_t count = syn_take_varint(take);
    const uint8_t *bytes = count <= syn_take_left(take) ? syn_take_bytes(take, count) : NULL;
    if (!bytes)
        take->failed = true;
    return syn_take_from(bytes ? bytes : take->at, bytes ? count : 0);
}

/* ---- instructions ---- */

/* Returns true if the expression is frame pointer + *bytes and nothing else: DW_OP_breg6, followed
 * by DW_OP_deref if `deref`. */
static bool is_by_pointer(struct syn_take expression, bool deref, int64_t *bytes)
{
    if (take_byte(&expression) != 0x70 + FRAME_POINTER)
        return false;
    *bytes = take_signed(&expression);
    if (deref && take_byte(&expression) != 0x06)
        return false;
    return !expression.failed && syn_take_left(&expression) == 0;
}

/* Returns the place of a register in the row, or `other` if the register is not tracked. */
static struct place *place_of(struct row *row, uint64_t number, struct place *other)
{
    if (number == FRAME_POINTER)
        return &row->pointer;
    return number == RETURN_ADDRESS ? &row->address : other;
}

static void set_place(struct program *program, uint64_t number, enum place_kind kind, int64_t bytes)
{
    struct place other;
    *place_of(&program->row, number, &other) = (struct place){.kind = kind, .bytes = bytes};
}

/* RATIONALE: `factor` is read from the table, so it may overflow: unsigned arithmetic. */
static int64_t times(int64_t factor, int64_t step)
{
    return (int64_t)((uint64_t)factor * (uint64_t)step);
}

static void saved_by_end(struct program *program, uint64_t number, int64_t factor)
{
    set_place(program, number, PLACE_BY_END, times(factor, program->common->data_step));
}

static void restore(struct program *program, uint64_t number)
{
    struct place other;
    *place_of(&program->row, number, &other) = *place_of(&program->initial, number, &other);
}

static void end_by_register(struct row *row, uint64_t number, int64_t bytes)
{
    row->end = END_BY_REGISTER;
    row->end_register = number;
    row->end_bytes = bytes;
}

/* Runs an instruction whose first operand is a register. Returns false for any other
 * instruction. */
static SYN_HOT bool run_of_register(struct program *program, uint64_t code, struct syn_take *take)
{
    if (code < 0x05 || code == 0x0a || code == 0x0b || (code > 0x0d && code < 0x10) ||
        code == 0x13 || code > 0x16)
        return false;
    const uint64_t number = syn_take_varint(take);
    const int64_t step = program->common->data_step;
    switch (code) {
    case 0x05: /* DW_CFA_offset_extended */
        saved_by_end(program, number, (int64_t)syn_take_varint(take));
        break;
    case 0x06: /* DW_CFA_restore_extended */
        restore(program, number);
        break;
    case 0x07: /* DW_CFA_undefined */
        set_place(program, number, PLACE_NONE, 0);
        break;
    case 0x08: /* DW_CFA_same_value */
        set_place(program, number, PLACE_SAME, 0);
        break;
    case 0x0c: /* DW_CFA_def_cfa */
        end_by_register(&program->row, number, (int64_t)syn_take_varint(take));
        break;
    case 0x0d: /* DW_CFA_def_cfa_register */
        end_by_register(&program->row, number, program->row.end_bytes);
        break;
    case 0x10: { /* DW_CFA_expression */
        int64_t bytes = 0;
        const bool known = is_by_pointer(take_block(take), false, &bytes);
        set_place(program, number, known ? PLACE_BY_POINTER : PLACE_UNKNOWN, bytes);
        break;
    }
    case 0x11: /* DW_CFA_offset_extended_sf */
        saved_by_end(program, number, take_signed(take));
        break;
    case 0x12: /* DW_CFA_def_cfa_sf */
        end_by_register(&program->row, number, times(take_signed(take), step));
        break;
    case 0x16: /* DW_CFA_val_expression */
        take_block(take);
        set_place(program, number, PLACE_UNKNOWN, 0);
        break;
    default: /* DW_CFA_register, DW_CFA_val_offset, DW_CFA_val_offset_sf: a second operand */
        syn_take_varint(take);
        set_place(program, number, PLACE_UNKNOWN, 0);
        break;
    }
    return true;
}

/* Runs an instruction on the row as a whole. Returns false for an unknown one. */
static SYN_HOT bool run_of_row(struct program *program, uint64_t code, struct syn_take *take)
{
    const uint64_t code_step = program->common->code_step;
    switch (code) {
    case 0x00: /* DW_CFA_nop */
        return true;
    case 0x02: /* DW_CFA_advance_loc1, 2, 4 */
    case 0x03:
    case 0x04:
        program->at += take_small(take, (size_t)1 << (code - 2)) * code_step;
        return true;
    case 0x0a: /* DW_CFA_remember_state */
        if (program->saved_count == SAVED_MAX)
            return false;
        program->saved[program->saved_count++] = program->row;
        return true;
    case 0x0b: /* DW_CFA_restore_state */
        if (program->saved_count == 0)
            return false;
        program->row = program->saved[--program->saved_count];
        return true;
    case 0x0e: /* DW_CFA_def_cfa_offset */
        program->row.end_bytes = (int64_t)syn_take_varint(take);
        return true;
    case 0x13: /* DW_CFA_def_cfa_offset_sf */
        program->row.end_bytes = times(take_signed(take), program->common->data_step);
        return true;
    case 0x0f: /* DW_CFA_def_cfa_expression */
        program->row.end = is_by_pointer(take_block(take), true, &program->row.end_bytes)
                               ? END_SAVED
                               : END_UNKNOWN;
        return true;
    case 0x2e: /* DW_CFA_GNU_args_size */
        syn_take_varint(take);
        return true;
    default:
        return false;
    }
}

static bool run_one(struct program *program, struct syn_take *take)
{
    const uint64_t code = take_byte(take), low = code & 0x3f;
    switch (code >> 6) {
    case 1: /* DW_CFA_advance_loc */
        program->at += low * program->common->code_step;
        return true;
    case 2: /* DW_CFA_offset */
        saved_by_end(program, low, (int64_t)syn_take_varint(take));
        return true;
    case 3: /* DW_CFA_restore */
        restore(program, low);
        return true;
    default:
        return run_of_register(program, code, take) || run_of_row(program, code, take);
    }
}

/* Runs instructions up to program->until. Returns false if one is unknown or damaged. */
static SYN_HOT bool run(struct program *program, struct syn_take take)
{
    while (syn_take_left(&take) > 0) {
        if (!run_one(program, &take) || take.failed)
            return false;
        if (program->at > program->until)
            return true;
    }
    return true;
}

/* ---- functions ---- */

static bool is_inside(const struct syn_frame_tables *tables, const uint8_t *at, size_t bytes)
{
    return at >= tables->start && at <= tables->end && (size_t)(tables->end - at) >= bytes;
}

/* Sets *entry to the bytes of the entry at `at`, after its length. Returns false if they are not
 * inside the object, or if the length has 64 bits. */
static SYN_HOT bool take_entry(const struct syn_frame_tables *tables, const uint8_t *at,
                               struct syn_take *entry)
{
    if (!is_inside(tables, at, sizeof(uint32_t)))
        return false;
    const uint32_t bytes = syn_load32(at);
    at += sizeof(uint32_t);
    if (bytes == UINT32_MAX || !is_inside(tables, at, bytes))
        return false;
    *entry = syn_take_from(at, bytes);
    return true;
}

/* Skips an address in the CIE's augmentation data. */
static bool skip_address(struct syn_take *take, uint64_t encoding)
{
    static const uint8_t sizes[SIZE_MASK + 1] = {8, 0, 2, 4, 8, 0, 0, 0};
    const size_t bytes = sizes[encoding & SIZE_MASK];
    return encoding != IS_ABSENT && bytes > 0 && syn_take_bytes(take, bytes);
}

/* Reads the augmentation: "z", then a letter for each item of data. Returns false for signal
 * frames, for unknown letters, and if function addresses are not relative. */
static bool knows_augmentation(const char *letters, struct syn_take data)
{
    bool is_relative = false;
    for (; *letters; letters++) {
        if (*letters == 'R')
            is_relative = take_byte(&data) == RELATIVE_INT32;
        else if (*letters == 'L')
            take_byte(&data);
        else if (*letters != 'P' || !skip_address(&data, take_byte(&data)))
            return false;
    }
    return is_relative && !data.failed;
}

static SYN_HOT bool read_common(const struct syn_frame_tables *tables, const uint8_t *at,
                                struct common *common)
{
    struct syn_take take;
    if (!take_entry(tables, at, &take) || take_small(&take, 4) != 0)
        return false;
    const uint64_t version = take_byte(&take);
    const char *letters = (const char *)take.at;
    const size_t left = syn_take_left(&take), length = strnlen(letters, left);
    if ((version != 1 && version != 3) || length == left || letters[0] != 'z')
        return false;
    syn_take_bytes(&take, length + 1);
    common->code_step = syn_take_varint(&take);
    common->data_step = take_signed(&take);
    const uint64_t address = version == 1 ? take_byte(&take) : syn_take_varint(&take);
    if (address != RETURN_ADDRESS || !knows_augmentation(letters + 1, take_block(&take)))
        return false;
    common->instructions = take.at;
    common->instructions_end = take.end;
    return !take.failed;
}

static SYN_HOT bool run_all(const struct common *common, struct syn_take instructions,
                            uint64_t until, struct row *row)
{
    struct program program; /* not initialized: `saved` is valid up to saved_count */
    const size_t count = (size_t)(common->instructions_end - common->instructions);
    program.common = common;
    program.row = program.initial = (struct row){.end = END_UNKNOWN};
    program.saved_count = 0;
    program.at = 0;
    program.until = UINT64_MAX;
    if (!run(&program, syn_take_from(common->instructions, count)))
        return false;
    program.initial = program.row;
    program.at = 0;
    program.until = until;
    if (!run(&program, instructions))
        return false;
    *row = program.row;
    return true;
}

static uintptr_t begin_of(const uint8_t *begin_at)
{
    return (uintptr_t)begin_at + (uintptr_t)(intptr_t)load_int32(begin_at);
}

/* Finds the row at an instruction of the function whose description is at `at`. Returns false if
 * the instruction is not in the function. */
static SYN_HOT bool row_in(const struct syn_frame_tables *tables, const uint8_t *at,
                           uintptr_t instruction, struct row *row)
{
    struct syn_take take;
    struct common common;
    if (!take_entry(tables, at, &take))
        return false;
    const uint8_t *const place = take.at;
    const uint64_t distance = take_small(&take, 4);
    if (take.failed || distance == 0 || distance > (uint64_t)(place - tables->start) ||
        !read_common(tables, place - distance, &common))
        return false;
    const uint8_t *const begin_at = syn_take_bytes(&take, 4);
    const uint64_t bytes = take_small(&take, 4);
    if (take.failed)
        return false;
    const uintptr_t begin = begin_of(begin_at);
    if (instruction - begin >= bytes)
        return false;
    take_block(&take); /* language-specific data (exception handling) */
    return !take.failed && run_all(&common, take, instruction - begin, row);
}

/* Returns false if the instruction is not in the function whose description is at `at`. */
static bool has_instruction(const struct syn_frame_tables *tables, const uint8_t *at,
                            uintptr_t instruction)
{
    struct syn_take take;
    if (!take_entry(tables, at, &take) || !syn_take_bytes(&take, 4))
        return true;
    const uint8_t *const begin_at = syn_take_bytes(&take, 4);
    const uint64_t bytes = take_small(&take, 4);
    return take.failed || instruction - begin_of(begin_at) < bytes;
}

/* ---- tables ---- */

#define HEADER_BYTES 12
#define PAIR_BYTES   8

/* Finds the last function that begins at or before the instruction. Returns its description (an
 * FDE); NULL if there is none. */
static SYN_HOT const uint8_t *find_function(const struct syn_frame_tables *tables,
                                            uintptr_t instruction)
{
    const uint8_t *header = tables->header, *pairs = header + HEADER_BYTES;
    if (!is_inside(tables, header, HEADER_BYTES) || header[0] != 1 || header[1] != RELATIVE_INT32 ||
        header[2] != UINT32 || header[3] != HEADER_RELATIVE_INT32)
        return NULL;
    size_t low = 0, high = syn_load32(header + 8);
    if (high == 0 || !is_inside(tables, pairs, high * PAIR_BYTES))
        return NULL;
    const int64_t wanted = (int64_t)(instruction - (uintptr_t)header);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (load_int32(pairs + middle * PAIR_BYTES) <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const uintptr_t at =
        (uintptr_t)header + (uintptr_t)(intptr_t)load_int32(pairs + (low - 1) * PAIR_BYTES + 4);
    return (const uint8_t *)at;
}

/* Turns a row into a rule. Returns false if no enum value describes it. */
static SYN_HOT bool rule_of(const struct row *row, struct syn_frame_rule *rule)
{
    static const enum syn_frame_pointer pointers[] = {
        [PLACE_SAME] = SYN_FRAME_POINTER_SAME,
        [PLACE_BY_END] = SYN_FRAME_POINTER_BY_END,
        [PLACE_BY_POINTER] = SYN_FRAME_POINTER_BY_POINTER,
    };
    *rule = (struct syn_frame_rule){.end = SYN_FRAME_OUTERMOST};
    if (row->address.kind == PLACE_NONE)
        return true;
    const bool by_stack = row->end == END_BY_REGISTER && row->end_register == STACK_POINTER;
    const bool by_pointer = row->end == END_BY_REGISTER && row->end_register == FRAME_POINTER;
    if (row->address.kind != PLACE_BY_END || row->address.bytes != -(int64_t)sizeof(uintptr_t) ||
        row->pointer.kind > PLACE_BY_POINTER || !(by_stack || by_pointer || row->end == END_SAVED))
        return false;
    rule->end = by_stack     ? SYN_FRAME_END_BY_STACK
                : by_pointer ? SYN_FRAME_END_BY_POINTER
                             : SYN_FRAME_END_SAVED;
    rule->end_bytes = row->end_bytes;
    rule->pointer = pointers[row->pointer.kind];
    rule->pointer_bytes = row->pointer.bytes;
    return true;
}

SYN_HOT bool syn_frame_rule_in(const struct syn_frame_tables *tables, uintptr_t instruction,
                               struct syn_frame_rule *rule)
{
    struct row row;
    const uint8_t *function = find_function(tables, instruction);
    return function && row_in(tables, function, instruction, &row) && rule_of(&row, rule);
}

/* ---- loaded objects ---- */

/* RATIONALE: _dl_find_object (glibc 2.35) takes no lock and searches; dl_iterate_phdr takes a lock
 * and visits all objects. It is found by name, so that the library loads with older versions,
 * too. */
#if defined(DLFO_STRUCT_HAS_EH_DBASE)
static int (*find_object)(void *address, struct dl_find_object *out) SYN_NEAR;

void syn_frame_rules_begin(void)
{
    void *const found = dlsym(RTLD_DEFAULT, "_dl_find_object");
    memcpy(&find_object, &found, sizeof found);
}

static bool find_tables(uintptr_t instruction, struct syn_frame_tables *tables)
{
    struct dl_find_object object;
    if (!find_object || find_object((void *)instruction, &object) || !object.dlfo_eh_frame)
        return false;
    *tables = (struct syn_frame_tables){
        .header = object.dlfo_eh_frame, .start = object.dlfo_map_start, .end = object.dlfo_map_end};
    return true;
}
#else
void syn_frame_rules_begin(void)
{
}

static bool find_tables(uintptr_t instruction, struct syn_frame_tables *tables)
{
    (void)instruction;
    (void)tables;
    return false;
}
#endif

SYN_HOT bool syn_frame_rule_at(uintptr_t instruction, struct syn_frame_rule *rule)
{
    struct syn_frame_tables tables;
    return find_tables(instruction, &tables) && syn_frame_rule_in(&tables, instruction, rule);
}

bool syn_frame_is_first(uintptr_t address)
{
    struct syn_frame_tables tables;
    if (!find_tables(address, &tables))
        return false;
    const uint8_t *const at = find_function(&tables, address);
    const uint8_t *const before = find_function(&tables, address - 1);
    return at && at != before && (!before || !has_instruction(&tables, before, address - 1));
}
#endif
