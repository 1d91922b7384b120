/* preload_own_code_test.c - a process that touched its own code and constants waits for none of
 * their pages. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stddef.h>
#include <sys/resource.h>

#include "preload/base/own_code.h"

/* Constants that nobody has read yet. */
#define FAR_BYTES ((size_t)1 << 20)
static const unsigned char far[FAR_BYTES] = {1};

static long faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

/* (A sanitizer would look at pages of its own for each.) */
__attribute__((no_sanitize("address", "undefined"))) static long faults_of_reading(void)
{
    const long before = faults();
    for (size_t at = 0; at < FAR_BYTES; at += 4096)
        (void)*(const volatile unsigned char *)&far[at];
    return faults() - before;
}

/* Each in a process of its own. */
Test(own_code, without_it_pages_are_waited_for)
{
    cr_expect_gt(faults_of_reading(), 2);
}

Test(own_code, what_was_touched_is_there)
{
    syn_own_code_touch();
    const long count = faults_of_reading();
    cr_expect_leq(count, 1, "%ld pages", count);
}
