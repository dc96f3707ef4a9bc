/* letters_plan.c - the letters to draw, their numbers, and how each is rotated. */
#include "lab/letters.h"
#include "core/text.h"
#include "core/fail.h"
#include "core/json.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Degrees. Kinds that are never rotated, on arcs, about a pose that is not upright, with two
 * opposite poses, and on the full circle. */
static const char whole_plan[] =
    "{ \"size\": 56, \"em\": 34, \"fit\": 28, \"fonts\": 90, \"test_fonts\": 30, \"per_family\": 3,"
    "  \"fresh\": 2, \"anyway\": 1,"
    "  \"kinds\": ["
    "    { \"letters\": \"AEmt\" },"
    "    { \"letters\": \"BFKaS\", \"uniform\": 45 },"
    "    { \"letters\": \"Y\", \"uniform\": 90 },"
    "    { \"letters\": \"L\", \"at\": [40], \"normal\": 10 },"
    "    { \"letters\": \"GJf\", \"at\": [0, 180], \"uniform\": 8 },"
    "    { \"letters\": \"Rk\", \"uniform\": 180 } ] }";

/* One kind of each sort, few fonts, a short training. */
static const char quick_plan[] =
    "{ \"size\": 40, \"em\": 30, \"fit\": 24, \"fonts\": 36, \"test_fonts\": 12, \"per_family\": 10,"
    "  \"fresh\": 2, \"anyway\": 2, \"epochs\": 60,"
    "  \"kinds\": ["
    "    { \"letters\": \"A\" },"
    "    { \"letters\": \"F\", \"uniform\": 45 },"
    "    { \"letters\": \"L\", \"at\": [40], \"normal\": 10 },"
    "    { \"letters\": \"G\", \"at\": [0, 180], \"uniform\": 8 },"
    "    { \"letters\": \"k\", \"uniform\": 180 } ] }";

/* --- JSON ------------------------------------------------------------------------------------- */

/* The next letter of a text that jansson has found to be UTF-8. */
static const char *next_letter(letters_kind *out, const char *text)
{
    unsigned char c = (unsigned char)*text;
    size_t n = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    out->code = n == 1 ? c : c & (0x7fu >> n);
    for (size_t i = 1; i < n; i++)
        out->code = out->code << 6 | (text[i] & 0x3f);
    memcpy(out->name, text, n);
    out->name[n] = '\0';
    return text + n;
}

static recon_status read_law(recon_ctx *ctx, letters_law *out, json_t *from, const char *path)
{
    const json_t *at = json_object_get(from, "at"), *uniform = json_object_get(from, "uniform"),
                 *normal = json_object_get(from, "normal");
    *out = (letters_law){ .modes = at ? json_array_size(at) : 1,
                          .family = normal ? RECON_SO2_NORMAL : RECON_SO2_UNIFORM };
    if (out->modes < 1 || out->modes > LETTERS_MODES || (uniform && normal))
        return recon_fail(ctx, RECON_ERR_INPUT,
                          "%s: a law has 1 to %d poses \"at\", and \"uniform\" or \"normal\"", path,
                          LETTERS_MODES);
    for (size_t i = 0; i < json_array_size(at); i++)
        out->at[i] = recon_so2_wrap(json_number_value(json_array_get(at, i)) * RECON_TO_RADIANS);
    out->width = json_number_value(normal ? normal : uniform) * RECON_TO_RADIANS;
    if (!(out->width >= 0 && out->width <= 2 * PI))
        return recon_fail(ctx, RECON_ERR_INPUT, "%s: a width of %g degrees", path,
                          out->width * RECON_TO_DEGREES);
    return RECON_OK;
}

