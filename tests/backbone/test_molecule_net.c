/* The molecule autoencoder: codes do not rotate, poses do, what it learns survives threads, files and
 * being cut short. */
#include "conformers.h"
#include "backbone/molecule_net.h"
#include "backbone/recipe.h"
#include "data/rmsd.h"

enum { LATENT = 24, CODE = 8 };
static const recon_molecule_net_shape small = { .preset = RECON_PRESET_SMALL,
                                                .width = 0.25,
                                                .layers = 2,
                                                .latent = LATENT,
                                                .code = CODE,
                                                .mapped = 1,
                                                .slots = CHAIN_ATOMS,
                                                .elements = 4,
                                                .element = { 1, 6, 7, 8 } };
static const recon_molecule_net_options tiny = {
    .shape = { .preset = RECON_PRESET_SMALL,
               .width = 0.25,
               .layers = 2,
               .latent = LATENT,
               .code = CODE },
    .epochs = 6,
    .before = 2,
    .batch = 16,
    .seed = 5,
    .overwrite = 1,
};

static recon_molecule_net *untrained(recon_ctx *ctx, recon_preset preset, int mapped)
{
    recon_molecule_net_shape shape = small;
    recon_molecule_net *m;
    shape.preset = preset;
    shape.mapped = mapped;
    CHECK_OK(ctx, recon_molecule_net_make(ctx, &m, &shape, RECON_SINGLE, NULL, NULL, 1));
    return m;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* --- equivariance ----------------------------------------------------------------------------- */

/* The same conformer with its atoms in another order. */
static void shuffle(uint8_t *z, float *xyz, size_t atoms, recon_rng *rng)
{
    for (size_t i = atoms; i-- > 1;) {
        size_t j = recon_rng_below(rng, i + 1);
        uint8_t kind = z[i];
        z[i] = z[j];
        z[j] = kind;
        for (size_t k = 0; k < 3; k++) {
            float v = xyz[3 * i + k];
            xyz[3 * i + k] = xyz[3 * j + k];
            xyz[3 * j + k] = v;
        }
    }
}

/* |a - b| of matrices, and |u - v| / |u| of codes. */
static double pose_off(recon_so3 a, recon_so3 b)
{
    return 2 * sqrt(2) * sin(recon_so3_distance(a, b) / 2);
}
static double code_off(const float *u, const float *v, size_t n)
{
    double off = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        off += ((double)u[i] - (double)v[i]) * ((double)u[i] - (double)v[i]);
        size += (double)u[i] * (double)u[i];
    }
    return sqrt(off / size);
}

/* 99 in 100 within 1e-4, all within 1e-3. */
static void check_off(double *off, size_t n)
{
    qsort(off, n, sizeof *off, compare);
    CHECK_LESS(off[n * 99 / 100], 1e-4);
    CHECK_LESS(off[n - 1], 1e-3);
}

static void poses_rotate_and_codes_do_not(void **state)
{
    enum { N = 200 };
    recon_ctx *ctx = *state;
    for (size_t p = 0; p <= RECON_PRESET_SMALL; p++) {
        recon_molecule_net *m = untrained(ctx, (recon_preset)p, p != RECON_PRESET_PAPER);
        size_t code = recon_molecule_net_describe(m).code;
        recon_rng rng = recon_rng_new(11, p);
        static uint8_t z[2][N][CHAIN_ATOMS];
        static float xyz[2][N][3 * CHAIN_ATOMS], codes[2][N * LATENT];
        static recon_conformer x[2][N];
        static recon_so3 rotation[N], psi[2][N];
        static double off[2][N];
        for (size_t i = 0; i < N; i++) {
            size_t atoms = chain(z[0][i], xyz[0][i], i);
            double by[3] = { recon_rng_normal(&rng), recon_rng_normal(&rng), 5 };
            rotation[i] = recon_so3_haar(&rng);
            memcpy(z[1][i], z[0][i], sizeof z[0][i]);
            chain_rotation(xyz[1][i], xyz[0][i], atoms, rotation[i], by);
            shuffle(z[1][i], xyz[1][i], atoms, &rng);
            for (size_t s = 0; s < 2; s++)
                x[s][i] = (recon_conformer){ .atoms = atoms, .z = z[s][i], .xyz = xyz[s][i] };
        }
        for (size_t s = 0; s < 2; s++)
            CHECK_OK(ctx, recon_molecule_net_embed(
                              ctx, &(recon_molecule_net_answer){ .z = codes[s], .psi = psi[s] }, m,
                              x[s], N));
        for (size_t i = 0; i < N; i++) {
            off[0][i] = pose_off(psi[1][i], recon_so3_compose(rotation[i], psi[0][i]));
            off[1][i] = code_off(codes[0] + i * code, codes[1] + i * code, code);
        }
        check_off(off[0], N);
        check_off(off[1], N);
        recon_molecule_net_close(ctx, m);
    }
}

