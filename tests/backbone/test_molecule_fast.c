/* The encoder `fast`: what rotating, moving, renumbering and mirroring molecules does to its
 * answers, its gradient, and that neither padding nor company matters. */
#include "check.h"
#include "backbone/molecule_encoder.h"

#include "gradients.h"
#include <recon/ops/backend.h>
#include <stdlib.h>

enum { ATOMS = 13, LATENT = 12, MOST = 8 };
static const uint8_t known[] = { 1, 6, 7, 8 };
static const recon_molecule_net_shape shape = { .preset = RECON_PRESET_FAST,
                                                .width = 0.25,
                                                .layers = 3,
                                                .latent = LATENT,
                                                .elements = sizeof known,
                                                .slots = ATOMS };

/* ---- molecules ---- */

typedef struct {
    size_t atoms;
    uint8_t z[ATOMS];
    float xyz[ATOMS][3];
} molecule;

/* Atoms about 1.5 apart, no two closer than 1. */
static molecule random_molecule(recon_rng *r, size_t atoms)
{
    molecule m = { .atoms = atoms };
    for (size_t i = 0; i < atoms; i++) {
        double near = 0;
        m.z[i] = known[recon_rng_below(r, sizeof known)];
        while (near < 1) {
            near = 9;
            for (int k = 0; k < 3; k++)
                m.xyz[i][k] = (float)(1.8 * recon_rng_normal(r));
            for (size_t j = 0; j < i; j++) {
                double d = hypot(hypot(m.xyz[i][0] - m.xyz[j][0], m.xyz[i][1] - m.xyz[j][1]),
                                 m.xyz[i][2] - m.xyz[j][2]);
                near = d < near ? d : near;
            }
        }
    }
    return m;
}

static molecule mapped(const molecule *from, const double a[9], const double shift[3])
{
    molecule m = *from;
    for (size_t i = 0; i < m.atoms; i++)
        for (int k = 0; k < 3; k++)
            m.xyz[i][k] = (float)(a[3 * k] * from->xyz[i][0] + a[3 * k + 1] * from->xyz[i][1] +
                                  a[3 * k + 2] * from->xyz[i][2] + shift[k]);
    return m;
}

static molecule shuffled(const molecule *from, recon_rng *r)
{
    molecule m = *from;
    for (size_t i = m.atoms - 1; i > 0; i--) {
        size_t j = recon_rng_below(r, i + 1);
        uint8_t z = m.z[i];
        float xyz[3];
        memcpy(xyz, m.xyz[i], sizeof xyz);
        m.z[i] = m.z[j];
        memcpy(m.xyz[i], m.xyz[j], sizeof xyz);
        m.z[j] = z;
        memcpy(m.xyz[j], xyz, sizeof xyz);
    }
    return m;
}

static const double nowhere[3] = { 0, 0, 0 };

/* ---- the encoder on them ---- */

typedef struct {
    recon_ctx *ctx;
    recon_params *params;
    recon_molecule_encoder *encoder;
    recon_tape *tape;
    recon_molecule_pack pack;
    recon_rng rng;
} fixture;

typedef struct {
    double latent[LATENT], y[9]; /* y[3 k + v]: component k of vector v */
} answer;

static void open_fixture(fixture *f, void **state)
{
    *f = (fixture){ .ctx = *state, .rng = recon_rng_new(21, 3) };
    CHECK_OK(f->ctx, recon_params_new(f->ctx, &f->params, RECON_SINGLE));
    CHECK_OK(f->ctx, recon_molecule_fast_new(f->ctx, &f->encoder, f->params, &shape));
    CHECK_OK(f->ctx, recon_params_make(f->ctx, f->params, 4));
    CHECK_OK(f->ctx, recon_tape_new(f->ctx, &f->tape, RECON_SINGLE, 1));
}

static void close_fixture(fixture *f)
{
    recon_molecule_pack_free(&f->pack);
    recon_tape_free(f->tape);
    f->encoder->free(f->encoder);
    recon_params_free(f->ctx, f->params);
}

