/* cmd_demo_page.c - the tour as a page, for readers without prior knowledge. */
#include "lab/demo.h"
#include "lab/table.h"
#include "core/fail.h"
#include "data/elements.h"
#include "report/found.h"
#include "report/pictures.h"

#include <math.h>
#include <stdio.h>

#define FAR (60 / RECON_TO_DEGREES) /* radians: for all to see */

/* --- first ------------------------------------------------------------------------------------ */

static void put_results(recon_page *page, const demo *d)
{
    const reproduction *r = &d->tests;
    recon_found_words count;
    char what[64];
    recon_page_result(page, "accuracy of a frozen classifier on rotated garments", "%.1f %%",
                      100 * r->on->accuracy.none);
    recon_page_result(page, "accuracy of the same classifier on canonicalized garments", "%.1f %%",
                      100 * r->accuracy.recon);
    recon_page_result(page, "detection of unusual poses (area under the ROC curve, 1 is perfect)",
                      "%.2f", lab_number(r->out, "ood_auc.density"));
    recon_page_result(page, "median error of the axis of a randomly rotated molecule",
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
                                                  .columns = DEMO_KINDS,
                                                  .headings = r->on->name,
                                                  .names = names,
                                                  .cell = 72 });
}

/* The first of each class that was rotated far: as it came above, in its natural pose below. */
static recon_status draw_classes(recon_ctx *ctx, char **svg, const reproduction *r)
{
    static const char *const names[] = { "as it came", "natural pose" };
    const reading *c = &r->circle;
    recon_pictures p = { 0 };
    uint8_t seen[DEMO_KINDS] = { 0 };
    recon_status status;
    RECON_TRY(recon_pictures_new(ctx, &p, c->data, 2 * DEMO_KINDS));
    for (size_t i = 0; i < c->n; i++) {
        size_t label = (size_t)c->codes.labels[i];
        if (seen[label] || fabs(c->angle[i]) < FAR)
            continue;
        seen[label] = 1;
        recon_pictures_put(&p, label, c->data, i, 0);
        recon_pictures_put(&p, DEMO_KINDS + label, c->data, i, -c->absolute[i]);
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
    recon_page_section(page, "What this shows");
    recon_page_say(page,
                   "A shoe stands on its sole, trousers hang from the waist, and a dropped bag "
                   "may lie in any orientation. Most kinds of object have a natural orientation "
                   "and a typical spread around it. recon estimates both from images alone: it is "
                   "given neither the kind of object, nor which way is up, nor the rotation.");
    recon_page_fail(page, draw_classes(ctx, &svg, &d->tests));
    recon_page_figure(
        page, svg,
        "For this figure garments of every kind were rotated by a random angle, including the "
        "kinds that are never rotated below. The first garment of each kind that was rotated by "
        "more than 60 degrees: above the input, below as recon rotates it without knowing the "
        "angle. None of them was used in training.");
    recon_page_say(page,
                   "In the following, garments are rotated according to the distribution of their "
                   "kind. recon looked at %s of them and was then tested on %zu others. All of "
                   "them are shipped with it, and so are the networks: this page was made from "
                   "nothing else, in %.0f seconds.",
                   recon_found_count(count, d->found.points), d->tests.rotated.n, d->seconds);
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
    row(page, "rotated garments", "rotated, not canonicalized", r->on->accuracy.none);
    row(page, "canonical by the autoencoder",
        "rotated to the arbitrary canonical pose of the network (IE-AE)", r->accuracy.ieae);
    row(page, "canonical by the pose density", "our extension, as the shipped model predicts it",
        r->accuracy.recon);
    row(page, "the same, as found here", "calibrated on the garments of this run alone", d->own);
    row(page, "canonical by the head on z", "which learned from Algorithm 1, on the same backbone",
        r->accuracy.head);
    row(page, "true rotation undone", "by the true angle: an upper bound", r->on->accuracy.undo);
    row(page, "never rotated", "the original pictures", r->on->accuracy.upright);
}

static void say_canonical(recon_ctx *ctx, recon_page *page, const demo *d)
{
    static const char *const headings[COLUMNS] = { "as it came", "drawn", "without", "natural",
                                                   "original" };
    const reproduction *r = &d->tests;
    double share = r->accuracy.recon;
    char *svg = NULL;
    recon_page_section(page, "A frozen model recovers its accuracy");
    recon_page_say(
        page,
        "Take a classifier that was trained on upright garments only and must not be retrained. "
        "On rotated garments its accuracy is %.1f %%. With one step before it, which rotates each "
        "garment into its natural pose, it is %.1f %%. On the upright originals it is %.1f %%. "
        "The classifier itself is unchanged.",
        100 * r->on->accuracy.none, 100 * r->accuracy.recon, 100 * r->on->accuracy.upright);
    put_accuracy(page, d);
    recon_page_fail(page, reproduce_gallery(ctx, &svg, r, NULL, headings));
    recon_page_figure(
        page, svg,
        "Two garments of each kind. Drawn: the network's reconstruction, in the arbitrary "
        "canonical pose of its kind. Without: rotated to that pose, which need not be upright. "
        "Natural: rotated to the natural pose, by the pose density.");
    recon_page_warning(
        page,
        "The classifier and the networks were trained on the training split of Fashion-MNIST, the "
        "classifier with labels, the networks without. These %zu garments are from the test "
        "split, and no choice was based on them. With so few the figures are accurate to about "
        "%.0f points; models/fashion.md has those for all 10,000.",
        r->rotated.n, 200 * sqrt(share * (1 - share) / (double)r->rotated.n));
}

/* --- spread ----------------------------------------------------------------------------------- */

static void say_spread(recon_ctx *ctx, recon_page *page, const demo *d)
{
    recon_theta_class widths[DEMO_KINDS];
    size_t n = demo_widths(widths, d);
    char *svg = NULL;
    recon_page_section(page, "How far each kind varies");
    recon_page_say(
        page, "The garments were rotated by a rule: T-shirts, trousers and pullovers not at all; "
              "dresses, coats and sandals by a normal distribution of 32 degrees, the rest of 64. "
              "recon predicts the spread for every image; here is the median for each kind of "
              "those it looked at, beside the truth.");
    recon_page_fail(page, recon_figure_theta(ctx, &svg,
                                             &(recon_theta_plot){ .what = d->trial.what->width,
                                                                  .classes = widths,
                                                                  .count = n }));
    recon_page_figure(page, svg, "A dot on the line of its kind is exact.");
    recon_page_say(page, "Kinds that look alike are mixed up: without labels T-shirts, pullovers, "
                         "coats and shirts are neighbours, so each gets some of the spread of the "
                         "others.");
}

/* --- unusual poses ---------------------------------------------------------------------------- */

/* Of each class the image with the highest score above, with the lowest below. */
static recon_status draw_most_unusual(recon_ctx *ctx, char **svg, const reproduction *r)
{
    static const char *const names[] = { "most_unusual", "most natural" };
    const reading *c = &r->circle;
    const double *score = r->score[SCORES - 1];
    size_t at[2 * DEMO_KINDS];
    char caption[2 * DEMO_KINDS][24];
    recon_pictures p = { 0 };
    recon_status status;
    for (size_t j = 0; j < 2 * DEMO_KINDS; j++)
        at[j] = c->n;
    for (size_t i = 0; i < c->n; i++) {
        size_t *unusual = &at[c->codes.labels[i]], *natural = unusual + DEMO_KINDS;
        *unusual = *unusual == c->n || score[i] > score[*unusual] ? i : *unusual;
        *natural = *natural == c->n || score[i] < score[*natural] ? i : *natural;
    }
    RECON_TRY(recon_pictures_new(ctx, &p, c->data, 2 * DEMO_KINDS));
    for (size_t j = 0; j < 2 * DEMO_KINDS; j++) {
        if (at[j] == c->n)
            continue;
        recon_pictures_put(&p, j, c->data, at[j], 0);
        double value = recon_maps_p_value(r->model->maps, &c->map[at[j]], &c->codes.poses[at[j]]);
        snprintf(caption[j], sizeof caption[j], value < 0.001 ? "p < 0.001" : "p = %.3f", value);
        p.picture[j].caption = caption[j];
    }
    RECON_TRY(draw_pairs(ctx, svg, r, &p, names));
done:
    recon_pictures_free(&p);
    return status;
}

static void say_unusual(recon_ctx *ctx, recon_page *page, const demo *d)
{
    static const char *const names[SCORES] = { "network's own pose", "angle from natural",
                                               "likelihood of the pose" };
    static const char *const columns[] = { "score", "area under the curve" };
    const reproduction *r = &d->tests;
    const double areas[SCORES] = { lab_number(r->out, "ood_auc.ieae"),
                                   lab_number(r->out, "ood_auc.g_abs"),
                                   lab_number(r->out, "ood_auc.density") };
    char *svg = NULL;
    recon_page_section(page, "Unusual poses");
    recon_page_say(
        page,
        "If the typical spread of an object is known, unusual poses can be detected: a shoe "
        "upside down on a conveyor belt. Here the garments were rotated by random angles. %.0f %% "
        "of them are then unusual: further from upright than twice the sigma of their kind, or "
        "than 5 degrees if the kind is not rotated. The score of an image says how unlikely its "
        "pose is for its kind.",
        lab_number(r->out, "ood_percent"));
    recon_page_fail(page, reproduce_roc(ctx, &svg, r, NULL, names));
    recon_page_figure(
        page, svg,
        "Unusual poses detected against natural ones flagged, for every threshold. A random score "
        "follows the diagonal.");
    recon_page_table(page, "Probability that an unusual pose scores above a natural one", columns,
                     2);
    for (size_t s = 0; s < SCORES; s++) {
        recon_page_cell(page, "%s", names[s]);
        recon_page_cell(page, "%.3f", areas[s]);
    }
    recon_page_say(
        page,
        "In practice you need a threshold. The model stores the scores of held-out garments, so "
        "you can choose the threshold by its false-alarm rate. For a rate of %.0f %%, it flagged "
        "%.1f %% of the garments in natural poses, and %.1f %% of those in unusual poses.",
        100 * DEMO_ALARMS, 100 * d->alarm.called, 100 * d->alarm.caught);
    svg = NULL; /* the first is the page's */
    recon_page_fail(page, draw_most_unusual(ctx, &svg, r));
    recon_page_figure(
        page, svg,
        "The most unusual and the most natural of the randomly rotated garments of each kind. p: "
        "the fraction of natural poses that are at least as unusual.");
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
        { "classes", "the nearest embeddings of each, by exact search", f->seconds.classes },
        { "centres", "the centre of their poses, robust to wrong neighbours", f->seconds.centers },
        { "fits", "the spread of the poses around it", f->seconds.fits },
        { "all", "including file reading", d->poses.seconds },
    };
    recon_page_section(page, "Algorithm 1 by itself");
    recon_page_say(
        page, "The core is one algorithm that needs no network of ours. It takes an embedding of "
              "each object, which does not depend on its rotation, and a pose relative to the "
              "network's arbitrary zero for that kind. Both may come from any network, as two "
              "arrays. Objects with similar embeddings are of one kind; the centre of their poses "
              "is the natural pose; relative to it, the pose of each says how far it is rotated.");
    recon_page_say(page,
                   "Here it ran on the embeddings of %s garments, with %zu neighbours each; %.0f "
                   "%% of the neighbours are of the same kind, which it does not know.",
                   recon_found_count(count, d->poses.points), f->k, 100 * f->hit_rate);
    recon_page_table(page, "Algorithm 1, step by step", columns, 3);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        recon_page_cell(page, "%s", steps[i].name);
        recon_page_cell(page, "%.3f", steps[i].seconds);
        recon_page_cell(page, "%s", steps[i].what);
    }
}

