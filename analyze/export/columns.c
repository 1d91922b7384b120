/* analyze/export/columns.c - see columns.h. */
#include "analyze/export/columns.h"

static int64_t op_name(const struct syn_export_writer *writer, const struct syn_row *row)
{
    char bytes[SYN_EXPORT_OP_BYTES];
    return syn_names_id(writer->rank.names, syn_export_op(row, bytes));
}

static int64_t rank_in_comm(const struct syn_export_writer *writer, const struct syn_row *row)
{
    const struct syn_comm_record *record = syn_rank_comm(writer->rank.file, row->comm);
    return record ? record->rank : -1;
}

static int64_t phase_name(const struct syn_export_writer *writer, const struct syn_row *row)
{
    const char *name = syn_names_text(writer->rank.names, row->phase);
    return name && name[0] ? (int64_t)row->phase : SYN_NO_VALUE;
}

#define FIGURE(member)     row->member < 0 ? SYN_NO_VALUE : row->member
#define OF_MESSAGE(member) row->is_message ? row->member : SYN_NO_VALUE

/* Each column: name, type, whether rows may lack it, value. */
#define EACH_COLUMN(COLUMN)                                                  \
    COLUMN(run, INT32, false, row->run)                                      \
    COLUMN(rank, INT32, false, row->rank)                                    \
    COLUMN(thread, INT32, false, row->thread)                                \
    COLUMN(op, TEXT, false, op_name(writer, row))                            \
    COLUMN(comm, TEXT, false, syn_export_comm(writer, row->comm))            \
    COLUMN(comm_size, INT32, false, syn_export_comm_size(writer, row->comm)) \
    COLUMN(comm_rank, INT32, true, rank_in_comm(writer, row))                \
    COLUMN(seq, UINT64, false, row->sequence)                                \
    COLUMN(site, TEXT, false, row->site)                                     \
    COLUMN(bytes, UINT64, false, row->bytes)                                 \
    COLUMN(root, INT32, true, FIGURE(root))                                  \
    COLUMN(start_ns, INT64, false, row->start_ns)                            \
    COLUMN(end_ns, INT64, false, row->end_ns)                                \
    COLUMN(call_end_ns, INT64, false, row->call_end_ns)                      \
    COLUMN(wait_start_ns, INT64, false, row->wait_start_ns)                  \
    COLUMN(flags, INT32, false, row->flags)                                  \
    COLUMN(phase, TEXT, true, phase_name(writer, row))                       \
    COLUMN(messages_ns, INT64, true, FIGURE(messages_ns))                    \
    COLUMN(off_cpu_ns, INT64, true, FIGURE(off_cpu_ns))                      \
    COLUMN(wait_messages_ns, INT64, true, FIGURE(wait_messages_ns))          \
    COLUMN(wait_off_cpu_ns, INT64, true, FIGURE(wait_off_cpu_ns))            \
    COLUMN(waiting_ns, INT64, true, FIGURE(waiting_ns))                      \
    COLUMN(peer, INT32, true, OF_MESSAGE(peer))                              \
    COLUMN(tag, INT32, true, OF_MESSAGE(tag))                                \
    COLUMN(message_bits, INT32, true, OF_MESSAGE(message_bits))              \
    COLUMN(start_bound_ns, INT64, true, FIGURE(start_bound_ns))              \
    COLUMN(end_bound_ns, INT64, true, FIGURE(end_bound_ns))

#define PLACE(name, type, optional, what) PLACE_OF_##name,
enum { EACH_COLUMN(PLACE) PLACE_END };
_Static_assert(PLACE_OF_waiting_ns == SYN_COLUMN_WAITING &&
                   PLACE_OF_start_bound_ns == SYN_COLUMNS && PLACE_END == SYN_COLUMNS_AND_BOUNDS,
               "columns stand where columns.h says");

#define VALUE(name, type, optional, what)                                                       \
    static int64_t name##_of(const struct syn_export_writer *writer, const struct syn_row *row) \
    {                                                                                           \
        (void)writer;                                                                           \
        return (int64_t)(what);                                                                 \
    }
EACH_COLUMN(VALUE)

#define ROW(name, type, optional, what) {#name, SYN_COLUMN_##type, optional, name##_of},
const struct syn_export_column syn_export_columns[SYN_COLUMNS_AND_BOUNDS] = {EACH_COLUMN(ROW)};
