/* demo_page.c - the tour as a page: for somebody who has never heard of any of it. */
#include "experiments/demo.h"
#include "core/fail.h"
#include "core/memory.h"
#include "data/elements.h"
#include "report/found.h"
#include "report/pictures.h"

#include <recon/report/found.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHIRT = 6 };                 /* of the classes                */
#define FAR (60 / RECON_TO_DEGREES) /* radians: for all to see */

/* --- first ------------------------------------------------------------------------------------ */

static void put_results(recon_page *page, const demo *d)
{
    const reproduction *r = &d->tests;
    recon_found_words count;
    char what[64];
    recon_page_result(page, "right, by a frozen classifier, garments as they come", "%.1f %%",
                      100 * r->accuracy.none);
    recon_page_result(page, "right, the same classifier, garments turned to their natural pose",
                      "%.1f %%", 100 * r->accuracy.recon);
    recon_page_result(page, "odd poses told from natural ones (area under the curve, 1 is perfect)",
                      "%.2f", r->ood.density);
    recon_page_result(page, "typical error of where the axis of a thrown molecule points",
                      "%.1f\302\260", d->molecules.axis_error * RECON_TO_DEGREES);
    snprintf(what, sizeof what, "for Algorithm 1 on %s garments",
             recon_found_count(count, d->poses.points));
    recon_page_result(page, what, "%.2f s", d->poses.seconds);
}

/* Two pictures of each class, one above the other. */
static recon_status draw_pairs(recon_ctx *ctx, char **svg, const reproduction *r,
                               const recon_pictures *p, const char *const names[2])
{
    return recon_figure_gallery(ctx, svg,
                                &(recon_gallery){ .pictures = p->picture,
                                                  .rows = 2,
                                                  .columns = CLASSES,
                                                  .headings = r->classes,
                                                  .names = names,
                                                  .cell = 72 });
}

/* The first of each class that was turned far: as it came above, in its natural pose below. */
static recon_status draw_classes(recon_ctx *ctx, char **svg, const reproduction *r)
{
    static const char *const names[] = { "as it came", "natural pose" };
    const reading *c = &r->circle;
    recon_pictures p = { 0 };
    uint8_t seen[CLASSES] = { 0 };
    recon_status status;
    RECON_TRY(recon_pictures_new(ctx, &p, c->data, 2 * CLASSES));
    for (size_t i = 0; i < c->n; i++) {
        size_t label = (size_t)c->codes.labels[i];
        if (seen[label] || fabs(c->angle[i]) < FAR)
            continue;
        seen[label] = 1;
        recon_pictures_put(&p, label, c->data, i, 0);
        recon_pictures_put(&p, CLASSES + label, c->data, i, -c->absolute[i]);
    }
    RECON_TRY(draw_pairs(ctx, svg, r, &p, names));
done:
    recon_pictures_free(&p);
    return status;
}

static void say_what(recon_ctx *ctx, recon_page *page, const demo *d)
{
    recon_found_words count;
    char *svg = NULL;
    recon_page_section(page, "What this is about");
    recon_page_say(page,
                   "A shoe stands on its sole, trousers hang from the waist, and a bag that was "
                   "dropped lies any way. Things have a natural pose, and each kind strays from it "
                   "by its own amount. recon finds both from pictures alone: nobody says which "
                   "kind a picture shows, which way is up, or by how much it was turned.");
    recon_page_fail(page, draw_classes(ctx, &svg, &d->tests));
    recon_page_figure(
        page, svg,
        "For this picture garments of every kind were turned by any angle at all, also of those "
        "kinds that are never turned in what follows. The first of each kind that was turned by "
        "more than 60 degrees: above as it came, below as recon turns it, which was not told the "
        "angle. None of them was seen in training.");
    recon_page_say(page,
                   "What follows is about garments turned as their kind is. recon looked at %s of "
                   "them, and was then tried on %zu others. All of them are shipped with it, and "
                   "so are the networks: this page was made from nothing else, in %.0f seconds.",
                   recon_found_count(count, d->found.points), d->tests.turned.n, d->seconds);
}

/* --- canonicalize ----------------------------------------------------------------------------- */

static void row(recon_page *page, const char *what, const char *meaning, double share)
{
    recon_page_cell(page, "%s", what);
    recon_page_cell(page, "%.1f", 100 * share);
    recon_page_cell(page, "%s", meaning);
}

