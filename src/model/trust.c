/* trust.c - can these natural poses be trusted?
 *
 * The measures are taken on inputs that the backbone has not learned from; the gain on all, unless it knows
 * the others by heart. How far inputs are from their natural pose, their neighbours say: by how far similar
 * ones lie apart. A bias that a whole kind shares shows in none of these; the comparison of the ways to
 * Lambda is there for that. */
#include "model/trust.h"
#include "backbone/embedded.h"
#include "backbone/ieae.h"
#include "backbone/kinds.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/memory.h"
#include "model/lambda.h"
#include "stats/quantile.h"
#include "group/so2/fit.h"

#include <recon/group/so2.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    HELD_LEAST = 4, /* fewer held out verify nothing                             */
    HELD_CARE = 20, /* fewer verify little                                       */
    ROTATED_LEAST = 8,
    GAIN_POINTS = 10 /* of one natural pose that a mean distance is taken of, at least */
};
/* Below, the density says nothing; above, Lambda does not follow. */
#define INFORMATION_LEAST 0.1
#define FRAME_MOST        0.25
#define MOVED_MOST        (20 * RECON_TO_RADIANS)
#define MOVED_CARE        (10 * RECON_TO_RADIANS)
#define MOVED_P95         (60 * RECON_TO_RADIANS)
#define KNOWS_LESS        0.3 /* nats */
#define APART_MOST        (2 * RECON_LAMBDA_APART)
#define UPRIGHT           (3 * RECON_TO_RADIANS)
#define GAIN_LEAST        (-1 * RECON_TO_RADIANS)
#define ROUNDING          1e-9 /* of an angle */
#define CANNOT_TELL_MANY  0.5
#define CANNOT_TELL_MOST                                                                           \
    0.8 /* with hardly any pose that the density knows: inputs are rotated at random */
#define ONE_LEAST         0.2
#define NONE_MANY         0.5
#define INCONSISTENT_MANY 0.3

/* --- the verdict ------------------------------------------------------------------------------ */

const char *recon_trust_name(recon_trust_level level)
{
    static const char *const name[] = { "trustworthy", "with care", "do not use" };
    return (size_t)level < sizeof name / sizeof *name ? name[level] : "unknown";
}

/* The centre of a few neighbours on a broad arc is off by ten degrees by chance; twice that is not chance.
 * Which of the ways is wrong cannot be told from this: a density that is sure of itself is the likeliest
 * also where it is wrong. One that knows clearly less of these poses than the others has learned from other data. */
static int ways_disagree(const recon_lambda_choice *c)
{
    for (int a = 1; a < 4; a++)
        if (c->apart_median[c->taken][a] > APART_MOST &&
            !(a == RECON_LAMBDA_DENSITY && c->likelihood[a] < c->likelihood[c->taken] - KNOWS_LESS))
            return 1;
    return 0;
}

