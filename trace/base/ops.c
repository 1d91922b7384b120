/* trace/base/ops.c - names and properties of operations, from ops.def. */
#include "trace/base/ops.h"

#include <string.h>
#include <strings.h>

#include "sync/base/status.h"

struct row {
    const char
        *names[SYN_FORM_COUNT]; /* NULL: the name is in form_names, or there is no such form */
    enum syn_op_class class;
    uint32_t flags;
};

/* Flags of an operation by the DOES of its row in ops.def. */
#define FLAGS_OF_MAKES            0
#define FLAGS_OF_MAKES_ALONE      0
#define FLAGS_OF_MAKES_FROM_GROUP 0
#define FLAGS_OF_SPAWNS           0
#define FLAGS_OF_FREES            0
#define FLAGS_OF_USES             0
#define FLAGS_OF_TRANSFERS        SYN_OPF_VARIABLE

static const struct row rows[SYN_ROW_COUNT] = {
#define SYN_COLLECTIVE(number, NAME, Name, name, shape, payload_kind, row_flags) \
    [number] = {                                                                 \
        {"MPI_" #Name, "MPI_I" #name, "MPI_" #Name "_init", NULL}, SYN_CLASS_DATA, row_flags},
#define SYN_OTHER(number, NAME, Name, name, CLASS, SHAPE, DOES) \
    [number] = {{"MPI_" #Name}, SYN_CLASS_##CLASS, FLAGS_OF_##DOES},
#define SYN_EXTENSION(number, NAME, Name, name, SHAPE, DOES) \
    [number] = {{"MPIX_" #Name}, SYN_CLASS_COMM, FLAGS_OF_##DOES},
#include "trace/base/ops.def"
};

/* Names of other forms. They follow no rule, so each is listed. */
static const struct {
    uint16_t op;
    const char *name;
} form_names[] = {
#define SYN_OTHER_FORM(NAME, FORM, Name, name, UPPER, CLASS, SHAPE, DOES) \
    {SYN_ROW_##NAME + SYN_FORM_##FORM * SYN_OP_FORM_STRIDE, "MPI_" #Name},
#define SYN_EXTENSION_FORM(NAME, FORM, Name, name, UPPER, SHAPE, DOES) \
    {SYN_ROW_##NAME + SYN_FORM_##FORM * SYN_OP_FORM_STRIDE, "MPIX_" #Name},
#include "trace/base/ops.def"
};

static const char *const class_names[SYN_CLASS_COUNT] = {"data", "comm", "window", "file"};

static const struct row *row_of(uint16_t op_id)
{
    unsigned row = op_id % SYN_OP_FORM_STRIDE;
    unsigned form = op_id / SYN_OP_FORM_STRIDE;
    return row < SYN_ROW_COUNT && form < SYN_FORM_COUNT ? &rows[row] : NULL;
}

const char *syn_op_name(uint16_t op_id)
{
    const struct row *row = row_of(op_id);
    const char *name = row ? row->names[op_id / SYN_OP_FORM_STRIDE] : NULL;
    for (size_t i = 0; row && !name && i < sizeof form_names / sizeof *form_names; i++)
        if (form_names[i].op == op_id)
            name = form_names[i].name;
    return name;
}

/* Returns the name without MPI_ or MPIX_. */
static const char *bare_name(const char *name)
{
    const size_t prefix = strncasecmp(name, "MPIX_", 5) == 0  ? 5
                          : strncasecmp(name, "MPI_", 4) == 0 ? 4
                                                              : 0;
    return name + prefix;
}

int syn_op_parse(const char *name, uint16_t *op_id)
{
    name = bare_name(name);
    for (unsigned row = 0; row < SYN_ROW_COUNT; row++)
        for (unsigned form = 0; form < SYN_FORM_COUNT; form++) {
            const uint16_t candidate = syn_op_id((enum syn_op_row)row, (enum syn_op_form)form);
            const char *known = syn_op_name(candidate);
            if (known && strcasecmp(name, bare_name(known)) == 0) {
                *op_id = candidate;
                return SYN_OK;
            }
        }
    return SYN_EINVAL;
}

uint32_t syn_op_flags(uint16_t op_id)
{
    const struct row *row = row_of(op_id);
    return row ? row->flags : 0;
}

enum syn_op_class syn_op_class(uint16_t op_id, const char *name)
{
    const struct row *row = row_of(op_id);
    if (row)
        return row->class;
    if (name && strncmp(name, "MPI_File_", 9) == 0)
        return SYN_CLASS_FILE;
    if (name && strncmp(name, "MPI_Win_", 8) == 0)
        return SYN_CLASS_WINDOW;
    return name && strncmp(name, "MPI_Comm_", 9) == 0 ? SYN_CLASS_COMM : SYN_CLASS_DATA;
}

int syn_class_parse(const char *name, enum syn_op_class *class)
{
    for (unsigned i = 0; i < SYN_CLASS_COUNT; i++)
        if (strcasecmp(name, class_names[i]) == 0) {
            *class = (enum syn_op_class)i;
            return SYN_OK;
        }
    return SYN_EINVAL;
}

int syn_ops_select(const char *name, bool selected, bool *selection)
{
    uint16_t op;
    enum syn_op_class class;
    if (syn_op_parse(name, &op) == SYN_OK) {
        selection[op % SYN_OP_FORM_STRIDE] = selected;
        return SYN_OK;
    }
    if (syn_class_parse(name, &class))
        return SYN_EINVAL;
    for (unsigned row = 0; row < SYN_ROW_COUNT; row++)
        if (rows[row].class == class)
            selection[row] = selected;
    return SYN_OK;
}
