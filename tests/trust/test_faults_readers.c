/* Every reader, and the context itself, while memory runs out and disks fail, one request after the
 * other. */
#include "faults.h"

#include <recon/core/array.h>
#include "core/picture.h"
#include <recon/core/safetensors.h>
#include <recon/data/dataset.h>
#include "data/geom.h"
#include "data/formats.h"
#include "core/npy.h"
#include <recon/data/molecules.h>

#define SAMPLES "tests/fuzz/corpus/"

/* --- what the readers give -------------------------------------------------------------------- */

static void digest_array(digest *d, recon_array *a)
{
    digest_add(d, a->shape, (size_t)a->ndim * sizeof *a->shape);
    digest_add(d, a->data, a->data ? recon_array_bytes(a) : 0);
    recon_array_free(a);
}

static recon_status read_npy(recon_ctx *ctx, const void *path, digest *out)
{
    recon_array a;
    recon_status status = recon_npy_read(ctx, &a, path);
    digest_array(out, &a);
    return status;
}

static recon_status read_idx(recon_ctx *ctx, const void *path, digest *out)
{
    recon_array a;
    recon_status status = recon_idx_read(ctx, &a, path);
    digest_array(out, &a);
    return status;
}

static recon_status read_safetensors(recon_ctx *ctx, const void *path, digest *out)
{
    recon_safetensors *file;
    recon_status status = recon_safetensors_open(ctx, &file, path);
    if (status != RECON_OK)
        return status;
    for (size_t i = 0; status == RECON_OK && i < recon_safetensors_count(file); i++) {
        recon_array a;
        status = recon_safetensors_get(ctx, &a, file, recon_safetensors_name(file, i));
        if (status == RECON_OK)
            digest_array(out, &a);
    }
    recon_safetensors_close(file);
    return status;
}

static recon_status read_pixels(recon_ctx *ctx, const void *path, digest *out)
{
    recon_pixels p;
    recon_status status = recon_picture_read(ctx, &p, path, 0);
    digest_add(out, p.bytes, p.height * p.width * p.channels);
    free(p.bytes);
    return status;
}

static recon_status digest_images(recon_ctx *ctx, const char *spec, digest *out,
                                  const recon_dataset_options *options)
{
    recon_dataset *data;
    recon_status status = recon_dataset_open_with(ctx, &data, spec, options);
    if (status != RECON_OK)
        return status;
    recon_dataset_info info = recon_dataset_describe(data);
    size_t pixels = info.height * info.width * info.channels;
    static float image[4096];
    assert_true(pixels <= sizeof image / sizeof *image);
    for (size_t i = 0; i < info.n; i++) {
        int32_t label = recon_dataset_get(image, data, i);
        digest_add(out, &label, sizeof label);
        digest_add(out, image, pixels * sizeof *image);
    }
    digest_add(out, &info.skipped, sizeof info.skipped);
    recon_dataset_close(data);
    return status;
}

static recon_status open_images(recon_ctx *ctx, const void *spec, digest *out)
{
    return digest_images(ctx, spec, out, NULL);
}

/* Pictures of any size, those that are none left out: a lack of memory must not count as one. */
static recon_status open_good_images(recon_ctx *ctx, const void *spec, digest *out)
{
    return digest_images(ctx, spec, out, &(recon_dataset_options){ .skip_bad = 1, .size = 8 });
}

static recon_status open_good_rows(recon_ctx *ctx, const void *spec, digest *out)
{
    return digest_images(ctx, spec, out, &(recon_dataset_options){ .skip_bad = 1 });
}

static recon_status digest_molecules(recon_ctx *ctx, const char *spec, digest *out, int skip_bad)
{
    recon_molecules *data;
    const recon_molecules_options options = { .skip_bad = skip_bad, .select = { .least = 1 } };
    recon_status status = recon_molecules_open(ctx, &data, spec, &options);
    if (status != RECON_OK)
        return status;
    recon_molecules_info info = recon_molecules_describe(data);
    for (size_t i = 0; i < info.n; i++) {
        recon_conformer c = recon_molecules_get(data, i);
        const char *name = recon_molecules_name(data, (size_t)c.molecule);
        digest_add(out, c.z, c.atoms);
        digest_add(out, c.xyz, 3 * c.atoms * sizeof *c.xyz);
        digest_add(out, name, strlen(name));
    }
    digest_add(out, &info.skipped, sizeof info.skipped);
    recon_molecules_close(data);
    return status;
}