/* --- reconstruction --------------------------------------------------------------------------- */

static recon_status write_all(recon_ctx *ctx, recon_param *p, const double *values, double other)
{
    double *all = calloc(recon_param_count(p), sizeof *all);
    for (size_t i = 0; i < recon_param_count(p); i++)
        all[i] = values ? values[i] : other;
    recon_status status = recon_param_write(ctx, p, all);
    free(all);
    return status;
}

/* A decoder that knows one molecule by heart: x_hat = R^T (x - t), sure of its elements. */
static void learn_by_heart(recon_ctx *ctx, recon_molecule_net *m, const recon_conformer *x)
{
    double places[3 * CHAIN_ATOMS] = { 0 }, scores[4 * CHAIN_ATOMS] = { 0 };
    recon_molecule_pack pack = { 0 };
    recon_so3 psi;
    float shift[3];
    CHECK_OK(ctx, recon_molecule_net_embed(
                      ctx, &(recon_molecule_net_answer){ .psi = &psi, .shift = shift }, m, x, 1));
    CHECK_OK(ctx, recon_molecule_net_pack(ctx, &pack, m, x, NULL, 1, 0, 0));
    for (size_t a = 0; a < x->atoms; a++) {
        for (size_t k = 0; k < 3; k++)
            places[3 * a + k] = (double)pack.xyz[3 * a + k] - (double)shift[k];
        recon_so3_act(places + 3 * a, recon_so3_inverse(psi), places + 3 * a);
        scores[4 * a + (size_t)pack.kind[a]] = 50;
    }
    recon_molecule_pack_free(&pack);
    CHECK_OK(ctx, write_all(ctx, m->decoder.places.weight, NULL, 0));
    CHECK_OK(ctx, write_all(ctx, m->decoder.scores.weight, NULL, 0));
    CHECK_OK(ctx, write_all(ctx, m->decoder.places.bias, places, 0));
    CHECK_OK(ctx, write_all(ctx, m->decoder.scores.bias, scores, 0));
}

/* The loss of n conformers in a batch of so many nodes, and of six times the edges. */
static double loss_of(recon_ctx *ctx, const recon_molecule_net *m, const recon_conformer *x,
                      const recon_so3 *rotation, size_t n, size_t nodes)
{
    recon_molecule_pack pack = { 0 };
    recon_molecule_net_fed fed;
    recon_molecule_net_seen seen;
    recon_tape *t;
    double loss;
    CHECK_OK(ctx, recon_tape_new(ctx, &t, RECON_SINGLE, 0));
    CHECK_OK(ctx, recon_molecule_net_pack(ctx, &pack, m, x, rotation, n, nodes, 0));
    CHECK_OK(ctx, recon_tape_begin(t, RECON_INFER, 0));
    CHECK_OK(ctx, recon_molecule_net_feed(t, &fed, m, &pack, 6 * nodes, NULL));
    recon_molecule_net_see(t, &seen, m, &fed);
    CHECK_OK(ctx, recon_var_read(t, &loss, recon_molecule_net_rebuild_loss(t, m, &fed, &seen, 2)));
    recon_molecule_pack_free(&pack);
    recon_tape_free(t);
    return loss;
}

