/* Every writer while disks are full, broken or slow, one call after the other: the file before
 * stays, or the new one is there as a whole; nothing else is left, and the message names it. */
#include "data/xyz.h"
#include "faults.h"
#include "nn/task.h"
#include "normalize/known.h"

#include <recon/core/array.h>
#include "core/picture.h"
#include <recon/core/safetensors.h>
#include "core/svg.h"
#include "report/page.h"
#include "core/json.h"
#include "core/npy.h"

static const char old[] = "what was there before";
static float numbers[70000]; /* larger than the writers' buffer */

static recon_array array(size_t n)
{
    return (recon_array){ .dtype = RECON_F32, .ndim = 1, .shape = { n }, .data = numbers };
}

/* --- the writers ------------------------------------------------------------------------------ */

static recon_status write_npy(recon_ctx *ctx, const char *path)
{
    recon_array a = array(70000);
    return recon_npy_write(ctx, path, &a);
}

static recon_status write_npy_in_pieces(recon_ctx *ctx, const char *path)
{
    recon_npy_writer *writer;
    recon_status status = recon_npy_writer_open(ctx, &writer, path, RECON_F32, (size_t[]){ 90 }, 1);
    for (int i = 0; status == RECON_OK && i < 3; i++)
        status = recon_npy_writer_append(ctx, writer, numbers, 30);
    if (status == RECON_OK)
        status = recon_npy_writer_commit(ctx, writer);
    recon_npy_writer_close(writer);
    return status;
}

static recon_status write_safetensors(recon_ctx *ctx, const char *path)
{
    const recon_tensor_entry tensors[] = { { "a", array(70000) }, { "b", array(9) } };
    return recon_safetensors_write(ctx, path, tensors, 2, &(recon_metadata_entry){ "key", "value" },
                                   1);
}

static recon_status write_json(recon_ctx *ctx, const char *path)
{
    json_t *value = json_pack("{s:i}", "a", 1);
    recon_status status = recon_json_write(ctx, path, value);
    json_decref(value);
    return status;
}

static recon_status write_svg(recon_ctx *ctx, const char *path)
{
    return recon_svg_save(ctx, path, "<svg/>");
}

static recon_status write_png(recon_ctx *ctx, const char *path)
{
    return recon_png_write(ctx, path, (const uint8_t *)numbers, 30, 30, 3);
}

#if defined RECON_HAVE_JPEG || defined RECON_HAVE_TIFF
enum { SIDE = 30 };
static const recon_pixels square = { .height = SIDE, .width = SIDE, .channels = 3 };

static void give_row(const void *user, size_t y, uint8_t *out)
{
    memcpy(out, (const uint8_t *)user + y * SIDE * 3, (size_t)SIDE * 3);
}
#endif

#ifdef RECON_HAVE_JPEG
static recon_status write_jpeg(recon_ctx *ctx, const char *path)
{
    return recon_jpeg_write_rows(ctx, path, &square, give_row, numbers, NULL);
}
#endif

#ifdef RECON_HAVE_TIFF
static recon_status write_tiff(recon_ctx *ctx, const char *path)
{
    recon_tiff_writer *w;
    recon_status status = recon_tiff_writer_open(ctx, &w, path, sizeof numbers);
    for (int page = 0; status == RECON_OK && page < 2; page++)
        status = recon_tiff_writer_add(ctx, w, &square, give_row, numbers, NULL);
    if (status == RECON_OK)
        status = recon_tiff_writer_commit(ctx, w);
    recon_tiff_writer_close(w);
    return status;
}
#endif

static recon_status write_page(recon_ctx *ctx, const char *path)
{
    recon_page *page;
    recon_status status = recon_page_new(ctx, &page, "a page", NULL);
    return status == RECON_OK ? recon_page_save(page, path) : status;
}

static recon_status write_xyz(recon_ctx *ctx, const char *path)
{
    static const uint8_t z[] = { 8, 1 };
    static const float xyz[] = { 0, 0, 0, 0, 0, 1 };
    recon_molecules *water;
    recon_status status = recon_molecules_make(
        ctx, &water, &(recon_conformer){ .atoms = 2, .z = z, .xyz = xyz }, 1, NULL);
    if (status != RECON_OK)
        return status;
    status = recon_xyz_write(ctx, path, water);
    recon_molecules_close(water);
    return status;
}

