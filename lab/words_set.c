/* words_set.c - draws pictures of words from Debian's dictionary with rotated outlines, without
 * resampling. */
#include "lab/words.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/ctx.h"
#include "core/text.h"
#include "core/folder.h"
#include "core/shuffle.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DICTIONARY "/usr/share/dict/american-english"
enum { SHORTEST = 4, LONGEST = 10, HELD_OF = 4 };

int words_is_held(const char *word)
{
    return letters_hash(word, 0) % HELD_OF == 0;
}

static int is_word(const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((word[i] | 32) < 'a' || (word[i] | 32) > 'z')
            return 0;
    return n >= SHORTEST && n <= LONGEST;
}

/* Lines that are words of the part; counts them, and keeps them where there is room. */
static size_t take(words_list *out, int part)
{
    size_t n = 0;
    for (char *word = out->text, *end; *word; word = end + 1) {
        end = strchr(word, '\n');
        if (!end)
            break;
        *end = '\0';
        if (is_word(word, (size_t)(end - word)) && words_is_held(word) == (part == LETTERS_TEST)) {
            if (out->word)
                out->word[n] = word;
            n++;
        }
        if (!out->word)
            *end = '\n'; /* the lines are read again */
    }
    return n;
}

recon_status words_list_read(recon_ctx *ctx, words_list *out, const char *path, int part)
{
    recon_file file = { 0 };
    recon_status status;
    *out = (words_list){ 0 };
    if (!path && access(DICTIONARY, R_OK))
        RECON_TRY(recon_fail(ctx, RECON_ERR_IO,
                             DICTIONARY " is not there: `tools/setup words` installs it"));
    path = path ? path : DICTIONARY;
    RECON_TRY(recon_file_open(ctx, &file, path));
    RECON_TRY(recon_alloc(ctx, &out->text, file.size + 2, 1));
    memcpy(out->text, file.bytes, file.size);
    out->text[file.size] = '\n'; /* a last line may lack it */
    out->n = take(out, part);
    if (!out->n)
        RECON_TRY(recon_fail(ctx, RECON_ERR_INPUT, "%s: no words of %d to %d letters", path,
                             SHORTEST, LONGEST));
    RECON_TRY(recon_alloc(ctx, &out->word, out->n, sizeof *out->word));
    take(out, part);
done:
    recon_file_close(&file);
    return status;
}

void words_list_free(words_list *list)
{
    recon_free_all(list->word, list->text);
    *list = (words_list){ 0 };
}

/* Letters by which faces are chosen: those that many words have, and that tell designs apart. */
#define LOOKED_AT "AEGRSabdefghmnpqrtuy"
#define TILT      (10 * RECON_TO_RADIANS)
enum { FACE_SIZE = 56, PER_FAMILY = 3, MARGIN = 6, ROOM = WORDS_SIDE - 2 * MARGIN, TRIES = 1000 };

recon_status words_fonts_open(recon_ctx *ctx, letters_fonts **out, const char *folder, size_t fonts,
                              size_t test_fonts, uint64_t seed)
{
    letters_plan plan = { .size = FACE_SIZE,
                          .em = WORDS_EM,
                          .fonts = fonts,
                          .test_fonts = test_fonts,
                          .per_family = PER_FAMILY };
    for (const char *c = LOOKED_AT; *c; c++) {
        letters_kind *kind = &plan.kind[plan.kinds++];
        kind->code = (unsigned char)*c;
        kind->name[0] = *c;
    }
    return letters_fonts_open(ctx, out, &plan, folder, seed);
}

/* --- what is written -------------------------------------------------------------------------- */

/* A word as the dictionary has it, or in capitals, or a number: so that a model knows those,
 * too. */
static void vary(words_text out, const words_list *list, recon_rng *rng)
{
    enum { CAPITALS = 15, NUMBERS = 25, OF = 100 };
    size_t which = recon_rng_below(rng, OF);
    const char *word = list->word[recon_rng_below(rng, list->n)];
    if (which < CAPITALS)
        for (size_t i = 0; i <= strlen(word); i++)
            out[i] = (char)toupper((unsigned char)word[i]);
    else if (which < NUMBERS)
        snprintf(out, sizeof(words_text), "%0*u", (int)(3 + recon_rng_below(rng, 5)),
                 (unsigned)recon_rng_below(rng, 10000000));
    else
        snprintf(out, sizeof(words_text), "%s", word);
}