static void put_accuracy(recon_page *page, const demo *d)
{
    static const char *const columns[] = { "the classifier is given", "right, %",
                                           "what that means" };
    const reproduction *r = &d->tests;
    recon_page_table(page, "Accuracy of one frozen classifier on the same garments", columns, 3);
    row(page, "garments as they come", "turned, and nothing done about it", r->accuracy.none);
    row(page, "canonical, without RECON",
        "turned to the pose that the network happened to choose for each kind (IE-AE)",
        r->accuracy.ieae);
    row(page, "canonical by RECON",
        "turned to the natural pose, which the shipped network has learned to read (its lean)",
        r->accuracy.recon);
    row(page, "canonical by Algorithm 1",
        "by the natural poses that it found in the neighbours of the training part's garments",
        r->accuracy.head);
    row(page, "the same, as found here", "by those that it found in this run's garments alone",
        d->own);
    row(page, "turned back exactly", "by the true angle, which is cheating: the most there is",
        r->accuracy.undo);
    row(page, "never turned", "the original pictures", r->accuracy.upright);
}

static void say_canonical(recon_ctx *ctx, recon_page *page, const demo *d)
{
    static const char *const headings[COLUMNS] = { "as it came", "drawn", "without", "RECON",
                                                   "original" };
    const reproduction *r = &d->tests;
    double share = r->accuracy.recon;
    char *svg = NULL;
    recon_page_section(page, "A frozen model gets its accuracy back");
    recon_page_say(
        page,
        "Take a classifier that has seen upright garments alone, and must not be trained "
        "again. On turned ones it is right in %.1f %% of cases. Put one step in front of "
        "it, which turns each garment to its natural pose, and it is right in %.1f %%. "
        "On the originals, never turned, it is right in %.1f %%. Nothing behind that "
        "step has changed.",
        100 * r->accuracy.none, 100 * r->accuracy.recon, 100 * r->accuracy.upright);
    put_accuracy(page, d);
    recon_page_fail(page, reproduce_gallery(ctx, &svg, r, NULL, headings));
    recon_page_figure(
        page, svg,
        "Two garments of each kind. Drawn: what the network thinks the garment looks "
        "like, in the pose it happened to choose for its kind. Without: turned to that "
        "pose, which need not be upright. RECON: turned to the natural pose.");
    recon_page_careful(
        page,
        "The classifier and the networks were trained on Fashion-MNIST's training "
        "part, the classifier with labels, the networks without. These %zu garments "
        "are from its test part, and nothing was chosen by them. So few give figures "
        "that are good to about %.0f points either way; models/fashion.md has those of "
        "all 10,000.",
        r->turned.n, 200 * sqrt(share * (1 - share) / (double)r->turned.n));
}

/* --- spread ----------------------------------------------------------------------------------- */

static void say_spread(recon_ctx *ctx, recon_page *page, const demo *d)
{
    static const char *const columns[] = { "kind", "true, degrees", "found, degrees" };
    const reproduction *r = &d->tests;
    char *svg = NULL;
    recon_page_section(page, "How far each kind strays");
    recon_page_say(
        page, "The garments were turned by rule: T-shirts, trousers and pullovers not at all, "
              "dresses, coats and sandals by a bell curve of 32 degrees, the rest by one of 64. "
              "recon says for every single picture how far such a thing may stray; here is "
              "that, averaged over each kind, beside the truth.");
    recon_page_fail(page, reproduce_theta(ctx, &svg, r, NULL));
    recon_page_figure(page, svg,
                      "On the dashed line the answer is exact. Bars: one standard "
                      "deviation among the pictures of a kind.");
    recon_page_table(page, "Spread by kind", columns, 3);
    for (size_t c = 0; c < CLASSES; c++) {
        if (r->width[c].n == 0)
            continue;
        recon_page_cell(page, "%s", r->classes[c]);
        recon_page_cell(page, "%.0f", r->width[c].truth * RECON_TO_DEGREES);
        recon_page_cell(page, "%.1f", r->width[c].mean * RECON_TO_DEGREES);
    }
    if (r->width[SHIRT].n && r->width[SHIRT].mean < r->width[SHIRT].truth / 1.25)
        recon_page_say(
            page, "Shirts come out too narrow: many look like the T-shirts, pullovers and coats "
                  "that were turned less, and without labels they are taken for such.");
}

