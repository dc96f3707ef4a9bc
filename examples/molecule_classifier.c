/* molecule_classifier - trains the frozen classifier of the molecule experiments and measures it.
 *
 *   build/examples/molecule_classifier SPEC OUT [EPOCHS [SEED]]
 *   build/examples/molecule_classifier conformers models/conformers-classifier.safetensors 50 1
 *
 * SPEC has parts: SPEC/train is learned, the epoch that does best on SPEC/val is kept, and
 * SPEC/test is looked at once, at the end. */
#include <recon/recon.h>

#include <recon/backbone/gcn.h>
#include <stdio.h>
#include <stdlib.h>

static recon_status open_part(recon_ctx *ctx, recon_molecules **out, const char *spec,
                              const char *part)
{
    char name[512];
    snprintf(name, sizeof name, "%s/%s", spec, part);
    return recon_molecules_open(ctx, out, name, NULL);
}

static recon_status work(recon_ctx *ctx, const char *spec, const char *path, size_t epochs,
                         uint64_t seed)
{
    static const char *const part[3] = { "train", "val", "test" };
    recon_molecules *data[3] = { NULL, NULL, NULL };
    recon_gcn_options options = { 0 };
    recon_train_result result;
    recon_gcn *gcn = NULL;
    double accuracy;
    recon_status status = RECON_OK;
    options.epochs = epochs;
    options.seed = seed;
    for (int i = 0; status == RECON_OK && i < 3; i++)
        status = open_part(ctx, &data[i], spec, part[i]);
    if (status == RECON_OK)
        status = recon_gcn_train(ctx, &result, data[0], data[1], path, &options);
    if (status == RECON_OK)
        status = recon_gcn_open(ctx, &gcn, path);
    for (int i = 1; status == RECON_OK && i < 3; i++) {
        status = recon_gcn_accuracy(ctx, &accuracy, gcn, data[i]);
        if (status == RECON_OK)
            printf("%-5s %.2f %%\n", part[i], 100 * accuracy);
    }
    if (status == RECON_OK)
        printf("%llu steps in %.1f s on %s, %lu weights\n", (unsigned long long)result.steps,
               result.seconds, recon_ops_name(ctx), (unsigned long)recon_gcn_describe(gcn).weights);
    recon_gcn_close(ctx, gcn);
    for (int i = 0; i < 3; i++)
        recon_molecules_close(data[i]);
    return status;
}

int main(int argc, char **argv)
{
    recon_ctx *ctx = recon_ctx_new(NULL);
    recon_status status = RECON_ERR_INPUT;
    if (!ctx || argc < 3)
        fprintf(stderr, "molecule_classifier: SPEC OUT [EPOCHS [SEED]]\n");
    else {
        status = work(ctx, argv[1], argv[2], argc > 3 ? strtoul(argv[3], NULL, 10) : 0,
                      argc > 4 ? strtoul(argv[4], NULL, 10) : 1);
        if (status != RECON_OK)
            fprintf(stderr, "molecule_classifier: %s\n", recon_ctx_message(ctx));
    }
    recon_ctx_free(ctx);
    return status == RECON_OK ? 0 : 1;
}