void recon_trust_judge(recon_trust *t)
{
    /* Findings: they say what the inputs are like, not that something is wrong with the poses. */
    const unsigned findings = RECON_TRUST_NO_POSE | RECON_TRUST_UPRIGHT;
    const unsigned grave = RECON_TRUST_NOTHING_LEARNED | RECON_TRUST_NO_GAIN | RECON_TRUST_FRAME;
    const unsigned lost = RECON_TRUST_NOT_FOLLOWING | RECON_TRUST_DISAGREES;
    int no_pose = t->none > NONE_MANY && t->one < ONE_LEAST;
    /* The epoch was chosen by these few inputs: a mean that chance explains is worth nothing. */
    int learned =
        !(t->information < INFORMATION_LEAST) && !(t->information < 2 * t->information_error);
    if (!learned) /* then the neighbours' natural poses are no measure either */
        t->before = t->after = t->gain = t->gain_error = NAN;
    int upright = t->before <= UPRIGHT, worse = t->gain < GAIN_LEAST;
    t->against &= RECON_TRUST_GAIN_UNKNOWN;
    t->against |= no_pose ? RECON_TRUST_NO_POSE : 0;
    t->against |= learned ? 0 : RECON_TRUST_NOTHING_LEARNED;
    t->against |= t->moved > MOVED_CARE || t->moved_p95 > MOVED_P95 ? RECON_TRUST_NOT_FOLLOWING : 0;
    t->against |= worse && !upright ? RECON_TRUST_NO_GAIN : 0;
    t->against |= t->gain < 2 * t->gain_error && !worse && !upright ? RECON_TRUST_GAIN_UNSURE : 0;
    t->against |= upright ? RECON_TRUST_UPRIGHT : 0;
    t->against |= t->cannot_tell > CANNOT_TELL_MANY ? RECON_TRUST_FEW_OF_A_KIND : 0;
    t->against |= ways_disagree(&t->lambda) && !no_pose ? RECON_TRUST_DISAGREES : 0;
    t->against |= t->points < HELD_CARE ? RECON_TRUST_FEW_HELD_OUT : 0;
    t->against |= t->inconsistent > INCONSISTENT_MANY ? RECON_TRUST_INCONSISTENT : 0;
    t->against |= t->frame > FRAME_MOST ? RECON_TRUST_FRAME : 0;
    if (no_pose) /* what has none need not follow a rotation */
        t->against &= ~(unsigned)RECON_TRUST_NOT_FOLLOWING;
    unsigned wrong = t->against & ~findings;
    t->level = wrong & (no_pose ? grave & ~(unsigned)RECON_TRUST_NOTHING_LEARNED : grave) ||
                       (t->against & lost) == lost || (t->moved > MOVED_MOST && !no_pose) ||
                       t->points < HELD_LEAST ||
                       (t->cannot_tell > CANNOT_TELL_MOST && t->one < ONE_LEAST)
                   ? RECON_TRUST_NOT
               : wrong || (upright && worse) ? RECON_TRUST_CARE
                                             : RECON_TRUST_GOOD;
}

int recon_trust_has_width(const recon_trust *t)
{
    return !(t->against & RECON_TRUST_GAIN_UNKNOWN);
}

/* What can be done about it: bits, each said once, after all reasons. */
enum { FROM = 1, MORE = 2, LONGER = 4, LARGER = 8, LOOK = 16 };

static const char *const remedies[] = {
    "If the model was trained on other inputs, train it on these ({train(from=MODEL)}).",
    "Use more inputs of each kind.",
    ("Train longer ({resume=true epochs}) if the validation loss was still falling at the end "
     "(MODEL.jsonl)."),
    "Try a larger {size}, {crop=auto}, or {mask=true} for objects that reach into the corners.",
    "Check the report, and rely only on inputs with the verdict one (poses.csv).",
};
enum { REMEDIES = sizeof remedies / sizeof *remedies };

static const struct {
    unsigned bit, remedies;
    const char *words;
} reasons[] = {
    { RECON_TRUST_NO_POSE, 0,
      "Most inputs have no natural pose: similar ones occur at every angle. {canonicalize()} leaves them "
      "as they are." },
    { RECON_TRUST_NOTHING_LEARNED, FROM | MORE | LONGER,
      "On held-out inputs the pose density is hardly better than a uniform one." },
    { RECON_TRUST_FRAME, 0,
      "The frame of the images tells the pose: with their content taken away, it is still predicted. Cut "
      "off bars, borders and whatever else is the same in all images, or train with {mask=true}." },
    { RECON_TRUST_NOT_FOLLOWING, LARGER | LONGER,
      "The natural pose changes when an input is rotated: by more than 10 degrees in the median, or "
      "by more than 60 for one input in twenty." },
    { RECON_TRUST_NO_GAIN, MORE | LONGER | LARGER,
      "Canonicalizing would move inputs away from their natural pose." },
    { RECON_TRUST_GAIN_UNSURE, MORE,
      "It is not certain that canonicalizing brings inputs closer to their natural pose: the gain "
      "is within twice its standard error." },
    { RECON_TRUST_GAIN_UNKNOWN, 0,
      "Whether canonicalizing brings inputs closer to their natural pose cannot be measured with a "
      "photo preset: its errors look like rotations. Use {canonicalize(only_if)}, and look at the "
      "report." },
    { RECON_TRUST_FEW_OF_A_KIND, FROM | MORE | LOOK,
      "Most inputs have too few similar ones to estimate their pose distribution." },
    { RECON_TRUST_FEW_HELD_OUT, MORE,
      "Few inputs were held out, so the result is hardly verified; {discover()} verifies it on all of "
      "them where it calibrates by cross-validation ({folds})." },
    { RECON_TRUST_INCONSISTENT, MORE | LONGER, "Similar inputs get contradictory poses." },
    { RECON_TRUST_DISAGREES, FROM | LOOK,
      "The estimates of the natural pose ({lambda} neighbours, head and density) disagree by more than "
      "20 degrees in the median." },
    { RECON_TRUST_UPRIGHT, 0,
      "The inputs are already in their natural pose. Use {canonicalize(only_if=0.05)}, or 0.01 if "
      "there are more than 100 held-out inputs." },
};
enum { REASONS = sizeof reasons / sizeof *reasons };

