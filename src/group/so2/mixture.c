/* mixture.c - von Mises mixtures with a uniform background, by expectation and maximisation.
 *
 * The start is deterministic: the circle is cut at its largest gap, and each part gets an equal
 * number of consecutive angles. */
#include "group/so2/fit.h"

#include "group/so2/mean.h"

#include <math.h>

#define TWO_PI          (2 * M_PI)
#define KAPPA_MOST      820.7 /* two degrees: a part on a single angle cannot blow up */
#define PARAMETERS      3     /* weight, mean and kappa of a part: what BIC charges for */
#define LEAST           1e-6  /* of a weight: 0 would be for good */
#define MOST_BACKGROUND 0.5
#define MAX_STEPS       200
#define CONVERGED       1e-4 /* nats per angle: far below what BIC weighs */

/* Mean and kappa from the sums of cosines and sines over a mass. */
static void set_part(recon_so2_part *part, double cosines, double sines, double mass)
{
    double length = sqrt(cosines * cosines + sines * sines);
    part->mean = length > 0 ? atan2(sines, cosines) : part->mean;
    double spread = mass > 0 ? 1 - length / mass : 1;
    part->kappa =
        spread > 0.25 / KAPPA_MOST ? fmin(recon_vonmises_kappa(spread), KAPPA_MOST) : KAPPA_MOST;
}

void recon_mixture_start(recon_mixture_em *em, const double *angles, size_t n, int parts,
                         double *scratch)
{
    *em = (recon_mixture_em){
        .angles = angles, .n = n, .cosine = scratch, .sine = scratch + n, .share = scratch + 2 * n
    };
    em->density =
        (recon_so2_density){ .family = RECON_SO2_MIXTURE, .background = 0.1, .parts = parts };
    double *sorted = em->share;
    recon_so2_sort(sorted, angles, n);
    size_t first = recon_so2_after_gap(sorted, n), per = (size_t)parts;
    for (size_t j = 0; j < per; j++) {
        double c = 0, s = 0;
        size_t from = j * n / per, to = (j + 1) * n / per;
        for (size_t i = from; i < to; i++) {
            c += cos(sorted[(first + i) % n]);
            s += sin(sorted[(first + i) % n]);
        }
        em->density.part[j].weight = 1.0 / (double)per;
        set_part(&em->density.part[j], c, s, (double)(to - from));
    }
    for (size_t i = 0; i < n; i++) {
        em->cosine[i] = cos(angles[i]);
        em->sine[i] = sin(angles[i]);
    }
}

static double expectation(recon_mixture_em *em)
{
    double likelihood = 0, background = em->density.background / TWO_PI;
    int parts = em->density.parts;
    for (int j = 0; j < parts; j++) {
        /* Densities of all angles under part j, times its weight. */
        const recon_so2_part *part = &em->density.part[j];
        double kc = part->kappa * cos(part->mean), ks = part->kappa * sin(part->mean);
        double log_weight = log((1 - em->density.background) * part->weight) - part->kappa -
                            recon_vonmises_log_norm(part->kappa);
        double *share = em->share + (size_t)j * em->n;
        for (size_t i = 0; i < em->n; i++)
            share[i] = exp(kc * em->cosine[i] + ks * em->sine[i] + log_weight);
    }
    for (size_t i = 0; i < em->n; i++) {
        double sum = background;
        for (int j = 0; j < parts; j++)
            sum += em->share[(size_t)j * em->n + i];
        likelihood += log(sum);
        for (int j = 0; j < parts; j++)
            em->share[(size_t)j * em->n + i] /= sum;
    }
    return likelihood;
}

static void maximisation(recon_mixture_em *em)
{
    recon_so2_density *p = &em->density;
    double mass[RECON_SO2_PARTS_MAX], members = 0;
    for (int j = 0; j < p->parts; j++) {
        const double *share = em->share + (size_t)j * em->n;
        double c = 0, s = 0;
        mass[j] = LEAST;
        for (size_t i = 0; i < em->n; i++) {
            c += share[i] * em->cosine[i];
            s += share[i] * em->sine[i];
            mass[j] += share[i];
        }
        set_part(&p->part[j], c, s, mass[j]);
        members += mass[j];
    }
    for (int j = 0; j < p->parts; j++)
        p->part[j].weight = mass[j] / members;
    p->background = fmin(fmax(1 - members / (double)em->n, LEAST), MOST_BACKGROUND);
}

double recon_mixture_step(recon_mixture_em *em)
{
    double likelihood = expectation(em);
    maximisation(em);
    return likelihood;
}

static double fit_parts(recon_so2_density *out, const double *angles, size_t n, int parts,
                        double *scratch)
{
    recon_mixture_em em;
    recon_mixture_start(&em, angles, n, parts, scratch);
    double before = -INFINITY, now = recon_mixture_step(&em);
    for (int i = 0; i < MAX_STEPS && now - before > CONVERGED * (double)n; i++) {
        before = now;
        now = recon_mixture_step(&em);
    }
    *out = em.density;
    return now - 0.5 * PARAMETERS * parts * log((double)n);
}

/* Two more parts that do not help end the search. */
void recon_mixture_fit(recon_so2_density *out, const double *angles, size_t n, double *scratch)
{
    double best = fit_parts(out, angles, n, 1, scratch);
    int most = n < RECON_SO2_PARTS_MAX ? (int)n : RECON_SO2_PARTS_MAX;
    for (int parts = 2; parts <= most && parts <= out->parts + 2; parts++) {
        recon_so2_density more;
        double value = fit_parts(&more, angles, n, parts, scratch);
        if (value > best) {
            best = value;
            *out = more;
        }
    }
}
