/* bench_molecule_net.c - training of the molecule autoencoder on the shipped conformers.
 *
 *   bench_molecule_net cpu|cuda fast|paper|small f32|bf16 [STEPS [BATCH [THREADS]]]
 *
 * prints the last loss, milliseconds a step of the reconstruction, conformers a second, and what
 * embedding takes. */
#include <recon/backbone/networks.h>
#include <recon/ops/backend.h>
#include "backbone/molecule_net.h"
#include "core/ctx.h"
#include "backbone/kinds.h"
#include <recon/nn/train.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 5, KEPT = 4096 };

static int fail(recon_ctx *ctx)
{
    fprintf(stderr, "bench_molecule_net: %s\n", recon_ctx_message(ctx));
    return 1;
}

typedef struct {
    recon_ctx *ctx;
    recon_molecule_net *m;
    recon_conformer x[KEPT];
    recon_molecule_pack pack;
    recon_molecule_net_fed fed;
    size_t batch, nodes, edges;
    uint64_t steps;
    double begun;
} work;

static recon_status feed(void *user, recon_tape *t, uint64_t step)
{
    work *w = user;
    size_t at = step * w->batch % (KEPT - w->batch);
    if (step == WARM_UP)
        w->begun = recon_now();
    recon_status status =
        recon_molecule_net_pack(w->ctx, &w->pack, w->m, w->x + at, NULL, w->batch, w->nodes, 0);
    return status == RECON_OK ? recon_molecule_net_feed(t, &w->fed, w->m, &w->pack, w->edges, NULL)
                              : status;
}

static recon_var loss(void *user, recon_tape *t)
{
    work *w = user;
    recon_molecule_net_seen seen;
    recon_molecule_net_see(t, &seen, w->m, &w->fed);
    return recon_molecule_net_rebuild_loss(t, w->m, &w->fed, &seen, 2);
}

static recon_preset preset_of(const char *name)
{
    int p = 0;
    while (p < RECON_PRESET_SMALL && strcmp(name, recon_preset_name((recon_preset)p)))
        p++;
    return (recon_preset)p;
}

/* Room for any batch, so that shapes repeat and a step can be recorded. */
static size_t most_edges(const work *w)
{
    const recon_molecule_encoder *e = w->m->encoder;
    size_t most = 0;
    for (size_t i = 0; e->edges && i < KEPT; i++) {
        size_t edges = e->edges(e, &w->x[i]);
        most = edges > most ? edges : most;
    }
    return w->batch * most;
}

static recon_status run(work *w, recon_molecule_net_shape *shape, recon_precision precision)
{
    recon_train_result r;
    recon_status status = recon_molecule_net_make(w->ctx, &w->m, shape, precision, NULL, NULL, 1);
    if (status == RECON_OK)
        w->edges = most_edges(w);
    if (status == RECON_OK)
        status = recon_train(
            w->ctx, &r,
            &(recon_trainee){ .params = w->m->base.params, .feed = feed, .loss = loss, .user = w },
            &(recon_train_options){ .steps = w->steps,
                                    .precision = precision,
                                    .schedule = { .rate = 1e-3 },
                                    .adam = { .clip = 1 } });
    if (status != RECON_OK)
        return status;
    double each = (recon_now() - w->begun) / (double)(w->steps - WARM_UP);
    printf("loss %.4f, %zu weights, %zu MiB\n", r.loss, recon_backbone_weights(&w->m->base),
           r.peak >> 20);
    printf("step %.2f ms, %.0f conformers a second\n", 1e3 * each, (double)w->batch / each);
    static float z[KEPT * 1024];
    double begun = recon_now();
    status =
        recon_molecule_net_embed(w->ctx, &(recon_molecule_net_answer){ .z = z }, w->m, w->x, KEPT);
    printf("embed %.3f ms a conformer\n", 1e3 * (recon_now() - begun) / KEPT);
    return status;
}

int main(int argc, char **argv)
{
    static work w;
    recon_molecules *data;
    if (argc < 4)
        return fprintf(stderr,
                       "usage: bench_molecule_net cpu|cuda fast|paper|small f32|bf16 [STEPS "
                       "[BATCH [THREADS]]]\n"),
               2;
    w.steps = argc > 4 ? strtoul(argv[4], NULL, 10) : 30;
    w.batch = argc > 5 ? strtoul(argv[5], NULL, 10) : 128;
    w.ctx = recon_ctx_new(&(recon_ctx_options){ .threads = argc > 6 ? atoi(argv[6]) : 0 });
    if (recon_ops_attach(w.ctx, argv[1]) != RECON_OK ||
        recon_molecules_open(w.ctx, &data, "conformers", NULL) != RECON_OK)
        return fail(w.ctx);
    recon_molecules_info info = recon_molecules_describe(data);
    for (size_t i = 0; i < KEPT; i++)
        w.x[i] = recon_molecules_get(data, i * (info.n / KEPT));
    w.nodes = w.batch * info.atoms;
    recon_molecule_net_shape shape = { .preset = preset_of(argv[2]),
                                       .mapped = 1,
                                       .slots = info.atoms,
                                       .elements = 5,
                                       .element = { 1, 6, 7, 8, 9 } };
    recon_status status = run(&w, &shape, strcmp(argv[3], "bf16") ? RECON_SINGLE : RECON_MIXED);
    if (status != RECON_OK)
        return fail(w.ctx);
    recon_molecule_pack_free(&w.pack);
    recon_molecule_net_close(w.ctx, w.m);
    recon_molecules_close(data);
    recon_ctx_free(w.ctx);
    return 0;
}