static recon_status read_kinds(recon_ctx *ctx, letters_plan *out, json_t *groups, const char *path)
{
    size_t i;
    json_t *group;
    json_array_foreach(groups, i, group)
    {
        const char *text = json_string_value(json_object_get(group, "letters"));
        letters_law law;
        RECON_CHECK(read_law(ctx, &law, group, path));
        for (text = text ? text : ""; *text; out->kinds++) {
            if (out->kinds == LETTERS_KINDS)
                RECON_CHECK(recon_fail(ctx, RECON_ERR_INPUT, "%s: more than %d letters", path,
                                       LETTERS_KINDS));
            text = next_letter(&out->kind[out->kinds], text);
            out->kind[out->kinds].law = law;
        }
    }
    if (!out->kinds)
        RECON_CHECK(recon_fail(ctx, RECON_ERR_INPUT, "%s: no \"kinds\" with \"letters\"", path));
    return RECON_OK;
}

static recon_status read_plan(recon_ctx *ctx, letters_plan *out, json_t *from, const char *path)
{
    const struct {
        const char *key;
        size_t *to, otherwise, least, most;
    } numbers[] = { { "size", &out->size, 56, 16, 1024 },
                    { "em", &out->em, 34, 8, 1024 },
                    { "fit", &out->fit, 28, 8, 1024 },
                    { "fonts", &out->fonts, 90, 1, 10000 },
                    { "test_fonts", &out->test_fonts, 30, 1, 10000 },
                    { "per_family", &out->per_family, 3, 1, 10000 },
                    { "fresh", &out->fresh, 2, 1, 1000 },
                    { "anyway", &out->anyway, 1, 1, 1000 },
                    { "epochs", &out->epochs, 0, 0, 100000 } };
    *out = (letters_plan){ 0 };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const json_t *value = json_object_get(from, numbers[i].key);
        double x = value ? json_number_value(value) : (double)numbers[i].otherwise;
        if (!(x >= (double)numbers[i].least && x <= (double)numbers[i].most))
            return recon_fail(ctx, RECON_ERR_INPUT, "%s: \"%s\" is %g: %zu to %zu", path,
                              numbers[i].key, x, numbers[i].least, numbers[i].most);
        *numbers[i].to = (size_t)x;
    }
    return read_kinds(ctx, out, json_object_get(from, "kinds"), path);
}

recon_status letters_plan_load(recon_ctx *ctx, letters_plan *out, const char *path, int quick)
{
    const char *own = quick ? quick_plan : whole_plan;
    json_t *plan = NULL;
    recon_status status;
    RECON_TRY(path ? recon_json_read(ctx, &plan, path)
                   : recon_json_parse(ctx, &plan, own, strlen(own), "the plan"));
    RECON_TRY(read_plan(ctx, out, plan, path ? path : "the plan"));
done:
    json_decref(plan);
    return status;
}

/* --- laws ------------------------------------------------------------------------------------- */

int letters_is_still(const letters_law *law)
{
    return law->modes == 1 && law->width == 0;
}

int letters_is_circle(const letters_law *law)
{
    return law->family == RECON_SO2_UNIFORM && law->width >= PI;
}

int letters_is_one(const letters_law *law)
{
    return law->modes == 1 && !letters_is_circle(law);
}

double letters_law_draw(const letters_law *law, recon_rng *rng)
{
    double at = law->at[recon_rng_below(rng, law->modes)];
    double deviation =
        law->family == RECON_SO2_NORMAL ? recon_rng_normal(rng) : 2 * recon_rng_uniform(rng) - 1;
    return recon_so2_wrap(at + law->width * deviation);
}

double letters_law_distance(const letters_law *law, double angle)
{
    double nearest = PI;
    for (size_t i = 0; i < law->modes; i++)
        nearest = fmin(nearest, recon_so2_distance(angle, law->at[i]));
    return nearest;
}

double letters_law_score(const letters_law *law, double angle)
{
    double p = 0;
    if (law->width == 0)
        return letters_law_distance(law, angle) > 0 ? INFINITY : -INFINITY;
    for (size_t i = 0; i < law->modes; i++)
        p += exp(recon_so2_log_density(&(recon_so2_density){ .family = law->family,
                                                             .center = law->at[i],
                                                             .width = fmin(law->width, PI) },
                                       angle)) /
             (double)law->modes;
    return -log(p);
}

double letters_sigma(recon_so2_family family, double width)
{
    return family == RECON_SO2_UNIFORM ? width / sqrt(3) : width;
}