const char *recon_trust_reasons(char *out, size_t room, const recon_trust *t,
                                recon_spelling spelling)
{
    char spelled[RECON_TRUST_REASONS];
    size_t used = 0;
    unsigned todo = 0;
    out[0] = '\0';
    for (size_t i = 0; i < REASONS + REMEDIES && used < room; i++) {
        int is_reason = i < REASONS;
        if (is_reason ? !(t->against & reasons[i].bit) : !(todo & 1U << (i - REASONS)))
            continue;
        todo |= is_reason ? reasons[i].remedies : 0;
        const char *words = is_reason ? reasons[i].words : remedies[i - REASONS];
        used += (size_t)snprintf(out + used, room - used, "%s%s", used ? " " : "",
                                 recon_spell(spelled, sizeof spelled, words, spelling));
    }
    return out;
}

/* --- measures --------------------------------------------------------------------------------- */

recon_trust recon_trust_unmeasured(void)
{
    recon_trust t = { .information = NAN,
                      .information_error = NAN,
                      .moved = NAN,
                      .moved_p95 = NAN,
                      .before = NAN,
                      .after = NAN,
                      .gain = NAN,
                      .gain_error = NAN,
                      .one = NAN,
                      .cannot_tell = NAN,
                      .none = NAN,
                      .inconsistent = NAN,
                      .frame = NAN };
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++)
            t.lambda.likelihood[a] = t.lambda.apart_median[a][b] = t.lambda.apart_p95[a][b] = NAN;
    return t;
}

double recon_trust_unsure(const recon_frames *f)
{
    return (double)f->natural[RECON_NATURAL_UNSURE] / (double)f->rows;
}

void recon_trust_information(recon_trust *t, const double *nats, size_t n)
{
    double sum = 0, squares = 0;
    t->points = n;
    for (size_t i = 0; i < n; i++)
        sum += nats[i];
    t->information = n ? sum / (double)n : NAN;
    for (size_t i = 0; i < n; i++)
        squares += (nats[i] - t->information) * (nats[i] - t->information);
    t->information_error = n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : NAN;
}

recon_status recon_trust_natural(recon_ctx *ctx, recon_natural *out,
                                 const recon_so2_density *density)
{
    double angles[RECON_DENSITY_COUNTS];
    recon_so2_center said;
    recon_so2_quantiles(angles, density, RECON_DENSITY_COUNTS);
    recon_status status = recon_so2_mean(ctx, &said, angles, RECON_DENSITY_COUNTS, NULL);
    *out = status == RECON_OK ? recon_density_natural(&said, NAN) : RECON_NATURAL_UNSURE;
    return status;
}

/* What point i gains by its neighbours that count, at a pose and with a Lambda: the Lambda lies closer to theirs
 * than the pose does. What is wrong with a neighbour, or with the frame of a pose, is in both distances, and makes
 * their difference smaller. Lambdas that are means over neighbours agree whatever they are worth: there, it must
 * be the neighbours' poses that the Lambda is closer to. 0: none of them counts. */
static int gain_of(double *out, const recon_trust_points *p, size_t i, double psi, double lambda)
{
    const recon_frames *f = p->frames;
    double sum = 0;
    size_t n = 0;
    for (size_t j = 0; j < f->k; j++) {
        int64_t other = f->neighbors[i * f->k + j];
        if (!p->index_counts[other])
            continue;
        double to = p->smoothed ? p->index_psi[other] : p->index_lambda[other];
        sum += recon_so2_distance(psi, to) - recon_so2_distance(lambda, to);
        n++;
    }
    *out = n ? sum / (double)n : 0;
    return n > 0;
}

/* Pose and density of a photo preset are read off the same features, without a decoder that would hold the
 * pose to what is seen. Where these features are wrong about how an input is rotated both are, so that the
 * Lambdas of neighbours, pose less centre, agree: upright pictures would seem to be rotated. */
