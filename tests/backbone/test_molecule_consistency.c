/* Poses of alike conformers against the rotations between them, which are known without a network. */
#include "check.h"
#include "backbone/molecule_net.h"
#include <recon/data/molecules.h>

enum { N = 40, ATOMS = 6, D = 4 };

static const uint8_t elements[ATOMS] = { 6, 6, 8, 7, 9, 1 };
static const float shape[ATOMS][3] = { { 0, 0, 0 },         { 1.5f, 0, 0 },
                                       { 2.1f, 1.2f, 0 },   { -0.7f, 1.2f, 0 },
                                       { -0.6f, -0.7f, 1 }, { 1.9f, -0.6f, 0.8f } };

/* One molecule in N orientations: the poses of a network that reads it the same way each time, but
 * for every second one, which it reads half a turn about `half_turn` further; zero: no such. */
typedef struct {
    recon_molecules *data;
    recon_so3 psi[N];
    float z[N][D];
} set;

static void make(recon_ctx *ctx, set *s, const double half_turn[3])
{
    static float xyz[N][ATOMS][3];
    static recon_conformer list[N];
    const char *name = "one";
    recon_rng rng = recon_rng_new(3, 0);
    recon_so3 frame = recon_so3_haar(&rng);
    for (size_t i = 0; i < N; i++) {
        recon_so3 h = recon_so3_haar(&rng);
        for (size_t a = 0; a < ATOMS; a++) {
            double in[3] = { shape[a][0], shape[a][1], shape[a][2] }, out[3];
            recon_so3_act(out, h, in);
            for (int k = 0; k < 3; k++)
                xyz[i][a][k] = (float)out[k];
        }
        list[i] = (recon_conformer){
            .atoms = ATOMS, .z = elements, .xyz = xyz[i][0], .energy = NAN, .rmsd = NAN
        };
        s->psi[i] = recon_so3_compose(h, frame);
        if (i % 2)
            s->psi[i] = recon_so3_compose(
                s->psi[i], (recon_so3){ half_turn[0] + half_turn[1] + half_turn[2] == 0,
                                        half_turn[0], half_turn[1], half_turn[2] });
        for (size_t k = 0; k < D; k++)
            s->z[i][k] = (float)(1 + 0.1 * recon_rng_normal(&rng));
    }
    CHECK_OK(ctx, recon_molecules_make(ctx, &s->data, list, N, &name));
}

static double mean_inconsistency(recon_ctx *ctx, const set *s)
{
    double out[N], sum = 0;
    recon_embedded e = {
        .n = N, .d = D, .z = s->z[0], .group = RECON_SO3, .poses = (const double *)s->psi
    };
    CHECK_OK(ctx, recon_molecule_net_inconsistency(ctx, out, recon_molecules_data(s->data), &e));
    for (size_t i = 0; i < N; i++)
        sum += out[i] / N;
    return sum;
}

static const double none[3] = { 0 }, x_axis[3] = { 1, 0, 0 };

static void one_reading_is_consistent(void **state)
{
    set s;
    make(*state, &s, none);
    CHECK_LESS(mean_inconsistency(*state, &s), 1e-3);
    recon_molecules_close(s.data);
}

/* Of two readings half the partners are half a turn off. */
static void two_readings_are_not(void **state)
{
    set s;
    make(*state, &s, x_axis);
    CHECK_LESS(M_PI / 4, mean_inconsistency(*state, &s));
    recon_molecules_close(s.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_reading_is_consistent),
        cmocka_unit_test(two_readings_are_not),
    };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
