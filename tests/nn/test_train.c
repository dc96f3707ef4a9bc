/* The loop: it learns, its bits do not depend on threads or on being cut, and a full disk loses
 * nothing. */
#include "scratch.h"
#include "task.h"
#include "core/npy.h"
#include "nn/params.h"

#include <recon/ops/backend.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const char *const backends[] = { "ref", "cpu" };

static int stop_late; /* interruptions come in the middle of a step */

/* A whole run in a context of its own. */
static recon_status run_with(const char *backend, int threads, recon_train_result *out,
                             recon_train_options o, recon_ctx *interrupted, uint64_t at)
{
    task k;
    recon_ctx *ctx =
        interrupted ? interrupted : recon_ctx_new(&(recon_ctx_options){ .threads = threads });
    assert_non_null(ctx);
    CHECK_OK(ctx, recon_ops_attach(ctx, backend));
    task_new(ctx, &k, o.precision);
    k.stop_ctx = interrupted;
    k.stop_at = at;
    k.stop_late = stop_late;
    recon_trainee it = task_trainee(&k);
    recon_status status = recon_train(ctx, out, &it, &o);
    recon_params_free(ctx, k.params);
    if (!interrupted)
        recon_ctx_free(ctx);
    return status;
}

static void training_learns_and_keeps_the_best(void **state)
{
    (void)state;
    recon_train_result r;
    assert_int_equal(run_with("ref", 2, &r, (recon_train_options){ TASK_OPTIONS }, NULL, 0),
                     RECON_OK);
    assert_int_equal(r.steps, 90);
    CHECK_LESS(r.best, 0.35); /* log 3 = 1.1 before training */
    assert_true(r.peak > 0);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    recon_train_result r;
    for (int b = 0; b < 2; b++) {
        for (int threads = 1; threads <= 3; threads++) {
            recon_train_options o = { TASK_OPTIONS, .path = scratch(threads == 1 ? "one" : "more"),
                                      .overwrite = 1 };
            assert_int_equal(run_with(backends[b], threads, &r, o, NULL, 0), RECON_OK);
            if (threads > 1) {
                scratch_same(scratch("one"), scratch("more"));
                scratch_same(scratch("one.last"), scratch("more.last"));
            }
        }
    }
}

/* Interrupted at a step, before or after it has changed anything, and resumed. */
static void check_cut(recon_ctx *ctx, const char *backend, uint64_t at, const char *said)
{
    recon_train_result r;
    recon_train_options o = { TASK_OPTIONS, .path = scratch("cut"), .overwrite = 1 };
    CHECK_FAILS(ctx, run_with(backend, 2, &r, o, ctx, at), RECON_ERR_INTERRUPTED, said);
    recon_ctx_resume(ctx);
    o.resume = 1;
    assert_int_equal(run_with(backend, 3, &r, o, NULL, 0), RECON_OK);
    scratch_same(scratch("whole"), scratch("cut"));
    scratch_same(scratch("whole.last"), scratch("cut.last"));
}

static void an_interrupted_run_goes_on_with_the_same_bits(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result r;
    for (int b = 0; b < 2; b++) {
        recon_train_options o = { TASK_OPTIONS, .path = scratch("whole"), .overwrite = 1 };
        assert_int_equal(run_with(backends[b], 1, &r, o, NULL, 0), RECON_OK);
        for (stop_late = 0; stop_late < 2; stop_late++) {
            check_cut(ctx, backends[b], 0, "interrupted after step 0; resume from");
            check_cut(ctx, backends[b], 47, "interrupted after step 47; resume from");
            check_cut(ctx, backends[b], 89, "interrupted after step 89; resume from");
            check_cut(ctx, backends[b], TASK_VALIDATION, "interrupted after step 30; resume from");
        }
        stop_late = 0;
    }
}

/* Other versions read them by their names: squares are not below 0, gradients are on both sides. */
static void a_checkpoint_names_what_it_holds(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result r;
    recon_safetensors *file;
    recon_array m, v;
    size_t below = 0, above = 0;
    recon_train_options o = { TASK_OPTIONS, .path = scratch("named"), .overwrite = 1 };
    assert_int_equal(run_with("ref", 1, &r, o, NULL, 0), RECON_OK);
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, scratch("named.last")));
    CHECK_OK(ctx, recon_safetensors_get(ctx, &m, file, "state.m"));
    CHECK_OK(ctx, recon_safetensors_get(ctx, &v, file, "state.v"));
    for (size_t i = 0; i < m.shape[0]; i++) {
        assert_true(recon_array_value(&v, i) >= 0);
        below += recon_array_value(&m, i) < 0;
        above +=
            recon_array_value(&m, i) > 0 && recon_array_value(&v, i) < recon_array_value(&m, i);
    }
    assert_true(below > 0 && above > 0);
    recon_array_free(&m);
    recon_array_free(&v);
    recon_safetensors_close(file);
}

