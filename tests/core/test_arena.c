/* Arena and checked allocation: addresses repeat, overflow is refused, failure can be injected. */
#include "check.h"
#include "core/arena.h"
#include "core/memory.h"

#include <stdlib.h>

static void addresses_repeat_after_a_release(void **state)
{
    recon_arena *arena = recon_arena_make();
    char *first[20], *again;
    for (int pass = 0; pass < 3; pass++) {
        recon_mark mark = recon_arena_mark(arena);
        for (size_t i = 0; i < 20; i++) {
            CHECK_OK(*state, recon_arena_take(*state, arena, &again, 1 + i * 7919, 1));
            assert_int_equal((uintptr_t)again % 64, 0);
            memset(again, (int)i, 1 + i * 7919);
            if (pass == 0)
                first[i] = again;
#ifndef RECON_ARENA_MALLOC
            if (pass == 2) /* the second pass may still merge blocks */
                assert_ptr_equal(again, first[i]);
#endif
            first[i] = again;
        }
        recon_arena_release(arena, mark);
    }
    recon_arena_free(arena);
}

static void inner_marks_keep_what_is_older(void **state)
{
    recon_arena *arena = recon_arena_make();
    char *a, *b;
    CHECK_OK(*state, recon_arena_take(*state, arena, &a, 100, 1));
    memset(a, 7, 100);
    for (int i = 0; i < 10; i++) {
        recon_mark mark = recon_arena_mark(arena);
        CHECK_OK(*state, recon_arena_take(*state, arena, &b, 1 << 18, 1));
        memset(b, i, 1 << 18);
        recon_arena_release(arena, mark);
    }
    for (int i = 0; i < 100; i++)
        assert_int_equal(a[i], 7);
    recon_arena_free(arena);
}

static void overflow_is_refused(void **state)
{
    void *p = state;
    CHECK_FAILS(*state, recon_alloc(*state, &p, SIZE_MAX / 4, 8), RECON_ERR_MEMORY, "x 8 bytes");
    assert_null(p);
    recon_arena *arena = recon_arena_make();
    CHECK_FAILS(*state, recon_arena_take(*state, arena, &p, SIZE_MAX / 4, 8), RECON_ERR_MEMORY,
                "x 8 bytes");
    CHECK_FAILS(*state, recon_arena_take(*state, arena, &p, SIZE_MAX - 100, 1), RECON_ERR_MEMORY,
                "out of memory");
    recon_arena_free(arena);
}

static void the_nth_allocation_can_fail(void **state)
{
    void *p[3];
    recon_alloc_fail_at(*state, 2);
    CHECK_OK(*state, recon_alloc(*state, &p[0], 1, 8));
    CHECK_FAILS(*state, recon_alloc(*state, &p[1], 1, 8), RECON_ERR_MEMORY, "out of memory");
    CHECK_OK(*state, recon_alloc(*state, &p[2], 1, 8));
    free(p[0]);
    free(p[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_repeat_after_a_release),
        cmocka_unit_test(inner_marks_keep_what_is_older),
        cmocka_unit_test(overflow_is_refused),
        cmocka_unit_test(the_nth_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