static recon_status open_molecules(recon_ctx *ctx, const void *spec, digest *out)
{
    return digest_molecules(ctx, spec, out, 0);
}

static recon_status open_good_molecules(recon_ctx *ctx, const void *spec, digest *out)
{
    return digest_molecules(ctx, spec, out, 1);
}

static recon_status note(recon_ctx *ctx, void *arg, const recon_ensemble *e)
{
    (void)ctx;
    digest_add(arg, e->xyz, 3 * e->n * e->atoms * sizeof *e->xyz);
    return RECON_OK;
}

static recon_status read_geom(recon_ctx *ctx, const void *path, digest *out)
{
    recon_geom_info info;
    recon_status status =
        recon_geom_read(ctx, &info, path, &(recon_geom_options){ .skip_bad = 1 }, note, out);
    digest_add(out, &info.skipped, status == RECON_OK ? sizeof info.skipped : 0);
    return status;
}

static recon_status load_rule(recon_ctx *ctx, const void *path, digest *out)
{
    static recon_rotation_rule rule;
    recon_status status = recon_rotation_rule_load(ctx, &rule, path);
    digest_add(out, &rule, sizeof rule);
    return status;
}

/* --- each of them ----------------------------------------------------------------------------- */

static char set_spec[600], rule_path[600], large_path[600], flat_spec[600], pictures_spec[600],
    xyz_spec[600];

static const fault_job jobs[] = {
    { "npy, swapped", read_npy, SAMPLES "npy/f8_swapped.npy", 0, 0, 0 },
    { "npy, large", read_npy, large_path, 0, 0, 0 },
    { "safetensors", read_safetensors, SAMPLES "safetensors/types.safetensors", 0, 0, 0 },
    { "safetensors, unaligned", read_safetensors, SAMPLES "safetensors/unaligned.safetensors", 0, 0,
      0 },
    { "idx", read_idx, SAMPLES "idx/floats", 0, 0, 0 },
    { "idx, gzipped", read_idx, SAMPLES "idx/images.gz", 0, 0, 0 },
    { "pnm", read_pixels, SAMPLES "png/colour.ppm", 0, 0, 0 },
#ifdef RECON_HAVE_PNG
    { "png", read_pixels, SAMPLES "png/palette.png", 0, 0, 0 },
    { "folder of pictures", open_images, pictures_spec, 0, 0, 0 },
#endif
#ifdef RECON_HAVE_JPEG
    { "jpeg", read_pixels, SAMPLES "jpeg/exif", 0, 0, 0 },
#endif
#ifdef RECON_HAVE_TIFF
    { "tiff", read_pixels, SAMPLES "tiff/oriented", 0, 0, 0 },
#endif
    { "amat", open_images, "amat:" SAMPLES "amat/three", 0, 0, 0 },
    { "images by npy", open_images, set_spec, 0, 0, 0 },
    { "xyz", open_molecules, "xyz:" SAMPLES "xyz/extended.xyz", 0, 0, 0 },
    { "folder of xyz", open_molecules, xyz_spec, 0, 0, 0 },
    { "sdf", open_molecules, "sdf:" SAMPLES "sdf/v2000.sdf", 0, 0, 0 },
    { "geom", read_geom, SAMPLES "geom/tiny.msgpack", 0, 0, 0 },
    { "geom, selected", open_molecules, "geom:" SAMPLES "geom/tiny.msgpack/all", 0, 0, 0 },
    { "flat", open_molecules, flat_spec, 0, 0, 0 },
    { "rule of rotations", load_rule, rule_path, 0, 0, 0 },
};
enum { JOBS = sizeof jobs / sizeof *jobs };

/* What cannot be used is left out; what there was no memory for is not. */
static const fault_job lenient[] = {
#ifdef RECON_HAVE_PNG
    { "folder of good and bad pictures", open_good_images, "images:" SAMPLES "png", 0, 0, 0 },
#endif
    { "folder of good and bad xyz", open_good_molecules, "xyz:" SAMPLES "xyz", 0, 0, 0 },
    { "good and bad amat", open_good_rows, "amat:" SAMPLES "amat/bad", 0, 0, 0 },
    { "geom", read_geom, "tests/data/geom_sample.msgpack", 0, 0, 0 },
};
enum { LENIENT = sizeof lenient / sizeof *lenient };

