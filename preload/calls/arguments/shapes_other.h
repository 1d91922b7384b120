/* preload/calls/arguments/shapes_other.h - the parameter lists of the collectives on communicators,
 * windows and files (SYN_OTHER in trace/base/ops.def). shapes.h has those of the collectives on
 * data, and explains the language K.
 *
 * For each SHAPE:
 *   SYN_PARAMETERS_<SHAPE>(K)   its parameters. A nonblocking form appends a request.
 *   SYN_ARGUMENTS_<SHAPE>       the names of the parameters
 *   SYN_STRINGS_<SHAPE>         number of strings; Fortran appends their lengths behind ierror
 *   SYN_SUBJECT_<SHAPE>(K)      key (communicators.h) of the object that the call is collective on
 *   SYN_ORIGIN_<SHAPE>(K)       if the call makes an object: initializers of struct syn_origin
 *   SYN_MADE_<SHAPE>(K)         if the call makes an object: the key of the new object
 *   SYN_TRANSFER_<SHAPE>(K)     if the call transfers data: as in shapes.h */
#ifndef SYN_SHAPES_OTHER_H
#define SYN_SHAPES_OTHER_H

#include "preload/calls/arguments/shapes.h"
#include "preload/comms/communicators.h"

#define SYN_C_INT(name)           int name
#define SYN_C_INTS(name)          const int name[]
#define SYN_C_UNIT(name)          int name
#define SYN_C_AINT(name)          MPI_Aint name
#define SYN_C_OFFSET(name)        MPI_Offset name
#define SYN_C_TEXT(name)          const char *name
#define SYN_C_TEXTS(name)         char *name[]
#define SYN_C_TEXT_LISTS(name)    char **name[]
#define SYN_C_INFOS(name)         const MPI_Info name[]
#define SYN_C_INTS_OUT(name)      int name[]
#define SYN_C_OUT(name)           void *name
#define SYN_C_STATUS(name)        MPI_Status *name
#define SYN_C_GROUP(name)         MPI_Group name
#define SYN_C_ERRHANDLER(name)    MPI_Errhandler name
#define SYN_C_WINDOW(name)        MPI_Win name
#define SYN_C_FILE(name)          MPI_File name
#define SYN_C_COMM_AT(name)       MPI_Comm *name
#define SYN_C_WINDOW_AT(name)     MPI_Win *name
#define SYN_C_FILE_AT(name)       MPI_File *name
#define SYN_C_READ_INT(name)      name
#define SYN_C_KEY_COMM(name)      syn_key_of_comm(name)
#define SYN_C_KEY_WINDOW(name)    syn_key_of_window(name)
#define SYN_C_KEY_FILE(name)      syn_key_of_file(name)
#define SYN_C_KEY_COMM_AT(name)   syn_key_of_comm(*(name))
#define SYN_C_KEY_WINDOW_AT(name) syn_key_of_window(*(name))
#define SYN_C_KEY_FILE_AT(name)   syn_key_of_file(*(name))
#define SYN_C_READ_REQUEST(name)  *name

#define SYN_L_INT(name)           SYN_C_INT(name)
#define SYN_L_INTS(name)          SYN_C_INTS(name)
#define SYN_L_UNIT(name)          MPI_Aint name
#define SYN_L_AINT(name)          SYN_C_AINT(name)
#define SYN_L_OFFSET(name)        SYN_C_OFFSET(name)
#define SYN_L_TEXT(name)          SYN_C_TEXT(name)
#define SYN_L_OUT(name)           SYN_C_OUT(name)
#define SYN_L_STATUS(name)        SYN_C_STATUS(name)
#define SYN_L_WINDOW(name)        SYN_C_WINDOW(name)
#define SYN_L_FILE(name)          SYN_C_FILE(name)
#define SYN_L_WINDOW_AT(name)     SYN_C_WINDOW_AT(name)
#define SYN_L_FILE_AT(name)       SYN_C_FILE_AT(name)
#define SYN_L_KEY_COMM(name)      SYN_C_KEY_COMM(name)
#define SYN_L_KEY_WINDOW(name)    SYN_C_KEY_WINDOW(name)
#define SYN_L_KEY_FILE(name)      SYN_C_KEY_FILE(name)
#define SYN_L_KEY_WINDOW_AT(name) SYN_C_KEY_WINDOW_AT(name)
#define SYN_L_KEY_FILE_AT(name)   SYN_C_KEY_FILE_AT(name)
#define SYN_L_READ_REQUEST(name)  *name

