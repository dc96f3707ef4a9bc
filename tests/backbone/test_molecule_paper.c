/* The paper's encoder: rotates with a molecule, whatever the order and place of its atoms; blind to
 * mirror images unless asked; padding and company change nothing; its gradient is a slope. */
#include "check.h"
#include <recon/core/rng.h>
#include <recon/ops/backend.h>
#include <stdlib.h>
#include "backbone/molecule_encoder.h"
#include "core/memory.h"
#include "nn/params.h"

enum { MOLECULES = 24, ATOMS = 12, ELEMENTS = 3 };
static const uint8_t ELEMENT[ELEMENTS] = { 1, 6, 8 };
static const recon_molecule_paper_shape SHAPE = { .hidden = { { 12, 8, 4, 2 } },
                                                  .layers = 6,
                                                  .radius = 2,
                                                  .scalars = 16,
                                                  .vectors = 16,
                                                  .outputs = 10,
                                                  .elements = ELEMENTS };

/* --- molecules: each atom hangs on one before it ---------------------------------------------- */

typedef struct {
    uint8_t z[MOLECULES][ATOMS];
    float xyz[MOLECULES][3 * ATOMS];
    recon_conformer x[MOLECULES];
} set;

static void grow(set *s, size_t i, recon_rng *rng)
{
    size_t atoms = 3 + recon_rng_below(rng, ATOMS - 2);
    s->x[i] = (recon_conformer){ .atoms = atoms, .z = s->z[i], .xyz = s->xyz[i] };
    for (size_t a = 0; a < atoms; a++) {
        size_t on = a ? recon_rng_below(rng, a) : 0;
        double v[3], n = 0;
        for (int k = 0; k < 3; k++)
            v[k] = recon_rng_normal(rng), n += v[k] * v[k];
        for (size_t k = 0; k < 3; k++)
            s->xyz[i][3 * a + k] =
                a ? s->xyz[i][3 * on + k] +
                        (float)((1 + 0.5 * recon_rng_uniform(rng)) * v[k] / sqrt(n))
                  : 0;
        s->z[i][a] = ELEMENT[recon_rng_below(rng, ELEMENTS)];
    }
}

static set *set_new(uint64_t stream)
{
    set *s = calloc(1, sizeof *s);
    recon_rng rng = recon_rng_new(21, stream);
    for (size_t i = 0; i < MOLECULES; i++)
        grow(s, i, &rng);
    return s;
}

static set *copy_of(const set *from)
{
    set *s = malloc(sizeof *s);
    memcpy(s, from, sizeof *s);
    for (size_t i = 0; i < MOLECULES; i++)
        s->x[i].z = s->z[i], s->x[i].xyz = s->xyz[i];
    return s;
}

/* Every molecule by a rotation of its own, mirrored where mirror is -1, and moved. */
static void move(set *s, const recon_so3 *rotation, double mirror)
{
    for (size_t i = 0; i < MOLECULES; i++)
        for (size_t a = 0; a < s->x[i].atoms; a++) {
            float *at = s->xyz[i] + 3 * a;
            double v[3] = { mirror * at[0], mirror * at[1], mirror * at[2] };
            recon_so3_act(v, rotation[i], v);
            at[0] = (float)(v[0] + 3), at[1] = (float)(v[1] - 5), at[2] = (float)(v[2] + 1);
        }
}

static void shuffle(set *s)
{
    recon_rng rng = recon_rng_new(22, 0);
    for (size_t i = 0; i < MOLECULES; i++)
        for (size_t a = s->x[i].atoms; a > 1; a--) {
            size_t b = recon_rng_below(&rng, a);
            uint8_t z = s->z[i][a - 1];
            s->z[i][a - 1] = s->z[i][b], s->z[i][b] = z;
            for (size_t k = 0; k < 3; k++) {
                float x = s->xyz[i][3 * (a - 1) + k];
                s->xyz[i][3 * (a - 1) + k] = s->xyz[i][3 * b + k], s->xyz[i][3 * b + k] = x;
            }
        }
}

/* --- the encoder ------------------------------------------------------------------------------ */

typedef struct {
    recon_params *params;
    recon_molecule_encoder *encoder;
    recon_molecule_paper_shape shape;
} model;