static int count_lines(const char *path, uint64_t *last)
{
    size_t n;
    int lines = 0;
    char *text = (char *)slurp(path, &n);
    text[n] = '\0';
    for (char *at = text; (at = strstr(at, "{\"step\":")); lines++)
        *last = strtoull(at += 8, NULL, 10);
    free(text);
    return lines;
}

/* Killed at whatever step it has come to, several times over. */
static void kill_and_go_on(uint64_t every)
{
    recon_train_result r;
    uint64_t last[2];
    recon_train_options o = { TASK_OPTIONS, .path = scratch("whole"), .every = every };
    assert_int_equal(run_with("ref", 1, &r, o, NULL, 0), RECON_OK);
    o.path = scratch("killed");
    o.resume = 1;
    for (int life = 0; life < 4; life++) {
        pid_t child = fork();
        if (child == 0) {
            run_with("ref", 1, &r, o, NULL, 0);
            _exit(0);
        }
        usleep(1000 * (useconds_t)(3 + 5 * life));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
    scratch_same(scratch("whole"), scratch("killed"));
    scratch_same(scratch("whole.last"), scratch("killed.last"));
    assert_int_equal(count_lines(scratch("whole.jsonl"), &last[0]),
                     count_lines(scratch("killed.jsonl"), &last[1]));
    assert_int_equal(last[0], last[1]);
}

static void a_killed_run_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    kill_and_go_on(7);
}

/* A state that is not worth writing after each epoch: the model is newer than it. */
static void so_it_does_from_an_older_state(void **state)
{
    (void)state;
    kill_and_go_on(0);
}

static void readings_are_lines_without_repetition(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result r;
    uint64_t last = 0;
    recon_train_options o = { TASK_OPTIONS, .path = scratch("m"), .every = 20 };
    CHECK_FAILS(ctx, run_with("ref", 2, &r, o, ctx, 55), RECON_ERR_INTERRUPTED, "after step 55");
    recon_ctx_resume(ctx);
    assert_int_equal(count_lines(scratch("m.jsonl"), &last), 5 + 1);
    o.resume = 1;
    assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
    assert_int_equal(count_lines(scratch("m.jsonl"), &last), 9 + 3);
    assert_int_equal(last, 90);
}

static void other_settings_do_not_resume(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result r;
    recon_train_options o = { TASK_OPTIONS, .path = scratch("m") };
    assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
    o.resume = 1;
    o.settings = "task: a test, batch: 26, rate: 0.02, clip: 1";
    CHECK_FAILS(
        ctx, run_with("ref", 2, &r, o, ctx, UINT64_MAX), RECON_ERR_MISMATCH,
        "m.last: started with other settings: batch: was 24, now 26; clip: was not set, now 1");
    o.settings = "task: a test, identity: 1f, batch: 24, rate: 0.02";
    CHECK_FAILS(ctx, run_with("ref", 2, &r, o, ctx, UINT64_MAX), RECON_ERR_MISMATCH,
                "m.last: made by an earlier version, which did not record");
    o.resume = 0;
    o.overwrite = 1;
    assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
    o.resume = 1;
    o.settings = "task: a test, identity: 2f, batch: 24, rate: 0.02";
    CHECK_FAILS(ctx, run_with("ref", 2, &r, o, ctx, UINT64_MAX), RECON_ERR_MISMATCH,
                "m.last: started with other data: identity: was 1f, now 2f");
}

static void what_is_there_is_not_overwritten(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result r;
    recon_train_options o = { TASK_OPTIONS, .path = scratch("m") };
    assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
    recon_train_options same = { TASK_OPTIONS, .path = scratch("same") };
    assert_int_equal(run_with("ref", 2, &r, same, NULL, 0), RECON_OK);
    o.path = scratch("m");
    CHECK_FAILS(ctx, run_with("ref", 2, &r, o, ctx, UINT64_MAX), RECON_ERR_INPUT,
                "m.last exists: resume=true continues that run, overwrite=true replaces it");
    scratch_same(scratch("same"), scratch("m"));
    scratch_same(scratch("same.last"), scratch("m.last"));
    assert_int_equal(unlink(scratch("m.last")), 0);
    o.path = scratch("m");
    CHECK_FAILS(ctx, run_with("ref", 2, &r, o, ctx, UINT64_MAX), RECON_ERR_INPUT, "m exists: ");
    o.resume = 1;
    CHECK_FAILS(ctx, run_with("ref", 2, &r, o, ctx, UINT64_MAX), RECON_ERR_INPUT,
                "from which resume=true continues: overwrite=true replaces it");
    o.overwrite = 1;
    assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
    scratch_same(scratch("same.last"), scratch("m.last"));
}