#define SYN_F_INT(name)           MPI_Fint *name
#define SYN_F_INTS(name)          MPI_Fint *name
#define SYN_F_UNIT(name)          MPI_Fint *name
#define SYN_F_AINT(name)          MPI_Aint *name
#define SYN_F_OFFSET(name)        MPI_Offset *name
#define SYN_F_TEXT(name)          const char *name
#define SYN_F_TEXTS(name)         void *name
#define SYN_F_TEXT_LISTS(name)    void *name
#define SYN_F_INFOS(name)         MPI_Fint *name
#define SYN_F_INTS_OUT(name)      MPI_Fint *name
#define SYN_F_OUT(name)           void *name
#define SYN_F_STATUS(name)        void *name
#define SYN_F_GROUP(name)         MPI_Fint *name
#define SYN_F_ERRHANDLER(name)    MPI_Fint *name
#define SYN_F_WINDOW(name)        MPI_Fint *name
#define SYN_F_FILE(name)          MPI_Fint *name
#define SYN_F_COMM_AT(name)       MPI_Fint *name
#define SYN_F_WINDOW_AT(name)     MPI_Fint *name
#define SYN_F_FILE_AT(name)       MPI_Fint *name
#define SYN_F_READ_INT(name)      *name
#define SYN_F_KEY_COMM(name)      syn_key_of_comm(syn_comm_f2c(*(name)))
#define SYN_F_KEY_WINDOW(name)    syn_key_of_window(syn_window_f2c(*(name)))
#define SYN_F_KEY_FILE(name)      syn_key_of_file(syn_file_f2c(*(name)))
#define SYN_F_KEY_COMM_AT(name)   SYN_F_KEY_COMM(name)
#define SYN_F_KEY_WINDOW_AT(name) SYN_F_KEY_WINDOW(name)
#define SYN_F_KEY_FILE_AT(name)   SYN_F_KEY_FILE(name)
#define SYN_F_READ_REQUEST(name)  syn_request_f2c(*name)

#define SYN_D_INT(name)           SYN_F_INT(name)
#define SYN_D_INTS(name)          SYN_F_INTS(name)
#define SYN_D_AINT(name)          SYN_F_AINT(name)
#define SYN_D_OFFSET(name)        SYN_F_OFFSET(name)
#define SYN_D_TEXT(name)          SYN_F_TEXT(name)
#define SYN_D_TEXTS(name)         SYN_F_TEXTS(name)
#define SYN_D_TEXT_LISTS(name)    SYN_F_TEXT_LISTS(name)
#define SYN_D_INFOS(name)         SYN_F_INFOS(name)
#define SYN_D_INTS_OUT(name)      SYN_F_INTS_OUT(name)
#define SYN_D_OUT(name)           SYN_F_OUT(name)
#define SYN_D_STATUS(name)        SYN_F_STATUS(name)
#define SYN_D_GROUP(name)         SYN_F_GROUP(name)
#define SYN_D_ERRHANDLER(name)    SYN_F_ERRHANDLER(name)
#define SYN_D_WINDOW(name)        SYN_F_WINDOW(name)
#define SYN_D_FILE(name)          SYN_F_FILE(name)
#define SYN_D_COMM_AT(name)       SYN_F_COMM_AT(name)
#define SYN_D_WINDOW_AT(name)     SYN_F_WINDOW_AT(name)
#define SYN_D_FILE_AT(name)       SYN_F_FILE_AT(name)
#define SYN_D_READ_INT(name)      SYN_F_READ_INT(name)
#define SYN_D_KEY_COMM(name)      SYN_F_KEY_COMM(name)
#define SYN_D_KEY_WINDOW(name)    SYN_F_KEY_WINDOW(name)
#define SYN_D_KEY_FILE(name)      SYN_F_KEY_FILE(name)
#define SYN_D_KEY_COMM_AT(name)   SYN_F_KEY_COMM_AT(name)
#define SYN_D_KEY_WINDOW_AT(name) SYN_F_KEY_WINDOW_AT(name)
#define SYN_D_KEY_FILE_AT(name)   SYN_F_KEY_FILE_AT(name)
#define SYN_D_READ_REQUEST(name)  SYN_F_READ_REQUEST(name)
#define SYN_D_TEXT_BYTES(name)    SYN_F_TEXT_BYTES(name)
#define SYN_D_UNIT(name)          MPI_Aint *name

/* ---- communicators ---- */