/* Whichever way it is rotated, and however many nodes are padding. */
static void a_perfect_reconstruction_costs_nothing(void **state)
{
    enum { ROTATIONS = 4 };
    recon_ctx *ctx = *state;
    recon_molecule_net *m = untrained(ctx, RECON_PRESET_SMALL, 1);
    recon_molecules *data = chain_set(ctx, 5, 5, 0);
    recon_rng rng = recon_rng_new(1, 0);
    recon_conformer x[ROTATIONS];
    recon_so3 rotation[ROTATIONS];
    recon_molecule_net_error error;
    for (size_t i = 0; i < ROTATIONS; i++) {
        x[i] = recon_molecules_get(data, 3);
        rotation[i] = recon_so3_haar(&rng);
    }
    CHECK_LESS(0.1, loss_of(ctx, m, x, rotation, ROTATIONS, 0));
    learn_by_heart(ctx, m, x);
    CHECK_LESS(loss_of(ctx, m, x, rotation, ROTATIONS, 0), 1e-4);
    CHECK_LESS(loss_of(ctx, m, x, rotation, ROTATIONS, 100), 1e-4);
    CHECK_OK(ctx, recon_molecule_net_reconstruct(ctx, &error, m, x, 1));
    CHECK_LESS(error.l1, 1e-4);
    CHECK_LESS(error.rmsd, 1e-4);
    CHECK_LESS(error.heavy, 1e-4);
    CHECK_NEAR(error.elements, 1, 0);
    recon_molecules_close(data);
    recon_molecule_net_close(ctx, m);
}

static void padding_changes_no_loss(void **state)
{
    enum { N = 9 };
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, N, 5, 0.1);
    recon_conformer x[N];
    for (size_t i = 0; i < N; i++)
        x[i] = recon_molecules_get(data, i);
    for (int preset = 0; preset <= RECON_PRESET_SMALL; preset++) {
        recon_molecule_net *m = untrained(ctx, (recon_preset)preset, 1);
        double loss = loss_of(ctx, m, x, NULL, N, 0);
        for (size_t nodes = 81; nodes < 400; nodes += 100)
            CHECK_NEAR(loss_of(ctx, m, x, NULL, N, nodes), loss, 1e-5 * loss);
        recon_molecule_net_close(ctx, m);
    }
    recon_molecules_close(data);
}

/* Both ways to x_hat agree: through the tape's frames, and decoded and rotated on the host. */
static void decoded_and_rotated_is_rebuilt(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecule_net *m = untrained(ctx, RECON_PRESET_SMALL, 1);
    recon_molecules *data = chain_set(ctx, 5, 5, 0.1);
    for (size_t i = 0; i < 5; i++) {
        recon_conformer x = recon_molecules_get(data, i);
        float latent[LATENT], shift[3], places[3 * CHAIN_ATOMS];
        double centre[3] = { 0 }, l1 = 0;
        recon_molecule_net_error error;
        recon_so3 psi;
        CHECK_OK(ctx, recon_molecule_net_embed(ctx,
                                               &(recon_molecule_net_answer){
                                                   .latent = latent, .psi = &psi, .shift = shift },
                                               m, &x, 1));
        CHECK_OK(ctx, recon_molecule_net_decode(ctx, places, NULL, m, latent, 1));
        CHECK_OK(ctx, recon_molecule_net_reconstruct(ctx, &error, m, &x, 1));
        for (size_t a = 0; a < 3 * x.atoms; a++)
            centre[a % 3] += (double)x.xyz[a] / (double)x.atoms;
        for (size_t a = 0; a < x.atoms; a++) {
            double v[3] = { places[3 * a], places[3 * a + 1], places[3 * a + 2] };
            recon_so3_act(v, psi, v);
            for (size_t k = 0; k < 3; k++)
                l1 += fabs(v[k] + (double)shift[k] + centre[k] - (double)x.xyz[3 * a + k]);
        }
        CHECK_NEAR(error.l1, l1 / (double)(3 * x.atoms), 1e-4 * l1);
    }
    recon_molecules_close(data);
    recon_molecule_net_close(ctx, m);
}

/* --- training---------------------------------------------------------------------------------- */

/* The share of conformers whose nearest other, by z, is of the same molecule. */
static double hit_rate(const recon_embedded *e)
{
    size_t hits = 0;
    for (size_t i = 0; i < e->n; i++) {
        size_t best = i;
        double most = -2;
        for (size_t j = 0; j < e->n; j++) {
            double dot = 0;
            for (size_t k = 0; k < e->d; k++)
                dot += (double)e->z[i * e->d + k] * (double)e->z[j * e->d + k];
            if (j != i && dot > most) {
                most = dot;
                best = j;
            }
        }
        hits += e->labels[best] == e->labels[i];
    }
    return (double)hits / (double)e->n;
}

/* How far, on average, the poses of two conformers of a molecule are from differing by the rotation
 * that lays one over the other. */