/* --- molecules -------------------------------------------------------------------------------- */

/* A conformer, and where recon says that its axis points. */
static recon_molecule_picture picture_of(recon_conformer x, const double axis[3],
                                         const char *caption)
{
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
            pictures[i][j] = picture_of(recon_molecules_get(j ? m->thrown : m->occur, i),
                                        m->of[j][i].axis_now, tilt[i][j]);
        }
        pictures[i][2] = picture_of(m->natural[i], m->of[1][i].axis, NULL);
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
                         "axis that the molecule keeps nearly fixed, as estimated by recon. The "
                         "natural pose, found from the molecule in the middle alone, moves the "
                         "axis back to its direction on the left, up to the natural spread; the "
                         "spin about it is free. Drag one to rotate it.");
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
        "The directions of the three axes over the poses of each: one gathers in a small spot, "
        "the determined axis; the others in a ring around it, the free spin (x blue, y orange, z "
        "green; faint: on the far side).");
}

static void say_molecules(recon_page *page, const demo *d)
{
    const demo_molecules *m = &d->molecules;
    recon_distribution3_text words;
    recon_page_section(page, "The same in space: molecules");
    recon_page_say(
        page,
        "Conformers are the shapes that one molecule takes. In this data each molecule keeps one "
        "axis nearly fixed and spins freely about it. recon was trained on many conformers of "
        "many molecules in such poses, and was given neither the axis nor which molecule is "
        "which. Then %zu other conformers of these molecules were rotated randomly.",
        m->n);
    put_molecules(page, m);
    recon_page_say(page, "For the first one: %s", recon_distribution3_words(words, &m->of[1][0]));
    put_spheres(page, m);
    recon_page_say(
        page,
        "For these %zu randomly rotated conformers recon finds the axis to %.1f degrees (median). "
        "Natural and random poses are separated with an area under the curve of %.3f; at a "
        "threshold for %.0f %% false alarms %.1f %% of the random poses are detected, and %.1f %% "
        "of the natural ones are flagged.",
        m->n, m->axis_error * RECON_TO_DEGREES, m->auc, 100 * DEMO_ALARMS, 100 * m->alarm.caught,
        100 * m->alarm.called);
    recon_page_warning(
        page, "Where a spin is free, the data do not determine it. recon chooses one that is the "
              "same for all conformers of a molecule, and reports that it is a choice.");
}

