/* prior.c - see prior.h. */
#include "model/prior.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"
#include "knn/clusters.h"

#include <math.h>
#include <recon/group/so2.h>
#include <stdlib.h>
#include <string.h>

#define NEAR  (20 * RECON_TO_RADIANS) /* a rotation that is seen at once */
#define AGREE (2.0 / 3)               /* the share that must be near */
enum { LEAST = 5 /* members of a cluster that is told of */ };

double recon_prior_degrees(const recon_prior_cluster *cluster, const recon_group *group)
{
    double radians = group->length(group, cluster->pose);
    if (group->dimension == 1 && group->log)
        group->log(group, &radians, cluster->pose);
    return radians * RECON_TO_DEGREES;
}

recon_status recon_prior_center(recon_ctx *ctx, int *agree, double *center,
                                const recon_group *group, const double *poses, size_t n)
{
    recon_center found;
    char *fit = NULL;
    size_t near = 0;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &fit, 1, group->fit_size));
    RECON_TRY(group->center(ctx, group, &found, fit, poses, 1, n,
                            &(recon_mean_options){ .kind = RECON_MEAN_CHORDAL }));
    memcpy(center, found.mean, group->numbers * sizeof *center);
    for (size_t i = 0; i < n; i++)
        near += group->distance(group, poses + i * group->numbers, center) <= NEAR;
    *agree = (double)near >= AGREE * (double)n;
done:
    free(fit);
    return status;
}

recon_status recon_prior_compare(recon_ctx *ctx, recon_prior_cluster **out, size_t *count,
                                 const recon_group *group, const double *poses, const int64_t *of,
                                 size_t n, size_t clusters)
{
    size_t *member = NULL, *first = NULL, numbers = group->numbers;
    double *some = NULL;
    recon_status status;
    *count = 0;
    RECON_TRY(recon_by_label(ctx, &member, &first, of, n, clusters));
    RECON_TRY(recon_alloc(ctx, out, clusters, sizeof **out));
    RECON_TRY(recon_alloc_raw(ctx, &some, n, numbers * sizeof *some));
    for (size_t c = 0; c < clusters; c++) {
        recon_prior_cluster *to = *out + *count;
        int agree;
        *to = (recon_prior_cluster){ .cluster = c, .inputs = first[c + 1] - first[c] };
        for (size_t i = 0; i < to->inputs; i++)
            memcpy(some + i * numbers, poses + member[first[c] + i] * numbers,
                   numbers * sizeof *some);
        if (to->inputs < LEAST)
            continue;
        RECON_TRY(recon_prior_center(ctx, &agree, to->pose, group, some, to->inputs));
        if (agree)
            ++*count;
    }
done:
    recon_free_all(member, first, some);
    return status;
}
