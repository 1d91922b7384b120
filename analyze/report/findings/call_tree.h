/* analyze/report/findings/call_tree.h - arranges the groups of a report by call path as a tree,
 * from the program's outermost frame to the operations. */
#ifndef SYN_CALL_TREE_H
#define SYN_CALL_TREE_H

#include "analyze/report/findings/report.h"

/* A frame or an operation. Times are sums over the ranks, for the node and all nodes below it. */
struct syn_call_node {
    char *name;                  /* of the frame or operation; owned */
    size_t parent;               /* of the root (node 0): 0 */
    size_t first_child, sibling; /* 0: none; children are ordered by `inside_ns`, largest first */
    uint64_t call_count;         /* instances */
    double inside_ns, waiting_ns, caused_ns;
};

struct syn_call_tree {
    struct syn_call_node *node; /* [count], node 0 is the root */
    size_t count, capacity;
};

/* Makes the tree of a report by stack, whose sites are call paths (symbols.h). Returns 0 or
 * SYN_ENOMEM. The caller frees *out in any case. */
int syn_call_tree_make(const struct syn_report *report, struct syn_call_tree *out);
void syn_call_tree_free(struct syn_call_tree *tree);

/* Both write branches in the order of `inside_ns`, at most twice options.top of them (0: all):
 * syn_call_tree_text as lines of text, syn_call_tree_html as a table of an HTML page. */
void syn_call_tree_text(const struct syn_call_tree *tree, const struct syn_report *report,
                        const struct syn_terminal *terminal, struct syn_text *text);
void syn_call_tree_html(const struct syn_call_tree *tree, const struct syn_report *report,
                        struct syn_text *text);
/* Writes folded stacks as flame graph tools read them, one line for each leaf:
 * "main;solve;sum;MPI_Allreduce 1234". The number is ns inside MPI, or ns of waiting if the report
 * is sorted by wait. */
void syn_report_folded(const struct syn_report *report, struct syn_text *text);

#endif