#define SYN_STRINGS_COMM_DUP       0
#define SYN_PARAMETERS_COMM_DUP(K) K##_COMM(comm), K##_COMM_AT(made)
#define SYN_ARGUMENTS_COMM_DUP     comm, made
#define SYN_SUBJECT_COMM_DUP(K)    K##_KEY_COMM(comm)
#define SYN_ORIGIN_COMM_DUP(K)     .how = SYN_HOW_DUP
#define SYN_MADE_COMM_DUP(K)       K##_KEY_COMM_AT(made)

#define SYN_STRINGS_COMM_DUP_WITH_INFO       0
#define SYN_PARAMETERS_COMM_DUP_WITH_INFO(K) K##_COMM(comm), K##_INFO(info), K##_COMM_AT(made)
#define SYN_ARGUMENTS_COMM_DUP_WITH_INFO     comm, info, made
#define SYN_SUBJECT_COMM_DUP_WITH_INFO(K)    K##_KEY_COMM(comm)
#define SYN_ORIGIN_COMM_DUP_WITH_INFO(K)     .how = SYN_HOW_DUP
#define SYN_MADE_COMM_DUP_WITH_INFO(K)       K##_KEY_COMM_AT(made)

#define SYN_STRINGS_COMM_SPLIT       0
#define SYN_PARAMETERS_COMM_SPLIT(K) K##_COMM(comm), K##_INT(color), K##_INT(key), K##_COMM_AT(made)
#define SYN_ARGUMENTS_COMM_SPLIT     comm, color, key, made
#define SYN_SUBJECT_COMM_SPLIT(K)    K##_KEY_COMM(comm)
#define SYN_ORIGIN_COMM_SPLIT(K)     .how = SYN_HOW_SPLIT
#define SYN_MADE_COMM_SPLIT(K)       K##_KEY_COMM_AT(made)

#define SYN_STRINGS_COMM_SPLIT_TYPE 0
#define SYN_PARAMETERS_COMM_SPLIT_TYPE(K) \
    K##_COMM(comm), K##_INT(type), K##_INT(key), K##_INFO(info), K##_COMM_AT(made)
#define SYN_ARGUMENTS_COMM_SPLIT_TYPE  comm, type, key, info, made
#define SYN_SUBJECT_COMM_SPLIT_TYPE(K) K##_KEY_COMM(comm)
#define SYN_ORIGIN_COMM_SPLIT_TYPE(K)  .how = SYN_HOW_SPLIT_TYPE
#define SYN_MADE_COMM_SPLIT_TYPE(K)    K##_KEY_COMM_AT(made)

#define SYN_STRINGS_COMM_CREATE       0
#define SYN_PARAMETERS_COMM_CREATE(K) K##_COMM(comm), K##_GROUP(group), K##_COMM_AT(made)
#define SYN_ARGUMENTS_COMM_CREATE     comm, group, made
#define SYN_SUBJECT_COMM_CREATE(K)    K##_KEY_COMM(comm)
#define SYN_ORIGIN_COMM_CREATE(K)     .how = SYN_HOW_GROUP
#define SYN_MADE_COMM_CREATE(K)       K##_KEY_COMM_AT(made)

#define SYN_STRINGS_COMM_CREATE_GROUP 0
#define SYN_PARAMETERS_COMM_CREATE_GROUP(K) \
    K##_COMM(comm), K##_GROUP(group), K##_INT(tag), K##_COMM_AT(made)
#define SYN_ARGUMENTS_COMM_CREATE_GROUP  comm, group, tag, made
#define SYN_SUBJECT_COMM_CREATE_GROUP(K) K##_KEY_COMM(comm)
#define SYN_ORIGIN_COMM_CREATE_GROUP(K)  .how = SYN_HOW_GROUP_ALONE, .tag = K##_READ_INT(tag)
#define SYN_MADE_COMM_CREATE_GROUP(K)    K##_KEY_COMM_AT(made)

#define SYN_STRINGS_INTERCOMM_CREATE 0
#define SYN_PARAMETERS_INTERCOMM_CREATE(K)                                                 \
    K##_COMM(comm), K##_INT(leader), K##_COMM(peer), K##_INT(remote_leader), K##_INT(tag), \
        K##_COMM_AT(made)
#define SYN_ARGUMENTS_INTERCOMM_CREATE  comm, leader, peer, remote_leader, tag, made
#define SYN_SUBJECT_INTERCOMM_CREATE(K) K##_KEY_COMM(comm)
#define SYN_ORIGIN_INTERCOMM_CREATE(K)  .how = SYN_HOW_LEADERS, .tag = K##_READ_INT(tag)
#define SYN_MADE_INTERCOMM_CREATE(K)    K##_KEY_COMM_AT(made)

