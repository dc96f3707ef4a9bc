/* bench_spin - the free spin of molecules, with poses that are simulated: what the choice is worth
 * and what it costs.
 *
 *   build/bench/bench_spin MODEL [QUERIES [NEIGHBOURS [K [NOISE [HITS [COUNT]]]]]]
 *
 * MODEL is a classifier of `conformers`. QUERIES and NEIGHBOURS are parts of that set (val, train),
 * rotated by its matrix Fisher laws. A pose is the truth with NOISE degrees an axis (3.5), a class
 * is K (15) conformers of the same molecule, each with probability 1 - HITS (1) of any, and Lambda
 * is right but for an unknown spin of the molecule and 1.2 degrees an axis. COUNT: so many queries.
 */
#include "lab/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/ctx.h"
#include "data/molecules.h"

#define DEGREE (M_PI / 180)

typedef struct {
    recon_molecules *data;
    recon_gcn_graphs *graphs;
    recon_so3 *truth, *psi, *rotation;
    int64_t *molecule;
    size_t n;
} part;

static recon_ctx *ctx;

static void must(recon_status status)
{
    if (status == RECON_OK)
        return;
    fprintf(stderr, "bench_spin: %s\n", recon_ctx_message(ctx));
    exit(1);
}

static void *room(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p)
        exit(1);
    return p;
}

static recon_so3 jitter(recon_rng *rng, double degrees)
{
    double v[3];
    for (int i = 0; i < 3; i++)
        v[i] = degrees * DEGREE * recon_rng_normal(rng);
    return recon_so3_exp(v);
}

/* count 0: all of it. */
static part open_part(const char *name, size_t count, double radius, double noise, uint64_t seed)
{
    char spec[64];
    recon_molecules *upright = NULL, *all = NULL;
    recon_rng rng = recon_rng_new(seed, 1);
    part p = { 0 };
    snprintf(spec, sizeof spec, "conformers/%s", name);
    must(recon_molecules_open(ctx, &all, spec, NULL));
    must(recon_molecules_take(ctx, &upright, all, count ? count : recon_molecules_describe(all).n,
                              0));
    recon_molecules_close(all);
    must(recon_molecules_rotate(ctx, &p.data, upright, "fisher", seed));
    must(recon_gcn_graphs_make(ctx, &p.graphs, p.data, radius));
    recon_molecules_close(upright);
    p.n = recon_molecules_describe(p.data).n;
    p.truth = room(p.n, sizeof *p.truth);
    p.psi = room(p.n, sizeof *p.psi);
    p.rotation = room(p.n, sizeof *p.rotation);
    p.molecule = room(p.n, sizeof *p.molecule);
    for (size_t i = 0; i < p.n; i++) {
        p.truth[i] = recon_molecules_rotation(p.data, i);
        p.psi[i] = recon_so3_compose(jitter(&rng, noise), p.truth[i]);
        p.molecule[i] = recon_molecules_get(p.data, i).molecule;
    }
    return p;
}

static void close_part(part *p)
{
    recon_gcn_graphs_free(p->graphs);
    recon_molecules_close(p->data);
    free(p->truth);
    free(p->psi);
    free(p->rotation);
    free(p->molecule);
}

/* K neighbours of each query, the axis its molecule was rotated about, and Lambda. */
static recon_spin_classes make_classes(const part *queries, const part *from, size_t k, double hits,
                                       uint64_t seed)
{
    size_t molecules = recon_molecules_describe(from->data).molecules;
    size_t(*member)[128] = room(molecules, sizeof *member), *count = room(molecules, sizeof *count);
    int64_t *neighbors = room(queries->n * k, sizeof *neighbors);
    recon_so3 *lambda = room(queries->n, sizeof *lambda);
    double *axis = room(queries->n, 3 * sizeof *axis), f[9];
    for (size_t i = 0; i < from->n; i++)
        if (count[from->molecule[i]] < 128)
            member[from->molecule[i]][count[from->molecule[i]]++] = i;
    for (size_t q = 0; q < queries->n; q++) {
        size_t m = (size_t)queries->molecule[q];
        recon_rng rng = recon_rng_new(seed, q), spin = recon_rng_new(seed + 1, m);
        for (size_t j = 0; j < k; j++)
            neighbors[q * k + j] = recon_rng_uniform(&rng) < hits && count[m]
                                       ? (int64_t)member[m][recon_rng_below(&rng, count[m])]
                                       : (int64_t)recon_rng_below(&rng, from->n);
        recon_molecules_fisher(f, queries->data, m);
        for (int i = 0; i < 3; i++)
            axis[3 * q + i] = f[4 * i] > 1;
        lambda[q] = recon_so3_compose(
            jitter(&spin, 1.2),
            recon_so3_from_axis_angle(axis + 3 * q, 2 * M_PI * recon_rng_uniform(&spin)));
    }
    free(member);
    free(count);
    return (recon_spin_classes){ .n = queries->n,
                                 .k = k,
                                 .neighbors = neighbors,
                                 .psi = from->psi,
                                 .conformers = from->n,
                                 .lambda = lambda,
                                 .axis = axis };
}

