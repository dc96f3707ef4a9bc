/* experiments.c - the paper's image experiments: what they are, what the paper reports, and where
 * the models for them are. */
#include "cli/reproduce.h"
#include "core/fail.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Accuracy: recon.tex, "Test accuracies obtained using different test-time canonicalizations";
 * upright: its upper bound; areas: its table (c); overhead: "canonicalization overhead". */
static const experiment experiments[] = {
    { .name = "mnist",
      .title = "MNIST",
      .width = "half-width",
      .family = RECON_SO2_UNIFORM,
      .recipe = { .warp = 0.3 },
      .pair = { 6, 9 },
      .classes = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9" },
      .paper = { 65.11, 13.60, 94.52, 90.96, 98.14, 0.79, 0.91, 0.351 } },
    { .name = "fashion",
      .title = "Fashion-MNIST",
      .width = "sigma",
      .family = RECON_SO2_NORMAL,
      .recipe = { .shape = { .mask = 1 }, .contrast = -1, .epochs = 50 },
      .classes = { "T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker",
                   "Bag", "Ankle boot" },
      .paper = { 57.14, 11.55, 79.44, 81.96, 91.11, 0.71, 0.81, 0.113 } },
};

const experiment *experiment_find(const char *name)
{
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++)
        if (!strcmp(experiments[i].name, name))
            return &experiments[i];
    return NULL;
}

/* The folder of the running program, or "." */
static void program_folder(char *out, size_t room)
{
    ssize_t n = readlink("/proc/self/exe", out, room - 1);
    out[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(out, '/');
    if (slash)
        *slash = '\0';
    else
        snprintf(out, room, ".");
}

recon_status shipped_model(recon_ctx *ctx, char *path, size_t room, const char *name,
                           const char *remedy)
{
    char program[2048];
    program_folder(program, sizeof program);
    const char *const folders[][2] = { { ".", "models" },
                                       { program, "../models" },
                                       { program, "../share/recon/models" } };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, room, "%s/%s/%s", folders[i][0], folders[i][1], name);
        if (access(path, F_OK) == 0) {
            if (i == 0)
                snprintf(path, room, "models/%s", name);
            return RECON_OK;
        }
    }
    return recon_fail(ctx, RECON_ERR_IO, "models/%s is not here nor in %s/../share/recon: %s", name,
                      program, remedy);
}
