/* The pool: every task once, failures stop it, nesting, interrupts; two contexts do not meet. */
#include "check.h"
#include "core/arena.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/threads.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS = 1000 };

static recon_status count_up(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    assert_in_range(worker, 0, recon_ctx_threads(ctx) - 1);
    ((int *)arg)[i]++;
    return RECON_OK;
}

static void every_task_runs_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 5; threads++) {
        recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = threads });
        assert_int_equal(recon_ctx_threads(ctx), threads);
        for (int repeat = 0; repeat < 50; repeat++) {
            int seen[TASKS] = { 0 };
            CHECK_OK(ctx, recon_parallel(ctx, count_up, seen, TASKS));
            for (int i = 0; i < TASKS; i++)
                assert_int_equal(seen[i], 1);
        }
        CHECK_OK(ctx, recon_parallel(ctx, count_up, NULL, 0));
        recon_ctx_free(ctx);
    }
}

static recon_status fail_at_17(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    (void)arg, (void)worker;
    return i == 17 ? recon_fail(ctx, RECON_ERR_NUMERIC, "task %zu", i) : RECON_OK;
}

static void a_failure_comes_back(void **state)
{
    recon_ctx *ctx = *state;
    CHECK_FAILS(ctx, recon_parallel(ctx, fail_at_17, NULL, TASKS), RECON_ERR_NUMERIC, "task 17");
    recon_note(ctx, RECON_ERR_NUMERIC, "while testing");
    assert_string_equal(recon_ctx_message(ctx), "task 17 (while testing)");
}

static recon_status nested(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    (void)worker;
    return recon_parallel(ctx, count_up, (int *)arg + 10 * i, 10);
}

static void loops_nest(void **state)
{
    int seen[TASKS] = { 0 };
    CHECK_OK(*state, recon_parallel(*state, nested, seen, TASKS / 10));
    for (int i = 0; i < TASKS; i++)
        assert_int_equal(seen[i], 1);
}

/* In a child of fork() a context has no threads. A call says so instead of waiting for them, the
 * context can be freed, and one that the child makes works. */
static int use_in_child(recon_ctx *ctx)
{
    int seen[TASKS] = { 0 };
    alarm(10);
    if (recon_parallel(ctx, count_up, seen, TASKS) != RECON_ERR_INPUT || seen[0] ||
        strcmp(recon_ctx_message(ctx),
               "this context was made in another process: make one after fork()"))
        return 1;
    recon_ctx_free(ctx);
    recon_ctx *own = recon_ctx_new(&(recon_ctx_options){ .threads = 3 });
    return !own || recon_parallel(own, count_up, seen, TASKS) != RECON_OK || seen[TASKS - 1] != 1;
}

static recon_status take_scratch(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    char *room;
    (void)arg;
    return recon_arena_take(ctx, recon_worker_arena(ctx, worker), &room, 100 * (index + 1), 1);
}

static recon_status take_and_nest(recon_ctx *ctx, void *arg, size_t index, int worker)
{
    recon_arena *arena = recon_worker_arena(ctx, worker);
    recon_status status = take_scratch(ctx, arg, index, worker);
    recon_mark mine = recon_arena_mark(arena);
    if (status == RECON_OK)
        status = recon_parallel(ctx, take_scratch, arg, 3);
    recon_mark after = recon_arena_mark(arena);
    assert_true(after.block == mine.block && after.used == mine.used);
    return status;
}

/* Scratch that a task has taken is given back when it ends; what its caller has taken stays. */
static void scratch_is_given_back(void **state)
{
    (void)state;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 3 });
    recon_mark before[3];
    assert_non_null(ctx);
    CHECK_OK(ctx, take_scratch(ctx, NULL, 6, 0));
    for (int i = 0; i < 3; i++)
        before[i] = recon_arena_mark(recon_worker_arena(ctx, i));
    CHECK_OK(ctx, recon_parallel(ctx, take_and_nest, NULL, 40));
    for (int i = 0; i < 3; i++) {
        recon_mark after = recon_arena_mark(recon_worker_arena(ctx, i));
        assert_true(after.block == before[i].block && after.used == before[i].used);
    }
    recon_ctx_free(ctx);
}

