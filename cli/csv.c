/* csv.c - tables for spreadsheets. */
#include "cli/csv.h"
#include "core/fail.h"

#include <stdarg.h>
#include <stdio.h>

recon_status cli_csv_text(recon_ctx *ctx, recon_writer *to, const char *text)
{
    recon_status status;
    RECON_TRY(recon_writer_write(ctx, to, "\"", 1));
    for (; *text; text++)
        RECON_TRY(recon_writer_write(ctx, to, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1));
    RECON_TRY(recon_writer_write(ctx, to, "\"", 1));
done:
    return status;
}

recon_status cli_csv_print(recon_ctx *ctx, recon_writer *to, const char *fmt, ...)
{
    char line[256];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    return recon_writer_write(ctx, to, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}
