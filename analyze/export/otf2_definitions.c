/* analyze/export/otf2_definitions.c - writes the definitions that an archive's events refer to. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/export/otf2.h"
#include "analyze/print/text.h"
#include "sync/base/vector.h"
#include "trace/base/ops.h"
#include "trace/events/message.h"

/* Writes a string, without control characters: names come from a program, and readers print them
 * unchanged. */
static OTF2_ErrorCode define_string(struct syn_otf2_definitions *definitions, const char *text,
                                    OTF2_StringRef *out)
{
    struct syn_text harmless = {0};
    syn_text_harmless(&harmless, text);
    *out = definitions->string_count++;
    const OTF2_ErrorCode code = harmless.failed
                                    ? OTF2_ERROR_MEM_ALLOC_FAILED
                                    : OTF2_GlobalDefWriter_WriteString(definitions->writer, *out,
                                                                       syn_text_chars(&harmless));
    syn_text_free(&harmless);
    return code;
}

OTF2_ErrorCode syn_otf2_begin(struct syn_otf2_definitions *definitions, int64_t length_ns,
                              int64_t start_unix_ns)
{
    static const struct {
        const char *name, *description;
        OTF2_Type type;
    } attributes[SYN_OTF2_ATTRIBUTES] = {
        [SYN_OTF2_SITE] = {"call site", "where the program makes the call", OTF2_TYPE_STRING},
        [SYN_OTF2_SEQUENCE] = {"sequence", "number of the call on its communicator",
                               OTF2_TYPE_UINT64},
        [SYN_OTF2_BYTES] = {"bytes", "payload as the recorder counts it", OTF2_TYPE_UINT64},
        [SYN_OTF2_PHASE] = {"phase", "of MPI_Pcontrol", OTF2_TYPE_STRING},
        [SYN_OTF2_SOURCE_LINE] = {"source line", "of the call site",
                                  OTF2_TYPE_SOURCE_CODE_LOCATION},
    };
    OTF2_StringRef machine, class_name, name, description;
    OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteClockProperties(
        definitions->writer, 1000000000, 0, (uint64_t)length_ns,
        start_unix_ns > 0 ? (uint64_t)start_unix_ns : OTF2_UNDEFINED_TIMESTAMP);
    if (code == OTF2_SUCCESS)
        code = define_string(definitions, "", &definitions->empty);
    for (uint32_t i = 0; i < SYN_OTF2_ATTRIBUTES && code == OTF2_SUCCESS; i++) {
        code = define_string(definitions, attributes[i].name, &name);
        if (code == OTF2_SUCCESS)
            code = define_string(definitions, attributes[i].description, &description);
        if (code == OTF2_SUCCESS)
            code = OTF2_GlobalDefWriter_WriteAttribute(definitions->writer, i, name, description,
                                                       attributes[i].type);
    }
    if (code == OTF2_SUCCESS)
        code = define_string(definitions, "MPI", &name);
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteParadigm(definitions->writer, OTF2_PARADIGM_MPI, name,
                                                  OTF2_PARADIGM_CLASS_PROCESS);
    if (code == OTF2_SUCCESS)
        code = define_string(definitions, "machine", &machine);
    if (code == OTF2_SUCCESS)
        code = define_string(definitions, "node", &class_name);
    if (code != OTF2_SUCCESS)
        return code;
    definitions->node_count = 1;
    return OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions->writer, 0, machine, machine,
                                                    OTF2_UNDEFINED_SYSTEM_TREE_NODE);
}

static bool has_room(struct syn_otf2_definitions *definitions, uint32_t name)
{
    if (name < definitions->name_count)
        return true;
    const size_t count = 2 * (size_t)name + 64, known = definitions->name_count;
    if (SYN_RESERVE(definitions->string_of_name, count) ||
        SYN_RESERVE(definitions->node_of_name, count) ||
        SYN_RESERVE(definitions->line_of_name, count))
        return false;
    memset(definitions->string_of_name + known, 0, (count - known) * sizeof(uint32_t));
    memset(definitions->node_of_name + known, 0, (count - known) * sizeof(uint32_t));
    memset(definitions->line_of_name + known, 0, (count - known) * sizeof(uint32_t));
    definitions->name_count = count;
    return true;
}

