/* words_list.c - the words of Debian's dictionary, for training or for tests. */
#include "lab/words.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"

#include <stdlib.h>
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
    free(list->word);
    free(list->text);
    *list = (words_list){ 0 };
}