static void a_context_stays_with_its_process(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2) {
        recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = threads });
        int seen[TASKS] = { 0 }, how = -1;
        CHECK_OK(ctx, recon_parallel(ctx, count_up, seen, TASKS));
        pid_t child = fork();
        if (child == 0)
            _exit(use_in_child(ctx));
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_int_equal(how, 0);
        CHECK_OK(ctx, recon_parallel(ctx, count_up, seen, TASKS));
        recon_ctx_free(ctx);
    }
}

/* As a reader of pictures does that may leave out bad ones, when it is interrupted behind one. */
static recon_status fail_and_go_on(recon_ctx *ctx, void *arg, size_t i, int worker)
{
    (void)arg, (void)i, (void)worker;
    recon_fail(ctx, RECON_ERR_INPUT, "one of these is bad");
    recon_ctx_interrupt(ctx);
    return RECON_OK;
}

static void an_interrupt_does_not_tell_of_an_earlier_failure(void **state)
{
    recon_ctx *ctx = *state;
    CHECK_FAILS(ctx, recon_parallel(ctx, fail_and_go_on, NULL, TASKS), RECON_ERR_INTERRUPTED,
                "interrupted");
    assert_null(strstr(recon_ctx_message(ctx), "bad"));
    recon_ctx_resume(ctx);
}

static void an_interrupt_is_answered(void **state)
{
    recon_ctx *ctx = *state;
    int seen[TASKS] = { 0 };
    recon_ctx_interrupt(ctx);
    CHECK_FAILS(ctx, recon_parallel(ctx, count_up, seen, TASKS), RECON_ERR_INTERRUPTED,
                "interrupted");
    recon_ctx_resume(ctx);
    CHECK_OK(ctx, recon_parallel(ctx, count_up, seen, TASKS));
}

static void *use_own_context(void *arg)
{
    (void)arg;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 3 });
    int seen[TASKS] = { 0 };
    for (int i = 0; i < 200; i++)
        recon_parallel(ctx, count_up, seen, TASKS);
    int all = seen[0] == 200 && seen[TASKS - 1] == 200;
    recon_ctx_free(ctx);
    return all ? arg : NULL;
}

static void two_contexts_do_not_meet(void **state)
{
    pthread_t a, b;
    void *ra, *rb;
    pthread_create(&a, NULL, use_own_context, state);
    pthread_create(&b, NULL, use_own_context, state);
    pthread_join(a, &ra);
    pthread_join(b, &rb);
    assert_non_null(ra);
    assert_non_null(rb);
}

static void progress(void *user, const recon_progress *p)
{
    recon_progress *last = user;
    assert_true(p->done >= last->done);
    *last = *p;
}

static void progress_ends_with_one_last_call(void **state)
{
    (void)state;
    recon_progress last = { 0 };
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .on_progress = progress, .user = &last });
    recon_progress_begin(ctx, "job", 3);
    for (int i = 0; i < 3; i++)
        recon_progress_add(ctx, 1);
    recon_progress_end(ctx);
    assert_int_equal(last.done, 3);
    assert_int_equal(last.finished, 1);
    assert_string_equal(last.label, "job");
    recon_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(a_failure_comes_back),
        cmocka_unit_test(loops_nest),
        cmocka_unit_test(scratch_is_given_back),
        cmocka_unit_test(a_context_stays_with_its_process),
        cmocka_unit_test(an_interrupt_is_answered),
        cmocka_unit_test(an_interrupt_does_not_tell_of_an_earlier_failure),
        cmocka_unit_test(two_contexts_do_not_meet),
        cmocka_unit_test(progress_ends_with_one_last_call),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
