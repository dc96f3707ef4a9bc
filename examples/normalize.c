/* normalize.c - arrays in, Gamma out: Algorithm 1 from a program of your own.
 *
 *   cc normalize.c $(pkg-config --cflags --libs recon) -lm
 *
 * Three objects, each seen in poses around an angle that the backbone chose for it. The centres
 * come back, and with them every pose relative to its object's natural one. */
#include <recon/recon.h>

#include <math.h>
#include <stdio.h>

enum { N = 300, D = 8, OBJECTS = 3 };

int main(void)
{
    static float z[N * D]; /* what your backbone says the objects are ... */
    static double psi[N];  /* ... and how they are rotated                 */
    const double arbitrary[OBJECTS] = { 0.5, 2.0, -2.5 };
    recon_rng r = recon_rng_new(1, 0);
    for (int i = 0; i < N; i++) {
        z[i * D + i % OBJECTS] = 1;
        for (int c = 0; c < D; c++)
            z[i * D + c] += 0.1f * (float)recon_rng_normal(&r);
        psi[i] = recon_so2_wrap(arbitrary[i % OBJECTS] + 0.3 * recon_rng_normal(&r));
    }

    recon_ctx *ctx = recon_ctx_new(NULL);
    recon_embedded data = { .n = N, .d = D, .z = z, .group = RECON_SO2, .poses = psi };
    recon_normalize_options options = { .knn.k = 25 };
    recon_frames frames;
    if (!ctx || recon_normalize(ctx, &frames, &data, NULL, &options) != RECON_OK) {
        fprintf(stderr, "%s\n", ctx ? recon_ctx_message(ctx) : "no context");
        return 1;
    }
    int wrong = 0;
    for (int i = 0; i < OBJECTS; i++) {
        printf("object %d: psi %+.2f, Gamma %+.2f (truth %+.2f), pose %+.2f, -log p %.2f\n", i,
               psi[i], frames.gamma[i], arbitrary[i], frames.absolute[i], frames.score[i]);
        wrong += recon_so2_distance(frames.gamma[i], arbitrary[i]) > 0.2;
    }
    recon_frames_free(&frames);
    recon_ctx_free(ctx);
    return wrong;
}