unsigned recon_trust_gain_unknown(const recon_backbone *b)
{
    const recon_ieae *images = recon_backbone_ieae(b);
    return images && images->encoder.is_photo ? RECON_TRUST_GAIN_UNKNOWN : 0;
}

/* A pose lies as far from its own Lambda as from its natural pose and that from its Lambda, together:
 * these are the sum of the distances before and after, as the gain is their difference. */
void recon_trust_distances(recon_trust *t, const recon_trust_points *p)
{
    double gain = 0, squares = 0, apart = 0;
    size_t n = 0;
    for (size_t i = 0; i < p->frames->rows; i++) {
        double own;
        if (!p->counts[i] || !gain_of(&own, p, i, p->psi[i], p->lambda[i]))
            continue;
        gain += own;
        squares += own * own;
        apart += recon_so2_distance(p->psi[i], p->lambda[i]);
        n++;
    }
    if (n < GAIN_POINTS)
        return;
    t->gain = fabs(gain) > ROUNDING * (double)n ? gain / (double)n : 0;
    t->gain_error = sqrt(fmax(squares / (double)n - t->gain * t->gain, 0) / (double)(n - 1));
    t->before = fmax(apart / (double)n + t->gain, 0) / 2;
    t->after = t->before - t->gain;
}

void recon_trust_correct(recon_trust *t, const recon_trust_points *p, const recon_trust_copies *c)
{
    double more_before = 0, more_after = 0, squares = 0, own;
    size_t n = 0;
    for (size_t k = 0; k < c->n; k++) {
        if (!gain_of(&own, p, c->which[k], c->psi[k], c->lambda[k]))
            continue;
        double found = recon_so2_wrap(c->psi[k] - c->lambda[k]);
        double before = (fabs(found) + own) / 2 - fabs(recon_so2_wrap(c->known[k]));
        double after = (fabs(found) - own) / 2 - recon_so2_distance(found, c->known[k]);
        more_before += before;
        more_after += after;
        squares += (before - after) * (before - after);
        n++;
    }
    if (n < GAIN_POINTS || isnan(t->gain))
        return;
    double more = (more_before - more_after) / (double)n;
    double variance = fmax(squares / (double)n - more * more, 0) / (double)(n - 1);
    t->before = fmax(t->before - more_before / (double)n, 0);
    t->after = fmax(t->after - more_after / (double)n, 0);
    t->gain = t->before - t->after;
    t->gain_error = sqrt(t->gain_error * t->gain_error + variance);
}

int recon_trust_memorized(const double *nats, const unsigned char *held, size_t n)
{
    double sum[2] = { 0 }, squares[2] = { 0 }, count[2] = { 0 }, error = 0;
    for (size_t i = 0; i < n; i++) {
        int h = held[i] != 0;
        count[h]++;
        sum[h] += nats[i];
        squares[h] += nats[i] * nats[i];
    }
    for (int h = 0; h < 2; h++) {
        double mean = sum[h] / count[h];
        error += fmax(squares[h] / count[h] - mean * mean, 0) / fmax(count[h] - 1, 1);
    }
    return !(sum[0] / count[0] - sum[1] / count[1] <= 2 * sqrt(error)); /* nor where one is empty */
}

size_t recon_trust_to_rotate(size_t which[RECON_TRUST_COPIES], const recon_frames *f,
                             const unsigned char *firm, const unsigned char *among)
{
    size_t n = 0;
    for (int any = 0; any < 2 && n < ROTATED_LEAST; any++)
        for (size_t i = n = 0; i < f->rows && n < RECON_TRUST_COPIES; i++)
            if ((!among || among[i]) && (any || firm[i] || f->verdict[i] == RECON_NATURAL_ONE))
                which[n++] = i;
    return n;
}

/* --- of a discovery --------------------------------------------------------------------------- */

typedef struct {
    const recon_model *model;
    const recon_data *data;
    char *in, *out; /* one input */
} rotating;

static recon_status rotate_one(recon_ctx *ctx, recon_pose *pose, const rotating *r, size_t i,
                               double angle)
{
    recon_status status;
    r->data->kind->read(r->in, r->data, i, 1);
    RECON_TRY(r->model->backbone->kind->rotate(ctx, r->out, r->model->backbone, r->in, &angle, 1,
                                               RECON_BILINEAR));
    RECON_TRY(recon_model_read(ctx, &(recon_read){ .poses = pose }, r->model, r->out, 1));
done:
    return status;
}