#define SYN_STRINGS_COMM_FROM_GROUP 1
#define SYN_PARAMETERS_COMM_FROM_GROUP(K) \
    K##_GROUP(group), K##_TEXT(tag), K##_INFO(info), K##_ERRHANDLER(handler), K##_COMM_AT(made)
#define SYN_ARGUMENTS_COMM_FROM_GROUP group, tag, info, handler, made
#define SYN_ORIGIN_COMM_FROM_GROUP(K) \
    .how = SYN_HOW_FROM_GROUP, .text = tag, .text_bytes = K##_TEXT_BYTES(tag)
#define SYN_MADE_COMM_FROM_GROUP(K) K##_KEY_COMM_AT(made)

#define SYN_STRINGS_INTERCOMM_FROM_GROUPS 1
#define SYN_PARAMETERS_INTERCOMM_FROM_GROUPS(K)                                         \
    K##_GROUP(group), K##_INT(leader), K##_GROUP(remote_group), K##_INT(remote_leader), \
        K##_TEXT(tag), K##_INFO(info), K##_ERRHANDLER(handler), K##_COMM_AT(made)
#define SYN_ARGUMENTS_INTERCOMM_FROM_GROUPS \
    group, leader, remote_group, remote_leader, tag, info, handler, made
#define SYN_ORIGIN_INTERCOMM_FROM_GROUPS(K) SYN_ORIGIN_COMM_FROM_GROUP(K)
#define SYN_MADE_INTERCOMM_FROM_GROUPS(K)   K##_KEY_COMM_AT(made)

/* In Fortran MPI_ARGV_NULL and similar constants are passed on unchanged. `root` is the rank of
 * `comm` that starts the processes. */
#define SYN_STRINGS_COMM_SPAWN 2
#define SYN_PARAMETERS_COMM_SPAWN(K)                                                        \
    K##_TEXT(command), K##_TEXTS(arguments), K##_INT(count), K##_INFO(info), K##_INT(root), \
        K##_COMM(comm), K##_COMM_AT(made), K##_INTS_OUT(errors)
#define SYN_ARGUMENTS_COMM_SPAWN  command, arguments, count, info, root, comm, made, errors
#define SYN_SUBJECT_COMM_SPAWN(K) K##_KEY_COMM(comm)
#define SYN_ORIGIN_COMM_SPAWN(K)  .how = SYN_HOW_SPAWN
#define SYN_MADE_COMM_SPAWN(K)    K##_KEY_COMM_AT(made)

#define SYN_STRINGS_COMM_SPAWN_MULTIPLE 2
#define SYN_PARAMETERS_COMM_SPAWN_MULTIPLE(K)                                                 \
    K##_INT(command_count), K##_TEXTS(commands), K##_TEXT_LISTS(arguments), K##_INTS(counts), \
        K##_INFOS(infos), K##_INT(root), K##_COMM(comm), K##_COMM_AT(made), K##_INTS_OUT(errors)
#define SYN_ARGUMENTS_COMM_SPAWN_MULTIPLE \
    command_count, commands, arguments, counts, infos, root, comm, made, errors
#define SYN_SUBJECT_COMM_SPAWN_MULTIPLE(K) K##_KEY_COMM(comm)
#define SYN_ORIGIN_COMM_SPAWN_MULTIPLE(K)  .how = SYN_HOW_SPAWN
#define SYN_MADE_COMM_SPAWN_MULTIPLE(K)    K##_KEY_COMM_AT(made)

#define SYN_STRINGS_COMM_ACCEPT 1
#define SYN_PARAMETERS_COMM_ACCEPT(K) \
    K##_TEXT(port), K##_INFO(info), K##_INT(root), K##_COMM(comm), K##_COMM_AT(made)
#define SYN_ARGUMENTS_COMM_ACCEPT  port, info, root, comm, made
#define SYN_SUBJECT_COMM_ACCEPT(K) K##_KEY_COMM(comm)
#define SYN_ORIGIN_COMM_ACCEPT(K)  .how = SYN_HOW_CONNECTION
#define SYN_MADE_COMM_ACCEPT(K)    K##_KEY_COMM_AT(made)

#define SYN_STRINGS_INTERCOMM_MERGE       0
#define SYN_PARAMETERS_INTERCOMM_MERGE(K) K##_COMM(comm), K##_INT(high), K##_COMM_AT(made)
#define SYN_ARGUMENTS_INTERCOMM_MERGE     comm, high, made
#define SYN_SUBJECT_INTERCOMM_MERGE(K)    K##_KEY_COMM(comm)
#define SYN_ORIGIN_INTERCOMM_MERGE(K)     .how = SYN_HOW_MERGE
#define SYN_MADE_INTERCOMM_MERGE(K)       K##_KEY_COMM_AT(made)

