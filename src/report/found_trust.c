/* found_trust.c - whether the natural poses of a discovery can be trusted, in words. */
#include "report/found.h"
#include "core/fail.h"
#include "model/trust.h"
#include "report/inputs.h"

#include <math.h>

enum { FAR = 20 /* degrees, as in the terminal's line "as given" */ };

/* Of a summary that does not say: 0. */
static int read_trust(recon_trust *out, const recon_found_folder *f)
{
    return recon_trust_from_json(out, json_object_get(f->summary, "trust"));
}

/* --- below the title ------------------------------------------------------------------------------ */

/* Shares of natural poses by verdict. */
static void head_normalized(recon_page *page, const recon_found_folder *f)
{
    double unsure = recon_found_natural(f, RECON_NATURAL_UNSURE);
    double hits = recon_found_overall(f, "hit_rate");
    recon_found_words words;
    recon_page_result(page, "poses", "%s", recon_found_count(words, f->rows));
    for (int i = 0; i < RECON_FOUND_VERDICTS; i++) {
        double share = recon_found_natural(f, f->drawing->kinds[i].kind);
        if (!isnan(share))
            recon_page_result(page, f->drawing->kinds[i].tile, "%s",
                              recon_found_share(words, share));
    }
    if (unsure > 0)
        recon_page_result(page, "undecided", "%s", recon_found_share(words, unsure));
    if (!isnan(hits))
        recon_page_result(page, "of neighbours share the label", "%s",
                          recon_found_share(words, hits));
}

static void head_discovery(recon_page *page, const recon_found_folder *f, const char *cls,
                           const char *verdict)
{
    recon_found_words all, some, far, none;
    size_t rotated = 0, rotated_far = 0, unclear = 0;
    for (size_t i = 0; i < f->lines.n; i++) {
        const recon_line *line = &f->lines.line[i];
        rotated += line->rotated != 0;
        rotated_far +=
            line->rotated && RECON_TO_DEGREES * f->group->length(f->group, line->pose) > FAR;
        unclear += !line->rotated &&
                   (line->verdict == RECON_NATURAL_NONE || line->verdict == RECON_NATURAL_UNSURE);
    }
    recon_page_verdict(page, cls, verdict,
                       "%s of %s %s would be rotated, %s by more than %d degrees. For %s nothing "
                       "can be told.",
                       recon_found_count(some, rotated), recon_found_count(all, f->lines.n),
                       recon_found_many(f), recon_found_count(far, rotated_far), FAR,
                       recon_found_count(none, unclear));
}

void recon_found_head(recon_page *page, const recon_found_folder *f)
{
    static const char *const classes[] = { "good", "care", "bad" };
    recon_trust t;
    int told = read_trust(&t, f);
    if (f->lines.n)
        head_discovery(page, f, told ? classes[t.level] : "plain",
                       told ? recon_trust_name(t.level) : NULL);
    else
        head_normalized(page, f);
}

/* --- the section ------------------------------------------------------------------------------ */

static void say_verdict(recon_page *page, const recon_trust *t)
{
    char reasons[RECON_TRUST_REASONS];
    recon_found_words words;
    recon_trust_reasons(reasons, sizeof reasons, t, RECON_SPELLING_CODE); /* breaks no option */
    recon_page_say(page, "Verdict: %s, judged on %s held-out inputs.%s%s",
                   recon_trust_name(t->level), recon_found_count(words, t->points),
                   *reasons ? " " : "", reasons);
}

static void say_measures(recon_page *page, const recon_trust *t)
{
    if (isfinite(t->gain))
        recon_page_say(
            page,
            "Expected gain: canonicalization moves inputs %.1f degrees %s their natural pose on "
            "average (%.1f degrees from it before, %.1f after).",
            fabs(t->gain) * RECON_TO_DEGREES, t->gain < 0 ? "further from" : "closer to",
            t->before * RECON_TO_DEGREES, t->after * RECON_TO_DEGREES);
    if (isfinite(t->gain) && isfinite(t->one))
        recon_page_say(page, "That is of inputs with one natural pose: %.0f %% of all.",
                       100 * t->one);
    else if (isfinite(t->moved) && !(t->against & RECON_TRUST_GAIN_UNKNOWN))
        /* images, where it is measured otherwise; of photo presets the verdict says why it is not */
        recon_page_say(
            page,
            "Expected gain: unknown. Too little was learned, or too few held-out inputs have one "
            "natural pose.");
    if (isfinite(t->moved))
        recon_page_say(
            page,
            "Natural poses of rotated copies agree within %.1f degrees (median), %.1f degrees (95"
            " %%).",
            t->moved * RECON_TO_DEGREES, t->moved_p95 * RECON_TO_DEGREES);
    if (isfinite(t->information))
        recon_page_say(
            page,
            "Information: the density predicts held-out poses %.2f nats better than a uniform "
            "distribution.",
            t->information);
}

