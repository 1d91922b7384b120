/* analyze/export/parquet_columns.c - the table of columns of the Parquet export. */
#include "analyze/export/parquet_columns.h"

#include "trace/base/calls.h"
#include "trace/base/ops.h"

#define COLUMN_OF(member)                                                                   \
    static int64_t member##_of(struct syn_export_writer *writer, const struct syn_row *row) \
    {                                                                                       \
        (void)writer;                                                                       \
        return (int64_t)row->member;                                                        \
    }
COLUMN_OF(run)
COLUMN_OF(rank)
COLUMN_OF(thread)
COLUMN_OF(sequence)
COLUMN_OF(site)
COLUMN_OF(bytes)
COLUMN_OF(root)
COLUMN_OF(start_ns)
COLUMN_OF(end_ns)
COLUMN_OF(call_end_ns)
COLUMN_OF(wait_start_ns)
COLUMN_OF(flags)
COLUMN_OF(messages_ns)
COLUMN_OF(off_cpu_ns)
COLUMN_OF(wait_messages_ns)
COLUMN_OF(wait_off_cpu_ns)
COLUMN_OF(waiting_ns)

static int64_t op_of(struct syn_export_writer *writer, const struct syn_row *row)
{
    const char *name = row->is_message ? syn_call_name(row->op) : syn_op_name(row->op);
    return syn_names_id(writer->rank.names, name ? name : "operation");
}

static int64_t peer_of(struct syn_export_writer *writer, const struct syn_row *row)
{
    (void)writer;
    return row->is_message ? row->peer : -1;
}

static int64_t tag_of(struct syn_export_writer *writer, const struct syn_row *row)
{
    (void)writer;
    return row->is_message ? row->tag : -1;
}

static int64_t message_bits_of(struct syn_export_writer *writer, const struct syn_row *row)
{
    (void)writer;
    return row->is_message ? row->message_bits : -1;
}

static int64_t comm_of(struct syn_export_writer *writer, const struct syn_row *row)
{
    return syn_names_id(writer->rank.names, syn_export_comm_label(writer, row->comm));
}

static int64_t comm_size_of(struct syn_export_writer *writer, const struct syn_row *row)
{
    return syn_export_comm_size(writer, row->comm);
}

static int64_t comm_rank_of(struct syn_export_writer *writer, const struct syn_row *row)
{
    const struct syn_comm_record *record = syn_rank_comm(writer->rank.file, row->comm);
    return record ? record->rank : -1;
}

/* Null where the program was in no phase. */
static int64_t phase_of(struct syn_export_writer *writer, const struct syn_row *row)
{
    const char *name = syn_names_text(writer->rank.names, row->phase);
    return name && name[0] ? (int64_t)row->phase : -1;
}

const struct syn_parquet_column syn_parquet_column[SYN_PARQUET_COLUMN_COUNT] = {
    {"run", SYN_PARQUET_INT32, false, run_of},
    {"rank", SYN_PARQUET_INT32, false, rank_of},
    {"thread", SYN_PARQUET_INT32, false, thread_of},
    {"op", SYN_PARQUET_TEXT, false, op_of},
    {"comm", SYN_PARQUET_TEXT, false, comm_of},
    {"comm_size", SYN_PARQUET_INT32, false, comm_size_of},
    {"comm_rank", SYN_PARQUET_INT32, true, comm_rank_of},
    {"seq", SYN_PARQUET_INT64, false, sequence_of},
    {"site", SYN_PARQUET_TEXT, false, site_of},
    {"bytes", SYN_PARQUET_INT64, false, bytes_of},
    {"root", SYN_PARQUET_INT32, true, root_of},
    {"start_ns", SYN_PARQUET_INT64, false, start_ns_of},
    {"end_ns", SYN_PARQUET_INT64, false, end_ns_of},
    {"call_end_ns", SYN_PARQUET_INT64, false, call_end_ns_of},
    {"wait_start_ns", SYN_PARQUET_INT64, false, wait_start_ns_of},
    {"flags", SYN_PARQUET_INT32, false, flags_of},
    {"phase", SYN_PARQUET_TEXT, true, phase_of},
    {"messages_ns", SYN_PARQUET_INT64, true, messages_ns_of},
    {"off_cpu_ns", SYN_PARQUET_INT64, true, off_cpu_ns_of},
    {"wait_messages_ns", SYN_PARQUET_INT64, true, wait_messages_ns_of},
    {"wait_off_cpu_ns", SYN_PARQUET_INT64, true, wait_off_cpu_ns_of},
    {"waiting_ns", SYN_PARQUET_INT64, true, waiting_ns_of},
    {"peer", SYN_PARQUET_INT32, true, peer_of},
    {"tag", SYN_PARQUET_INT32, true, tag_of},
    {"message_bits", SYN_PARQUET_INT32, true, message_bits_of},
};
