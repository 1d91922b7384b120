/* analyze/export/columns.c - see columns.h. */
#include "analyze/export/columns.h"

#define VALUE_OF(column, what)                                                                    \
    static int64_t column##_of(const struct syn_export_writer *writer, const struct syn_row *row) \
    {                                                                                             \
        (void)writer;                                                                             \
        return (int64_t)(what);                                                                   \
    }
#define FIGURE_OF(column)  VALUE_OF(column, row->column < 0 ? SYN_NO_VALUE : row->column)
#define MESSAGE_OF(column) VALUE_OF(column, row->is_message ? row->column : SYN_NO_VALUE)
VALUE_OF(run, row->run)
VALUE_OF(rank, row->rank)
VALUE_OF(thread, row->thread)
VALUE_OF(sequence, row->sequence)
VALUE_OF(site, row->site)
VALUE_OF(bytes, row->bytes)
FIGURE_OF(root)
VALUE_OF(start_ns, row->start_ns)
VALUE_OF(end_ns, row->end_ns)
VALUE_OF(call_end_ns, row->call_end_ns)
VALUE_OF(wait_start_ns, row->wait_start_ns)
VALUE_OF(flags, row->flags)
FIGURE_OF(messages_ns)
FIGURE_OF(off_cpu_ns)
FIGURE_OF(wait_messages_ns)
FIGURE_OF(wait_off_cpu_ns)
FIGURE_OF(waiting_ns)
MESSAGE_OF(peer)
MESSAGE_OF(tag)
MESSAGE_OF(message_bits)
FIGURE_OF(start_bound_ns)
FIGURE_OF(end_bound_ns)

static int64_t op_of(const struct syn_export_writer *writer, const struct syn_row *row)
{
    char bytes[SYN_EXPORT_OP_BYTES];
    return syn_names_id(writer->rank.names, syn_export_op(row, bytes));
}

static int64_t comm_of(const struct syn_export_writer *writer, const struct syn_row *row)
{
    return syn_export_comm(writer, row->comm);
}

static int64_t comm_size_of(const struct syn_export_writer *writer, const struct syn_row *row)
{
    return syn_export_comm_size(writer, row->comm);
}

static int64_t comm_rank_of(const struct syn_export_writer *writer, const struct syn_row *row)
{
    const struct syn_comm_record *record = syn_rank_comm(writer->rank.file, row->comm);
    return record ? record->rank : -1;
}

/* Returns the phase's name number. */
static int64_t phase_of(const struct syn_export_writer *writer, const struct syn_row *row)
{
    const char *name = syn_names_text(writer->rank.names, row->phase);
    return name && name[0] ? (int64_t)row->phase : SYN_NO_VALUE;
}

const struct syn_export_column syn_export_columns[SYN_COLUMNS_AND_BOUNDS] = {
    {"run", SYN_COLUMN_INT32, false, run_of},
    {"rank", SYN_COLUMN_INT32, false, rank_of},
    {"thread", SYN_COLUMN_INT32, false, thread_of},
    {"op", SYN_COLUMN_TEXT, false, op_of},
    {"comm", SYN_COLUMN_TEXT, false, comm_of},
    {"comm_size", SYN_COLUMN_INT32, false, comm_size_of},
    {"comm_rank", SYN_COLUMN_INT32, true, comm_rank_of},
    {"seq", SYN_COLUMN_UINT64, false, sequence_of},
    {"site", SYN_COLUMN_TEXT, false, site_of},
    {"bytes", SYN_COLUMN_UINT64, false, bytes_of},
    {"root", SYN_COLUMN_INT32, true, root_of},
    {"start_ns", SYN_COLUMN_INT64, false, start_ns_of},
    {"end_ns", SYN_COLUMN_INT64, false, end_ns_of},
    {"call_end_ns", SYN_COLUMN_INT64, false, call_end_ns_of},
    {"wait_start_ns", SYN_COLUMN_INT64, false, wait_start_ns_of},
    {"flags", SYN_COLUMN_INT32, false, flags_of},
    {"phase", SYN_COLUMN_TEXT, true, phase_of},
    {"messages_ns", SYN_COLUMN_INT64, true, messages_ns_of},
    {"off_cpu_ns", SYN_COLUMN_INT64, true, off_cpu_ns_of},
    {"wait_messages_ns", SYN_COLUMN_INT64, true, wait_messages_ns_of},
    {"wait_off_cpu_ns", SYN_COLUMN_INT64, true, wait_off_cpu_ns_of},
    [SYN_COLUMN_WAITING] = {"waiting_ns", SYN_COLUMN_INT64, true, waiting_ns_of},
    {"peer", SYN_COLUMN_INT32, true, peer_of},
    {"tag", SYN_COLUMN_INT32, true, tag_of},
    {"message_bits", SYN_COLUMN_INT32, true, message_bits_of},
    [SYN_COLUMNS] = {"start_bound_ns", SYN_COLUMN_INT64, true, start_bound_ns_of},
    {"end_bound_ns", SYN_COLUMN_INT64, true, end_bound_ns_of},
};
