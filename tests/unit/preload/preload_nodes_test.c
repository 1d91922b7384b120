#include <criterion/criterion.h>
#include <unistd.h>

#include "preload/facts/nodes.h"

Test(preload_nodes, ranks_that_share_a_processor_are_many_from_nine_on)
{
    const int processor_count = (int)sysconf(_SC_NPROCESSORS_ONLN);
    cr_expect_not(syn_node_is_crowded(processor_count));
    cr_expect(syn_node_is_crowded(processor_count + 1));
    cr_expect_not(syn_node_is_packed(8 * processor_count));
    cr_expect(syn_node_is_packed(8 * processor_count + 1));
}