static model model_new(recon_ctx *ctx, const recon_molecule_paper_shape *shape)
{
    model m = { .shape = *shape };
    CHECK_OK(ctx, recon_params_new(ctx, &m.params, RECON_SINGLE));
    CHECK_OK(ctx, recon_molecule_paper_make(ctx, &m.encoder, m.params, "encoder", shape));
    CHECK_OK(ctx, recon_params_make(ctx, m.params, 5));
    return m;
}

static void model_free(recon_ctx *ctx, model *m)
{
    m->encoder->free(m->encoder);
    recon_params_free(ctx, m->params);
}

typedef struct {
    size_t nodes, edges; /* capacities; 0: none */
} room;

static void feed(recon_ctx *ctx, recon_tape *t, recon_molecule_batch *b, const model *m,
                 const recon_conformer *x, size_t n, room r)
{
    recon_molecule_pack pack = { 0 };
    CHECK_OK(ctx, recon_molecule_pack_fill(ctx, &pack, x, NULL, n,
                                           &(recon_molecule_pack_options){ .element = ELEMENT,
                                                                           .elements = ELEMENTS,
                                                                           .slots = ATOMS,
                                                                           .nodes = r.nodes }));
    CHECK_OK(ctx, recon_molecule_batch_feed(t, b, &pack, NULL));
    CHECK_OK(ctx, m->encoder->feed(t, m->encoder, b, &pack, r.edges));
    recon_molecule_pack_free(&pack);
}

/* latent [n][outputs], y [n][3][3] */
typedef struct {
    double *latent, *y;
} answer;

static answer ask(recon_ctx *ctx, const model *m, const recon_conformer *x, size_t n, room r)
{
    answer a = { malloc(n * m->shape.outputs * sizeof(double)), malloc(n * 9 * sizeof(double)) };
    recon_molecule_batch b;
    recon_var latent, y;
    recon_tape *t;
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    feed(ctx, t, &b, m, x, n, r);
    m->encoder->apply(t, m->encoder, &b, &latent, &y);
    CHECK_OK(ctx, recon_var_read(t, a.latent, latent));
    if (y)
        CHECK_OK(ctx, recon_var_read(t, a.y, y));
    recon_tape_free(t);
    return a;
}

static void answer_free(answer *a)
{
    free(a->latent);
    free(a->y);
}

static double relative(const double *a, const double *b, size_t n)
{
    double difference = 0, length = 0;
    for (size_t i = 0; i < n; i++) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        length += b[i] * b[i];
    }
    return sqrt(difference / length);
}

