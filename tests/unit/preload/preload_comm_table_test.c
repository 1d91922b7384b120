/* tests/unit/preload/preload_comm_table_test.c - the table of communicators against the plainest
 * model of one. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdint.h>

#include "preload/comms/comm_table.h"

/* The table never looks into a state: any address will do. */
static struct syn_comm *state(uintptr_t number)
{
    return (struct syn_comm *)(number * 64 + 64);
}

Test(comm_table, finds_nothing_before_anything_was_put)
{
    cr_assert_null(syn_comm_table_find(42));
    syn_comm_table_remove(42, state(1));
    cr_assert_null(syn_comm_table_find(42));
}

Test(comm_table, replaces)
{
    struct syn_comm *replaced = state(3);
    cr_assert_eq(syn_comm_table_put(7, state(1), &replaced), 0);
    cr_assert_null(replaced);
    cr_assert_eq(syn_comm_table_put(7, state(2), &replaced), 0);
    cr_assert_eq(replaced, state(1));
    cr_assert_eq(syn_comm_table_find(7), state(2));
    syn_comm_table_remove(7, state(1));
    cr_assert_eq(syn_comm_table_find(7), state(2), "another's");
    syn_comm_table_remove(7, state(2));
    cr_assert_null(syn_comm_table_find(7));
}

/* Removal moves entries back over gaps: with keys in a narrow range, so that they collide, every
 * sequence of puts and removals has to leave what the model has. */
Test(comm_table, agrees_with_a_model)
{
    enum { KEYS = 700, STEPS = 100000 };
    static struct syn_comm *model[KEYS];
    struct syn_comm *replaced;
    uint64_t random = 1;
    for (int step = 0; step < STEPS; step++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uintptr_t key = (uintptr_t)(random >> 33) % KEYS;
        if ((random >> 20) % 3) {
            cr_assert_eq(syn_comm_table_put(key + 1, state((uintptr_t)step), &replaced), 0);
            cr_assert_eq(replaced, model[key]);
            model[key] = state((uintptr_t)step);
        } else {
            syn_comm_table_remove(key + 1, model[key]);
            model[key] = NULL;
        }
        if (step % 1000 == 0)
            for (uintptr_t i = 0; i < KEYS; i++)
                cr_assert_eq(syn_comm_table_find(i + 1), model[i], "step %d, key %zu", step,
                             (size_t)i);
    }
}

static int stop;
static long wrong;

/* Key k only ever has the states k and k + 1000: whatever another thread changes, a reader sees one
 * of them or none. */
static void *read_all(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        for (uintptr_t key = 1; key <= 100; key++) {
            const struct syn_comm *found = syn_comm_table_find(key);
            if (found && found != state(key) && found != state(key + 1000))
                __atomic_add_fetch(&wrong, 1, __ATOMIC_RELAXED);
        }
    }
    return unused;
}

Test(comm_table, a_reader_never_sees_another_keys_state)
{
    pthread_t readers[2];
    struct syn_comm *replaced;
    for (int i = 0; i < 2; i++)
        pthread_create(&readers[i], NULL, read_all, NULL);
    for (int round = 0; round < 3000; round++) {
        for (uintptr_t key = 1; key <= 100; key++)
            syn_comm_table_put(key, state(key + (round % 2) * 1000), &replaced);
        for (uintptr_t key = 1; key <= 100; key += 1 + (uintptr_t)round % 3)
            syn_comm_table_remove(key, state(key + (round % 2) * 1000));
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], NULL);
    cr_assert_eq(wrong, 0);
}
