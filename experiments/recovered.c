/* recovered.c - see recovered.h. */
#include "experiments/recovered.h"

#include <string.h>

static int is_method(const char *key)
{
    static const char *const others[] = { "none", "undo", "upright" };
    const char *last = strrchr(key, '_');
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(key, others[i]))
            return 0;
    return !last || strcmp(last, "_spread") != 0;
}

json_t *recovered_json(const json_t *accuracy)
{
    const json_t *none = json_object_get(accuracy, "none");
    const json_t *best = json_object_get(accuracy, "undo"), *value;
    json_t *out = json_object();
    const char *key;
    best = best ? best : json_object_get(accuracy, "upright");
    if (!json_is_number(none) || !json_is_number(best))
        return out;
    double from = json_number_value(none), lost = json_number_value(best) - from;
    if (!(lost > 0)) /* nothing was lost */
        return out;
    json_object_foreach((json_t *)(size_t)accuracy, key, value)
    {
        if (is_method(key) && json_is_number(value))
            json_object_set_new(out, key,
                                json_real(100 * (json_number_value(value) - from) / lost));
    }
    return out;
}