/* One of the points that count and are of the same cluster, i itself among them. */
static size_t draw_alike(const recon_trust_points *p, const int64_t *cluster, size_t i,
                         recon_rng *rng)
{
    size_t drawn = i, seen = 0;
    for (size_t j = 0; j < p->frames->rows; j++)
        if (p->counts[j] && cluster[j] == cluster[i] && recon_rng_uniform(rng) * (double)++seen < 1)
            drawn = j;
    return drawn;
}

/* The n images rotated by angles of their own; and those that count once more, into a pose that another of its
 * cluster has. */
static recon_status measure_copies(recon_ctx *ctx, recon_trust *t, const recon_trust_points *p,
                                   const int64_t *cluster, const recon_model *model,
                                   const recon_data *data, const size_t *which, size_t n)
{
    size_t bytes = recon_data_describe(data).bytes, of[RECON_TRUST_COPIES];
    double moved[RECON_TRUST_COPIES], psi[RECON_TRUST_COPIES], lambda[RECON_TRUST_COPIES],
        known[RECON_TRUST_COPIES];
    recon_trust_copies copies = { .which = of, .psi = psi, .lambda = lambda, .known = known };
    rotating r = { model, data, NULL, NULL };
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &r.in, 1, bytes));
    RECON_TRY(recon_alloc_raw(ctx, &r.out, 1, bytes));
    for (size_t k = 0; k < n; k++) {
        size_t i = which[k];
        recon_rng rng = recon_rng_new(1, i);
        recon_pose pose;
        RECON_TRY(rotate_one(ctx, &pose, &r, i, recon_so2_haar(&rng)));
        moved[k] = recon_so2_distance(pose.lambda[0], p->lambda[i]);
        if (!p->counts[i] || isnan(t->gain))
            continue;
        size_t like = draw_alike(p, cluster, i, &rng), at = copies.n++;
        known[at] = p->psi[like] - p->lambda[like];
        RECON_TRY(rotate_one(ctx, &pose, &r, i, known[at] - (p->psi[i] - p->lambda[i])));
        of[at] = i;
        psi[at] = pose.psi[0];
        lambda[at] = pose.lambda[0];
    }
    if (n) {
        recon_sort_doubles(moved, n);
        t->moved = recon_quantile(moved, n, 0.5);
        t->moved_p95 = recon_quantile(moved, n, 0.95);
    }
    recon_trust_correct(t, p, &copies);
done:
    free(r.out);
    free(r.in);
    return status;
}

/* A density that has learned from other data may know where natural poses are, and be wrong about how
 * far from them inputs occur: then what the angles from its centres tell counts, less what the weights
 * that are fitted to n of them gain by themselves. */
static void count_centres(recon_trust *t, double *nats, const double *angles, size_t n)
{
    recon_trust by_centre = *t;
    recon_lambda_log_densities(nats, angles, n);
    for (size_t i = 0; i < n; i++)
        nats[i] += log(2 * M_PI) - RECON_LAMBDA_WEIGHTS / (double)n;
    recon_trust_information(&by_centre, nats, n);
    if (by_centre.information > t->information)
        *t = by_centre;
}

/* What is known by the laws of clusters, which may have several modes: where rotated inputs find the same. By all
 * inputs, each by the others, or by those held out. */
static void count_laws(recon_trust *t, const recon_maps_kind *kind, const recon_laws *laws,
                       int by_all)
{
    double by_law =
        by_all ? laws->known : t->lambda.likelihood[t->lambda.taken] + kind->group->uniform;
    if (kind->compared && t->lambda.taken == RECON_LAMBDA_NEIGHBOURS && by_law > t->information &&
        t->moved_p95 <= MOVED_P95) {
        t->information = by_law;
        t->information_error = 1 / sqrt((double)t->points); /* they scatter by about a nat */
    }
}