/* --- odd poses -------------------------------------------------------------------------------- */

/* Of each class the image with the highest score above, with the lowest below. */
static recon_status draw_oddest(recon_ctx *ctx, char **svg, const reproduction *r)
{
    static const char *const names[] = { "oddest", "most natural" };
    const reading *c = &r->circle;
    const double *score = r->score[SCORES - 1];
    size_t at[2 * CLASSES];
    char caption[2 * CLASSES][24];
    recon_pictures p = { 0 };
    recon_status status;
    for (size_t j = 0; j < 2 * CLASSES; j++)
        at[j] = c->n;
    for (size_t i = 0; i < c->n; i++) {
        size_t *odd = &at[c->codes.labels[i]], *natural = odd + CLASSES;
        *odd = *odd == c->n || score[i] > score[*odd] ? i : *odd;
        *natural = *natural == c->n || score[i] < score[*natural] ? i : *natural;
    }
    RECON_TRY(recon_pictures_new(ctx, &p, c->data, 2 * CLASSES));
    for (size_t j = 0; j < 2 * CLASSES; j++) {
        if (at[j] == c->n)
            continue;
        recon_pictures_put(&p, j, c->data, at[j], 0);
        double value =
            recon_maps_p_value(recon_model_maps(r->model), &c->map[at[j]], c->codes.so2[at[j]]);
        snprintf(caption[j], sizeof caption[j], value < 0.001 ? "p < 0.001" : "p = %.3f", value);
        p.picture[j].caption = caption[j];
    }
    RECON_TRY(draw_pairs(ctx, svg, r, &p, names));
done:
    recon_pictures_free(&p);
    return status;
}

static void say_odd(recon_ctx *ctx, recon_page *page, const demo *d)
{
    static const char *const names[SCORES] = { "network's own pose", "angle from natural",
                                               "likelihood of the pose" };
    static const char *const columns[] = { "score", "area under the curve" };
    const reproduction *r = &d->tests;
    const double areas[SCORES] = { r->ood.ieae, r->ood.recon, r->ood.density };
    char *svg = NULL;
    recon_page_section(page, "Things in odd poses");
    recon_page_say(
        page,
        "Whoever knows how far a thing may stray can say when it has strayed too far: a "
        "shoe upside down on a conveyor belt. Here the garments were turned by any angle "
        "at all. %.0f %% of them are then odd: further from upright than twice the width of "
        "their kind's bell curve, or than 5 degrees where the kind is not turned. The score "
        "of a picture is how unlikely its pose is for what it shows.",
        100 * r->ood.share);
    recon_page_fail(page, reproduce_roc(ctx, &svg, r, NULL, names));
    recon_page_figure(
        page, svg,
        "Odd ones found against natural ones called odd, for every threshold. A score "
        "that guesses follows the diagonal.");
    recon_page_table(page, "Chance that an odd pose scores above a natural one", columns, 2);
    for (size_t s = 0; s < SCORES; s++) {
        recon_page_cell(page, "%s", names[s]);
        recon_page_cell(page, "%.3f", areas[s]);
    }
    recon_page_say(
        page,
        "In use one wants a threshold and not a curve. The model keeps the scores of "
        "garments that were held out when it was made, so a threshold can be asked for by the "
        "share of false alarms that one can bear. Asked for %.0f %%, it called %.1f %% of the "
        "garments odd that "
        "were turned as their kind is, and caught %.1f %% of the odd ones.",
        100 * DEMO_ALARMS, 100 * d->alarm.called, 100 * d->alarm.caught);
    svg = NULL; /* the first is the page's */
    recon_page_fail(page, draw_oddest(ctx, &svg, r));
    recon_page_figure(
        page, svg,
        "Of the garments turned by any angle, the oddest of each kind and the most natural. p: "
        "the share of natural poses that are as odd or odder.");
}

/* --- Algorithm 1 ------------------------------------------------------------------------------ */