/* y [3][3] rotated: component k of vector v is y[k][v]. */
static void rotate_vectors(double *y, recon_so3 r, double mirror)
{
    for (int v = 0; v < 3; v++) {
        double u[3] = { mirror * y[v], mirror * y[3 + v], mirror * y[6 + v] };
        recon_so3_act(u, r, u);
        for (int k = 0; k < 3; k++)
            y[3 * k + v] = u[k];
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Errors of latent and vectors over a set in which every molecule was moved in its own way. */
typedef struct {
    double latent[MOLECULES], y[MOLECULES];
} errors;

static errors rotation_errors(recon_ctx *ctx, const recon_molecule_paper_shape *shape,
                              double mirror, int shuffled)
{
    model m = model_new(ctx, shape);
    set *s = set_new(1), *moved = copy_of(s);
    recon_rng rng = recon_rng_new(23, 0);
    recon_so3 rotation[MOLECULES];
    errors e;
    for (size_t i = 0; i < MOLECULES; i++)
        rotation[i] = recon_so3_haar(&rng);
    move(moved, rotation, mirror);
    if (shuffled)
        shuffle(moved);
    answer a = ask(ctx, &m, s->x, MOLECULES, (room){ 0 });
    answer b = ask(ctx, &m, moved->x, MOLECULES, (room){ 0 });
    for (size_t i = 0; i < MOLECULES; i++) {
        size_t n = shape->outputs;
        rotate_vectors(a.y + 9 * i, rotation[i], mirror);
        e.latent[i] = relative(b.latent + n * i, a.latent + n * i, n);
        e.y[i] = relative(b.y + 9 * i, a.y + 9 * i, 9);
    }
    qsort(e.latent, MOLECULES, sizeof(double), ascending);
    qsort(e.y, MOLECULES, sizeof(double), ascending);
    answer_free(&a), answer_free(&b);
    free(s), free(moved);
    model_free(ctx, &m);
    return e;
}

/* The whole network, in float. Of 24 molecules the largest is above the 99th percentile. */
static void rotates_with_the_molecule_in_float(void **state)
{
    recon_molecule_paper_shape shape = SHAPE;
    for (shape.chiral = 0; shape.chiral < 2; shape.chiral++) {
        errors e = rotation_errors(*state, &shape, 1, 0);
        CHECK_LESS(e.latent[MOLECULES - 1], 1e-4);
        CHECK_LESS(e.y[MOLECULES - 1], 1e-4);
    }
}

static void the_order_of_atoms_does_not_matter(void **state)
{
    errors e = rotation_errors(*state, &SHAPE, 1, 1);
    CHECK_LESS(e.latent[MOLECULES - 1], 1e-4);
    CHECK_LESS(e.y[MOLECULES - 1], 1e-4);
}

static void mirror_images_are_told_apart_when_asked(void **state)
{
    recon_molecule_paper_shape shape = SHAPE;
    errors blind = rotation_errors(*state, &shape, -1, 0);
    CHECK_LESS(blind.latent[MOLECULES - 1], 1e-4);
    CHECK_LESS(blind.y[MOLECULES - 1], 1e-4); /* vectors of a mirror image are mirrored */
    shape.chiral = 1;
    errors sees = rotation_errors(*state, &shape, -1, 0);
    CHECK_LESS(1e-3, sees.latent[MOLECULES / 2]);
}

/* Alone, a CPU's products are of another size and are summed in another order, which may show as
 * much as rotating does; the plain loops have one order, and there no bit changes. */
static void padding_and_company_change_nothing(void **state)
{
    recon_ctx *ctx = *state;
    model m = model_new(ctx, &SHAPE);
    set *s = set_new(2);
    answer a = ask(ctx, &m, s->x, MOLECULES, (room){ 0 });
    answer padded = ask(ctx, &m, s->x, MOLECULES, (room){ MOLECULES * ATOMS + 9, 3000 });
    answer edges = ask(ctx, &m, s->x, MOLECULES, (room){ 0, 2500 }); /* no row to spare */
    size_t n = SHAPE.outputs;
    for (size_t i = 0; i < MOLECULES; i++) {
        answer alone = ask(ctx, &m, &s->x[i], 1, (room){ 0 });
        const answer *others[] = { &padded, &edges };
        for (int k = 0; k < 2; k++) {
            CHECK_LESS(relative(others[k]->latent + n * i, a.latent + n * i, n), 1e-6);
            CHECK_LESS(relative(others[k]->y + 9 * i, a.y + 9 * i, 9), 1e-6);
        }
        CHECK_LESS(relative(alone.latent, a.latent + n * i, n), 1e-4);
        CHECK_LESS(relative(alone.y, a.y + 9 * i, 9), 1e-4);
        answer_free(&alone);
    }
    answer_free(&a), answer_free(&padded), answer_free(&edges);
    free(s);
    model_free(ctx, &m);
}

static void company_changes_no_bit_of_plain_loops(void **state)
{
    recon_ctx *ctx = recon_ctx_new(NULL);
    (void)state;
    assert_non_null(ctx);
    CHECK_OK(ctx, recon_ops_attach(ctx, "ref"));
    model m = model_new(ctx, &SHAPE);
    set *s = set_new(2);
    answer a = ask(ctx, &m, s->x, MOLECULES, (room){ 0 });
    for (size_t i = 0; i < MOLECULES; i++) {
        answer alone = ask(ctx, &m, &s->x[i], 1, (room){ 0 });
        CHECK_NEAR(relative(alone.latent, a.latent + SHAPE.outputs * i, SHAPE.outputs), 0, 0);
        CHECK_NEAR(relative(alone.y, a.y + 9 * i, 9), 0, 0);
        answer_free(&alone);
    }
    answer_free(&a);
    free(s);
    model_free(ctx, &m);
    recon_ctx_free(ctx);
}

/* --- gradients -------------------------------------------------------------------------------- */

/* mean of latent^2 + mean of y^2; its gradient stays in params. */
static double loss(recon_ctx *ctx, const model *m, const set *s, room r)
{
    static const float zeros[MOLECULES * 16];
    recon_molecule_batch b;
    recon_var latent, y;
    recon_tape *t;
    double value;
    CHECK_OK(ctx, recon_params_clear_gradients(ctx, m->params));
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_TRAIN, 0));
    feed(ctx, t, &b, m, s->x, MOLECULES, r);
    m->encoder->apply(t, m->encoder, &b, &latent, &y);
    recon_var first =
        recon_var_input(t, zeros, RECON_F32, (size_t[]){ MOLECULES, SHAPE.outputs }, 2);
    recon_var second = recon_var_input(t, zeros, RECON_F32, (size_t[]){ MOLECULES, 3, 3 }, 3);
    recon_var sum = recon_var_add(t, recon_var_mse(t, latent, first), recon_var_mse(t, y, second));
    CHECK_OK(ctx, recon_tape_backward(t, sum));
    CHECK_OK(ctx, recon_var_read(t, &value, sum));
    recon_tape_free(t);
    return value;
}