static const struct {
    const char *name;
    recon_status (*write)(recon_ctx *ctx, const char *path);
} writers[] = {
    { "npy", write_npy },
    { "npy, in pieces", write_npy_in_pieces },
    { "safetensors", write_safetensors },
    { "json", write_json },
    { "svg", write_svg },
#ifdef RECON_HAVE_PNG
    { "png", write_png },
#endif
#ifdef RECON_HAVE_JPEG
    { "jpeg", write_jpeg },
#endif
#ifdef RECON_HAVE_TIFF
    { "tiff", write_tiff },
#endif
    { "page", write_page },
    { "xyz", write_xyz },
};
enum { WRITERS = sizeof writers / sizeof *writers };

/* --- one file --------------------------------------------------------------------------------- */

static const int hows[] = { ENOSPC, EIO, EINTR, 0 };

static digest file_digest(const char *path)
{
    digest d = 0;
    digest_file(RECON_OK, path, &d);
    return d;
}

/* A disk that only dawdles is no failure. */
static void check_status(recon_ctx *ctx, recon_status status, int how, const char *path, long n)
{
    if (status != RECON_OK && (status != RECON_ERR_IO || how == 0 || how == EINTR))
        fail_msg("call %ld, error %d: %s: %s", n, how, recon_status_name(status),
                 recon_ctx_message(ctx));
    if (status != RECON_OK && !strstr(recon_ctx_message(ctx), path))
        fail_msg("call %ld: \"%s\" does not name %s", n, recon_ctx_message(ctx), path);
    no_temporaries();
}

static void write_with_faults(recon_ctx *ctx, size_t w)
{
    const char *path = scratch_write("file", old, strlen(old));
    digest before = file_digest(path);
    gate_watch(&disk, 0, 0, 0);
    CHECK_OK(ctx, writers[w].write(ctx, path));
    long calls = gate_stop(&disk), refused = 0;
    digest right = file_digest(path);
    for (long n = 1; n <= calls; n++)
        for (int k = 0; k < 4; k++) {
            path = scratch_write("file", old, strlen(old));
            gate_watch(&disk, n, 0, hows[k]);
            recon_status status = writers[w].write(ctx, path);
            gate_stop(&disk);
            check_status(ctx, status, hows[k], path, n);
            assert_true(file_digest(path) == (status == RECON_OK ? right : before));
            refused += status != RECON_OK;
        }
    assert_true(refused >= 2 * 4); /* opened, written, synced, renamed */
    print_message("# counted: %s: %ld calls that write failed in turn, %ld times the file before "
                  "stayed\n",
                  writers[w].name, calls, refused);
}

static void writers_leave_the_file_before_or_a_whole_one(void **state)
{
    for (size_t w = 0; w < WRITERS; w++)
        write_with_faults(*state, w);
}

/* --- a folder --------------------------------------------------------------------------------- */

static recon_frames frames;

/* After a failure the earlier result is as it was. */
static void check_earlier(digest before)
{
    static const char *const some[] = { "gamma.npy", "theta.npy", "summary.json" };
    for (int i = 0; i < 3; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", scratch_folder, some[i]);
        assert_true(file_digest(path) == before);
    }
}

static digest put_earlier(void)
{
    scratch_write("theta.npy", old, strlen(old));
    scratch_write("gamma.npy", old, strlen(old));
    return file_digest(scratch_write("summary.json", old, strlen(old)));
}

static int erase(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    (void)kind;
    (void)at;
    return remove(path);
}

/* A folder that was made for a result goes with it. */
static void frames_leave_no_folder(recon_ctx *ctx, long calls)
{
    for (long n = 1; n <= calls; n++) {
        const char *folder = scratch("fresh");
        gate_watch(&disk, n, 0, ENOSPC);
        recon_status status = recon_frames_write(ctx, folder, &frames, RECON_F32, NULL);
        gate_stop(&disk);
        check_status(ctx, status, ENOSPC, folder, n);
        assert_int_equal(access(folder, F_OK) == 0, status == RECON_OK);
        if (status == RECON_OK)
            nftw(folder, erase, 8, FTW_PHYS | FTW_DEPTH);
    }
}

