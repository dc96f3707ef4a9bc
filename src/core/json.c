/* json.c - JSON documents through jansson. */
#include "core/json.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 15 /* of a number in text */ };

recon_status recon_json_parse(recon_ctx *ctx, json_t **out, const void *bytes, size_t size,
                              const char *path)
{
    json_error_t error;
    *out = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &error);
    if (*out)
        return RECON_OK;
    /* jansson names few of its failures to allocate; the others come without any text */
    if (json_error_code(&error) == json_error_out_of_memory || !error.text[0])
        return recon_fail(ctx, RECON_ERR_MEMORY, "%s: out of memory", path);
    return recon_fail(ctx, RECON_ERR_FORMAT, "%s: line %d, column %d: %s", path, error.line,
                      error.column, error.text);
}

recon_status recon_json_read(recon_ctx *ctx, json_t **out, const char *path)
{
    recon_file file;
    *out = NULL;
    RECON_CHECK(recon_file_open(ctx, &file, path));
    recon_status status = recon_json_parse(ctx, out, file.bytes, file.size, path);
    recon_file_close(&file);
    return status;
}

static void give_up_if(int failed, json_t **to)
{
    if (failed) {
        json_decref(*to);
        *to = NULL;
    }
}

void recon_json_put(json_t **to, const char *key, json_t *value)
{
    give_up_if(json_object_set_new(*to, key, value) != 0, to);
}

void recon_json_append(json_t **to, json_t *value)
{
    give_up_if(json_array_append_new(*to, value) != 0, to);
}

void recon_json_put_text(json_t **to, const char *key, const char *text)
{
    if (recon_utf8_is(text))
        recon_json_put(to, key, json_string(text));
}

typedef struct {
    recon_ctx *ctx;
    recon_writer *writer;
    recon_status status;
} sink;

static int take(const char *text, size_t n, void *arg)
{
    sink *to = arg;
    to->status = recon_writer_write(to->ctx, to->writer, text, n);
    return to->status == RECON_OK ? 0 : -1;
}

static recon_status dump(recon_ctx *ctx, recon_writer *writer, const json_t *value)
{
    sink to = { .ctx = ctx, .writer = writer, .status = RECON_OK };
    size_t how = JSON_INDENT(2) | JSON_REAL_PRECISION(17); /* 17 digits bring every double back */
    if (json_dump_callback(value, take, &to, how) != 0 && to.status == RECON_OK)
        return recon_fail(ctx, RECON_ERR_MEMORY, "%s: out of memory", writer->path);
    return to.status;
}

recon_status recon_json_write(recon_ctx *ctx, const char *path, const json_t *value)
{
    recon_status status;
    recon_writer writer;
    if (!value)
        return recon_fail(ctx, RECON_ERR_MEMORY, "%s: out of memory", path);
    RECON_TRY(recon_writer_open(ctx, &writer, path));
    RECON_TRY(dump(ctx, &writer, value));
    RECON_TRY(recon_writer_write(ctx, &writer, "\n", 1));
    RECON_TRY(recon_writer_commit(ctx, &writer));
done:
    recon_writer_close(&writer);
    return status;
}

/* --- as text --------------------------------------------------------------------------------- */

/* JSON is UTF-8 with line ends of its own. What steers a terminal stands in strings alone, and is
 * the same string to whoever parses it when it is written as \uXXXX. */
static char *escaped(const char *text)
{
    enum { ESCAPE = 6 };
    size_t left = strlen(text), n;
    char *out = malloc(ESCAPE * left + 1), *at = out;
    uint32_t code = 0;
    for (; out && left > 0; left -= n, text += n) {
        n = recon_utf8_next(&code, text, left);
        n = n ? n : 1;
        if (*text != '\n' && recon_utf8_steers(code))
            at += sprintf(at, "\\u%04x", (unsigned)code);
        else
            at = mempcpy(at, text, n);
    }
    if (out)
        *at = '\0';
    return out;
}

void recon_json_round(json_t *value)
{
    char digits[32];
    const char *key;
    size_t i;
    json_t *part;
    json_object_foreach(value, key, part)
    {
        recon_json_round(part);
    }
    json_array_foreach(value, i, part)
    {
        recon_json_round(part);
    }
    if (json_is_real(value)) {
        snprintf(digits, sizeof digits, "%.*g", DIGITS, json_real_value(value));
        json_real_set(value, strtod(digits, NULL));
    }
}

char *recon_json_text(json_t *value)
{
    char *text = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS));
    char *out = text ? escaped(text) : NULL;
    json_decref(value);
    free(text);
    return out;
}
