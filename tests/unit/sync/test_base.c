/* The ground floor: the smaller of two, the two hash tables, the hash of the format. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/chains.h"
#include "sync/base/hash.h"
#include "sync/base/index.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

#define COUNT 5000

Test(integers, of_two_in_the_type_of_both_evaluated_once)
{
    int evaluated = 0;
    cr_assert_eq(syn_least(3, -4), -4);
    cr_assert_eq(syn_largest(-(INT64_C(1) << 40), 7), 7);
    cr_assert_eq(syn_largest(1u, UINT64_MAX), UINT64_MAX);
    cr_assert_eq(syn_least(2, 0.5), 0.5);
    cr_assert_eq(syn_least(++evaluated, 5), 1);
    cr_assert_eq(syn_largest(5, ++evaluated), 5);
    cr_assert_eq(evaluated, 2);
}

Test(hash, bytes_are_hashed_as_the_format_says)
{
    /* XXH3, 64 bits, no seed: https://github.com/Cyan4973/xxHash */
    cr_assert_eq(syn_hash64("", 0), UINT64_C(0x2d06800538d394c2));
    cr_assert_neq(syn_hash_pair(1, 2), syn_hash_pair(2, 1));
}

/* Keys whose hashes are alike: every element lies behind others. */
static uint64_t crowded(const void *owner, uint32_t number)
{
    return syn_hash_word(((const uint64_t *)owner)[number] / 8);
}

static bool is(const void *owner, uint32_t number, const void *key)
{
    return ((const uint64_t *)owner)[number] == *(const uint64_t *)key;
}

Test(index, each_key_has_its_number_however_it_grew)
{
    static uint64_t keys[COUNT];
    struct syn_index index = {0};
    for (uint32_t i = 0; i < COUNT; i++) {
        keys[i] = 3 * (uint64_t)i;
        cr_assert_eq(syn_index_make_room(&index, i, crowded, keys), SYN_OK);
        uint32_t *slot = syn_index_slot(&index, crowded(keys, i), is, keys, &keys[i]);
        cr_assert_eq(*slot, 0, "%u was there before", i);
        *slot = i + 1;
        cr_assert_leq(2 * (size_t)(i + 1), index.slot_count);
    }
    for (uint32_t i = 0; i < COUNT; i++)
        cr_assert_eq(*syn_index_slot(&index, crowded(keys, i), is, keys, &keys[i]), i + 1);
    const uint64_t none = 1;
    cr_assert_eq(*syn_index_slot(&index, syn_hash_word(none / 8), is, keys, &none), 0);
    syn_index_clear(&index);
    cr_assert_eq(*syn_index_slot(&index, crowded(keys, 0), is, keys, &keys[0]), 0);
    syn_index_free(&index);
}

Test(vector, what_was_added_stays_where_it_was_added)
{
    int *number = NULL;
    size_t count = 0, capacity = 0, grown = 0;
    for (int i = 0; i < COUNT; i++) {
        const size_t before = capacity;
        cr_assert_eq(SYN_ROOM(number, capacity, count), SYN_OK);
        grown += capacity != before;
        number[count++] = i;
    }
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(number[i], i);
    cr_assert_leq(grown, 10);
    free(number);
}

Test(vector, arrays_grow_together_and_keep_what_they_have)
{
    int *number = NULL;
    double *half = NULL;
    for (int room = 1; room < 1000; room += room) {
        cr_assert_eq(SYN_RESERVE(number, (size_t)room) || SYN_RESERVE(half, (size_t)room), 0);
        number[room - 1] = room;
        half[room - 1] = room / 2.0;
    }
    for (int room = 1; room < 1000; room += room)
        cr_assert(number[room - 1] == room && half[room - 1] == room / 2.0);
    free(number);
    free(half);
}

struct element {
    struct syn_chained chained;
    int value;
};

static int count_of(const struct syn_chains *chains, uint64_t hash)
{
    int count = 0;
    for (struct syn_chained *at = syn_chains_first(chains, hash); at; at = at->next)
        count += at->hash == hash;
    return count;
}

Test(chains, what_comes_is_found_and_what_goes_is_not)
{
    static struct element element[COUNT];
    struct syn_chains chains;
    size_t walked = 0;
    cr_assert_eq(syn_chains_begin(&chains, 2), SYN_OK);
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(syn_chains_add(&chains, &element[i].chained, (uint64_t)i / 2), SYN_OK);
    cr_assert_geq(chains.head_count, COUNT / 2);
    for (int i = 0; i < COUNT; i += 3)
        syn_chains_remove(&chains, &element[i].chained);
    for (int h = 0; h < COUNT / 2; h++)
        cr_assert_eq(count_of(&chains, (uint64_t)h), (2 * h % 3 != 0) + ((2 * h + 1) % 3 != 0));
    for (struct syn_chained *at = NULL; (at = syn_chains_next(&chains, at)); walked++)
        cr_assert_neq(((struct element *)at - element) % 3, 0);
    cr_assert_eq(walked, chains.count);
    cr_assert_eq(walked, COUNT - (COUNT + 2) / 3);
    syn_chains_clear(&chains);
    cr_assert_null(syn_chains_next(&chains, NULL));
    syn_chains_free(&chains);
}

Test(chains, the_newest_comes_first)
{
    struct element older, newer;
    struct syn_chains chains;
    cr_assert_eq(syn_chains_begin(&chains, 64), SYN_OK);
    syn_chains_add(&chains, &older.chained, 9);
    syn_chains_add(&chains, &newer.chained, 9);
    cr_assert_eq(syn_chains_first(&chains, 9), &newer.chained);
    cr_assert_eq(newer.chained.next, &older.chained);
    syn_chains_free(&chains);
}