#define SYN_STRINGS_CART_CREATE 0
#define SYN_PARAMETERS_CART_CREATE(K)                                                  \
    K##_COMM(comm), K##_INT(dimension_count), K##_INTS(dimensions), K##_INTS(periods), \
        K##_INT(reorder), K##_COMM_AT(made)
#define SYN_ARGUMENTS_CART_CREATE  comm, dimension_count, dimensions, periods, reorder, made
#define SYN_SUBJECT_CART_CREATE(K) K##_KEY_COMM(comm)
#define SYN_ORIGIN_CART_CREATE(K)                           \
    .how = SYN_HOW_CART, .number = (const int *)dimensions, \
    .number_count = K##_READ_INT(dimension_count)
#define SYN_MADE_CART_CREATE(K) K##_KEY_COMM_AT(made)

#define SYN_STRINGS_CART_SUB       0
#define SYN_PARAMETERS_CART_SUB(K) K##_COMM(comm), K##_INTS(remains), K##_COMM_AT(made)
#define SYN_ARGUMENTS_CART_SUB     comm, remains, made
#define SYN_SUBJECT_CART_SUB(K)    K##_KEY_COMM(comm)
#define SYN_ORIGIN_CART_SUB(K)     .how = SYN_HOW_CART_SUB, .number = (const int *)remains
#define SYN_MADE_CART_SUB(K)       K##_KEY_COMM_AT(made)

#define SYN_STRINGS_GRAPH_CREATE 0
#define SYN_PARAMETERS_GRAPH_CREATE(K)                                                      \
    K##_COMM(comm), K##_INT(node_count), K##_INTS(ends), K##_INTS(edges), K##_INT(reorder), \
        K##_COMM_AT(made)
#define SYN_ARGUMENTS_GRAPH_CREATE  comm, node_count, ends, edges, reorder, made
#define SYN_SUBJECT_GRAPH_CREATE(K) K##_KEY_COMM(comm)
#define SYN_ORIGIN_GRAPH_CREATE(K)  .how = SYN_HOW_GRAPH
#define SYN_MADE_GRAPH_CREATE(K)    K##_KEY_COMM_AT(made)

#define SYN_STRINGS_DIST_GRAPH_CREATE 0
#define SYN_PARAMETERS_DIST_GRAPH_CREATE(K)                                          \
    K##_COMM(comm), K##_INT(source_count), K##_INTS(sources), K##_INTS(degrees),     \
        K##_INTS(destinations), K##_INTS(weights), K##_INFO(info), K##_INT(reorder), \
        K##_COMM_AT(made)
#define SYN_ARGUMENTS_DIST_GRAPH_CREATE \
    comm, source_count, sources, degrees, destinations, weights, info, reorder, made
#define SYN_SUBJECT_DIST_GRAPH_CREATE(K) K##_KEY_COMM(comm)
#define SYN_ORIGIN_DIST_GRAPH_CREATE(K)  .how = SYN_HOW_GRAPH
#define SYN_MADE_DIST_GRAPH_CREATE(K)    K##_KEY_COMM_AT(made)

#define SYN_STRINGS_DIST_GRAPH_CREATE_ADJACENT 0
#define SYN_PARAMETERS_DIST_GRAPH_CREATE_ADJACENT(K)                                 \
    K##_COMM(comm), K##_INT(in_degree), K##_INTS(sources), K##_INTS(source_weights), \
        K##_INT(out_degree), K##_INTS(destinations), K##_INTS(destination_weights),  \
        K##_INFO(info), K##_INT(reorder), K##_COMM_AT(made)
#define SYN_ARGUMENTS_DIST_GRAPH_CREATE_ADJACENT                                                   \
    comm, in_degree, sources, source_weights, out_degree, destinations, destination_weights, info, \
        reorder, made
#define SYN_SUBJECT_DIST_GRAPH_CREATE_ADJACENT(K) K##_KEY_COMM(comm)
#define SYN_ORIGIN_DIST_GRAPH_CREATE_ADJACENT(K)  .how = SYN_HOW_GRAPH
#define SYN_MADE_DIST_GRAPH_CREATE_ADJACENT(K)    K##_KEY_COMM_AT(made)

#define SYN_STRINGS_FREED_COMM       0
#define SYN_PARAMETERS_FREED_COMM(K) K##_COMM_AT(comm)
#define SYN_ARGUMENTS_FREED_COMM     comm
#define SYN_SUBJECT_FREED_COMM(K)    (comm ? K##_KEY_COMM_AT(comm) : 0)