/* --- last ------------------------------------------------------------------------------------- */

static void say_how(recon_page *page, const demo *d)
{
    recon_found_words count;
    static const char *const columns[] = { "file", "what" };
    static const char *const files[][2] = {
        { "garments-images.npy", "the garments recon looked at, rotated (labels beside it)" },
        { "discover/", "the discover run: embeddings z.npy, poses g.npy, model.safetensors" },
        { "normalize/", "Algorithm 1 by itself, on those embeddings and poses" },
        { "test-images.npy", "the garments it was tested on, rotated (labels beside it)" },
        { "molecules/", "in their original poses, randomly rotated, and in their natural pose, as "
                        "XYZ" },
        { "results.json", "the numbers of this page, for programs" },
    };
    recon_page_section(page, "How this page was made");
    recon_page_say(
        page,
        "The networks for embeddings and poses are shipped: they were trained without labels on "
        "other garments and conformers. Natural poses and spreads were found twice: by the "
        "shipped models, which all figures show unless noted, and again from %s garments, in %.1f "
        "seconds. %.1f seconds of this were for embeddings, %.2f for Algorithm 1, %.1f for the "
        "maps that predict for new garments; the molecules took %.1f.",
        recon_found_count(count, d->found.points), d->found.seconds.total, d->found.seconds.embed,
        d->found.seconds.normalize, d->found.seconds.maps, d->molecules.seconds);
    recon_page_table(page, "Files beside this page", columns, 2);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        recon_page_cell(page, "%s", files[i][0]);
        recon_page_cell(page, "%s", files[i][1]);
    }
    recon_page_say(page,
                   "You can run any step again, or on your own data: `recon --help` lists the "
                   "commands, docs/ has tutorials for images, for embeddings and poses of any "
                   "network, and for molecules.");
}