static void a_finished_run_is_left_alone(void **state)
{
    (void)state;
    recon_train_result first, again;
    recon_train_options o = { TASK_OPTIONS, .path = scratch("m"), .resume = 1 };
    assert_int_equal(run_with("ref", 2, &first, o, NULL, 0), RECON_OK);
    assert_int_equal(first.ran, 90);
    assert_int_equal(run_with("ref", 2, &again, o, NULL, 0), RECON_OK);
    assert_int_equal(again.ran, 0);
    assert_int_equal(again.steps, 90);
    CHECK_NEAR(again.best, first.best, 0);
}

/* TASK_OPTIONS with another number of steps, as a command would make them from more epochs. */
static recon_train_options longer(const char *path, uint64_t steps)
{
    recon_train_options o = { TASK_OPTIONS, .path = path, .resume = 1 };
    o.steps = o.schedule.steps = steps;
    return o;
}

/* The added steps have a schedule of their own, and only a better validation replaces the model. */
static void a_finished_run_is_made_longer(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result first, r;
    assert_int_equal(run_with("ref", 2, &first, longer(scratch("m"), 90), NULL, 0), RECON_OK);
    CHECK_FAILS(ctx, run_with("ref", 2, &r, longer(scratch("m"), 60), ctx, UINT64_MAX),
                RECON_ERR_INPUT, "3 epochs are done, 2 were asked for");
    assert_int_equal(run_with("ref", 2, &r, longer(scratch("m"), 210), NULL, 0), RECON_OK);
    assert_int_equal(r.steps, 210);
    assert_int_equal(r.ran, 120);
    assert_true(r.best <= first.best);
    size_t n;
    char *text = (char *)slurp(scratch("m.jsonl"), &n);
    text[n] = '\0';
    const char *late = strstr(text, "{\"step\":200,");
    assert_non_null(late);
    CHECK_LESS(strtod(strstr(late, "\"rate\":") + 7, NULL), 0.0005);
    const char *early = strstr(text, "{\"step\":100,");
    CHECK_LESS(0.019, strtod(strstr(early, "\"rate\":") + 7, NULL));
    free(text);
}

/* Wherever it is cut or killed, between the old end and the new one. */
static void a_longer_run_has_the_same_bits_after_a_cut(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result r;
    assert_int_equal(run_with("ref", 1, &r, longer(scratch("whole"), 90), NULL, 0), RECON_OK);
    assert_int_equal(run_with("ref", 1, &r, longer(scratch("whole"), 150), NULL, 0), RECON_OK);
    const uint64_t cuts[] = { 90, 91, 119, 120, 149 };
    for (int i = 0; i < 5; i++) {
        recon_train_options o = longer(scratch("cut"), 90);
        o.resume = 0;
        o.overwrite = 1;
        assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
        CHECK_FAILS(ctx, run_with("ref", 2, &r, longer(scratch("cut"), 150), ctx, cuts[i]),
                    RECON_ERR_INTERRUPTED, "resume from");
        recon_ctx_resume(ctx);
        assert_int_equal(run_with("ref", 3, &r, longer(scratch("cut"), 150), NULL, 0), RECON_OK);
        scratch_same(scratch("whole"), scratch("cut"));
        scratch_same(scratch("whole.last"), scratch("cut.last"));
    }
}

/* One that was cut before its end takes the new length as if it had been begun with it. */
static void a_cut_run_takes_another_length(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result r;
    assert_int_equal(run_with("ref", 1, &r, longer(scratch("whole"), 150), NULL, 0), RECON_OK);
    CHECK_FAILS(ctx, run_with("ref", 2, &r, longer(scratch("cut"), 90), ctx, 0),
                RECON_ERR_INTERRUPTED, "after step 0");
    recon_ctx_resume(ctx);
    assert_int_equal(run_with("ref", 3, &r, longer(scratch("cut"), 150), NULL, 0), RECON_OK);
    scratch_same(scratch("whole"), scratch("cut"));
}

static int warnings;
static void count_warning(void *user, recon_log_level level, const char *line)
{
    (void)user;
    warnings += level == RECON_LOG_WARN && strstr(line, "cannot write") != NULL;
}