/* What the density knows of every pose, [n], and as a measure of those held out: with folds, of all of them. */
static recon_status measure_information(recon_ctx *ctx, recon_trust *t, double *nats,
                                        const recon_trust_job *job)
{
    const recon_embedded *e = job->embedded;
    const recon_maps_kind *kind = job->model->maps->kind;
    double *held = NULL, *angles = NULL;
    size_t n = 0;
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &held, e->n, sizeof *held));
    RECON_TRY(recon_alloc_raw(ctx, &angles, e->n, sizeof *angles));
    for (size_t i = 0; i < e->n; i++) {
        const char *map = (const char *)job->said + i * kind->map;
        nats[i] = kind->group->uniform - kind->score(map, recon_embedded_pose(e, i));
        if (!job->fold_scores && !job->model->maps->held[i])
            continue;
        angles[n] = kind->group->distance(kind->group, recon_embedded_pose(e, i),
                                          (const double *)(const void *)(map + kind->lambda_at));
        held[n++] = job->fold_scores ? kind->group->uniform - job->fold_scores[i] : nats[i];
    }
    recon_trust_information(t, held, n);
    if (kind->compared && t->lambda.taken == RECON_LAMBDA_DENSITY && !job->fold_scores)
        count_centres(t, held, angles, n);
done:
    free(angles);
    free(held);
    return status;
}

/* The points that were learned from count too, unless they are known by heart: they are many more. */
static recon_status measure_so2(recon_ctx *ctx, recon_trust *t, const recon_trust_job *job,
                                const double *nats)
{
    const recon_embedded *e = job->embedded;
    const recon_frames *f = job->frames;
    const recon_so2_map *said = job->said;
    const unsigned char *held = job->model->maps->held;
    int all = job->fold_scores || !recon_trust_memorized(nats, held, e->n);
    double *lambda = NULL;
    unsigned char *firm = NULL, *counts = NULL;
    size_t one = 0, which[RECON_TRUST_COPIES];
    recon_status status;
    RECON_TRY(recon_alloc_raw(ctx, &lambda, e->n, sizeof *lambda));
    RECON_TRY(recon_alloc_raw(ctx, &firm, e->n, sizeof *firm));
    RECON_TRY(recon_alloc_raw(ctx, &counts, e->n, sizeof *counts));
    for (size_t i = 0; i < e->n; i++) {
        lambda[i] = said[i].lambda;
        firm[i] = f->verdict[i] == RECON_NATURAL_ONE;
        counts[i] = firm[i] && (all || held[i]);
        one += firm[i];
    }
    t->one = (double)one / (double)e->n;
    const recon_trust_points points = { .psi = e->poses,
                                        .lambda = lambda,
                                        .index_psi = e->poses,
                                        .index_lambda = lambda,
                                        .counts = counts,
                                        .index_counts = firm,
                                        .frames = f,
                                        .smoothed = t->lambda.taken != RECON_LAMBDA_DENSITY };
    if (!(t->against & RECON_TRUST_GAIN_UNKNOWN))
        recon_trust_distances(t, &points);
    RECON_TRY(
        measure_copies(ctx, t, &points, job->cluster, job->model, job->data, which,
                       recon_trust_to_rotate(which, f, firm, job->fold_scores ? NULL : held)));
done:
    free(counts);
    free(firm);
    free(lambda);
    return status;
}

recon_status recon_trust_measure(recon_ctx *ctx, recon_trust *trust, const recon_trust_job *job)
{
    const recon_frames *f = job->frames;
    const recon_model *model = job->model;
    recon_lambda_choice choice = trust->lambda;
    double *nats = NULL;
    recon_status status;
    *trust = recon_trust_unmeasured();
    trust->lambda = choice;
    trust->against = recon_trust_gain_unknown(model->backbone);
    trust->cannot_tell = recon_trust_unsure(f);
    trust->none = (double)f->natural[RECON_NATURAL_NONE] / (double)f->rows;
    trust->inconsistent = job->inconsistent;
    RECON_TRY(recon_trust_frame(ctx, &trust->frame, model->backbone, job->data));
    RECON_TRY(recon_alloc_raw(ctx, &nats, job->embedded->n, sizeof *nats));
    RECON_TRY(measure_information(ctx, trust, nats, job));
    if (model->maps->kind == &recon_so2_maps)
        RECON_TRY(measure_so2(ctx, trust, job, nats));
    count_laws(trust, model->maps->kind, &model->codes->laws, job->fold_scores != NULL);
    recon_trust_judge(trust);
done:
    free(nats);
    return status;
}