/* What recon says of any images, here of those it has just looked at. */
static void say_found(recon_ctx *ctx, recon_page *page, const demo *d)
{
    recon_found_words count;
    demo_path path;
    recon_found_folder folder = { 0 };
    recon_page_section(page, "The whole discover run");
    recon_page_say(
        page,
        "The rest is the report that `recon discover` writes for any data, here for the %s "
        "rotated garments it looked at.",
        recon_found_count(count, d->found.points));
    recon_status status = recon_found_open(ctx, &folder, demo_file(path, d, "discover"));
    if (status == RECON_OK)
        status = recon_found_sections(ctx, page, &folder, recon_dataset_data(d->rotated));
    recon_page_fail(page, status);
    recon_found_close(&folder);
}

recon_status demo_page(recon_ctx *ctx, const demo *d)
{
    recon_page *page;
    RECON_CHECK(recon_page_new(
        ctx, &page, "Natural poses, found without labels",
        "A tour of recon: the natural poses of garments and molecules, and their uses."));
    put_results(page, d);
    say_what(ctx, page, d);
    say_canonical(ctx, page, d);
    say_spread(ctx, page, d);
    say_unusual(ctx, page, d);
    say_algorithm(page, d);
    say_molecules(page, d);
    say_how(page, d);
    say_found(ctx, page, d);
    return recon_page_save_over(page, d->report);
}
