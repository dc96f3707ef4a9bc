/* The networks of --baselines: those that claim to be invariant or equivariant are, to 1e-3 at right
 * angles; at others the error is printed. */
#include "check.h"

#include "lab/rival_net.h"
#include "lab/rival_segnn.h"
#include "nn/params.h"

#include "gradients.h"

enum { SIDE = 28, CLASSES = 4, N = 2 }; /* as large as the images of the shipped networks */

static rival *make(recon_ctx *ctx, rival_kind kind)
{
    rival *r;
    rival_info info = {
        .kind = kind, .height = SIDE, .width = SIDE, .channels = 1, .classes = CLASSES
    };
    CHECK_OK(ctx, rival_make(ctx, &r, info, RECON_SINGLE, NULL, NULL, 1));
    return r;
}

/* Smooth, and nothing beyond the disc. */
static void draw(double *images)
{
    for (size_t i = 0; i < (size_t)N * SIDE * SIDE; i++) {
        double x = (double)(i % SIDE) - 12.0, y = (double)(i / SIDE % SIDE) - 15.0;
        double from = (double)(i / (SIDE * SIDE));
        images[i] =
            exp(-(x * x + 3 * y * y) / 12) + 0.5 * exp(-pow(x - 3 - from, 2) / 4 - y * y / 9);
    }
}

static void rotate_images(void *element, double *out, const double *in, const size_t *shape,
                          int ndim)
{
    float from[SIDE * SIDE], to[SIDE * SIDE];
    (void)ndim;
    for (size_t i = 0; i < shape[0]; i++) {
        for (size_t p = 0; p < SIDE * SIDE; p++)
            from[p] = (float)in[i * SIDE * SIDE + p];
        recon_image_rotate(to, from, SIDE, SIDE, 1, *(double *)element, RECON_BILINEAR);
        for (size_t p = 0; p < SIDE * SIDE; p++)
            out[i * SIDE * SIDE + p] = (double)to[p];
    }
}

static void stay(void *element, double *out, const double *in, const size_t *shape, int ndim)
{
    (void)element, (void)ndim;
    memcpy(out, in, shape[0] * shape[1] * sizeof *out);
}

static void rotate_pairs(void *element, double *out, const double *in, const size_t *shape,
                         int ndim)
{
    double a = *(double *)element;
    (void)ndim;
    for (size_t i = 0; i < shape[0]; i++) {
        out[2 * i] = cos(a) * in[2 * i] - sin(a) * in[2 * i + 1];
        out[2 * i + 1] = sin(a) * in[2 * i] + cos(a) * in[2 * i + 1];
    }
}

static recon_var apply(recon_tape *t, void *user, const recon_var *x)
{
    rival *r = user;
    return rival_feed(t, r, 0) == RECON_OK ? rival_nets[r->info.kind].apply(t, r, x[0]) : NULL;
}

static double error_at(recon_ctx *ctx, rival *r, double angle)
{
    double images[N * SIDE * SIDE], error;
    draw(images);
    const recon_check_input x = {
        .type = RECON_F64, .ndim = 4, .shape = { N, SIDE, SIDE, 1 }, .data = images
    };
    CHECK_OK(ctx,
             recon_check_equivariance(ctx, &error, apply, r, &x, rotate_images,
                                      r->info.poses ? rotate_pairs : stay, &angle, RECON_SINGLE));
    return error;
}

/* Of all layers that have one, as it is stored: 0 is the whole circle, less is a part. */
static void set_theta(recon_ctx *ctx, rival *r, double value)
{
    for (size_t i = 1; i < PARTIAL_LAYERS; i++)
        CHECK_OK(ctx, recon_tensor_write(ctx, &r->net.partial.layer[i].theta->value, &value));
}

static void right_angles_are_not_seen(recon_ctx *ctx, rival *r)
{
    for (int quarter = 1; quarter < 4; quarter++)
        CHECK_LESS(error_at(ctx, r, M_PI / 2 * quarter), 1e-3);
}