static double pose_noise(recon_ctx *ctx, const recon_embedded *e, const recon_molecules *data,
                         size_t apart)
{
    double sum = 0, rmsd;
    for (size_t i = 0; i + apart < e->n; i++) {
        recon_conformer a = recon_molecules_get(data, i), b = recon_molecules_get(data, i + apart);
        recon_so3 rotation;
        assert_int_equal(a.molecule, b.molecule);
        CHECK_OK(ctx, recon_rmsd_kabsch(&rmsd, &rotation, a.xyz, b.xyz, a.atoms, NULL));
        sum += recon_so3_distance(recon_so3_at(e->poses, i),
                                  recon_so3_compose(rotation, recon_so3_at(e->poses, i + apart)));
    }
    return sum / (double)(e->n - apart);
}

static void training_learns_to_rebuild_and_to_align(void **state)
{
    enum { CHAINS = 3 };
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, 120, CHAINS, 0.1);
    recon_molecule_net_options o = tiny;
    recon_train_result first, last;
    recon_molecule_net *m;
    recon_embedded e;
    o.epochs = 3;
    o.before = 1;
    CHECK_OK(ctx, recon_molecule_net_train(ctx, &first, data, NULL, scratch("m"), &o));
    o.epochs = 30;
    o.before = 5;
    o.rate = 3e-3;
    CHECK_OK(ctx, recon_molecule_net_train(ctx, &last, data, NULL, scratch("m"), &o));
    CHECK_LESS(last.best, 0.5 * first.best);
    CHECK_OK(ctx, recon_molecule_net_open(ctx, &m, scratch("m"), RECON_SINGLE));
    CHECK_OK(ctx, recon_backbone_embed(ctx, &e, &m->base, recon_molecules_data(data)));
    CHECK_LESS(0.95, hit_rate(&e));
    CHECK_LESS(pose_noise(ctx, &e, data, CHAINS), 0.15);
    recon_embedded_free(&e);
    recon_molecule_net_close(ctx, m);
    recon_molecules_close(data);
}

/* One epoch: no first stage, partners by the untrained latent. Half precision at that. */
static void one_epoch_will_do(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, 40, 3, 0.05);
    recon_molecule_net_options o = tiny;
    recon_train_result r;
    o.epochs = 1;
    o.before = 0;
    o.precision = RECON_MIXED;
    CHECK_OK(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("m"), &o));
    assert_int_equal(r.steps, 36 / 16);
    assert_true(isfinite(r.best));
    assert_int_equal(access(scratch("m.stage1"), F_OK), -1);
    recon_molecules_close(data);
}

/* Asked for, or the paper's. */
static void the_reconstruction_alone_has_one_stage_and_no_map(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, 40, 3, 0.05);
    for (int paper = 0; paper < 2; paper++) {
        recon_molecule_net_options o = tiny;
        recon_train_result r;
        recon_molecule_net *m;
        if (paper)
            o.shape.preset = RECON_PRESET_PAPER;
        else
            o.align = o.contrast = -1;
        CHECK_OK(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("m"), &o));
        assert_int_equal(access(scratch("m.stage1"), F_OK), -1);
        CHECK_OK(ctx, recon_molecule_net_open(ctx, &m, scratch("m"), RECON_SINGLE));
        assert_int_equal(recon_molecule_net_describe(m).mapped, 0);
        assert_int_equal(recon_molecule_net_describe(m).code, LATENT);
        recon_molecule_net_close(ctx, m);
    }
    recon_molecules_close(data);
}

static int holds_average(recon_ctx *ctx, const char *path)
{
    recon_safetensors *file;
    int there = 0;
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, path));
    for (size_t i = 0; i < recon_safetensors_count(file); i++)
        there |= !strcmp(recon_safetensors_name(file, i), "state.average");
    recon_safetensors_close(file);
    return there;
}

/* Its recipe: plain Adam, no average of the weights, and the epoch with the least error of places,
 * whatever the elements weigh. */
static void the_papers_epoch_is_chosen_by_places(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, 40, 3, 0.05);
    for (int paper = 0; paper < 2; paper++) {
        recon_molecule_net_options o = tiny;
        recon_train_result r;
        o.shape.preset = paper ? RECON_PRESET_PAPER : RECON_PRESET_SMALL;
        o.align = o.contrast = -1;
        o.element = 1e4;
        CHECK_OK(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("m"), &o));
        assert_int_equal(r.best < 10, paper);
        assert_int_equal(holds_average(ctx, scratch("m.last")), !paper);
    }
    recon_molecules_close(data);
}

