/* letters_set.c - draws and writes sets of letters like those of a user, and the folder of an
 * experiment. */
#include "lab/letters.h"
#include "backbone/kinds.h"
#include "model/model.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/text.h"
#include "core/folder.h"
#include "core/memory.h"
#include "core/shuffle.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info, (void)type, (void)at;
    return remove(path);
}

recon_status run_folder_make(recon_ctx *ctx, run_folder *f, const char *out, const char *name,
                             size_t seed)
{
    const char *temporary = getenv("TMPDIR");
    if (!out) {
        snprintf(f->path, sizeof f->path, "%s/recon-%s.XXXXXX", temporary ? temporary : "/tmp",
                 name);
        f->temporary = mkdtemp(f->path) != NULL;
        return f->temporary ? RECON_OK : recon_refused(ctx, f->path, "cannot be made");
    }
    snprintf(f->path, sizeof f->path, "%s/seed-%zu", out, seed);
    RECON_CHECK(recon_folder_make(ctx, out));
    return recon_folder_make(ctx, f->path);
}

void run_folder_remove(const run_folder *f)
{
    enum { OPEN = 16 };
    if (f->temporary)
        nftw(f->path, remove_one, OPEN, FTW_DEPTH | FTW_PHYS);
}

#define NAME "%05zu.pgm"

recon_status letters_set_make(recon_ctx *ctx, letters_set *out, const letters_plan *plan,
                              const letters_fonts *fonts, int part, size_t times, int anyway,
                              uint64_t seed)
{
    size_t n = letters_fonts_count(fonts, part) * plan->kinds * times;
    *out = (letters_set){ .n = n };
    RECON_CHECK(recon_alloc_raw(ctx, &out->pixels, n, plan->size * plan->size));
    RECON_CHECK(recon_alloc_raw(ctx, &out->kind, n, sizeof *out->kind));
    RECON_CHECK(recon_alloc_raw(ctx, &out->angle, n, sizeof *out->angle));
    for (size_t i = 0; i < n; i++) {
        size_t to = recon_permute(i, n, seed, 0), kind = i / times % plan->kinds;
        recon_rng rng = recon_rng_new(seed, i);
        double angle =
            anyway ? recon_so2_haar(&rng) : letters_law_draw(&plan->kind[kind].law, &rng);
        out->kind[to] = kind;
        out->angle[to] = angle;
        RECON_CHECK(letters_draw(ctx, out->pixels + to * plan->size * plan->size, fonts, part,
                                 i / times / plan->kinds, kind, angle));
    }
    return RECON_OK;
}

void letters_set_free(letters_set *set)
{
    recon_free_all(set->pixels, set->kind, set->angle);
    *set = (letters_set){ 0 };
}

recon_status letters_write_pgm(recon_ctx *ctx, const char *path, const uint8_t *pixels,
                               size_t height, size_t width)
{
    FILE *file = fopen(path, "wb");
    int whole = file && fprintf(file, "P5\n%zu %zu\n255\n", width, height) > 0 &&
                fwrite(pixels, width, height, file) == height;
    whole = file && fclose(file) == 0 && whole;
    return whole ? RECON_OK : recon_refused(ctx, path, "cannot be written");
}

/* What was drawn, beside the folder: the pictures' names tell nothing. */
static recon_status write_truth(recon_ctx *ctx, const letters_set *set, const letters_plan *plan,
                                const char *dir)
{
    char path[RECON_PATH];
    snprintf(path, sizeof path, "%s.csv", dir);
    FILE *file = fopen(path, "w");
    int whole = file && fprintf(file, "file,letter,angle_deg\n") > 0;
    for (size_t i = 0; whole && i < set->n; i++)
        whole = fprintf(file, NAME ",%s,%.3f\n", i, plan->kind[set->kind[i]].name,
                        set->angle[i] * RECON_TO_DEGREES) > 0;
    whole = file && fclose(file) == 0 && whole;
    return whole ? RECON_OK : recon_refused(ctx, path, "cannot be written");
}

recon_status letters_set_write(recon_ctx *ctx, const letters_set *set, const letters_plan *plan,
                               const char *dir)
{
    char name[32], path[RECON_PATH];
    RECON_CHECK(recon_folder_make(ctx, dir));
    for (size_t i = 0; i < set->n; i++) {
        snprintf(name, sizeof name, NAME, i);
        RECON_CHECK(letters_write_pgm(ctx, recon_folder_join(path, dir, name),
                                      set->pixels + i * plan->size * plan->size, plan->size,
                                      plan->size));
    }
    return write_truth(ctx, set, plan, dir);
}

recon_status letters_load(recon_ctx *ctx, float **out, size_t n, const char *dir,
                          const recon_model *model)
{
    const recon_ieae_shape shape = recon_model_describe(model).images;
    const recon_backbone *backbone = recon_model_backbone(model);
    recon_data_options as = { 0 };
    recon_dataset *data = NULL;
    char spec[RECON_PATH + 8];
    recon_status status;
    snprintf(spec, sizeof spec, "images:%s", dir);
    backbone->kind->data_options(backbone, &as);
    RECON_TRY(recon_dataset_open_with(
        ctx, &data, spec,
        &(recon_dataset_options){ .size = as.size, .channels = as.channels, .crop = as.crop }));
    size_t pixels = shape.height * shape.width_px * shape.channels;
    RECON_TRY(recon_alloc_raw(ctx, out, n * pixels, sizeof **out));
    for (size_t i = 0; i < n; i++)
        recon_dataset_get(*out + i * pixels, data, i);
done:
    recon_dataset_close(data);
    return status;
}