static void say_algorithm(recon_page *page, const demo *d)
{
    recon_found_words count;
    static const char *const columns[] = { "step", "seconds", "what it does" };
    const recon_frames *f = &d->poses.frames;
    const struct {
        const char *name, *what;
        double seconds;
    } steps[] = {
        { "classes", "the most similar codes of each, by exact search", f->seconds.classes },
        { "centres", "the middle of their poses, robust against strangers among them",
          f->seconds.centers },
        { "fits", "how the poses scatter about it", f->seconds.fits },
        { "all", "with reading the files", d->poses.seconds },
    };
    recon_page_section(page, "Algorithm 1 by itself");
    recon_page_say(
        page, "At its heart is one algorithm that needs no network of ours. It takes a code of "
              "each object, the same however the object is turned, and a pose, relative to "
              "whatever the network calls upright for that kind. Both may come from any "
              "network, as two arrays. Things with similar codes are alike; the middle of their "
              "poses is the natural one; taken off, what is left is how far each has strayed.");
    recon_page_say(page,
                   "Here it ran on the codes of %s garments, with %zu neighbours each; %.0f %% of "
                   "the neighbours are of the same kind, which it does not know.",
                   recon_found_count(count, d->poses.points), f->k, 100 * f->hit_rate);
    recon_page_table(page, "Algorithm 1, step by step", columns, 3);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        recon_page_cell(page, "%s", steps[i].name);
        recon_page_cell(page, "%.3f", steps[i].seconds);
        recon_page_cell(page, "%s", steps[i].what);
    }
}

/* --- molecules -------------------------------------------------------------------------------- */

/* Conformer i, and where recon says that its axis points. */
static recon_molecule_picture picture_of(const recon_molecules *data, size_t i,
                                         const double axis[3], const char *caption)
{
    recon_conformer x = recon_molecules_get(data, i);
    return (recon_molecule_picture){ caption, x.atoms, x.z, x.xyz, axis };
}

static void put_molecules(recon_page *page, const demo_molecules *m)
{
    static const char *const headings[] = { "as it occurs", "thrown any way", "natural pose" };
    recon_molecule_picture pictures[DEMO_SHOWN][3];
    char tilt[DEMO_SHOWN][2][32];
    const char *names[DEMO_SHOWN];
    recon_formula_text formula[DEMO_SHOWN];
    for (size_t i = 0; i < DEMO_SHOWN; i++) {
        for (size_t j = 0; j < 2; j++) {
            snprintf(tilt[i][j], sizeof tilt[i][j], "axis tilted by %.0f\302\260",
                     m->of[j][i].tilt * RECON_TO_DEGREES);
            pictures[i][j] =
                picture_of(j ? m->thrown : m->occur, i, m->of[j][i].axis_now, tilt[i][j]);
        }
        pictures[i][2] = picture_of(m->natural, i, m->of[1][i].axis, NULL);
        names[i] = recon_formula(formula[i], pictures[i][0].z, pictures[i][0].atoms);
    }
    recon_page_molecules(page,
                         &(recon_molecule_sheet){ .molecules = pictures[0],
                                                  .rows = DEMO_SHOWN,
                                                  .columns = 3,
                                                  .headings = headings,
                                                  .names = names,
                                                  .cell = 180 },
                         "Grey carbon, white hydrogen, red oxygen, blue nitrogen. The line is the "
                         "axis that the molecule keeps nearly still, where recon says that it "
                         "points. Found from the molecule in the middle alone, the natural pose "
                         "puts it back to where it points on the left, but for the stray; the spin "
                         "about it is free. Drag one to turn it.");
}

static void put_spheres(recon_page *page, const demo_molecules *m)
{
    recon_sphere spheres[DEMO_SHOWN];
    recon_formula_text formula[DEMO_SHOWN];
    for (size_t i = 0; i < DEMO_SHOWN; i++) {
        recon_conformer x = recon_molecules_get(m->occur, i);
        spheres[i] = (recon_sphere){ recon_formula(formula[i], x.z, x.atoms), m->of[1][i].poses.f };
    }
    recon_page_spheres(
        page,
        &(recon_sphere_sheet){ .spheres = spheres, .rows = 1, .columns = DEMO_SHOWN, .cell = 150 },
        "Where the poses of each take its three axes: one to a small spot, which is the axis that "
        "is known; the others to a ring about it, which is the free spin (x blue, y orange, z "
        "green; faint: on the far side).");
}