OTF2_ErrorCode syn_otf2_name(struct syn_otf2_definitions *definitions,
                             const struct syn_names *names, uint32_t name, OTF2_StringRef *out)
{
    if (!has_room(definitions, name))
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    uint32_t *known = &definitions->string_of_name[name];
    if (*known) {
        *out = *known - 1;
        return OTF2_SUCCESS;
    }
    const char *text = syn_names_text(names, name);
    *known = definitions->string_count + 1;
    return define_string(definitions, text ? text : "?", out);
}

/* Returns the length of "main.c" in "main.c:31 solve", and sets *line to 31. Returns 0 if the name
 * has another form. */
static size_t split_line(const char *name, uint32_t *line)
{
    const char *colon = strchr(name, ':');
    char *end;
    if (!colon || colon == name || colon[1] < '1' || colon[1] > '9')
        return 0;
    *line = (uint32_t)strtoul(colon + 1, &end, 10);
    return *end == ' ' || *end == '\0' ? (size_t)(colon - name) : 0;
}

static OTF2_ErrorCode write_line(struct syn_otf2_definitions *definitions, const char *name,
                                 uint32_t *known)
{
    char file[NAME_MAX + 1];
    OTF2_StringRef text;
    uint32_t line = 0;
    const size_t length = split_line(name, &line);
    *known = UINT32_MAX;
    if (length == 0 || length >= sizeof file)
        return OTF2_SUCCESS;
    memcpy(file, name, length);
    file[length] = '\0';
    const OTF2_ErrorCode code = define_string(definitions, file, &text);
    if (code != OTF2_SUCCESS)
        return code;
    *known = ++definitions->line_count;
    return OTF2_GlobalDefWriter_WriteSourceCodeLocation(definitions->writer, *known - 1, text,
                                                        line);
}

OTF2_ErrorCode syn_otf2_source_line(struct syn_otf2_definitions *definitions,
                                    const struct syn_names *names, uint32_t name,
                                    OTF2_SourceCodeLocationRef *out)
{
    if (!has_room(definitions, name))
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    uint32_t *known = &definitions->line_of_name[name];
    const char *text = syn_names_text(names, name);
    const OTF2_ErrorCode code =
        *known ? OTF2_SUCCESS : write_line(definitions, text ? text : "", known);
    *out = *known == UINT32_MAX ? OTF2_UNDEFINED_SOURCE_CODE_LOCATION : *known - 1;
    return code;
}

static OTF2_ErrorCode write_region(struct syn_otf2_definitions *definitions, const char *name,
                                   OTF2_RegionRole role, uint32_t *known)
{
    OTF2_StringRef text;
    OTF2_ErrorCode code = define_string(definitions, name, &text);
    if (code != OTF2_SUCCESS)
        return code;
    *known = ++definitions->region_count;
    return OTF2_GlobalDefWriter_WriteRegion(definitions->writer, *known - 1, text, text,
                                            definitions->empty, role, OTF2_PARADIGM_MPI,
                                            OTF2_REGION_FLAG_NONE, definitions->empty, 0, 0);
}