/* Files may hold 1000 bytes from step 40 on: neither checkpoint nor model fits. */
static recon_status feed_and_fill(void *user, recon_tape *t, uint64_t step)
{
    if (step == 40)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 1000, RLIM_INFINITY });
    return task_feed(user, t, step);
}

static void a_full_disk_loses_nothing(void **state)
{
    (void)state;
    task k;
    recon_train_result r;
    recon_train_options o = { TASK_OPTIONS, .path = scratch("whole"), .every = 5 };
    assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 2, .on_log = count_warning });
    CHECK_OK(ctx, recon_ops_attach(ctx, "ref"));
    task_new(ctx, &k, RECON_SINGLE);
    recon_trainee it = task_trainee(&k);
    it.feed = feed_and_fill;
    o.path = scratch("full");
    signal(SIGXFSZ, SIG_IGN);
    CHECK_FAILS(ctx, recon_train(ctx, &r, &it, &o), RECON_ERR_IO, "cannot write");
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){ RLIM_INFINITY, RLIM_INFINITY });
    assert_true(warnings > 5);
    recon_params_free(ctx, k.params);
    recon_ctx_free(ctx);
    o.resume = 1; /* room again: the run goes on from the last whole file */
    assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
    scratch_same(scratch("whole"), scratch("full"));
    scratch_same(scratch("whole.last"), scratch("full.last"));
}

static void patience_ends_a_run_that_does_not_get_better(void **state)
{
    (void)state;
    recon_train_result r;
    recon_train_options o = { TASK_OPTIONS, .patience = 2 };
    o.steps = 3000;
    o.epoch = 5;
    o.schedule = (recon_schedule){ .rate = 0.02 };
    assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
    assert_true(r.steps < 3000 && r.steps % 5 == 0);
}

static void bf16_reaches_the_loss_of_f32(void **state)
{
    (void)state;
    recon_train_result f32, bf16;
    recon_train_options o = { TASK_OPTIONS };
    for (int b = 0; b < 2; b++) {
        o.precision = RECON_SINGLE;
        assert_int_equal(run_with(backends[b], 2, &f32, o, NULL, 0), RECON_OK);
        o.precision = RECON_MIXED;
        assert_int_equal(run_with(backends[b], 2, &bf16, o, NULL, 0), RECON_OK);
        CHECK_NEAR(bf16.best, f32.best, 0.05 * f32.best + 0.005);
    }
}

static void a_loss_that_is_no_number_is_an_error(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result r;
    recon_train_options o = { TASK_OPTIONS };
    o.schedule.rate = 1e30;
    CHECK_FAILS(ctx, run_with("ref", 2, &r, o, ctx, UINT64_MAX), RECON_ERR_NUMERIC, "the loss is");
}

