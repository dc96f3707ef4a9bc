/* Signals while matrix products are computed: a handler finds a stack under it that is a stack, and
 * the products are what they are without. oneDNN's sgemm moves the stack pointer into the heap. */
#include "check.h"
#include "core/ctx.h"
#include "core/memory.h"
#include "ops/ops.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 384, ROUNDS = 60, STACK = 8 << 20 };

static uintptr_t frame; /* of the thread that multiplies */
static atomic_long handled, astray;
static atomic_int stop;

static void on_signal(int number)
{
    uintptr_t at = (uintptr_t)__builtin_frame_address(0); /* sanitizers move locals elsewhere */
    (void)number;
    atomic_fetch_add(&handled, 1);
    if ((at > frame ? at - frame : frame - at) > STACK)
        atomic_fetch_add(&astray, 1);
}

static void *keep_signalling(void *thread)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (!atomic_load(&stop)) {
        pthread_kill(*(pthread_t *)thread, SIGUSR1);
        nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
    }
    return NULL;
}

static void multiply(recon_ctx *ctx, float *c, const float *a, const float *b)
{
    recon_gemm_args g = { .type = RECON_F32,
                          .m = SIDE,
                          .n = SIDE,
                          .k = SIDE,
                          .alpha = 1,
                          .a = a,
                          .b = b,
                          .c = c,
                          .lda = SIDE,
                          .ldb = SIDE,
                          .ldc = SIDE };
    CHECK_OK(ctx, recon_ops_cpu.gemm(ctx, &g));
}

static void handlers_run_on_the_stack(void **state)
{
    recon_ctx *ctx = *state;
    size_t n = (size_t)SIDE * SIDE;
    float *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    float *want = malloc(n * sizeof *want), *got = malloc(n * sizeof *got);
    pthread_t self = pthread_self(), other;
    frame = (uintptr_t)__builtin_frame_address(0);
    for (size_t i = 0; i < n; i++)
        a[i] = (float)(i % 7) - 3, b[i] = (float)(i % 5) - 2;
    multiply(ctx, want, a, b);
    signal(SIGUSR1, on_signal);
    assert_int_equal(pthread_create(&other, NULL, keep_signalling, &self), 0);
    for (int i = 0; i < ROUNDS; i++) {
        multiply(ctx, got, a, b);
        assert_memory_equal(got, want, n * sizeof *got);
    }
    atomic_store(&stop, 1);
    pthread_join(other, NULL);
    assert_true(atomic_load(&handled) > 0);
    assert_int_equal(atomic_load(&astray), 0);
    free(a), free(b), free(want), free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_run_on_the_stack),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
