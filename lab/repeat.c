/* repeat.c - the results of several runs as one: mean and standard deviation. */
#include "lab/lab.h"

#include <math.h>

typedef double merge(const double *values, size_t n);

static double mean(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

static double deviation(const double *v, size_t n)
{
    double m = mean(v, n), sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (v[i] - m) * (v[i] - m);
    return n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
}

/* The same place in every run; what is no number is taken from the first. */
static json_t *merged(json_t *const *runs, size_t n, merge *how)
{
    json_t *parts[MAX_SEEDS], *value, *out = NULL;
    double numbers[MAX_SEEDS];
    const char *key;
    size_t index;
    if (json_is_real(runs[0])) {
        for (size_t i = 0; i < n; i++)
            numbers[i] = json_number_value(runs[i]);
        return json_real(how(numbers, n));
    }
    if (json_is_object(runs[0])) {
        out = json_object();
        json_object_foreach(runs[0], key, value)
        {
            for (size_t i = 0; i < n; i++)
                parts[i] = json_object_get(runs[i], key);
            json_object_set_new(out, key, merged(parts, n, how));
        }
    } else if (json_is_array(runs[0])) {
        out = json_array();
        json_array_foreach(runs[0], index, value)
        {
            for (size_t i = 0; i < n; i++)
                parts[i] = json_array_get(runs[i], index);
            json_array_append_new(out, merged(parts, n, how));
        }
    } else {
        out = json_incref(runs[0]);
    }
    return out;
}

/* The mean stands where one run's numbers would, deviations and runs behind it. */
static json_t *summary(json_t *const *runs, size_t n)
{
    json_t *out = merged(runs, n, mean), *spread = merged(runs, n, deviation), *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append(list, runs[i]);
    json_object_del(spread, "paper");
    json_object_set_new(out, "seeds", json_integer((json_int_t)n));
    json_object_set_new(out, "spread", spread);
    json_object_set_new(out, "runs", list);
    return out;
}

recon_status lab_repeat(recon_ctx *ctx, json_t **result, const lab_settings *s, lab_one *one)
{
    json_t *runs[MAX_SEEDS] = { NULL };
    recon_status status = RECON_OK;
    *result = NULL;
    for (size_t i = 0; status == RECON_OK && i < s->seeds; i++)
        status = one(ctx, &runs[i], s, i);
    if (status == RECON_OK)
        *result = s->seeds == 1 ? json_incref(runs[0]) : summary(runs, s->seeds);
    for (size_t i = 0; i < MAX_SEEDS; i++)
        json_decref(runs[i]);
    return status;
}