/* The file with bytes [at, at + n) replaced. */
static void overwrite(const char *path, size_t at, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, (long)at, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Any bit of the numbers: the last byte of the file, its middle, and the first behind the header.
 */
static void a_damaged_checkpoint_is_refused(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result r;
    recon_train_options o = { TASK_OPTIONS, .path = scratch("m"), .every = 20 };
    CHECK_FAILS(ctx, run_with("ref", 2, &r, o, ctx, 55), RECON_ERR_INTERRUPTED, "after step 55");
    recon_ctx_resume(ctx);
    o.resume = 1;
    size_t n;
    unsigned char *bytes = slurp(scratch("m.last"), &n);
    size_t head = 8 + (bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16);
    size_t places[] = { head, head + (n - head) / 2, n - 1 };
    for (int i = 0; i < 3; i++)
        for (int bit = 0; bit < 8; bit += 7) {
            unsigned char flipped = (unsigned char)(bytes[places[i]] ^ 1 << bit);
            overwrite(scratch("m.last"), places[i], &flipped, 1);
            o.path = scratch("m");
            CHECK_FAILS(ctx, run_with("ref", 2, &r, o, ctx, UINT64_MAX), RECON_ERR_FORMAT,
                        "m.last: ");
            overwrite(scratch("m.last"), places[i], &bytes[places[i]], 1);
        }
    assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
    free(bytes);
}

/* As version 0.1.0 wrote them: no checksum. The step must still be one of the run's. */
static void an_old_checkpoint_is_read_but_not_believed(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_result r;
    recon_train_options o = { TASK_OPTIONS, .resume = 1 };
    char path[256];
    snprintf(path, sizeof path, "%s", scratch("m"));
    o.path = path;
    assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
    size_t n;
    char *bytes = (char *)slurp(scratch("m.last"), &n);
    char *sum = memmem(bytes, n, "\"crc32\"", 7), *step = memmem(bytes, n, "\"step\":\"90\"", 11);
    assert_non_null(sum);
    assert_non_null(step);
    overwrite(scratch("m.last"), (size_t)(sum - bytes), "\"other\"", 7);
    assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
    overwrite(scratch("m.last"), (size_t)(sum - bytes), "\"other\"", 7);
    overwrite(scratch("m.last"), (size_t)(step - bytes), "\"step\":\"91\"", 11);
    CHECK_FAILS(ctx, run_with("ref", 2, &r, o, ctx, UINT64_MAX), RECON_ERR_FORMAT,
                "after step 91 of 90");
    free(bytes);
}

static recon_status validate_infinite_weights(void *user, recon_tape *t, double *metric)
{
    task *k = user;
    (void)t;
    *metric = 0; /* looks as good as can be */
    recon_param *weights = k->params->entry[0];
    double bad[TASK_IN];
    for (size_t i = 0; i < TASK_IN; i++)
        bad[i] = (double)INFINITY;
    assert_int_equal(recon_param_count(weights), TASK_IN);
    return recon_tensor_write(k->stop_ctx, &weights->value, bad);
}

/* A run that has diverged, whatever its metric says, leaves the model that was there. */
static void infinite_weights_are_not_written(void **state)
{
    recon_ctx *ctx = *state;
    task k;
    recon_train_result r;
    recon_train_options o = { TASK_OPTIONS, .path = scratch("m") };
    assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
    assert_int_equal(rename(scratch("m"), scratch("good")), 0);
    o.overwrite = 1;
    assert_int_equal(run_with("ref", 2, &r, o, NULL, 0), RECON_OK);
    CHECK_OK(ctx, recon_ops_attach(ctx, "ref"));
    task_new(ctx, &k, RECON_SINGLE);
    k.stop_ctx = ctx;
    k.stop_at = UINT64_MAX;
    recon_trainee it = task_trainee(&k);
    it.validate = validate_infinite_weights;
    CHECK_FAILS(ctx, recon_train(ctx, &r, &it, &o), RECON_ERR_NUMERIC, "m: not written: number 0");
    scratch_same(scratch("good"), scratch("m"));
    recon_params_free(ctx, k.params);
}

static void running_out_of_memory_ends_a_run_cleanly(void **state)
{
    recon_ctx *ctx = *state;
    recon_train_options o = { TASK_OPTIONS, .path = scratch("m"), .overwrite = 1 };
    o.steps = 2;
    o.epoch = 1;
    CHECK_OK(ctx, recon_ops_attach(ctx, "ref"));
    for (long n = 1;; n++) {
        task k;
        recon_train_result r;
        task_new(ctx, &k, RECON_SINGLE);
        recon_trainee it = task_trainee(&k);
        recon_alloc_fail_at(ctx, n);
        recon_status status = recon_train(ctx, &r, &it, &o);
        recon_alloc_fail_at(ctx, 0);
        recon_params_free(ctx, k.params);
        if (status == RECON_OK && n > 60)
            break; /* past the last one, but for warnings about checkpoints in between */
        assert_true(status == RECON_OK || status == RECON_ERR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(training_learns_and_keeps_the_best),
        SCRATCH_TEST(any_number_of_threads_gives_the_same_bits),
        SCRATCH_TEST(a_checkpoint_names_what_it_holds),
        SCRATCH_TEST(an_interrupted_run_goes_on_with_the_same_bits),
        SCRATCH_TEST(a_killed_run_goes_on_with_the_same_bits),
        SCRATCH_TEST(so_it_does_from_an_older_state),
        SCRATCH_TEST(readings_are_lines_without_repetition),
        SCRATCH_TEST(other_settings_do_not_resume),
        SCRATCH_TEST(what_is_there_is_not_overwritten),
        SCRATCH_TEST(a_finished_run_is_left_alone),
        SCRATCH_TEST(a_finished_run_is_made_longer),
        SCRATCH_TEST(a_longer_run_has_the_same_bits_after_a_cut),
        SCRATCH_TEST(a_cut_run_takes_another_length),
        SCRATCH_TEST(a_full_disk_loses_nothing),
        SCRATCH_TEST(patience_ends_a_run_that_does_not_get_better),
        SCRATCH_TEST(bf16_reaches_the_loss_of_f32),
        SCRATCH_TEST(a_loss_that_is_no_number_is_an_error),
        SCRATCH_TEST(a_damaged_checkpoint_is_refused),
        SCRATCH_TEST(an_old_checkpoint_is_read_but_not_believed),
        SCRATCH_TEST(infinite_weights_are_not_written),
        SCRATCH_TEST(running_out_of_memory_ends_a_run_cleanly),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