static OTF2_RegionRole role_of(uint16_t op)
{
    if (syn_is_message(op))
        return OTF2_REGION_ROLE_POINT2POINT;
    switch (op % SYN_OP_FORM_STRIDE) {
    case SYN_ROW_BARRIER:
        return OTF2_REGION_ROLE_BARRIER;
    case SYN_ROW_BCAST:
    case SYN_ROW_SCATTER:
    case SYN_ROW_SCATTERV:
        return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case SYN_ROW_GATHER:
    case SYN_ROW_GATHERV:
    case SYN_ROW_REDUCE:
        return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case SYN_ROW_ALLGATHER:
    case SYN_ROW_ALLGATHERV:
    case SYN_ROW_ALLTOALL:
    case SYN_ROW_ALLTOALLV:
    case SYN_ROW_ALLTOALLW:
    case SYN_ROW_ALLREDUCE:
    case SYN_ROW_REDUCE_SCATTER:
    case SYN_ROW_REDUCE_SCATTER_BLOCK:
        return OTF2_REGION_ROLE_COLL_ALL2ALL;
    default:
        break;
    }
    switch (syn_op_class(op, NULL)) {
    case SYN_CLASS_WINDOW:
        return OTF2_REGION_ROLE_RMA;
    case SYN_CLASS_FILE:
        return OTF2_REGION_ROLE_FILE_IO;
    default:
        return OTF2_REGION_ROLE_COLL_OTHER;
    }
}

bool syn_otf2_op(uint16_t op, OTF2_CollectiveOp *out)
{
    if (syn_is_message(op))
        return false;
    static const OTF2_CollectiveOp codes[] = {
        [SYN_ROW_BARRIER] = OTF2_COLLECTIVE_OP_BARRIER,
        [SYN_ROW_BCAST] = OTF2_COLLECTIVE_OP_BCAST,
        [SYN_ROW_GATHER] = OTF2_COLLECTIVE_OP_GATHER,
        [SYN_ROW_GATHERV] = OTF2_COLLECTIVE_OP_GATHERV,
        [SYN_ROW_SCATTER] = OTF2_COLLECTIVE_OP_SCATTER,
        [SYN_ROW_SCATTERV] = OTF2_COLLECTIVE_OP_SCATTERV,
        [SYN_ROW_ALLGATHER] = OTF2_COLLECTIVE_OP_ALLGATHER,
        [SYN_ROW_ALLGATHERV] = OTF2_COLLECTIVE_OP_ALLGATHERV,
        [SYN_ROW_ALLTOALL] = OTF2_COLLECTIVE_OP_ALLTOALL,
        [SYN_ROW_ALLTOALLV] = OTF2_COLLECTIVE_OP_ALLTOALLV,
        [SYN_ROW_ALLTOALLW] = OTF2_COLLECTIVE_OP_ALLTOALLW,
        [SYN_ROW_REDUCE] = OTF2_COLLECTIVE_OP_REDUCE,
        [SYN_ROW_ALLREDUCE] = OTF2_COLLECTIVE_OP_ALLREDUCE,
        [SYN_ROW_REDUCE_SCATTER] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
        [SYN_ROW_REDUCE_SCATTER_BLOCK] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK,
        [SYN_ROW_SCAN] = OTF2_COLLECTIVE_OP_SCAN,
        [SYN_ROW_EXSCAN] = OTF2_COLLECTIVE_OP_EXSCAN,
    };
    const unsigned row = op % SYN_OP_FORM_STRIDE;
    if (row < sizeof codes / sizeof *codes) {
        *out = codes[row];
        return true;
    }
    *out = row == SYN_ROW_COMM_FREE ? OTF2_COLLECTIVE_OP_DESTROY_HANDLE
                                    : OTF2_COLLECTIVE_OP_CREATE_HANDLE;
    return row < SYN_ROW_COUNT && syn_op_class(op, NULL) == SYN_CLASS_COMM;
}

OTF2_ErrorCode syn_otf2_region(struct syn_otf2_definitions *definitions, uint16_t op,
                               const char *name, OTF2_RegionRef *out)
{
    uint32_t *known = &definitions->region_of_op[op];
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (!*known)
        code = write_region(definitions, name ? name : "unknown operation", role_of(op), known);
    *out = *known - 1;
    return code;
}

OTF2_ErrorCode syn_otf2_wait_region(struct syn_otf2_definitions *definitions, OTF2_RegionRef *out)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (!definitions->wait_region)
        code = write_region(definitions, "MPI completion", OTF2_REGION_ROLE_COLL_OTHER,
                            &definitions->wait_region);
    *out = definitions->wait_region - 1;
    return code;
}

/* Writes a communicator. If its records are missing or disagree, the members are unknown: an empty
 * group. */