/* How large a text of this width and height is drawn, at random; it stays within a disc. */
static double vary_scale(const double size[2], recon_rng *rng)
{
    const double least = 0.75, most = 1.5, fit = ROOM / hypot(size[0], size[1]);
    return fmin(least * pow(most / least, recon_rng_uniform(rng)), fit);
}

/* --- pictures --------------------------------------------------------------------------------- */

typedef struct {
    const letters_fonts *fonts;
    int part;
    const words_list *list;
    words_pose pose;
    uint64_t seed;
} plan;

/* The next word that fits the face; *at is where the search goes on. */
static recon_status next_word(recon_ctx *ctx, words_text out, const plan *p, size_t face,
                              size_t *at)
{
    double size[2];
    for (size_t i = 0; i < TRIES; i++, (*at)++) {
        const char *word =
            p->list->word[recon_permute(*at % p->list->n, p->list->n, p->seed, face)];
        if (letters_text_size(p->fonts, p->part, face, word, size) && size[0] <= ROOM &&
            size[1] <= WORDS_BAND - 4) {
            snprintf(out, sizeof(words_text), "%s", word);
            (*at)++;
            return RECON_OK;
        }
    }
    return recon_fail(ctx, RECON_ERR_INPUT, "%s: no word fits",
                      letters_fonts_path(p->fonts, p->part, face));
}

static recon_status draw(recon_ctx *ctx, words_set *set, size_t to, const plan *p, size_t face,
                         recon_rng *rng)
{
    uint8_t *pixels = set->pixels + to * WORDS_PIXELS;
    double scale = 1, size[2];
    int dark = 1;
    if (p->pose == WORDS_VARIED) {
        do
            vary(set->text[to], p->list, rng);
        while (!letters_text_size(p->fonts, p->part, face, set->text[to], size));
        scale = vary_scale(size, rng);
        dark = recon_rng_below(rng, 2) == 1;
    }
    double haar = recon_so2_haar(rng);
    set->angle[to] = p->pose == WORDS_UPRIGHT  ? 0
                     : p->pose == WORDS_VARIED ? TILT * (2 * recon_rng_uniform(rng) - 1)
                                               : haar;
    RECON_CHECK(letters_draw_text(ctx, pixels, WORDS_SIDE, p->fonts, p->part, face, set->text[to],
                                  scale, set->angle[to]));
    for (size_t i = 0; dark && i < WORDS_PIXELS; i++)
        pixels[i] = (uint8_t)(255 - pixels[i]);
    return RECON_OK;
}

recon_status words_set_make(recon_ctx *ctx, words_set *out, const letters_fonts *fonts, int part,
                            const words_list *list, size_t each, words_pose pose, uint64_t seed)
{
    const plan p = { fonts, part, list, pose, seed };
    size_t faces = letters_fonts_count(fonts, part), n = faces * each;
    *out = (words_set){ .n = n };
    RECON_CHECK(recon_alloc_raw(ctx, &out->pixels, n, WORDS_PIXELS));
    RECON_CHECK(recon_alloc_raw(ctx, &out->text, n, sizeof *out->text));
    RECON_CHECK(recon_alloc_raw(ctx, &out->angle, n, sizeof *out->angle));
    for (size_t face = 0; face < faces; face++)
        for (size_t i = 0, at = 0; i < each; i++) {
            size_t to = recon_permute(face * each + i, n, seed, 0);
            recon_rng rng = recon_rng_new(seed, face * each + i);
            RECON_CHECK(recon_interrupted(ctx));
            if (pose != WORDS_VARIED)
                RECON_CHECK(next_word(ctx, out->text[to], &p, face, &at));
            RECON_CHECK(draw(ctx, out, to, &p, face, &rng));
        }
    return RECON_OK;
}

void words_set_free(words_set *set)
{
    recon_free_all(set->pixels, set->text, set->angle);
    *set = (words_set){ 0 };
}

recon_status words_set_write(recon_ctx *ctx, const words_set *set, const char *dir)
{
    char name[32], path[RECON_PATH];
    RECON_CHECK(recon_folder_make(ctx, dir));
    for (size_t i = 0; i < set->n; i++) {
        snprintf(name, sizeof name, "%05zu.pgm", i);
        RECON_CHECK(letters_write_pgm(ctx, recon_folder_join(path, dir, name),
                                      set->pixels + i * WORDS_PIXELS, WORDS_SIDE, WORDS_SIDE));
    }
    return RECON_OK;
}