/* All gradients, one after another; free it. */
static double *gradients(recon_ctx *ctx, const model *m, size_t *count)
{
    size_t entries = recon_params_entries(m->params);
    double *g = malloc(recon_params_count(m->params) * sizeof *g);
    *count = 0;
    for (size_t i = 0; i < entries; i++) {
        recon_param *p = m->params->entry[i];
        CHECK_OK(ctx, recon_param_read_gradient(ctx, g + *count, p));
        *count += recon_param_count(p);
    }
    assert_int_equal(*count, recon_params_count(m->params));
    return g;
}

static void step(recon_ctx *ctx, const model *m, const double *direction, double length)
{
    for (size_t i = 0; i < recon_params_entries(m->params); i++) {
        recon_param *p = m->params->entry[i];
        size_t n = recon_param_count(p);
        double *w = malloc(n * sizeof *w);
        CHECK_OK(ctx, recon_param_read(ctx, w, p));
        for (size_t k = 0; k < n; k++)
            w[k] += length * *direction++;
        CHECK_OK(ctx, recon_param_write(ctx, p, w));
        free(w);
    }
}

/* Along the gradient the loss rises by its length: heads, pooling and all. The parts are held to
 * differences in double by nn/test_segnn. */
static void the_gradient_is_the_slope(void **state)
{
    recon_ctx *ctx = *state;
    model m = model_new(ctx, &SHAPE);
    set *s = set_new(3);
    size_t n;
    loss(ctx, &m, s, (room){ 0 });
    double *g = gradients(ctx, &m, &n), square = 0, h = 1e-3;
    for (size_t i = 0; i < n; i++)
        square += g[i] * g[i];
    step(ctx, &m, g, h / sqrt(square));
    double up = loss(ctx, &m, s, (room){ 0 });
    step(ctx, &m, g, -2 * h / sqrt(square));
    double down = loss(ctx, &m, s, (room){ 0 });
    CHECK_NEAR((up - down) / (2 * h) / sqrt(square), 1, 0.01);
    free(g), free(s);
    model_free(ctx, &m);
}

static void padding_does_not_reach_the_gradient(void **state)
{
    recon_ctx *ctx = *state;
    model m = model_new(ctx, &SHAPE);
    set *s = set_new(4);
    size_t n;
    double plain = loss(ctx, &m, s, (room){ 0 });
    double *g = gradients(ctx, &m, &n);
    double padded = loss(ctx, &m, s, (room){ MOLECULES * ATOMS + 9, 3000 });
    double *p = gradients(ctx, &m, &n);
    CHECK_NEAR(padded, plain, 1e-6 * plain);
    CHECK_LESS(relative(p, g, n), 1e-5);
    free(g), free(p), free(s);
    model_free(ctx, &m);
}

/* --- shapes ----------------------------------------------------------------------------------- */

static void odd_molecules_have_answers(void **state)
{
    recon_ctx *ctx = *state;
    model m = model_new(ctx, &SHAPE);
    const uint8_t z[4] = { 6, 1, 1, 8 };
    const float xyz[12] = { 0, 0, 0, 0, 0, 0, 50, 0, 0, 51, 0, 0 };
    const recon_conformer x[] = { { .atoms = 1, .z = z, .xyz = xyz },   /* alone            */
                                  { .atoms = 2, .z = z, .xyz = xyz },   /* in one place     */
                                  { .atoms = 4, .z = z, .xyz = xyz } }; /* in two clusters  */
    for (size_t first = 0; first < 3; first++) {
        answer a = ask(ctx, &m, x + first, 3 - first, (room){ 0 });
        for (size_t i = 0; i < (3 - first) * SHAPE.outputs; i++)
            assert_true(isfinite(a.latent[i]));
        for (size_t i = 0; i < (3 - first) * 9; i++)
            assert_true(isfinite(a.y[i]));
        answer_free(&a);
    }
    answer a = ask(ctx, &m, x, 1, (room){ 0 });
    for (size_t i = 0; i < 9; i++)
        assert_true(a.y[i] == 0); /* nothing to tell one direction from another */
    answer_free(&a);
    model_free(ctx, &m);
}