static void readers_run_out_of_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < JOBS; i++)
        fault_memory(&jobs[i]);
    for (size_t i = 0; i < LENIENT; i++)
        fault_memory(&lenient[i]);
}

static void readers_meet_broken_disks(void **state)
{
    (void)state;
    for (size_t i = 0; i < JOBS; i++)
        fault_reads(&jobs[i]);
}

/* The one call without a context to say why. */
static void contexts_run_out_of_memory(void **state)
{
    (void)state;
    long before = atomic_load(&live), n = 0, refused = 0;
    for (recon_ctx *ctx = NULL; !ctx; refused += !ctx) {
        gate_watch(&memory, ++n, 0, 0);
        ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 8 });
        gate_stop(&memory);
        recon_ctx_free(ctx);
        assert_int_equal(atomic_load(&live), before);
    }
    assert_true(refused > 8);
    print_message("# counted: context: %ld allocations and threads refused in turn\n", refused);
}

/* --- files that the samples lack -------------------------------------------------------------- */

static void put(recon_ctx *ctx, const char *name, recon_dtype dtype, const void *data, size_t rows,
                size_t columns)
{
    const recon_array a = {
        .dtype = dtype, .ndim = columns > 1 ? 2 : 1, .shape = { rows, columns }, .data = data
    };
    CHECK_OK(ctx, recon_npy_write(ctx, scratch(name), &a));
}

static void put_text(const char *name, const char *text)
{
    scratch_write(name, text, strlen(text));
}

/* Water twice. */
static void put_flat(recon_ctx *ctx)
{
    static const char meta[] = "{ \"smiles\": [\"O\"] }";
    float xyz[18];
    for (int i = 0; i < 18; i++)
        xyz[i] = (float)(i % 7) - 0.125f * (float)i;
    put(ctx, "positions.npy", RECON_F32, xyz, 6, 3);
    put(ctx, "Z.npy", RECON_U8, (uint8_t[]){ 8, 1, 1 }, 3, 1);
    put(ctx, "atom_offset.npy", RECON_I64, (int64_t[]){ 0, 3 }, 2, 1);
    put(ctx, "conf_offset.npy", RECON_I64, (int64_t[]){ 0, 2 }, 2, 1);
    put(ctx, "energy.npy", RECON_F32, (float[]){ 1, 2 }, 2, 1);
    put_text("meta.json", meta);
    snprintf(flat_spec, sizeof flat_spec, "flat:%s", scratch_folder);
}

static int setup(void **state)
{
    static const char rule[] = "{ \"default\": { \"uniform\": 45 },"
                               "  \"classes\": { \"0-4\": { \"normal\": 60 } } }";
    static uint8_t images[5 * 4 * 4], large[3 << 20];
    if (scratch_setup(state) != 0)
        return -1;
    const recon_array a = { .dtype = RECON_U8, .ndim = 3, .shape = { 5, 4, 4 }, .data = images };
    put_flat(*state);
    put(*state, "large.npy", RECON_U8, large, sizeof large, 1);
    put(*state, "labels.npy", RECON_I64, (int64_t[]){ 0, 1, 2, 3, 4 }, 5, 1);
    CHECK_OK(*state, recon_npy_write(*state, scratch("images.npy"), &a));
    put_text("a.pgm", "P5 4 4 255 ################");
    put_text("b.ppm", "P2 4 4 9 1 2 3 4 5 6 7 8 9 8 7 6 5 4 3 2");
    put_text("a.xyz", "2\nwater\nO 0 0 0\nH 0 0 1\n");
    put_text("b.xyz", "2\nwater\nO 0 0 0\nH 0 1 0\n");
    snprintf(pictures_spec, sizeof pictures_spec, "images:%s", scratch_folder);
    snprintf(xyz_spec, sizeof xyz_spec, "xyz:%s", scratch_folder);
    put_text("rule.json", rule);
    snprintf(set_spec, sizeof set_spec, "npy:%s", scratch("images.npy"));
    snprintf(rule_path, sizeof rule_path, "%s", scratch("rule.json"));
    snprintf(large_path, sizeof large_path, "%s", scratch("large.npy"));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_run_out_of_memory),
        cmocka_unit_test(readers_meet_broken_disks),
        cmocka_unit_test(contexts_run_out_of_memory),
    };
    return cmocka_run_group_tests(tests, setup, scratch_teardown);
}