static void frames_are_all_there_or_none(void **state)
{
    recon_ctx *ctx = *state;
    data *known = make_data(0.4, NORMAL, 0.05);
    recon_embedded index = view(known, RECON_SO3, 20);
    CHECK_OK(ctx, recon_normalize(ctx, &frames, &index, NULL,
                                  &(recon_normalize_options){ .knn = { .k = 5 } }));
    gate_watch(&disk, 0, 0, 0);
    CHECK_OK(ctx, recon_frames_write(ctx, scratch_folder, &frames, RECON_F32, "{ }"));
    long calls = gate_stop(&disk);
    digest right = file_digest(scratch("gamma.npy"));
    for (long n = 1; n <= calls; n++)
        for (int k = 0; k < 4; k++) {
            digest before = put_earlier();
            gate_watch(&disk, n, 0, hows[k]);
            recon_status status =
                recon_frames_write(ctx, scratch_folder, &frames, RECON_F32, "{ }");
            gate_stop(&disk);
            check_status(ctx, status, hows[k], scratch_folder, n);
            if (status == RECON_OK)
                assert_true(file_digest(scratch("gamma.npy")) == right);
            else
                check_earlier(before);
        }
    print_message("# counted: frames: %ld calls that write failed in turn\n", calls);
    frames_leave_no_folder(ctx, calls + 1);
    recon_frames_free(&frames);
    free(known);
}

/* --- training --------------------------------------------------------------------------------- */

static recon_status train(recon_ctx *ctx, int resume, digest *out)
{
    task k;
    recon_train_result r;
    task_new(ctx, &k, RECON_SINGLE);
    recon_trainee it = task_trainee(&k);
    recon_status status =
        recon_train(ctx, &r, &it,
                    &(recon_train_options){ TASK_OPTIONS, .path = scratch("m.safetensors"),
                                            .every = 20, .resume = resume });
    recon_params_free(ctx, k.params);
    return digest_file(status, scratch("m.safetensors"), out);
}

static void lines_are_whole(const char *path)
{
    size_t n = 0, lines = 0;
    char *text = (char *)slurp(path, &n);
    text[n] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        json_t *value = json_loads(line, 0, NULL);
        assert_non_null(value);
        json_decref(value);
    }
    free(text);
}

/* A checkpoint or a line that could not be written is a warning; what cannot be written in the end
 * is an error, and the run goes on from there with the same bits. */
static void training_goes_on_from_a_full_disk(void **state)
{
    recon_ctx *ctx = *state;
    digest right = 0;
    gate_watch(&disk, 0, 0, 0);
    CHECK_OK(ctx, train(ctx, 0, &right));
    long calls = atomic_load(&disk.requests), refused = 0;
    for (long n = 1; n <= calls; n += 2) {
        digest got = 0;
        scratch_clear();
        gate_watch(&disk, n, 1, n % 4 == 1 ? ENOSPC : EIO);
        recon_status status = train(ctx, 0, &got);
        gate_stop(&disk);
        check_status(ctx, status, disk.how, scratch("m.safetensors"), n);
        refused += status != RECON_OK;
        got = 0;
        CHECK_OK(ctx, train(ctx, 1, &got));
        assert_true(got == right);
        lines_are_whole(scratch("m.safetensors.jsonl"));
    }
    print_message("# counted: training: the disk was full from %ld of %ld calls on, %ld runs "
                  "failed and went on\n",
                  (calls + 1) / 2, calls, refused);
}

static int setup(void **state)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        numbers[i] = (float)i;
    return scratch_setup(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(writers_leave_the_file_before_or_a_whole_one),
        SCRATCH_TEST(frames_are_all_there_or_none),
        SCRATCH_TEST(training_goes_on_from_a_full_disk),
    };
    return cmocka_run_group_tests(tests, setup, scratch_teardown);
}