static void print_errors(recon_ctx *ctx, rival *r, const char *name)
{
    print_message("%s: error at 90 degrees %.4f, at 45 %.3f, at 20 %.3f\n", name,
                  error_at(ctx, r, M_PI / 2), error_at(ctx, r, M_PI / 4),
                  error_at(ctx, r, M_PI / 9));
}

static void right_angles_change_nothing(void **state)
{
    static const rival_kind kinds[] = { RIVAL_ESCNN, RIVAL_EQUIADAPT, RIVAL_PARTIAL };
    recon_ctx *ctx = *state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        rival *r = make(ctx, kinds[k]);
        if (kinds[k] == RIVAL_PARTIAL)
            set_theta(ctx, r, 0);
        right_angles_are_not_seen(ctx, r);
        print_errors(ctx, r, rival_name(kinds[k]));
        CHECK_LESS(error_at(ctx, r, M_PI / 4), 0.5);
        rival_close(ctx, r);
    }
}

static void nor_in_networks_that_are_trained(void **state)
{
    static const char *const paths[] = {
        "models/mnist-escnn.safetensors",
        "models/fashion-escnn.safetensors",
        "models/mnist-equiadapt.safetensors",
        "models/fashion-equiadapt.safetensors",
    };
    recon_ctx *ctx = *state;
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        rival *r;
        CHECK_OK(ctx, rival_open(ctx, &r, paths[k]));
        right_angles_are_not_seen(ctx, r);
        print_errors(ctx, r, paths[k]);
        rival_close(ctx, r);
    }
}

/* A Partial G-CNN claims that for the whole circle alone. The shipped ones have learned to cover a part
 * of it and see right angles; with the same weights over the whole circle they do not. */
static void a_learned_theta_is_what_sees_right_angles(void **state)
{
    static const char *const paths[] = { "models/mnist-partial_gcnn.safetensors",
                                         "models/fashion-partial_gcnn.safetensors" };
    recon_ctx *ctx = *state;
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        rival *r;
        CHECK_OK(ctx, rival_open(ctx, &r, paths[k]));
        for (int quarter = 1; quarter < 4; quarter++)
            assert_true(error_at(ctx, r, M_PI / 2 * quarter) > 1e-2);
        print_errors(ctx, r, paths[k]);
        set_theta(ctx, r, 0);
        right_angles_are_not_seen(ctx, r);
        print_errors(ctx, r, "over the whole circle");
        rival_close(ctx, r);
    }
}

/* The logits of a Partial G-CNN whose angles begin at `offset`, of images rotated by `angle`. */
static void logits_at(recon_ctx *ctx, double out[N * CLASSES], rival *r, double offset,
                      double angle)
{
    double images[N * SIDE * SIDE], rotated[N * SIDE * SIDE];
    float x[N * SIDE * SIDE];
    const size_t shape[4] = { N, SIDE, SIDE, 1 };
    recon_tape *t;
    draw(images);
    rotate_images(&angle, rotated, images, shape, 4);
    for (size_t i = 0; i < (size_t)N * SIDE * SIDE; i++)
        x[i] = (float)rotated[i];
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    CHECK_OK(ctx, rival_feed(t, r, offset));
    recon_var y = rival_nets[RIVAL_PARTIAL].apply(t, r, recon_var_input(t, x, RECON_F32, shape, 4));
    CHECK_OK(ctx, recon_var_read(t, out, y));
    recon_tape_free(t);
}

/* The norm of a - b, as a part of that of a. */
static double apart(const double a[N * CLASSES], const double b[N * CLASSES])
{
    double off = 0, all = 0;
    for (int i = 0; i < N * CLASSES; i++) {
        off += pow(a[i] - b[i], 2);
        all += pow(a[i], 2);
    }
    return sqrt(off / all);
}

/* A whole step of the angles changes nothing, whatever part they cover; where they cover all of the
 * circle, neither do other offsets, up to the pixels. */