static void table_ways(recon_page *page, const recon_lambda_choice *c)
{
    static const char *const columns[] = { "estimates compared", "apart, median (degrees)",
                                           "apart, 95 % (degrees)" };
    recon_page_table(page,
                     "How far apart the estimates of the natural pose are, on held-out inputs",
                     columns, 3);
    for (int a = RECON_LAMBDA_NEIGHBOURS; a <= RECON_LAMBDA_DENSITY; a++)
        for (int b = RECON_LAMBDA_NEIGHBOURS; b < a; b++) {
            if (!isfinite(c->apart_median[a][b] + c->apart_p95[a][b]))
                continue;
            recon_page_cell(page, "%s and %s", recon_lambda_name((recon_lambda)b),
                            recon_lambda_name((recon_lambda)a));
            recon_page_cell(page, "%.1f", c->apart_median[a][b] * RECON_TO_DEGREES);
            recon_page_cell(page, "%.1f", c->apart_p95[a][b] * RECON_TO_DEGREES);
        }
}

static void table_likelihoods(recon_page *page, const recon_lambda_choice *c)
{
    static const char *const columns[] = { "estimate", "log-likelihood" };
    char caption[200];
    if (!isfinite(c->likelihood[c->taken]))
        return;
    recon_page_table(
        page,
        recon_spell(
            caption, sizeof caption,
            "Mean log density of the held-out poses around each estimate; the highest, or "
            "one as good (with a photo preset the density), is used unless {lambda} selects "
            "another",
            RECON_SPELLING_COMMAND),
        columns, 2);
    for (int a = RECON_LAMBDA_NEIGHBOURS; a <= RECON_LAMBDA_DENSITY; a++)
        if (isfinite(c->likelihood[a])) {
            recon_page_cell(page, "%s%s", recon_lambda_name((recon_lambda)a),
                            (recon_lambda)a == c->taken ? " (used)" : "");
            recon_page_cell(page, "%.2f", c->likelihood[a]);
        }
}

void recon_found_show_trust(recon_page *page, const recon_found_folder *f)
{
    recon_trust t;
    if (!read_trust(&t, f))
        return;
    say_verdict(page, &t);
    say_measures(page, &t);
    if (t.lambda.taken == RECON_LAMBDA_AUTO) /* the summary does not say */
        return;
    recon_page_say(
        page,
        "There are three estimates of the natural pose: the centre of the neighbours' poses "
        "(`neighbours`), a network that learned it (`head`, as in the paper), and the centre "
        "of the pose density (`density`, not in the paper). Here it comes from `%s`.",
        recon_lambda_name(t.lambda.taken));
    if (t.against & RECON_TRUST_DISAGREES)
        recon_page_say(
            page,
            "The estimates of the natural pose disagree. Compare the canonicalized inputs of each"
            " with `{recon.canonicalize(lambda)}`.");
    table_likelihoods(page, &t.lambda);
    table_ways(page, &t.lambda);
}

/* --- what next -------------------------------------------------------------------------------- */

void recon_found_show_next(recon_page *page, const recon_found_folder *f)
{
    static const char *const columns[] = { "to", "command" };
    const recon_input_drawing *d = recon_input_drawing_of(f->kind, f->group);
    const char *dir = f->called, *new = d ? d->new_data : "NEW", *out = d ? d->rotated : "rotated";
    const char *was =
        json_string_value(json_object_get(json_object_get(f->summary, "source"), "spec"));
    recon_trust t;
    int told = read_trust(&t, f), usable = !told || t.level != RECON_TRUST_NOT;
    int upright = told && t.against & RECON_TRUST_UPRIGHT;
    recon_page_section(page, "What to do next");
    recon_page_say(
        page,
        "`%s/model.safetensors` holds everything that was learned; replace `%s` by your own "
        "data.%s",
        dir, new,
        usable ? " Inputs without a natural pose, and those where it cannot be told, stay "
                 "as they are."
               : " Its natural poses are not to be used: see above for what may help.");
    recon_page_table(page, "Commands", columns, 2);
    if (usable) {
        recon_page_cell(page, "rotate new inputs into their natural pose");
        recon_page_cell(page,
                        upright ? "{recon.canonicalize(model=%s/model.safetensors data=%s out=%s "
                                  "only_if=0.05)}"
                                : "{recon.canonicalize(model=%s/model.safetensors data=%s out=%s)}",
                        dir, new, out);
        recon_page_cell(page, "rotate these as the table above says, with your corrections");
        recon_page_cell(page,
                        "{recon.canonicalize(model=%s/model.safetensors data=%s out=%s "
                        "actions=actions.csv)}",
                        dir, was ? was : new, out);
    }
    recon_page_cell(page, "find inputs in unusual poses");
    recon_page_cell(
        page, "{recon.score(model=%s/model.safetensors data=%s false_alarms=0.05 out=scores.csv)}",
        dir, new);
    recon_page_cell(page, "show the pose distribution of one input");
    recon_page_cell(page,
                    "{recon.distribution(model=%s/model.safetensors data=%s index=0 svg=pose.svg)}",
                    dir, new);
}
