/* xyz_writer.c - extended XYZ frames, in plain decimals whatever the locale. */
#include "data/xyz.h"
#include "core/fail.h"
#include "core/file.h"
#include "core/memory.h"
#include "data/elements.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINE = 1024 };

struct recon_xyz_writer {
    recon_writer file;
    size_t frames;
};

/* 8 decimals; |x| < 1e9. */
static int put_number(char *out, size_t room, double x)
{
    long long units = llrint(fabs(x) * 1e8);
    return snprintf(out, room, "%s%lld.%08lld", x < 0 && units ? "-" : "", units / 100000000,
                    units % 100000000);
}

static recon_status put_name(recon_ctx *ctx, recon_xyz_writer *w, const char *name)
{
    char text[LINE];
    size_t n = (size_t)snprintf(text, sizeof text, " name=\"");
    for (; *name && n < LINE - 4; name++) {
        if (*name == '"' || *name == '\\')
            text[n++] = '\\';
        text[n++] = *name == '\n' ? ' ' : *name;
    }
    text[n++] = '"';
    return recon_writer_write(ctx, &w->file, text, n);
}

static recon_status put_head(recon_ctx *ctx, recon_xyz_writer *w, const recon_conformer *c,
                             const char *name)
{
    char text[LINE], number[32];
    int n = snprintf(text, sizeof text, "%zu\nProperties=species:S:1:pos:R:3", c->atoms);
    recon_status status;
    RECON_TRY(recon_writer_write(ctx, &w->file, text, (size_t)n));
    if (name && *name)
        RECON_TRY(put_name(ctx, w, name));
    n = 0;
    if (fabsf(c->energy) < 1e9f) {
        put_number(number, sizeof number, c->energy / RECON_EV);
        n = snprintf(text, sizeof text, " energy=%s", number);
    }
    text[n] = '\n';
    RECON_TRY(recon_writer_write(ctx, &w->file, text, (size_t)n + 1));
done:
    return status;
}

recon_status recon_xyz_writer_add(recon_ctx *ctx, recon_xyz_writer *w, const recon_conformer *c,
                                  const char *name)
{
    const recon_place at = { NULL, "frame", ++w->frames, 0 };
    char text[LINE], x[3][32];
    recon_status status;
    RECON_TRY(recon_conformer_check(ctx, c, &at));
    RECON_TRY(put_head(ctx, w, c, name));
    for (size_t i = 0; i < c->atoms; i++) {
        for (size_t k = 0; k < 3; k++)
            put_number(x[k], sizeof x[k], c->xyz[3 * i + k]);
        int n = snprintf(text, sizeof text, "%-2s %16s %16s %16s\n", recon_element_symbol(c->z[i]),
                         x[0], x[1], x[2]);
        RECON_TRY(recon_writer_write(ctx, &w->file, text, (size_t)n));
    }
done:
    return status;
}

recon_status recon_xyz_writer_open(recon_ctx *ctx, recon_xyz_writer **out, const char *path)
{
    recon_status status = recon_alloc(ctx, out, 1, sizeof **out);
    if (status == RECON_OK && (status = recon_writer_open(ctx, &(*out)->file, path)) != RECON_OK) {
        recon_xyz_writer_close(*out);
        *out = NULL;
    }
    return status;
}

recon_status recon_xyz_writer_sync(recon_ctx *ctx, recon_xyz_writer *writer)
{
    return recon_writer_sync(ctx, &writer->file);
}

recon_status recon_xyz_writer_commit(recon_ctx *ctx, recon_xyz_writer *writer)
{
    return recon_writer_commit(ctx, &writer->file);
}

void recon_xyz_writer_close(recon_xyz_writer *writer)
{
    if (!writer)
        return;
    recon_writer_close(&writer->file);
    free(writer);
}

recon_status recon_xyz_write(recon_ctx *ctx, const char *path, const recon_molecules *data)
{
    recon_xyz_writer *writer;
    recon_status status = recon_xyz_writer_open(ctx, &writer, path);
    for (size_t i = 0; status == RECON_OK && i < recon_molecules_describe(data).n; i++) {
        const recon_conformer c = recon_molecules_get(data, i);
        status =
            recon_xyz_writer_add(ctx, writer, &c, recon_molecules_name(data, (size_t)c.molecule));
    }
    if (status == RECON_OK)
        status = recon_xyz_writer_commit(ctx, writer);
    recon_xyz_writer_close(writer);
    return status;
}