/* n molecules as one batch of nodes rows (0: as many as there are atoms). */
static void ask_all(fixture *f, answer *out, const molecule *m, size_t n, size_t nodes)
{
    recon_conformer x[MOST];
    recon_molecule_batch batch;
    recon_var latent, y;
    double all[MOST * LATENT], vectors[MOST * 9];
    for (size_t i = 0; i < n; i++)
        x[i] = (recon_conformer){ .atoms = m[i].atoms, .z = m[i].z, .xyz = m[i].xyz[0] };
    CHECK_OK(f->ctx,
             recon_molecule_pack_fill(
                 f->ctx, &f->pack, x, NULL, n,
                 &(recon_molecule_pack_options){
                     .element = known, .elements = sizeof known, .slots = ATOMS, .nodes = nodes }));
    CHECK_OK(f->ctx, recon_tape_begin(f->tape, RECON_INFER, 0));
    CHECK_OK(f->ctx, recon_molecule_batch_feed(f->tape, &batch, &f->pack, NULL));
    CHECK_OK(f->ctx, f->encoder->feed(f->tape, f->encoder, &batch, &f->pack, 0));
    f->encoder->apply(f->tape, f->encoder, &batch, &latent, &y);
    CHECK_OK(f->ctx, recon_var_read(f->tape, all, latent));
    CHECK_OK(f->ctx, recon_var_read(f->tape, vectors, y));
    for (size_t i = 0; i < n; i++) {
        memcpy(out[i].latent, all + i * LATENT, sizeof out->latent);
        memcpy(out[i].y, vectors + i * 9, sizeof out->y);
    }
}

static answer ask(fixture *f, molecule m)
{
    answer a;
    ask_all(f, &a, &m, 1, 0);
    return a;
}

static double distance(const double *a, const double *b, size_t n)
{
    double difference = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(difference / size);
}

/* The larger of both parts' relative errors, the vectors of b rotated by a. */
static double error_of(const answer *got, const answer *from, const double a[9])
{
    double y[9];
    for (int i = 0; i < 9; i++)
        y[i] = a[i / 3 * 3] * from->y[i % 3] + a[i / 3 * 3 + 1] * from->y[3 + i % 3] +
               a[i / 3 * 3 + 2] * from->y[6 + i % 3];
    double z = distance(got->latent, from->latent, LATENT), v = distance(got->y, y, 9);
    return z > v ? z : v;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ---- the laws ---- */

static void answers_rotate_with_the_molecule(void **state)
{
    enum { ROTATIONS = 200 };
    double error[ROTATIONS], a[9];
    fixture f;
    open_fixture(&f, state);
    for (int i = 0; i < ROTATIONS; i++) {
        molecule m = random_molecule(&f.rng, 3 + (size_t)i % (ATOMS - 2));
        double shift[3];
        for (int k = 0; k < 3; k++)
            shift[k] = recon_rng_normal(&f.rng);
        recon_so3_to_matrix(a, recon_so3_haar(&f.rng));
        molecule rotated = mapped(&m, a, shift);
        answer before = ask(&f, m), after = ask(&f, shuffled(&rotated, &f.rng));
        error[i] = error_of(&after, &before, a);
    }
    qsort(error, ROTATIONS, sizeof *error, ascending);
    CHECK_LESS(error[ROTATIONS - 1 - ROTATIONS / 100], 1e-4);
    CHECK_LESS(error[ROTATIONS - 1], 1e-3);
    close_fixture(&f);
}

static void mirror_images_are_told_apart(void **state)
{
    static const double mirror[9] = { 1, 0, 0, 0, 1, 0, 0, 0, -1 };
    fixture f;
    open_fixture(&f, state);
    for (int i = 0; i < 10; i++) {
        molecule m = random_molecule(&f.rng, 8);
        answer left = ask(&f, m), right = ask(&f, mapped(&m, mirror, nowhere));
        CHECK_LESS(1e-3, distance(right.latent, left.latent, LATENT));
        for (size_t k = 0; k < m.atoms; k++)
            m.xyz[k][2] = 0; /* in a plane the mirror is a rotation */
        left = ask(&f, m), right = ask(&f, mapped(&m, mirror, nowhere));
        CHECK_LESS(distance(right.latent, left.latent, LATENT), 1e-5);
    }
    close_fixture(&f);
}

/* Whatever vector rotates with a tetrahedron is zero. Rounding must not be taken for one. */
static void a_symmetric_molecule_has_no_direction(void **state)
{
    static const float corner[4][3] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };
    molecule methane = { .atoms = 5, .z = { 6, 1, 1, 1, 1 } };
    double a[9];
    fixture f;
    open_fixture(&f, state);
    for (size_t i = 0; i < 12; i++)
        methane.xyz[1 + i / 3][i % 3] = 0.63f * corner[i / 3][i % 3];
    recon_so3_to_matrix(a, recon_so3_haar(&f.rng));
    answer got = ask(&f, mapped(&methane, a, nowhere));
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(got.y[i], 0, 1e-5);
    close_fixture(&f);
}

