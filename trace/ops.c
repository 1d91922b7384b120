#include "ops.h"

#include <string.h>
#include <strings.h>

#include "../sync/status.h"

#define FORM_COUNT 3

struct row {
    const char *names[FORM_COUNT];
    enum syn_payload payload;
    uint32_t flags;
};

static const struct row rows[SYN_ROW_COUNT] = {
#define SYN_COLLECTIVE(number, NAME, Name, name, shape, payload_kind, row_flags) \
    [number] = {{"MPI_" #Name, "MPI_I" #name, "MPI_" #Name "_init"},             \
                SYN_PAYLOAD_##payload_kind,                                      \
                row_flags},
#include "ops.def"
};

static const struct row *row_of(uint16_t op_id)
{
    unsigned row = op_id % SYN_OP_FORM_STRIDE;
    unsigned form = op_id / SYN_OP_FORM_STRIDE;
    return row < SYN_ROW_COUNT && form < FORM_COUNT ? &rows[row] : NULL;
}

const char *syn_op_name(uint16_t op_id)
{
    const struct row *row = row_of(op_id);
    return row ? row->names[op_id / SYN_OP_FORM_STRIDE] : NULL;
}

int syn_op_parse(const char *name, uint16_t *op_id)
{
    if (strncasecmp(name, "MPI_", 4) == 0)
        name += 4;
    for (unsigned row = 0; row < SYN_ROW_COUNT; row++)
        for (unsigned form = 0; form < FORM_COUNT; form++) {
            const char *candidate = rows[row].names[form];
            if (candidate && strcasecmp(name, candidate + 4) == 0) {
                *op_id = (uint16_t)(row + form * SYN_OP_FORM_STRIDE);
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

enum syn_payload syn_op_payload(uint16_t op_id)
{
    const struct row *row = row_of(op_id);
    return row ? row->payload : SYN_PAYLOAD_NONE;
}