/* The paper's Lambda and Theta: narrower, and invariant. */
static void maps_are_the_same_network(void **state)
{
    recon_ctx *ctx = *state;
    const recon_molecule_paper_shape narrow = { .hidden = { { 50, 32, 8, 4 } },
                                                .layers = 4,
                                                .radius = 2,
                                                .scalars = 32,
                                                .outputs = 9,
                                                .elements = ELEMENTS };
    model m = model_new(ctx, &narrow);
    set *s = set_new(5);
    answer a = ask(ctx, &m, s->x, 2, (room){ 0 });
    assert_true(isfinite(a.latent[0]) && isfinite(a.latent[17]));
    size_t layers = 4 * (83914 + 3 * 94 + 50 + 94 + 50); /* weights, biases, norms */
    size_t ends = (ELEMENTS * 94 + 50) + (94 * 32 + 32) + (32 * 32 + 32) + (32 * 9 + 9);
    assert_int_equal(recon_params_count(m.params), layers + ends);
    answer_free(&a);
    free(s);
    model_free(ctx, &m);
}

static void the_preset_has_the_papers_size(void **state)
{
    recon_ctx *ctx = *state;
    const recon_molecule_net_shape shape = { .preset = RECON_PRESET_PAPER,
                                             .width = 1,
                                             .layers = 6,
                                             .radius = 2,
                                             .latent = 512,
                                             .elements = 5 };
    recon_molecule_encoder *encoder;
    recon_params *params;
    CHECK_OK(ctx, recon_params_new(ctx, &params, RECON_SINGLE));
    CHECK_OK(ctx, recon_molecule_paper_new(ctx, &encoder, params, &shape));
    size_t net = 6 * (335380 + 664 + 288) + 5 * 188 + 100; /* see nn/test_segnn     */
    size_t readout = 512 * (188 + 268) + 512;              /* fan in of 0 and of 1  */
    size_t latent = 2 * (512 * 512 + 512);
    size_t vectors = 128 * (1024 + 1536) + 128 + 3 * (2 * 128); /* gates, vectors, three */
    CHECK_OK(ctx, recon_params_make(ctx, params, 0));
    assert_int_equal(recon_params_count(params), net + readout + latent + vectors);
    encoder->free(encoder);
    recon_params_free(ctx, params);
}

/* Every allocation in turn fails, and what was made until then is given back. */
static void lack_of_memory_is_said(void **state)
{
    recon_ctx *ctx = *state;
    const recon_molecule_paper_shape tiny = { .hidden = { { 2, 1, 1, 1 } },
                                              .layers = 1,
                                              .radius = 2,
                                              .scalars = 2,
                                              .vectors = 2,
                                              .outputs = 2,
                                              .elements = ELEMENTS };
    recon_status made = RECON_ERR_MEMORY;
    for (long n = 1; made != RECON_OK; n++) {
        recon_molecule_encoder *encoder;
        recon_params *params;
        CHECK_OK(ctx, recon_params_new(ctx, &params, RECON_SINGLE));
        recon_alloc_fail_at(ctx, n);
        made = recon_molecule_paper_make(ctx, &encoder, params, "encoder", &tiny);
        recon_alloc_fail_at(ctx, 0);
        assert_true(made == RECON_OK || (made == RECON_ERR_MEMORY && !encoder));
        if (made == RECON_OK)
            encoder->free(encoder);
        recon_params_free(ctx, params);
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotates_with_the_molecule_in_float),
        cmocka_unit_test(the_order_of_atoms_does_not_matter),
        cmocka_unit_test(mirror_images_are_told_apart_when_asked),
        cmocka_unit_test(padding_and_company_change_nothing),
        cmocka_unit_test(company_changes_no_bit_of_plain_loops),
        cmocka_unit_test(the_gradient_is_the_slope),
        cmocka_unit_test(padding_does_not_reach_the_gradient),
        cmocka_unit_test(odd_molecules_have_answers),
        cmocka_unit_test(maps_are_the_same_network),
        cmocka_unit_test(the_preset_has_the_papers_size),
        cmocka_unit_test(lack_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