static void an_offset_of_the_angles_changes_little(void **state)
{
    static const double theta[] = { 0, -30 };
    recon_ctx *ctx = *state;
    double here[N * CLASSES], there[N * CLASSES];
    rival *r = make(ctx, RIVAL_PARTIAL);
    for (int k = 0; k < 2; k++) {
        set_theta(ctx, r, theta[k]);
        logits_at(ctx, here, r, 0, 0);
        for (int step = 1; step < PARTIAL_ANGLES; step++) {
            logits_at(ctx, there, r, 2 * M_PI * step / PARTIAL_ANGLES, 0);
            CHECK_LESS(apart(here, there), 1e-4);
        }
    }
    set_theta(ctx, r, 0);
    for (double angle = 0.2; angle < 0.7; angle += 0.2) {
        logits_at(ctx, here, r, angle, 0);
        logits_at(ctx, there, r, 0, -angle);
        print_message("offset of %.1f: error %.3f\n", angle, apart(here, there));
        CHECK_LESS(apart(here, there), 0.1);
    }
    rival_close(ctx, r);
}

/* Where the layers cover part of the circle, a right angle is seen; the penalty is for a layer that
 * covers more than the one before. */
static void part_of_the_circle_is_not_all_of_it(void **state)
{
    recon_ctx *ctx = *state;
    const double whole = 0;
    double more;
    recon_tape *t;
    rival *r = make(ctx, RIVAL_PARTIAL);
    set_theta(ctx, r, -30);
    assert_true(error_at(ctx, r, M_PI / 2) > 1e-2);
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    CHECK_OK(ctx, recon_var_read(t, &more, partial_penalty(t, &r->net.partial)));
    CHECK_NEAR(more, 0, 0);
    CHECK_OK(ctx, recon_tensor_write(ctx, &r->net.partial.layer[2].theta->value, &whole));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    CHECK_OK(ctx, recon_var_read(t, &more, partial_penalty(t, &r->net.partial)));
    CHECK_NEAR(more, 0.6e-3, 1e-6);
    recon_tape_free(t);
    rival_close(ctx, r);
}

/* A part that is short by half a step of the angles: wherever they begin, one of them fades. */
static void a_part_of_the_circle_has_a_gradient_at_every_offset(void **state)
{
    recon_ctx *ctx = *state;
    rival *r = make(ctx, RIVAL_PARTIAL);
    double images[N * SIDE * SIDE], gradient;
    float pixels[N * SIDE * SIDE];
    const size_t shape[4] = { N, SIDE, SIDE, 1 }, n = N;
    int32_t labels[N];
    recon_tape *t;
    set_theta(ctx, r, -6.25);
    draw(images);
    for (size_t i = 0; i < (size_t)N * SIDE * SIDE; i++)
        pixels[i] = (float)images[i];
    for (int i = 0; i < N; i++)
        labels[i] = i;
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    for (int k = 0; k < 5; k++) {
        CHECK_OK(ctx, recon_params_clear_gradients(ctx, r->params));
        CHECK_OK(ctx, recon_tape_begin(t, RECON_TRAIN, (uint64_t)k));
        CHECK_OK(ctx, rival_feed(t, r, 0.17 * k));
        recon_var y =
            rival_nets[RIVAL_PARTIAL].apply(t, r, recon_var_input(t, pixels, RECON_F32, shape, 4));
        CHECK_OK(ctx,
                 recon_tape_backward(t, recon_var_cross_entropy(
                                            t, y, recon_var_input(t, labels, RECON_I32, &n, 1))));
        for (size_t i = 1; i < PARTIAL_LAYERS; i++) {
            CHECK_OK(ctx, recon_tensor_read(ctx, &gradient, &r->net.partial.layer[i].theta->grad));
            assert_true(fabs(gradient) > 0);
        }
    }
    recon_tape_free(t);
    rival_close(ctx, r);
}

enum { ATOMS = 5, MOLECULES = 762 };
static const uint8_t atoms[ATOMS] = { 6, 8, 1, 1, 1 };
static const float places[3 * ATOMS] = { 0, 0, 0,  1.4f, 0.1f,  0,     -0.4f, 1,
                                         0, 0, -1, 0.3f, -0.3f, -0.2f, -1 };

static recon_so3 rotate_atoms(float out[3 * ATOMS], uint64_t which)
{
    recon_rng rng = recon_rng_new(3, which);
    recon_so3 g = recon_so3_haar(&rng);
    for (size_t a = 0; a < ATOMS; a++) {
        double v[3] = { (double)places[3 * a], (double)places[3 * a + 1],
                        (double)places[3 * a + 2] };
        recon_so3_act(v, g, v);
        for (size_t i = 0; i < 3; i++)
            out[3 * a + i] = (float)v[i];
    }
    return g;
}