static int says(recon_ctx *ctx, const char *path, const char *pairs)
{
    recon_safetensors *file;
    CHECK_OK(ctx, recon_safetensors_open(ctx, &file, path));
    int found = recon_recipe_is(file, "pairs", pairs);
    recon_safetensors_close(file);
    return found;
}

static void a_model_says_how_its_conformers_were_paired(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, 40, 3, 0.05);
    for (int pairs = RECON_PAIRS_BONDS; pairs <= RECON_PAIRS_ELEMENTS; pairs++) {
        recon_molecule_net_options o = tiny;
        recon_train_result r;
        o.pairs = (recon_pairs)pairs;
        CHECK_OK(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("m"), &o));
        assert_int_equal(says(ctx, scratch("m"), "bonds"), pairs == RECON_PAIRS_BONDS);
        assert_int_equal(says(ctx, scratch("m"), "elements"), pairs == RECON_PAIRS_ELEMENTS);
    }
    recon_molecules_close(data);
}

/* Interrupts between the stages, and then now and then. */
typedef struct {
    recon_ctx *ctx;
    int embeds, interruptions;
} nuisance;
static void disturb(void *user, const recon_progress *p)
{
    nuisance *n = user;
    n->embeds += !strcmp(p->label, "embed") && p->finished;
    int now = n->interruptions == 0 ? n->embeds == 1 : !p->finished && p->done > 0;
    if (now && n->interruptions < 4) {
        n->interruptions++;
        recon_ctx_interrupt(n->ctx);
    }
}

static void threads_and_a_resumed_run_give_the_same_bits(void **state)
{
    recon_ctx *ctx = *state;
    nuisance n = { 0 };
    recon_molecules *data = chain_set(ctx, 60, 3, 0.05), *other = chain_set(ctx, 60, 4, 0.05);
    recon_molecule_net_options o = tiny;
    recon_train_result r;
    recon_status status;
    n.ctx = recon_ctx_new(&(recon_ctx_options){ .threads = 1, .on_progress = disturb, .user = &n });
    CHECK_OK(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("two"), &o));
    assert_int_equal(r.steps, 6 * (54 / 16));
    recon_ctx_interrupt(n.ctx);
    CHECK_FAILS(n.ctx, recon_molecule_net_train(n.ctx, &r, data, NULL, scratch("one"), &o),
                RECON_ERR_INTERRUPTED, "interrupted");
    o.resume = 1;
    int stops = 0;
    do {
        recon_ctx_resume(n.ctx);
        status = recon_molecule_net_train(n.ctx, &r, data, NULL, scratch("one"), &o);
        stops += status == RECON_ERR_INTERRUPTED;
    } while (status == RECON_ERR_INTERRUPTED);
    CHECK_OK(n.ctx, status);
    assert_true(stops >= 1); /* between the stages at least */
    scratch_same(scratch("one"), scratch("two"));
    o.seed++;
    CHECK_FAILS(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("two"), &o),
                RECON_ERR_MISMATCH, "seed");
    o.seed--;
    CHECK_FAILS(ctx, recon_molecule_net_train(ctx, &r, other, NULL, scratch("two"), &o),
                RECON_ERR_MISMATCH,
                "started with other data: conformers: was 54, now 56; identity: was");
    CHECK_FAILS(
        ctx, recon_molecule_net_train(ctx, &r, data, other, scratch("two"), &o), RECON_ERR_MISMATCH,
        "started with other data: conformers: was 54, now 60; held out: was 6, now 60; held identity: was not set");
    recon_molecules_close(other);
    recon_molecules_close(data);
    recon_ctx_free(n.ctx);
}

