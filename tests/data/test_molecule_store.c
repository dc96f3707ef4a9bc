/* Molecules are found by name in a time that the writer of a file cannot make long, and are
 * numbered in the order in which they come. */
#include "check.h"
#include "data/molecule_store.h"

#include <stdio.h>
#include <stdlib.h>

/* Blocks of letters of which any sequence ends in the same low bits of FNV-1a, a hash without a key
 * that tables often use: BLOCKS pairs of equal ends make 2^BLOCKS such names. */
enum { BLOCKS = 12, NAMES = 1 << BLOCKS, LETTERS = 4, BITS = 20 };
typedef char block[LETTERS + 1];

static void write_letters(block out, unsigned number)
{
    for (int i = 0; i < LETTERS; i++, number /= 26)
        out[i] = (char)('a' + number % 26);
    out[LETTERS] = '\0';
}

static uint64_t fnv(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return hash & ((1u << BITS) - 1);
}

static uint64_t find_pair(block pair[2], uint64_t start)
{
    static unsigned seen[1 << BITS];
    memset(seen, 0, sizeof seen);
    for (unsigned number = 1;; number++) {
        write_letters(pair[1], number);
        uint64_t end = fnv(start, pair[1]);
        if (seen[end]) {
            write_letters(pair[0], seen[end]);
            return end;
        }
        seen[end] = number;
    }
}

static void find_blocks(block pair[BLOCKS][2])
{
    uint64_t state = 0xcbf29ce484222325 & ((1u << BITS) - 1);
    for (int b = 0; b < BLOCKS; b++)
        state = find_pair(pair[b], state);
}

static void colliding_name(char *out, block pair[BLOCKS][2], unsigned which)
{
    for (int b = 0; b < BLOCKS; b++)
        memcpy(out + b * LETTERS, pair[b][which >> b & 1], LETTERS + 1);
}

static const uint8_t water_z[] = { 8, 1, 1 };
static const float water_xyz[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
static const recon_conformer water = { .atoms = 3, .z = water_z, .xyz = water_xyz };

static void add(recon_ctx *ctx, recon_assembly *to, const char *name)
{
    CHECK_OK(ctx, recon_assembly_add(ctx, to, &water, name, strlen(name), &(recon_place){ 0 }));
}

/* Taken slots looked at; collide says which names. */
static size_t count_probes(recon_ctx *ctx, block pair[BLOCKS][2])
{
    recon_assembly a = { 0 };
    char name[BLOCKS * LETTERS + 1];
    CHECK_OK(ctx, recon_store_new(ctx, &a.store));
    for (unsigned i = 0; i < NAMES; i++) {
        if (pair)
            colliding_name(name, pair, i);
        else
            snprintf(name, sizeof name, "molecule %u", i);
        add(ctx, &a, name);
    }
    assert_int_equal(a.store->molecules, NAMES);
    recon_assembly_free(&a);
    recon_store_release(a.store);
    return a.probes;
}

static void names_made_to_collide_do_not(void **state)
{
    block pair[BLOCKS][2];
    char first[BLOCKS * LETTERS + 1], last[BLOCKS * LETTERS + 1];
    find_blocks(pair);
    colliding_name(first, pair, 0);
    colliding_name(last, pair, NAMES - 1);
    assert_string_not_equal(first, last);
    assert_true(fnv(0xcbf29ce484222325, first) == fnv(0xcbf29ce484222325, last));
    size_t ordinary = count_probes(*state, NULL), hostile = count_probes(*state, pair);
    print_message("# counted: %zu probes for %d ordinary names, %zu for colliding ones\n", ordinary,
                  NAMES, hostile);
    assert_true(hostile < 3 * (size_t)NAMES && ordinary < 3 * (size_t)NAMES);
}

static void numbers_do_not_depend_on_the_key(void **state)
{
    (void)state;
    for (int run = 0; run < 3; run++) {
        recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1 });
        recon_assembly a = { 0 };
        char name[16];
        CHECK_OK(ctx, recon_store_new(ctx, &a.store));
        for (int i = 0; i < 600; i++) { /* each of 300 twice */
            snprintf(name, sizeof name, "%d", i * 7 % 300);
            add(ctx, &a, name);
        }
        assert_int_equal(a.store->molecules, 300);
        for (int m = 0; m < 300; m++)
            assert_int_equal(atoi(a.store->text + a.store->name[m]), m * 7 % 300);
        recon_assembly_free(&a);
        recon_store_release(a.store);
        recon_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_made_to_collide_do_not),
        cmocka_unit_test(numbers_do_not_depend_on_the_key),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
