/* third.c - `recon` with a third domain and a third group in it, which no source of cli/ or src/ knows: the
 * outlines of examples/toy.c as the SPEC "outlines", and "third", SO(3) by another name and without heads. Used by
 * test_third.sh; the linker puts the functions below in front of the library's (see the Makefile). */
#define main toy_main
int toy_main(void);
#include "../../examples/toy.c"
#undef main

static recon_group third;
static recon_backbone_kind third_kind;

static recon_status open_third(recon_ctx *ctx, recon_backbone **out, const recon_safetensors *file,
                               const char *path, recon_precision precision)
{
    recon_status status = open_toy(ctx, out, file, path, precision);
    if (status == RECON_OK)
        (*out)->kind = &third_kind;
    return status;
}

/* psi is a rotation about one axis. */
static recon_status embed_third(recon_ctx *ctx, const recon_seen *out,
                                const recon_backbone *backbone, const void *inputs, size_t n)
{
    recon_seen seen = *out;
    seen.psi = out->psi ? malloc((n ? n : 1) * sizeof *seen.psi) : NULL;
    recon_status status = embed(ctx, &seen, backbone, inputs, n);
    for (size_t i = 0; seen.psi && i < n; i++) {
        const double q[4] = { cos(seen.psi[i] / 2), 0, 0, sin(seen.psi[i] / 2) };
        memcpy(out->psi + 4 * i, q, sizeof q);
    }
    free(seen.psi);
    return status;
}

recon_ctx *__real_recon_ctx_new(const recon_ctx_options *options);
recon_ctx *__wrap_recon_ctx_new(const recon_ctx_options *options);
recon_ctx *__wrap_recon_ctx_new(const recon_ctx_options *options)
{
    recon_ctx *ctx = __real_recon_ctx_new(options);
    third = recon_group_so3;
    third.name = "third";
    third.words = "the third group";
    third.meaning = "the rotations of the test";
    third_kind = toy_kind;
    third_kind.name = "third";
    third_kind.group = &third;
    third_kind.open = open_third;
    third_kind.embed = embed_third;
    if (ctx && (recon_group_add(ctx, &third) || recon_backbone_add(ctx, &toy_kind) ||
                recon_backbone_add(ctx, &third_kind))) {
        fprintf(stderr, "%s\n", recon_ctx_message(ctx));
        exit(99);
    }
    return ctx;
}

static int is_ours(const char *spec)
{
    return !strcmp(spec, "outlines");
}

int __real_recon_data_is(const char *spec);
int __wrap_recon_data_is(const char *spec);
int __wrap_recon_data_is(const char *spec)
{
    return is_ours(spec) || __real_recon_data_is(spec);
}

const recon_data_kind *__real_recon_data_kind_of(const char *spec);
const recon_data_kind *__wrap_recon_data_kind_of(const char *spec);
const recon_data_kind *__wrap_recon_data_kind_of(const char *spec)
{
    return is_ours(spec) ? &outlines_kind : __real_recon_data_kind_of(spec);
}

recon_status __real_recon_data_open(recon_ctx *ctx, recon_data **out, const char *spec,
                                    const recon_data_options *options);
recon_status __wrap_recon_data_open(recon_ctx *ctx, recon_data **out, const char *spec,
                                    const recon_data_options *options);
recon_status __wrap_recon_data_open(recon_ctx *ctx, recon_data **out, const char *spec,
                                    const recon_data_options *options)
{
    static outlines data = { .base = { &outlines_kind } };
    recon_rng rng = recon_rng_new(1, 0);
    if (!is_ours(spec))
        return __real_recon_data_open(ctx, out, spec, options);
    for (size_t i = 0; i < N; i++)
        data.shape[i] = draw(i % KINDS, 0.17 * recon_rng_normal(&rng), &rng);
    *out = &data.base;
    return RECON_OK;
}
