/* trust_json.c - trust as JSON: in summaries, for --json, and in the metadata of a model. */
#include "model/trust.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1 << 14 }; /* text of measures that is read; what is written has a tenth */

#define LARGEST 1e9 /* number that is taken for a measure */

/* Reasons by their bits: names[i] is that of 1 << i. */
static const char *const names[] = { "nothing_learned", "not_following", "no_gain",
                                     "few_of_a_kind",   "disagrees",     "upright",
                                     "few_held_out",    "inconsistent",  "gain_unsure",
                                     "gain_unknown",    "frame",         "no_pose" };
enum { NAMES = sizeof names / sizeof *names };
_Static_assert(1 << (NAMES - 1) == RECON_TRUST_NO_POSE, "every reason has its name");

/* --- written ---------------------------------------------------------------------------------- */

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static const char *pair_name(char out[64], int a, int b)
{
    snprintf(out, 64, "%s_%s", recon_lambda_name((recon_lambda)b),
             recon_lambda_name((recon_lambda)a));
    return out;
}

static json_t *lambda_json(const recon_lambda_choice *c)
{
    json_t *ways = json_object(), *apart = json_object();
    char key[64];
    for (int a = 1; a < 4; a++) {
        recon_json_put(&ways, recon_lambda_name((recon_lambda)a), number(c->likelihood[a]));
        for (int b = 1; b < a; b++) {
            json_t *pair = json_object();
            recon_json_put(&pair, "median_deg", number(c->apart_median[a][b] * RECON_TO_DEGREES));
            recon_json_put(&pair, "p95_deg", number(c->apart_p95[a][b] * RECON_TO_DEGREES));
            recon_json_put(&apart, pair_name(key, a, b), pair);
        }
    }
    json_t *out = json_pack("{s:s, s:I}", "taken", recon_lambda_name(c->taken), "points",
                            (json_int_t)c->points);
    recon_json_put(&out, "likelihood", ways);
    recon_json_put(&out, "apart", apart);
    return out;
}

json_t *recon_trust_json(const recon_trust *t)
{
    char why[RECON_TRUST_REASONS];
    json_t *out = json_pack("{s:s, s:s, s:I}", "verdict", recon_trust_name(t->level), "why",
                            recon_trust_reasons(why, sizeof why, t, RECON_SPELLING_COMMAND),
                            "points", (json_int_t)t->points);
    json_t *against = json_array();
    for (int i = 0; i < NAMES; i++)
        if (t->against & 1U << i)
            recon_json_append(&against, json_string(names[i]));
    recon_json_put(&out, "against", against);
    recon_json_put(&out, "information_nats", number(t->information));
    recon_json_put(&out, "information_error_nats", number(t->information_error));
    recon_json_put(&out, "moved_median_deg", number(t->moved * RECON_TO_DEGREES));
    recon_json_put(&out, "moved_p95_deg", number(t->moved_p95 * RECON_TO_DEGREES));
    recon_json_put(&out, "before_deg", number(t->before * RECON_TO_DEGREES));
    recon_json_put(&out, "after_deg", number(t->after * RECON_TO_DEGREES));
    recon_json_put(&out, "gain_deg", number(t->gain * RECON_TO_DEGREES));
    recon_json_put(&out, "gain_error_deg", number(t->gain_error * RECON_TO_DEGREES));
    recon_json_put(&out, "one_pose", number(t->one));
    recon_json_put(&out, "cannot_tell", number(t->cannot_tell));
    recon_json_put(&out, "none", number(t->none));
    recon_json_put(&out, "inconsistent", number(t->inconsistent));
    recon_json_put(&out, "frame_nats", number(t->frame));
    recon_json_put(&out, "lambda_choice", lambda_json(&t->lambda));
    return out;
}

const char *recon_trust_text(char *out, size_t room, const recon_trust *t, recon_spelling spelling)
{
    char why[RECON_TRUST_REASONS];
    json_t *json = recon_trust_json(t);
    recon_json_put(&json, "why", json_string(recon_trust_reasons(why, sizeof why, t, spelling)));
    char *text = recon_json_text(json);
    size_t n = text ? strlen(text) : room;
    snprintf(out, room, "%s", n < room ? text : "");
    free(text);
    return out;
}