/* Accuracy when query q is put into lambda psi^-1 of itself; lambda NULL: rotated back exactly. */
static double accuracy(part *p, const recon_gcn *gcn, const recon_so3 *lambda, int undo)
{
    recon_spin_gcn judge = { gcn, p->graphs };
    double share;
    for (size_t i = 0; i < p->n; i++)
        p->rotation[i] = lambda ? recon_so3_compose(lambda[i], recon_so3_inverse(p->psi[i]))
                         : undo ? recon_so3_inverse(p->truth[i])
                                : recon_so3_identity();
    must(recon_evaluate_molecule_accuracy(ctx, &share, p->molecule, NULL, p->rotation, p->n,
                                          recon_spin_by_gcn, &judge,
                                          recon_gcn_describe(gcn).classes));
    return 100 * share;
}

static void measure(const char *name, recon_spin_refine refine, part *queries, const part *from,
                    const recon_gcn *gcn, const recon_spin_classes *classes)
{
    recon_spin_gcn judge = { gcn, from->graphs };
    recon_spin *spin = room(queries->n, sizeof *spin);
    recon_so3 *lambda = room(queries->n, sizeof *lambda);
    uint64_t passes;
    double begun = recon_now(), seconds;
    must(recon_spin_choose(ctx, spin, &passes, classes, recon_spin_by_gcn, &judge,
                           recon_gcn_describe(gcn).classes,
                           &(recon_spin_options){ .refine = refine }));
    seconds = recon_now() - begun;
    for (size_t i = 0; i < queries->n; i++)
        lambda[i] = spin[i].lambda;
    printf("%-34s %6.2f %%  %7.1f s, %5.0f passes a query\n", name,
           accuracy(queries, gcn, lambda, 0), seconds, (double)passes / (double)queries->n);
    free(lambda);
    free(spin);
}

int main(int argc, char **argv)
{
    const char *of = argc > 2 ? argv[2] : "val", *with = argc > 3 ? argv[3] : "train";
    size_t k = argc > 4 ? strtoul(argv[4], NULL, 10) : 15;
    double noise = argc > 5 ? atof(argv[5]) : 3.5, hits = argc > 6 ? atof(argv[6]) : 1;
    recon_gcn *gcn = NULL;
    if (argc < 2)
        return fprintf(stderr, "bench_spin: which model?\n"), 2;
    ctx = recon_ctx_new(NULL);
    must(recon_gcn_open(ctx, &gcn, argv[1]));
    double radius = recon_gcn_describe(gcn).radius;
    part queries = open_part(of, argc > 7 ? strtoul(argv[7], NULL, 10) : 0, radius, noise, 2);
    part from = open_part(with, 0, radius, noise, 1);
    recon_spin_classes classes = make_classes(&queries, &from, k, hits, 5);
    printf("%zu of %s, %zu neighbours of %s, noise %g degrees, hits %g, %d threads\n", queries.n,
           of, k, with, noise, hits, recon_ctx_threads(ctx));
    printf("%-34s %6.2f %%\n", "rotated back exactly", accuracy(&queries, gcn, NULL, 1));
    printf("%-34s %6.2f %%\n", "as they come", accuracy(&queries, gcn, NULL, 0));
    printf("%-34s %6.2f %%\n", "Lambda, spin unknown", accuracy(&queries, gcn, classes.lambda, 0));
    measure("spin, 36 steps", RECON_SPIN_REFINE_NONE, &queries, &from, gcn, &classes);
    measure("spin, 36 steps and refined", RECON_SPIN_REFINE_SPIN, &queries, &from, gcn, &classes);
    measure("spin, 36 steps, refined with tilts", RECON_SPIN_REFINE_ALL, &queries, &from, gcn,
            &classes);
    free((void *)classes.neighbors);
    free((void *)classes.lambda);
    free((void *)classes.axis);
    close_part(&queries);
    close_part(&from);
    recon_gcn_close(ctx, gcn);
    recon_ctx_free(ctx);
    return 0;
}