static void neither_padding_nor_company_matters(void **state)
{
    static const double same[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    molecule m[MOST];
    answer together[MOST], padded[MOST];
    fixture f;
    open_fixture(&f, state);
    for (size_t i = 0; i < MOST; i++)
        m[i] = random_molecule(&f.rng, 1 + (size_t)(5 * i) % ATOMS);
    ask_all(&f, together, m, MOST, 0);
    ask_all(&f, padded, m, MOST, MOST * ATOMS + 3);
    for (size_t i = 1; i < MOST; i++) { /* one atom alone has no vectors to compare */
        answer alone = ask(&f, m[i]);
        CHECK_LESS(error_of(&together[i], &alone, same), 1e-5);
        CHECK_LESS(error_of(&padded[i], &alone, same), 1e-5);
    }
    close_fixture(&f);
}

/* ---- the gradient, in double on ref ---- */

enum { ROWS = 7, N = 2 };

static recon_var everything(recon_tape *t, void *user, const recon_var *x)
{
    const recon_molecule_encoder *e = user;
    recon_molecule_batch b = { .n = N,
                               .nodes = ROWS,
                               .xyz = x[0],
                               .offset = x[1],
                               .span = x[2],
                               .edge = { x[3], x[4], x[5] } };
    recon_var latent, y;
    e->apply(t, e, &b, &latent, &y);
    return recon_var_concat(
        t, (recon_var[]){ latent, recon_var_reshape(t, y, (size_t[]){ N, 9 }, 2) }, 2);
}

#define INPUT(kind, array, ...)                                                                    \
    {                                                                                              \
        .type = kind, .ndim = sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t),                  \
        .shape = { __VA_ARGS__ }, .data = (array), .constant = 1                                   \
    }

/* What atoms say is averaged: answers of large molecules are of the size of those of small ones. */
static void answers_do_not_grow_with_the_molecule(void **state)
{
    fixture f;
    double size[2] = { 0 };
    open_fixture(&f, state);
    for (int i = 0; i < 20; i++) {
        answer a = ask(&f, random_molecule(&f.rng, i % 2 ? ATOMS : 3));
        for (int k = 0; k < 9; k++)
            size[i % 2] += a.y[k] * a.y[k] / 10;
    }
    CHECK_LESS(sqrt(size[1] / size[0]), 3);
    close_fixture(&f);
}

static void the_gradient_is_that_of_differences(void **state)
{
    static const int32_t offset[] = { 0, 2, 6 }, span[] = { 0, 2, ROWS };
    recon_ctx *ctx = *state;
    recon_rng r = recon_rng_new(8, 1);
    recon_params *params;
    recon_molecule_encoder *e;
    recon_molecule_net_shape small = shape;
    double xyz[ROWS * 3], one_hot[ROWS * sizeof known] = { 0 }, share[ROWS], ones[ROWS], error = 1;
    for (size_t i = 0; i < 3 * ROWS; i++)
        xyz[i] = 1.5 * recon_rng_normal(&r);
    for (size_t i = 0; i < ROWS; i++) {
        share[i] = i < 2 ? 1.0 / 2 : i < 6 ? 1.0 / 4 : 0;
        ones[i] = 1;
        one_hot[i * sizeof known + i % sizeof known] = i < 6;
    }
    small.width = 1.0 / 32;
    small.layers = 2;
    small.latent = 3;
    CHECK_OK(ctx, recon_ops_attach(ctx, "ref"));
    CHECK_OK(ctx, recon_params_new(ctx, &params, RECON_DOUBLE));
    CHECK_OK(ctx, recon_molecule_fast_new(ctx, &e, params, &small));
    CHECK_OK(ctx, recon_params_make(ctx, params, 4));
    const recon_check_input x[] = {
        INPUT(RECON_F64, xyz, ROWS, 3),   INPUT(RECON_I32, offset, N + 1),
        INPUT(RECON_I32, span, N + 1),    INPUT(RECON_F64, one_hot, ROWS, sizeof known),
        INPUT(RECON_F64, share, ROWS, 1), INPUT(RECON_F64, ones, ROWS, 1)
    };
    CHECK_OK(ctx, recon_check_gradient(ctx, &error, everything, e, x, 6, params, RECON_TRAIN));
    CHECK_LESS(error, 1e-6);
    e->free(e);
    recon_params_free(ctx, params);
    CHECK_OK(ctx, recon_ops_attach(ctx, "cpu"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_rotate_with_the_molecule),
        cmocka_unit_test(mirror_images_are_told_apart),
        cmocka_unit_test(a_symmetric_molecule_has_no_direction),
        cmocka_unit_test(neither_padding_nor_company_matters),
        cmocka_unit_test(answers_do_not_grow_with_the_molecule),
        cmocka_unit_test(the_gradient_is_that_of_differences),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