#define SYN_STRINGS_COMM_SHRINK       0
#define SYN_PARAMETERS_COMM_SHRINK(K) K##_COMM(comm), K##_COMM_AT(made)
#define SYN_ARGUMENTS_COMM_SHRINK     comm, made
#define SYN_SUBJECT_COMM_SHRINK(K)    K##_KEY_COMM(comm)
#define SYN_ORIGIN_COMM_SHRINK(K)     .how = SYN_HOW_SHRINK
#define SYN_MADE_COMM_SHRINK(K)       K##_KEY_COMM_AT(made)

#define SYN_STRINGS_COMM_AGREE       0
#define SYN_PARAMETERS_COMM_AGREE(K) K##_COMM(comm), K##_INTS_OUT(flag)
#define SYN_ARGUMENTS_COMM_AGREE     comm, flag
#define SYN_SUBJECT_COMM_AGREE(K)    K##_KEY_COMM(comm)

#define SYN_STRINGS_COMM_INFO       0
#define SYN_PARAMETERS_COMM_INFO(K) K##_COMM(comm), K##_INFO(info)
#define SYN_ARGUMENTS_COMM_INFO     comm, info
#define SYN_SUBJECT_COMM_INFO(K)    K##_KEY_COMM(comm)

/* ---- windows ---- */

#define SYN_STRINGS_WIN_CREATE 0
#define SYN_PARAMETERS_WIN_CREATE(K)                                                               \
    K##_BUFFER(base), K##_AINT(size), K##_UNIT(displacement_unit), K##_INFO(info), K##_COMM(comm), \
        K##_WINDOW_AT(made)
#define SYN_ARGUMENTS_WIN_CREATE  base, size, displacement_unit, info, comm, made
#define SYN_SUBJECT_WIN_CREATE(K) K##_KEY_COMM(comm)
#define SYN_ORIGIN_WIN_CREATE(K)  .how = SYN_HOW_WINDOW
#define SYN_MADE_WIN_CREATE(K)    K##_KEY_WINDOW_AT(made)

#define SYN_STRINGS_WIN_ALLOCATE 0
#define SYN_PARAMETERS_WIN_ALLOCATE(K)                                                          \
    K##_AINT(size), K##_UNIT(displacement_unit), K##_INFO(info), K##_COMM(comm), K##_OUT(base), \
        K##_WINDOW_AT(made)
#define SYN_ARGUMENTS_WIN_ALLOCATE  size, displacement_unit, info, comm, base, made
#define SYN_SUBJECT_WIN_ALLOCATE(K) K##_KEY_COMM(comm)
#define SYN_ORIGIN_WIN_ALLOCATE(K)  .how = SYN_HOW_WINDOW
#define SYN_MADE_WIN_ALLOCATE(K)    K##_KEY_WINDOW_AT(made)

#define SYN_STRINGS_WIN_CREATE_DYNAMIC       0
#define SYN_PARAMETERS_WIN_CREATE_DYNAMIC(K) K##_INFO(info), K##_COMM(comm), K##_WINDOW_AT(made)
#define SYN_ARGUMENTS_WIN_CREATE_DYNAMIC     info, comm, made
#define SYN_SUBJECT_WIN_CREATE_DYNAMIC(K)    K##_KEY_COMM(comm)
#define SYN_ORIGIN_WIN_CREATE_DYNAMIC(K)     .how = SYN_HOW_WINDOW
#define SYN_MADE_WIN_CREATE_DYNAMIC(K)       K##_KEY_WINDOW_AT(made)

#define SYN_STRINGS_WIN_FENCE       0
#define SYN_PARAMETERS_WIN_FENCE(K) K##_INT(assertion), K##_WINDOW(window)
#define SYN_ARGUMENTS_WIN_FENCE     assertion, window
#define SYN_SUBJECT_WIN_FENCE(K)    K##_KEY_WINDOW(window)

#define SYN_STRINGS_FREED_WINDOW       0
#define SYN_PARAMETERS_FREED_WINDOW(K) K##_WINDOW_AT(window)
#define SYN_ARGUMENTS_FREED_WINDOW     window
#define SYN_SUBJECT_FREED_WINDOW(K)    (window ? K##_KEY_WINDOW_AT(window) : 0)

#define SYN_STRINGS_WIN_INFO       0
#define SYN_PARAMETERS_WIN_INFO(K) K##_WINDOW(window), K##_INFO(info)
#define SYN_ARGUMENTS_WIN_INFO     window, info
#define SYN_SUBJECT_WIN_INFO(K)    K##_KEY_WINDOW(window)