/* The first stage stays what it was, however many epochs are added, and so do all bits. */
static void a_finished_run_is_made_longer(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, 60, 3, 0.05);
    recon_molecule_net_options o = tiny;
    recon_train_result r;
    o.before = 0; /* the default: a third of the epochs, 1 of 4 */
    o.epochs = 4;
    o.overwrite = 0;
    CHECK_OK(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("m"), &o));
    CHECK_FAILS(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("m"), &o),
                RECON_ERR_INPUT, "m.last exists: resume=true");
    o.resume = 1;
    o.epochs = 0; /* as begun */
    CHECK_OK(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("m"), &o));
    assert_int_equal(r.ran, 0);
    assert_int_equal(r.steps, 4 * (54 / 16));
    o.epochs = 9;
    CHECK_OK(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("m"), &o));
    assert_int_equal(r.ran, 5 * (54 / 16));
    assert_int_equal(r.steps, 9 * (54 / 16));
    o.before = 2;
    CHECK_FAILS(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("m"), &o),
                RECON_ERR_MISMATCH,
                "started with other settings: epochs before pairs: was 1, now 2");
    recon_molecules_close(data);
}

/* --- use -------------------------------------------------------------------------------------- */

static void batches_of_any_size_embed_alike(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecule_net *m = untrained(ctx, RECON_PRESET_SMALL, 1);
    recon_molecules *data = chain_set(ctx, 150, 7, 0.1);
    recon_embedded e;
    CHECK_OK(ctx, recon_backbone_embed(ctx, &e, &m->base, recon_molecules_data(data)));
    assert_int_equal(e.n, 150);
    assert_int_equal(e.d, CODE);
    for (size_t i = 0; i < e.n; i += 17) {
        recon_conformer x = recon_molecules_get(data, i);
        recon_so3 psi;
        float z[CODE];
        CHECK_OK(ctx, recon_molecule_net_embed(
                          ctx, &(recon_molecule_net_answer){ .z = z, .psi = &psi }, m, &x, 1));
        CHECK_LESS(pose_off(psi, recon_so3_at(e.poses, i)), 1e-4);
        CHECK_LESS(code_off(e.z + i * CODE, z, CODE), 1e-4);
        assert_int_equal(e.labels[i], x.molecule);
    }
    recon_embedded_free(&e);
    recon_molecules_close(data);
    recon_molecule_net_close(ctx, m);
}

/* Larger ones than it has learnt embed; what is rebuilt are their first atoms. */
static void molecules_may_be_larger_than_the_decoder(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecule_net_shape shape = small;
    recon_molecules *data = chain_set(ctx, 5, 5, 0);
    recon_conformer x = recon_molecules_get(data, 4);
    recon_molecule_net_error error;
    recon_molecule_net *m;
    float z[CODE];
    shape.slots = 3;
    CHECK_OK(ctx, recon_molecule_net_make(ctx, &m, &shape, RECON_SINGLE, NULL, NULL, 1));
    CHECK_OK(ctx, recon_molecule_net_embed(ctx, &(recon_molecule_net_answer){ .z = z }, m, &x, 1));
    CHECK_OK(ctx, recon_molecule_net_reconstruct(ctx, &error, m, &x, 1));
    assert_true(isfinite(error.l1) && isfinite(loss_of(ctx, m, &x, NULL, 1, 40)));
    CHECK_NEAR(loss_of(ctx, m, &x, NULL, 1, 40), loss_of(ctx, m, &x, NULL, 1, 0), 1e-4);
    recon_molecule_net_close(ctx, m);
    recon_molecules_close(data);
}

static void what_does_not_fit_is_said(void **state)
{
    recon_ctx *ctx = *state;
    recon_molecules *data = chain_set(ctx, 40, 3, 0.05);
    recon_molecule_net_options o = tiny;
    recon_train_result r;
    recon_molecule_net *m = untrained(ctx, RECON_PRESET_SMALL, 1);
    const float xyz[6] = { 0, 0, 0, 1.5f, 0, 0 };
    recon_conformer gold = { .atoms = 2, .z = (const uint8_t[]){ 79, 79 }, .xyz = xyz };
    float z[CODE];
    CHECK_FAILS(ctx,
                recon_molecule_net_embed(ctx, &(recon_molecule_net_answer){ .z = z }, m, &gold, 1),
                RECON_ERR_INPUT, "an atom of element Au (79): the model knows ");
    recon_molecule_net_close(ctx, m);
    o.batch = 64;
    CHECK_FAILS(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("n"), &o),
                RECON_ERR_INPUT, "do not fill a batch of 64");
    o.batch = 15;
    CHECK_FAILS(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("n"), &o),
                RECON_ERR_INPUT, "even");
    o.batch = 16;
    o.before = 6;
    CHECK_FAILS(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("n"), &o),
                RECON_ERR_INPUT, "before 6 must be smaller than epochs");
    o.shape.width = 1e9;
    CHECK_FAILS(ctx, recon_molecule_net_train(ctx, &r, data, NULL, scratch("n"), &o),
                RECON_ERR_INPUT, "width");
    scratch_write("text", "not a model", 11);
    CHECK_FAILS(ctx, recon_molecule_net_open(ctx, &m, scratch("text"), RECON_SINGLE),
                RECON_ERR_FORMAT, "text");
    recon_molecules_close(data);
}

