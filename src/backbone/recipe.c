/* recipe.c - see recipe.h. */
#include "backbone/recipe.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1e9

/* Where the word stands in the text, as a whole word; NULL: nowhere. */
static const char *find(const char *text, const char *word)
{
    size_t n = strlen(word);
    const char *at = text ? strstr(text, word) : NULL;
    while (at && ((at > text && at[-1] != ' ') || (at[n] && !strchr(" ,", at[n]))))
        at = strstr(at + 1, word);
    return at;
}

static double number_at(const char *text, double otherwise)
{
    char *end;
    double value = strtod(text, &end);
    return end != text && fabs(value) <= MOST ? value : otherwise;
}

double recon_recipe_behind(const recon_safetensors *file, const char *word, double otherwise)
{
    const char *at = find(recon_safetensors_metadata(file, "training"), word);
    return at ? number_at(at + strlen(word), otherwise) : otherwise;
}

double recon_recipe_before(const recon_safetensors *file, const char *word, double otherwise)
{
    const char *text = recon_safetensors_metadata(file, "training"), *at = find(text, word);
    if (!at || at == text)
        return otherwise;
    for (at--; at > text && !isspace((unsigned char)at[-1]);)
        at--;
    return number_at(at, otherwise);
}

size_t recon_recipe_size(double number)
{
    return number >= 0 && number <= MOST ? (size_t)number : 0;
}

double recon_recipe_weight(const recon_safetensors *file, const char *word)
{
    double weight = recon_recipe_behind(file, word, 0);
    return weight > 0 ? weight : -1;
}

size_t recon_recipe_batch(const recon_safetensors *file, size_t n)
{
    size_t batch = recon_recipe_size(recon_recipe_behind(file, "batch", 0));
    size_t quarter = n >= 8 ? n / 4 & ~(size_t)1 : 2;
    return batch < quarter ? batch : quarter;
}