/* --- read ------------------------------------------------------------------------------------- */

static double real_of(const json_t *from, const char *key)
{
    const json_t *value = json_object_get(from, key);
    double x = json_number_value(value);
    return json_is_number(value) && fabs(x) < LARGEST ? x : NAN;
}

static double angle_of(const json_t *from, const char *key)
{
    return real_of(from, key) * RECON_TO_RADIANS;
}

static size_t count_of(const json_t *from, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(from, key));
    return n > 0 ? (size_t)n : 0;
}

static unsigned against_of(const json_t *list)
{
    unsigned bits = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        for (int k = 0; name && k < NAMES; k++)
            bits |= strcmp(name, names[k]) ? 0 : 1U << k;
    }
    return bits;
}

static void read_lambda(recon_lambda_choice *c, const json_t *from)
{
    const json_t *ways = json_object_get(from, "likelihood"),
                 *apart = json_object_get(from, "apart");
    const char *taken = json_string_value(json_object_get(from, "taken"));
    char key[64];
    c->points = count_of(from, "points");
    for (int a = 1; a < 4; a++) {
        const char *name = recon_lambda_name((recon_lambda)a);
        if (taken && !strcmp(taken, name))
            c->taken = (recon_lambda)a;
        c->likelihood[a] = real_of(ways, name);
        for (int b = 1; b < a; b++) {
            const json_t *pair = json_object_get(apart, pair_name(key, a, b));
            c->apart_median[a][b] = c->apart_median[b][a] = angle_of(pair, "median_deg");
            c->apart_p95[a][b] = c->apart_p95[b][a] = angle_of(pair, "p95_deg");
        }
    }
}

static int read_level(recon_trust_level *out, const char *verdict)
{
    for (int level = RECON_TRUST_GOOD; level <= RECON_TRUST_NOT; level++)
        if (!strcmp(verdict, recon_trust_name((recon_trust_level)level))) {
            *out = (recon_trust_level)level;
            return 1;
        }
    return 0;
}

static void read_measures(recon_trust *out, const json_t *from)
{
    out->against = against_of(json_object_get(from, "against"));
    out->points = count_of(from, "points");
    out->information = real_of(from, "information_nats");
    out->information_error = real_of(from, "information_error_nats");
    out->moved = angle_of(from, "moved_median_deg");
    out->moved_p95 = angle_of(from, "moved_p95_deg");
    out->before = angle_of(from, "before_deg");
    out->after = angle_of(from, "after_deg");
    out->gain = angle_of(from, "gain_deg");
    out->gain_error = angle_of(from, "gain_error_deg");
    out->one = real_of(from, "one_pose");
    out->cannot_tell = real_of(from, "cannot_tell");
    out->none = real_of(from, "none");
    out->inconsistent = real_of(from, "inconsistent");
    out->frame = real_of(from, "frame_nats");
    read_lambda(&out->lambda, json_object_get(from, "lambda_choice"));
}

int recon_trust_from_json(recon_trust *out, const json_t *from)
{
    const char *verdict = json_string_value(json_object_get(from, "verdict"));
    *out = recon_trust_unmeasured();
    if (!verdict || !read_level(&out->level, verdict))
        return 0;
    read_measures(out, from);
    return 1;
}

recon_status recon_trust_read(recon_ctx *ctx, recon_trust *out, int *known, const char *verdict,
                              const char *measures, const char *path)
{
    json_t *all = NULL;
    recon_status status;
    *out = recon_trust_unmeasured();
    *known = verdict && read_level(&out->level, verdict);
    if (!*known || !measures)
        return RECON_OK;
    if (strlen(measures) > LONGEST)
        return recon_fail(ctx, RECON_ERR_FORMAT, "%s: %s has %zu bytes, at most %d", path,
                          RECON_TRUST_MEASURES, strlen(measures), LONGEST);
    status = recon_json_parse(ctx, &all, measures, strlen(measures), path);
    if (status != RECON_OK)
        return recon_note(ctx, status, RECON_TRUST_MEASURES);
    read_measures(out, all);
    json_decref(all);
    return RECON_OK;
}