/* ---- files ---- */

#define SYN_STRINGS_FILE_OPEN 1
#define SYN_PARAMETERS_FILE_OPEN(K) \
    K##_COMM(comm), K##_TEXT(path), K##_INT(mode), K##_INFO(info), K##_FILE_AT(made)
#define SYN_ARGUMENTS_FILE_OPEN  comm, path, mode, info, made
#define SYN_SUBJECT_FILE_OPEN(K) K##_KEY_COMM(comm)
#define SYN_ORIGIN_FILE_OPEN(K) \
    .how = SYN_HOW_FILE, .text = path, .text_bytes = K##_TEXT_BYTES(path)
#define SYN_MADE_FILE_OPEN(K)  K##_KEY_FILE_AT(made)
#define SYN_C_TEXT_BYTES(name) SIZE_MAX /* it ends with a NUL */
#define SYN_L_TEXT_BYTES(name) SIZE_MAX
#define SYN_F_TEXT_BYTES(name) string_bytes

#define SYN_STRINGS_FREED_FILE       0
#define SYN_PARAMETERS_FREED_FILE(K) K##_FILE_AT(file)
#define SYN_ARGUMENTS_FREED_FILE     file
#define SYN_SUBJECT_FREED_FILE(K)    (file ? K##_KEY_FILE_AT(file) : 0)

#define SYN_STRINGS_FILE_SET_VIEW 1
#define SYN_PARAMETERS_FILE_SET_VIEW(K)                                          \
    K##_FILE(file), K##_OFFSET(displacement), K##_TYPE(element), K##_TYPE(type), \
        K##_TEXT(representation), K##_INFO(info)
#define SYN_ARGUMENTS_FILE_SET_VIEW  file, displacement, element, type, representation, info
#define SYN_SUBJECT_FILE_SET_VIEW(K) K##_KEY_FILE(file)

#define SYN_STRINGS_FILE_SIZE       0
#define SYN_PARAMETERS_FILE_SIZE(K) K##_FILE(file), K##_OFFSET(size)
#define SYN_ARGUMENTS_FILE_SIZE     file, size
#define SYN_SUBJECT_FILE_SIZE(K)    K##_KEY_FILE(file)

#define SYN_STRINGS_FILE_ALONE       0
#define SYN_PARAMETERS_FILE_ALONE(K) K##_FILE(file)
#define SYN_ARGUMENTS_FILE_ALONE     file
#define SYN_SUBJECT_FILE_ALONE(K)    K##_KEY_FILE(file)

#define SYN_STRINGS_FILE_FLAG       0
#define SYN_PARAMETERS_FILE_FLAG(K) K##_FILE(file), K##_INT(flag)
#define SYN_ARGUMENTS_FILE_FLAG     file, flag
#define SYN_SUBJECT_FILE_FLAG(K)    K##_KEY_FILE(file)

#define SYN_STRINGS_FILE_SEEK       0
#define SYN_PARAMETERS_FILE_SEEK(K) K##_FILE(file), K##_OFFSET(offset), K##_INT(whence)
#define SYN_ARGUMENTS_FILE_SEEK     file, offset, whence
#define SYN_SUBJECT_FILE_SEEK(K)    K##_KEY_FILE(file)

#define SYN_STRINGS_FILE_INFO       0
#define SYN_PARAMETERS_FILE_INFO(K) K##_FILE(file), K##_INFO(info)
#define SYN_ARGUMENTS_FILE_INFO     file, info
#define SYN_SUBJECT_FILE_INFO(K)    K##_KEY_FILE(file)

/* Shapes of transfers. They have a status, except the START_ shapes: their transfer is completed by
 * another call. */
#define SYN_TRANSFER_FILE(K) \
    .send_count = K##_READ_COUNT(count), .send_type = K##_READ_TYPE(type), .root = -1

#define SYN_STRINGS_FILE_START_READ 0
#define SYN_PARAMETERS_FILE_START_READ(K) \
    K##_FILE(file), K##_BUFFER(buffer), K##_COUNT(count), K##_TYPE(type)
#define SYN_ARGUMENTS_FILE_START_READ   file, buffer, count, type
#define SYN_SUBJECT_FILE_START_READ(K)  K##_KEY_FILE(file)
#define SYN_TRANSFER_FILE_START_READ(K) SYN_TRANSFER_FILE(K)

#define SYN_STRINGS_FILE_START_READ_AT 0
#define SYN_PARAMETERS_FILE_START_READ_AT(K) \
    K##_FILE(file), K##_OFFSET(offset), K##_BUFFER(buffer), K##_COUNT(count), K##_TYPE(type)
