/* kde.c - see kde.h. */
#include "normalize/kde.h"

#include <math.h>

enum { SAMPLES = 20000, SAMPLED = 3 /* the narrowest width that samples are enough for */ };
#define BACKGROUND 0.1

static const double width[RECON_KDE_WIDTHS] = { M_PI / 60, M_PI / 30, M_PI / 15, M_PI / 7.5,
                                                M_PI / 3.75 };

static double bump(double distance, int w)
{
    double x = distance / width[w];
    return exp(-x * x / 2);
}

/* Of narrow ones from a wider one: a small ball's volume goes with its radius to the dimension. */
void recon_kde_new(recon_kde *out, const recon_group *group)
{
    recon_rng rng = recon_rng_new(1, 0);
    double pose[RECON_NUMBERS_MAX];
    *out = (recon_kde){ .group = group };
    for (int i = 0; i < SAMPLES; i++) {
        group->haar(group, pose, &rng);
        double length = group->length(group, pose);
        for (int w = 0; w < RECON_KDE_WIDTHS; w++)
            out->mass[w] += bump(length, w) / SAMPLES;
    }
    for (int w = 0; w < SAMPLED && group->dimension > 0; w++)
        out->mass[w] =
            out->mass[SAMPLED] * pow(width[w] / width[SAMPLED], (double)group->dimension);
}

static double log_of(const recon_kde *kde, int w, double sum, size_t n)
{
    return log((1 - BACKGROUND) * sum / (double)n / kde->mass[w] + BACKGROUND);
}

double recon_kde_log(const recon_kde *kde, int w, const double *pose, const double *others,
                     size_t n)
{
    const recon_group *g = kde->group;
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += bump(g->distance(g, pose, others + j * g->numbers), w);
    return log_of(kde, w, sum, n);
}

int recon_kde_width(double *nats, const recon_kde *kde, const double *poses, size_t n)
{
    const recon_group *g = kde->group;
    double sum[RECON_KDE_MOST][RECON_KDE_WIDTHS] = { { 0 } };
    int best = 0;
    *nats = 0;
    if (n < 2)
        return RECON_KDE_WIDTHS - 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double d = g->distance(g, poses + i * g->numbers, poses + j * g->numbers);
            for (int w = 0; w < RECON_KDE_WIDTHS; w++) {
                double b = bump(d, w);
                sum[i][w] += b;
                sum[j][w] += b;
            }
        }
    for (int w = 0; w < RECON_KDE_WIDTHS; w++) {
        double all = 0;
        for (size_t i = 0; i < n; i++)
            all += log_of(kde, w, sum[i][w], n - 1) / (double)n;
        best = w == 0 || all > *nats ? w : best;
        *nats = best == w ? all : *nats;
    }
    return best;
}

double recon_kde_sigma(int w)
{
    return width[w];
}
