/* kde.h - how likely poses are by others of their kind: kernel density estimates on any compact group. Each of the
 * others has a normal about it, all of one width, beside a uniform background. */
#ifndef NORMALIZE_KDE_H
#define NORMALIZE_KDE_H

#include <recon/group/group.h>

enum { RECON_KDE_MOST = 200 /* poses: more change nothing */, RECON_KDE_WIDTHS = 5 };

typedef struct {
    const recon_group *group;
    double mass
        [RECON_KDE_WIDTHS]; /* the share of the group under a normal of this width and height 1 */
} recon_kde;

void recon_kde_new(recon_kde *out, const recon_group *group);

/* The log density of a pose by n >= 1 others, in nats above the uniform density. */
double recon_kde_log(const recon_kde *kde, int width, const double *pose, const double *others,
                     size_t n);

/* The width by which n <= RECON_KDE_MOST poses are likeliest, each by the others; *nats is the mean of their log
 * densities then. */
int recon_kde_width(double *nats, const recon_kde *kde, const double *poses, size_t n);
double recon_kde_sigma(int width); /* in radians */

#endif