#define SYN_ARGUMENTS_FILE_START_READ_AT   file, offset, buffer, count, type
#define SYN_SUBJECT_FILE_START_READ_AT(K)  K##_KEY_FILE(file)
#define SYN_TRANSFER_FILE_START_READ_AT(K) SYN_TRANSFER_FILE(K)

#define SYN_STRINGS_FILE_START_WRITE 0
#define SYN_PARAMETERS_FILE_START_WRITE(K) \
    K##_FILE(file), K##_SEND(buffer), K##_COUNT(count), K##_TYPE(type)
#define SYN_ARGUMENTS_FILE_START_WRITE   file, buffer, count, type
#define SYN_SUBJECT_FILE_START_WRITE(K)  K##_KEY_FILE(file)
#define SYN_TRANSFER_FILE_START_WRITE(K) SYN_TRANSFER_FILE(K)

#define SYN_STRINGS_FILE_START_WRITE_AT 0
#define SYN_PARAMETERS_FILE_START_WRITE_AT(K) \
    K##_FILE(file), K##_OFFSET(offset), K##_SEND(buffer), K##_COUNT(count), K##_TYPE(type)
#define SYN_ARGUMENTS_FILE_START_WRITE_AT   file, offset, buffer, count, type
#define SYN_SUBJECT_FILE_START_WRITE_AT(K)  K##_KEY_FILE(file)
#define SYN_TRANSFER_FILE_START_WRITE_AT(K) SYN_TRANSFER_FILE(K)

#define SYN_STRINGS_FILE_READ       0
#define SYN_PARAMETERS_FILE_READ(K) SYN_PARAMETERS_FILE_START_READ(K), K##_STATUS(status)
#define SYN_ARGUMENTS_FILE_READ     SYN_ARGUMENTS_FILE_START_READ, status
#define SYN_SUBJECT_FILE_READ(K)    K##_KEY_FILE(file)
#define SYN_TRANSFER_FILE_READ(K)   SYN_TRANSFER_FILE(K)

#define SYN_STRINGS_FILE_READ_AT       0
#define SYN_PARAMETERS_FILE_READ_AT(K) SYN_PARAMETERS_FILE_START_READ_AT(K), K##_STATUS(status)
#define SYN_ARGUMENTS_FILE_READ_AT     SYN_ARGUMENTS_FILE_START_READ_AT, status
#define SYN_SUBJECT_FILE_READ_AT(K)    K##_KEY_FILE(file)
#define SYN_TRANSFER_FILE_READ_AT(K)   SYN_TRANSFER_FILE(K)

#define SYN_STRINGS_FILE_WRITE       0
#define SYN_PARAMETERS_FILE_WRITE(K) SYN_PARAMETERS_FILE_START_WRITE(K), K##_STATUS(status)
#define SYN_ARGUMENTS_FILE_WRITE     SYN_ARGUMENTS_FILE_START_WRITE, status
#define SYN_SUBJECT_FILE_WRITE(K)    K##_KEY_FILE(file)
#define SYN_TRANSFER_FILE_WRITE(K)   SYN_TRANSFER_FILE(K)

#define SYN_STRINGS_FILE_WRITE_AT       0
#define SYN_PARAMETERS_FILE_WRITE_AT(K) SYN_PARAMETERS_FILE_START_WRITE_AT(K), K##_STATUS(status)
#define SYN_ARGUMENTS_FILE_WRITE_AT     SYN_ARGUMENTS_FILE_START_WRITE_AT, status
#define SYN_SUBJECT_FILE_WRITE_AT(K)    K##_KEY_FILE(file)
#define SYN_TRANSFER_FILE_WRITE_AT(K)   SYN_TRANSFER_FILE(K)

#define SYN_STRINGS_FILE_END_READ       0
#define SYN_PARAMETERS_FILE_END_READ(K) K##_FILE(file), K##_BUFFER(buffer), K##_STATUS(status)
#define SYN_ARGUMENTS_FILE_END_READ     file, buffer, status
#define SYN_SUBJECT_FILE_END_READ(K)    K##_KEY_FILE(file)

#define SYN_STRINGS_FILE_END_WRITE       0
#define SYN_PARAMETERS_FILE_END_WRITE(K) K##_FILE(file), K##_SEND(buffer), K##_STATUS(status)
#define SYN_ARGUMENTS_FILE_END_WRITE     file, buffer, status
#define SYN_SUBJECT_FILE_END_WRITE(K)    K##_KEY_FILE(file)

#endif
