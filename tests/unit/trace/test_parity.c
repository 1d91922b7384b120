/* test_parity.c - the parity of a node file repairs one damage anywhere. */
#include <criterion/criterion.h>

#include <string.h>

#include "fixture.h"
#include "sync/base/status.h"
#include "trace/base/coding/parity.h"

static void fill(uint8_t *data, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)(random_next(&seed) >> 32);
}

Test(parity, repairs_one_damage_anywhere)
{
    const size_t lengths[] = {1, 511, 512, 513, 6000};
    uint8_t data[6000], damaged[6000];
    uint64_t random = 1;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        struct syn_bytes parity = {0};
        fill(data, lengths[l], l + 1);
        syn_parity_put(data, lengths[l], &parity);
        cr_assert_eq(parity.count, SYN_PARITY_BYTES);
        cr_assert_eq(syn_parity_data_bytes(parity.data), lengths[l]);
        cr_assert_eq(syn_parity_check(parity.data, data, lengths[l]), SYN_OK);
        for (int i = 0; i < 150; i++) {
            const size_t at = random_next(&random) % lengths[l];
            const size_t length = 1 + random_next(&random) % (i % 2 ? 4 : SYN_PARITY_REACH - 1);
            const size_t most = lengths[l] - at;
            memcpy(damaged, data, lengths[l]);
            fill(damaged + at, length < most ? length : most, random);
            damaged[at] = (uint8_t)(data[at] + 1);
            cr_assert_eq(syn_parity_check(parity.data, damaged, lengths[l]), SYN_EDAMAGED);
            cr_assert_eq(syn_parity_repair(parity.data, damaged, lengths[l]), SYN_OK,
                         "%zu bytes at %zu of %zu", length, at, lengths[l]);
            cr_assert_arr_eq(damaged, data, lengths[l]);
        }
        syn_bytes_free(&parity);
    }
}

/* All but its ends may be as it was. */
Test(parity, repairs_two_bytes_near_one_another)
{
    uint8_t data[4000], damaged[4000];
    struct syn_bytes parity = {0};
    fill(data, sizeof data, 4);
    syn_parity_put(data, sizeof data, &parity);
    for (size_t apart = 1; apart < SYN_PARITY_REACH - 1; apart++) {
        memcpy(damaged, data, sizeof data);
        damaged[1700] ^= 3;
        damaged[1700 + apart] ^= 5;
        cr_assert_eq(syn_parity_repair(parity.data, damaged, sizeof damaged), SYN_OK, "%zu apart",
                     apart);
        cr_assert_arr_eq(damaged, data, sizeof data);
    }
    syn_bytes_free(&parity);
}

Test(parity, leaves_what_is_damaged_further)
{
    uint8_t data[4000], damaged[4000];
    struct syn_bytes parity = {0};
    fill(data, sizeof data, 9);
    syn_parity_put(data, sizeof data, &parity);
    memcpy(damaged, data, sizeof data);
    damaged[10] ^= 1;
    damaged[2000] ^= 1;
    uint8_t before[4000];
    memcpy(before, damaged, sizeof before);
    cr_assert_eq(syn_parity_repair(parity.data, damaged, sizeof damaged), SYN_EDAMAGED);
    cr_assert_arr_eq(damaged, before, sizeof before);
    syn_bytes_free(&parity);
}
