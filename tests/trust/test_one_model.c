/* One model, eight threads, each with a context of its own: what comes out has the same bits as
 * from one thread alone. Built with ThreadSanitizer too (`make check-tsan`), then on ref and our
 * own threads alone: other runtimes are not instrumented. */
#include "models.h"

#include <pthread.h>
#include <recon/ops/backend.h>

#if defined(__SANITIZE_THREAD__)
#define BACKEND "ref"
enum { ROUNDS = 1 };
#else
#define BACKEND "cpu"
enum { ROUNDS = 10 };
#endif
enum { THREADS = 8, IMAGES = 6, CHAINS_FEW = 6 };

static recon_model *model;
static recon_model *molecule_model;
static recon_conformer conformers[CHAINS_FEW];

/* Everything that a model can be asked; cleared first, so that no padding differs. */
typedef struct {
    recon_status status;
    float image[IMAGES][TINY_PIXELS], chosen[IMAGES][TINY_PIXELS];
    recon_pose pose[IMAGES];
    recon_candidates candidates[IMAGES];
    recon_pose_score unusual[IMAGES];
    recon_distribution distribution[IMAGES];
    float xyz[CHAINS_FEW][CHAIN_ATOMS][3];
    recon_pose pose3[CHAINS_FEW];
    recon_pose_score unusual3[CHAINS_FEW];
    recon_distribution3 distribution3[CHAINS_FEW];
} answer;

/* The more ink in the upper half the better. */
static recon_status judge(recon_ctx *ctx, void *user, double *scores, const float *images, size_t n)
{
    (void)ctx;
    (void)user;
    for (size_t i = 0; i < n; i++) {
        scores[i] = 0;
        for (size_t k = 0; k < TINY_PIXELS / 2; k++)
            scores[i] += images[i * TINY_PIXELS + k];
    }
    return RECON_OK;
}

static recon_status ask_images(recon_ctx *ctx, answer *a, const float *x)
{
    recon_status status =
        recon_canonicalize_images(ctx, a->image[0], a->pose, model, x, IMAGES, NULL);
    if (status == RECON_OK)
        status =
            recon_canonicalize_search(ctx, a->chosen[0], NULL, model, x, IMAGES, judge, NULL, NULL);
    if (status == RECON_OK)
        status = recon_candidates_list(ctx, a->candidates, model, x, IMAGES, NULL);
    if (status == RECON_OK)
        status = recon_score_images(ctx, a->unusual, model, x, IMAGES);
    if (status == RECON_OK)
        status = recon_distribution_images(ctx, a->distribution, model, x, IMAGES);
    return status;
}

static recon_status ask_molecules(recon_ctx *ctx, answer *a)
{
    const recon_conformer *x = conformers;
    recon_status status =
        recon_canonicalize_molecules(ctx, a->xyz[0][0], a->pose3, molecule_model, x, CHAINS_FEW);
    if (status == RECON_OK)
        status = recon_score_molecules(ctx, a->unusual3, molecule_model, x, CHAINS_FEW);
    if (status == RECON_OK)
        status = recon_distribution_molecules(ctx, a->distribution3, molecule_model, x, CHAINS_FEW);
    return status;
}

static void ask(recon_ctx *ctx, answer *a)
{
    memset(a, 0, sizeof *a);
    a->status = ask_images(ctx, a, tiny_images[0]);
    if (a->status == RECON_OK)
        a->status = ask_molecules(ctx, a);
}

typedef struct {
    pthread_t thread;
    int threads; /* of its context: answers depend on them as little */
    const answer *right;
    answer mine;
    int wrong;
} user;

static void *use(void *arg)
{
    user *u = arg;
    recon_ctx *ctx = recon_ctx_new(&(recon_ctx_options){ .threads = u->threads });
    u->wrong = !ctx || recon_ops_attach(ctx, BACKEND) != RECON_OK;
    for (int round = 0; round < ROUNDS && !u->wrong; round++) {
        ask(ctx, &u->mine);
        u->wrong = u->mine.status != RECON_OK || memcmp(&u->mine, u->right, sizeof u->mine) != 0;
    }
    recon_ctx_free(ctx);
    return NULL;
}

static void eight_threads_get_the_same_bits(void **state)
{
    static user users[THREADS];
    static answer right;
    ask(*state, &right);
    assert_int_equal(right.status, RECON_OK);
    for (int i = 0; i < THREADS; i++) {
        users[i] = (user){ .right = &right, .threads = 1 + i % 3 };
        assert_int_equal(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(users[i].thread, NULL);
    for (int i = 0; i < THREADS; i++)
        assert_false(users[i].wrong);
    print_message(
        "# counted: one model of each kind: %d threads, %d rounds of 8 questions each, the "
        "same bits\n",
        THREADS, ROUNDS);
}

static recon_dataset *letters;
static recon_molecules *chains;

static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    CHECK_OK(*state, recon_ops_attach(*state, BACKEND));
    letters = quick_letters(*state);
    chains = quick_chains(*state);
    model = quick_model(*state, letters);
    molecule_model = quick_molecule_model(*state, chains);
    for (size_t i = 0; i < CHAINS_FEW; i++)
        conformers[i] = recon_molecules_get(chains, i);
    return 0;
}

static int teardown(void **state)
{
    recon_model_close(*state, model);
    recon_model_close(*state, molecule_model);
    recon_dataset_close(letters);
    recon_molecules_close(chains);
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(eight_threads_get_the_same_bits) };
    return cmocka_run_group_tests(tests, setup, teardown);
}