/* The weights of a small network under the name of another: refused by the first that differs,
 * before there is memory for it. */
static void a_file_may_not_describe_more_than_it_holds(void **state)
{
    recon_ctx *ctx = *state;
    recon_metadata_entry e[] = {
        { "model", "molnet" },     { "preset", "small" }, { "width_factor", "0.25" },
        { "layers", "2" },         { "radius", "2" },     { "latent", "24" },
        { "code", "8" },           { "mapped", "1" },     { "slots", "9" },
        { "elements", "1 6 7 8" },
    };
    const struct {
        int key;
        const char *value, *message;
        recon_status status;
    } lie[] = {
        { 0, "ieae", "frequencies", RECON_ERR_FORMAT },
        { 1, "huge", "unknown preset 'huge'", RECON_ERR_FORMAT },
        { 2, "1e9", "'width_factor' is '1e9': 0 to 64", RECON_ERR_FORMAT },
        { 3, "2.5", "'layers' is '2.5': 1 to", RECON_ERR_FORMAT },
        { 5, "60000", "' is", RECON_ERR_INPUT },
        { 6, "9", "'map.weight' is", RECON_ERR_INPUT },
        { 8, "4000", "'decoder.places.weight' is", RECON_ERR_INPUT },
        { 9, "1 6 6 8", "'elements' is '1 6 6 8': ascending", RECON_ERR_FORMAT },
        { 9, "", "'elements' is ''", RECON_ERR_FORMAT },
        { 9, "1 6 seven", "'elements' is '1 6 seven'", RECON_ERR_FORMAT },
    };
    recon_molecule_net *own = untrained(ctx, RECON_PRESET_SMALL, 1), *got;
    size_t n = sizeof e / sizeof *e;
    CHECK_OK(ctx, recon_params_save(ctx, scratch("true"), own->base.params, e, n));
    CHECK_OK(ctx, recon_molecule_net_open(ctx, &got, scratch("true"), RECON_SINGLE));
    recon_molecule_net_close(ctx, got);
    for (size_t i = 0; i < sizeof lie / sizeof *lie; i++) {
        const char *honest = e[lie[i].key].value;
        e[lie[i].key].value = lie[i].value;
        CHECK_OK(ctx, recon_params_save(ctx, scratch("lie"), own->base.params, e, n));
        e[lie[i].key].value = honest;
        CHECK_FAILS(ctx, recon_molecule_net_open(ctx, &got, scratch("lie"), RECON_SINGLE),
                    lie[i].status, lie[i].message);
        assert_null(got);
    }
    recon_molecule_net_close(ctx, own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(poses_rotate_and_codes_do_not),
        SCRATCH_TEST(a_perfect_reconstruction_costs_nothing),
        SCRATCH_TEST(padding_changes_no_loss),
        SCRATCH_TEST(decoded_and_rotated_is_rebuilt),
        SCRATCH_TEST(training_learns_to_rebuild_and_to_align),
        SCRATCH_TEST(one_epoch_will_do),
        SCRATCH_TEST(the_reconstruction_alone_has_one_stage_and_no_map),
        SCRATCH_TEST(the_papers_epoch_is_chosen_by_places),
        SCRATCH_TEST(a_model_says_how_its_conformers_were_paired),
        SCRATCH_TEST(threads_and_a_resumed_run_give_the_same_bits),
        SCRATCH_TEST(a_finished_run_is_made_longer),
        SCRATCH_TEST(batches_of_any_size_embed_alike),
        SCRATCH_TEST(molecules_may_be_larger_than_the_decoder),
        SCRATCH_TEST(what_does_not_fit_is_said),
        SCRATCH_TEST(a_file_may_not_describe_more_than_it_holds),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