/* Any rotation gives the same logits. */
static void check_segnn(recon_ctx *ctx, segnn *net)
{
    size_t classes = segnn_classes(net);
    float rotated[3 * ATOMS];
    double y[2][MOLECULES], size = 0;
    recon_conformer x = { .atoms = ATOMS, .z = atoms, .xyz = places };
    assert_true(classes > 0 && classes <= MOLECULES);
    CHECK_OK(ctx, segnn_logits(ctx, y[0], net, &x, 1));
    for (size_t c = 0; c < classes; c++)
        size = fmax(size, fabs(y[0][c]));
    x.xyz = rotated;
    for (uint64_t k = 0; k < 4; k++) {
        rotate_atoms(rotated, k);
        CHECK_OK(ctx, segnn_logits(ctx, y[1], net, &x, 1));
        for (size_t c = 0; c < classes; c++)
            CHECK_NEAR(y[1][c] / size, y[0][c] / size, 1e-3);
    }
    rotated[0] += 0.5f; /* another shape: the check can fail */
    CHECK_OK(ctx, segnn_logits(ctx, y[1], net, &x, 1));
    assert_true(fabs(y[1][0] - y[0][0]) > 1e-3 * size);
    segnn_close(ctx, net);
}

static void the_segnn_does_not_see_rotations(void **state)
{
    recon_ctx *ctx = *state;
    segnn *net;
    CHECK_OK(ctx, segnn_new(ctx, &net, 7, RECON_SINGLE, 1));
    check_segnn(ctx, net);
    CHECK_OK(ctx, segnn_open(ctx, &net, "models/conformers-segnn.safetensors"));
    check_segnn(ctx, net);
}

/* EquiAdapt's canonicalizer gives a pose that rotates with the conformer. */
static void check_poses(recon_ctx *ctx, segnn *net)
{
    float rotated[3 * ATOMS];
    recon_so3 pose[2];
    recon_conformer x = { .atoms = ATOMS, .z = atoms, .xyz = places };
    CHECK_OK(ctx, segnn_poses(ctx, &pose[0], net, &x, 1));
    x.xyz = rotated;
    for (uint64_t k = 0; k < 4; k++) {
        recon_so3 g = rotate_atoms(rotated, k);
        CHECK_OK(ctx, segnn_poses(ctx, &pose[1], net, &x, 1));
        CHECK_LESS(recon_so3_distance(pose[1], recon_so3_compose(g, pose[0])), 1e-3);
    }
    segnn_close(ctx, net);
}

static void poses_of_molecules_rotate_with_them(void **state)
{
    recon_ctx *ctx = *state;
    segnn *net;
    CHECK_OK(ctx, segnn_new(ctx, &net, 0, RECON_SINGLE, 1));
    check_poses(ctx, net);
    CHECK_OK(ctx, segnn_open(ctx, &net, "models/conformers-equiadapt.safetensors"));
    check_poses(ctx, net);
}

/* What claims nothing is no such network: the check can fail. */
static void an_ordinary_network_is_not_invariant(void **state)
{
    recon_ctx *ctx = *state;
    rival *r = make(ctx, RIVAL_AUGMENTED);
    assert_true(error_at(ctx, r, M_PI / 2) > 1e-2);
    rival_close(ctx, r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_angles_change_nothing),
        cmocka_unit_test(nor_in_networks_that_are_trained),
        cmocka_unit_test(a_learned_theta_is_what_sees_right_angles),
        cmocka_unit_test(an_offset_of_the_angles_changes_little),
        cmocka_unit_test(part_of_the_circle_is_not_all_of_it),
        cmocka_unit_test(a_part_of_the_circle_has_a_gradient_at_every_offset),
        cmocka_unit_test(the_segnn_does_not_see_rotations),
        cmocka_unit_test(poses_of_molecules_rotate_with_them),
        cmocka_unit_test(an_ordinary_network_is_not_invariant),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