static void say_molecules(recon_page *page, const demo *d)
{
    const demo_molecules *m = &d->molecules;
    recon_distribution3_text words;
    recon_page_section(page, "The same in space: molecules");
    recon_page_say(
        page,
        "Conformers are the shapes that one molecule takes. In this data each molecule "
        "keeps one axis nearly still and spins freely about it, as if on a spit. recon "
        "was shown many conformers of many molecules in such poses, and neither the axis "
        "nor which molecule is which. Then %zu other conformers of these molecules were thrown "
        "any way.",
        m->n);
    put_molecules(page, m);
    recon_page_say(page, "Of the first, recon says: %s",
                   recon_moldistribution_words(words, &m->of[1][0]));
    put_spheres(page, m);
    recon_page_say(
        page,
        "Where the axis of each of the %zu points, thrown as it is, recon says to %.1f degrees "
        "(median). Poses as they occur and "
        "thrown ones are told apart with an area under the curve of %.3f; at a threshold "
        "for %.0f %% false alarms %.1f %% of the thrown are caught, and %.1f %% of the "
        "others called odd.",
        m->n, m->axis_error * RECON_TO_DEGREES, m->auc, 100 * DEMO_ALARMS, 100 * m->alarm.caught,
        100 * m->alarm.called);
    recon_page_careful(
        page, "Where a spin is free, the data say nothing about it. recon chooses one that "
              "is the same for all conformers of a molecule, and says that it was a "
              "choice.");
}

/* --- last ------------------------------------------------------------------------------------- */

static void say_how(recon_page *page, const demo *d)
{
    recon_found_words count;
    static const char *const columns[] = { "file", "what" };
    static const char *const files[][2] = {
        { "garments-images.npy", "the garments recon looked at, turned (labels beside it)" },
        { "discover/", "the discover run: codes z.npy, poses g.npy, model.safetensors" },
        { "normalize/", "Algorithm 1 by itself, on those codes and poses" },
        { "test-images.npy", "the garments it was tried on, turned (labels beside it)" },
        { "molecules/", "as they occur, thrown, and in their natural pose, as XYZ" },
        { "results.json", "the numbers of this page, for programs" },
    };
    recon_page_section(page, "How this page was made");
    recon_page_say(
        page,
        "The networks that make codes and poses are shipped: they were trained before, "
        "without labels, on other garments and conformers. Natural poses and spreads were "
        "found twice: by the shipped models, which all figures are of unless they say "
        "otherwise, and anew from %s garments, in %.1f seconds. %.1f seconds of this went "
        "into codes, %.2f into Algorithm 1, %.1f into the maps that answer for garments "
        "not seen yet; the molecules took %.1f.",
        recon_found_count(count, d->found.points), d->found.seconds.total, d->found.seconds.embed,
        d->found.seconds.normalize, d->found.seconds.maps, d->molecules.seconds);
    recon_page_table(page, "What lies beside this page", columns, 2);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        recon_page_cell(page, "%s", files[i][0]);
        recon_page_cell(page, "%s", files[i][1]);
    }
    recon_page_say(page,
                   "Any step can be run again by hand, or on data of your own: `recon --help` "
                   "lists the commands, docs/ has tutorials for images, for codes and poses "
                   "of any network, and for molecules.");
}

/* What recon says of any images, here of those it has just looked at. */
static void say_found(recon_ctx *ctx, recon_page *page, const demo *d)
{
    recon_found_words count;
    demo_path folder;
    recon_page_section(page, "The whole discover run");
    recon_page_say(
        page,
        "From here on this is the report that `recon discover` leaves for any data, here "
        "for the %s garments it looked at, turned as their kind is.",
        recon_found_count(count, d->found.points));
    recon_page_fail(page,
                    recon_found_images(ctx, page, demo_file(folder, d, "discover"), d->turned));
}

recon_status demo_page(recon_ctx *ctx, const demo *d)
{
    recon_page *page;
    recon_status status = recon_page_new(
        ctx, &page, "Natural poses, found without labels",
        "A tour of recon: how garments and molecules stand by nature, and what it helps to know.");
    if (status != RECON_OK)
        return status;
    put_results(page, d);
    say_what(ctx, page, d);
    say_canonical(ctx, page, d);
    say_spread(ctx, page, d);
    say_odd(ctx, page, d);
    say_algorithm(page, d);
    say_molecules(page, d);
    say_how(page, d);
    say_found(ctx, page, d);
    return recon_page_save(page, d->report);
}