static OTF2_ErrorCode write_comm(struct syn_otf2_definitions *definitions,
                                 const struct syn_communicator *comm, const struct syn_names *names,
                                 uint32_t index)
{
    const uint32_t count = comm->world_rank ? comm->known_count : 0;
    uint64_t *members = calloc((size_t)count + 1, sizeof *members);
    OTF2_StringRef name;
    OTF2_ErrorCode code = members ? syn_otf2_name(definitions, names, comm->label, &name)
                                  : OTF2_ERROR_MEM_ALLOC_FAILED;
    for (uint32_t m = 0; m < count && members; m++)
        members[m] = comm->world_rank[m];
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteGroup(definitions->writer, index + 1, name,
                                               OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                               OTF2_GROUP_FLAG_NONE, count, members);
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteComm(definitions->writer, index, name, index + 1,
                                              OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    free(members);
    return code;
}

OTF2_ErrorCode syn_otf2_comms(struct syn_otf2_definitions *definitions,
                              const struct syn_comms *comms, const struct syn_names *names)
{
    /* Group 0 has the locations of MPI_COMM_WORLD. Group i + 1 has the members of communicator
     * i. */
    uint64_t *members = calloc((size_t)comms->rank_count + 1, sizeof *members);
    OTF2_ErrorCode code = members ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED;
    for (int32_t r = 0; r < comms->rank_count && members; r++)
        members[r] = (uint64_t)r;
    if (code == OTF2_SUCCESS)
        code = OTF2_GlobalDefWriter_WriteGroup(
            definitions->writer, 0, definitions->empty, OTF2_GROUP_TYPE_COMM_LOCATIONS,
            OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, (uint32_t)comms->rank_count, members);
    free(members);
    for (size_t i = 0; i < comms->count && code == OTF2_SUCCESS; i++)
        code = write_comm(definitions, &comms->comm[i], names, (uint32_t)i);
    return code;
}

OTF2_ErrorCode syn_otf2_process(struct syn_otf2_definitions *definitions,
                                const struct syn_names *names, int32_t rank, uint32_t node_name)
{
    OTF2_StringRef text, class_name;
    char name[32];
    OTF2_ErrorCode code = syn_otf2_name(definitions, names, node_name, &text);
    if (code != OTF2_SUCCESS)
        return code;
    uint32_t *node = &definitions->node_of_name[node_name];
    if (!*node) {
        *node = definitions->node_count++;
        code = define_string(definitions, "node", &class_name);
        if (code == OTF2_SUCCESS)
            code = OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions->writer, *node, text,
                                                            class_name, 0);
    }
    snprintf(name, sizeof name, "MPI Rank %d", rank);
    if (code == OTF2_SUCCESS)
        code = define_string(definitions, name, &text);
    return code != OTF2_SUCCESS
               ? code
               : OTF2_GlobalDefWriter_WriteLocationGroup(definitions->writer, (uint32_t)rank, text,
                                                         OTF2_LOCATION_GROUP_TYPE_PROCESS, *node,
                                                         OTF2_UNDEFINED_LOCATION_GROUP);
}

OTF2_ErrorCode syn_otf2_location(struct syn_otf2_definitions *definitions, uint64_t location,
                                 int32_t rank, uint32_t thread, uint64_t event_count)
{
    OTF2_StringRef text;
    char name[48];
    if (thread == 0)
        snprintf(name, sizeof name, "Master thread");
    else
        snprintf(name, sizeof name, "Thread %u", thread);
    OTF2_ErrorCode code = define_string(definitions, name, &text);
    return code != OTF2_SUCCESS
               ? code
               : OTF2_GlobalDefWriter_WriteLocation(definitions->writer, location, text,
                                                    OTF2_LOCATION_TYPE_CPU_THREAD, event_count,
                                                    (uint32_t)rank);
}

void syn_otf2_free(struct syn_otf2_definitions *definitions)
{
    free(definitions->string_of_name);
    free(definitions->node_of_name);
    free(definitions->line_of_name);
}
