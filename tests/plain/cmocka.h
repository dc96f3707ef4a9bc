/* cmocka.h - stands in for cmocka on machines that lack it, such as those one borrows for their
 * GPU: the few names the tests of ops/ use, TAP lines on standard output. A test that fails or
 * skips jumps back to the loop. */
#ifndef TESTS_PLAIN_CMOCKA_H
#define TESTS_PLAIN_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef void (*CMUnitTestFunction)(void **state);
typedef int (*CMFixtureFunction)(void **state);
struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
    CMFixtureFunction setup_func, teardown_func;
    void *initial_state;
};

enum { PLAIN_PASSED, PLAIN_FAILED, PLAIN_SKIPPED };
static jmp_buf plain_back;

#define skip() longjmp(plain_back, PLAIN_SKIPPED)
#define fail_msg(...)                                                                              \
    do {                                                                                           \
        printf("# %s:%d: ", __FILE__, __LINE__);                                                   \
        printf(__VA_ARGS__);                                                                       \
        printf("\n");                                                                              \
        longjmp(plain_back, PLAIN_FAILED);                                                         \
    } while (0)
#define assert_true(x)                                                                             \
    do {                                                                                           \
        if (!(x))                                                                                  \
            fail_msg("%s is not so", #x);                                                          \
    } while (0)
#define assert_non_null(x)        assert_true((x) != NULL)
#define assert_ptr_equal(a, b)    assert_true((a) == (b))
#define assert_int_equal(a, b)    assert_true((long long)(a) == (long long)(b))
#define assert_string_equal(a, b) assert_true(strcmp(a, b) == 0)
#define assert_memory_equal(a, b, n)                                                               \
    assert_true(memcmp((const char *)(a), (const char *)(b), n) == 0)
#define assert_in_range(x, low, high) assert_true((x) >= (low) && (x) <= (high))

#define cmocka_unit_test(f)                                                                        \
    {                                                                                              \
#f, f, NULL, NULL, NULL                                                                    \
    }
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    _cmocka_run_group_tests(#tests, tests, sizeof tests / sizeof *tests, setup, teardown)

static inline int _cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests,
                                          size_t n, CMFixtureFunction setup,
                                          CMFixtureFunction teardown)
{
    static const char *const prefix[] = { "ok", "not ok", "ok" };
    static const char *const suffix[] = { "", "", " # SKIP" };
    void *shared = NULL;
    volatile int failed = setup ? setup(&shared) != 0 : 0;
    printf("# %s\n1..%zu\n", group, n);
    for (volatile size_t i = 0; i < n; i++) {
        void *state = tests[i].initial_state ? tests[i].initial_state : shared;
        int result = setjmp(plain_back);
        if (result == PLAIN_PASSED)
            tests[i].test_func(&state);
        printf("%s %zu %s%s\n", prefix[result], i + 1, tests[i].name, suffix[result]);
        fflush(stdout);
        failed += result == PLAIN_FAILED;
    }
    if (teardown)
        teardown(&shared);
    return failed;
}

#endif
