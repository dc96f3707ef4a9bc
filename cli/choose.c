/* choose.c - which shipped model knows the inputs at hand. */
#include "cli/cli.h"
#include "core/ctx.h"
#include "core/fail.h"
#include "core/memory.h"
#include "core/text.h"

#include <math.h>
#include <recon/model/audit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED = 600 /* inputs that are enough */ };

static const struct {
    const char *data, *model;
} shipped[] = { { "images", "general" },
                { "images", "mnist" },
                { "images", "fashion" },
                { "images", "cifar10" },
                { "molecules", "conformers" } };

/* How many nats the model knows about the poses as given. */
static recon_status ask(recon_ctx *ctx, double *known, const char *model, const cli_data *data)
{
    cli_data some = *data;
    cli_subject subject = { 0 };
    recon_audited *audited = NULL;
    recon_audit_result result = { 0 };
    recon_status status;
    some.limit = data->limit && data->limit < ASKED ? data->limit : ASKED;
    some.strict = 0;
    RECON_TRY(cli_open(ctx, &subject, model, &some));
    RECON_TRY(recon_alloc_raw(ctx, &audited, subject.inputs.n, sizeof *audited));
    RECON_TRY(recon_audit(ctx, audited, &result, subject.model, subject.inputs.use, 0.5));
    *known = result.known;
done:
    free(audited);
    cli_close(ctx, &subject);
    return status;
}

recon_status cli_choose_model(recon_ctx *ctx, const char **out, const cli_data *data)
{
    const char *kind = recon_data_kind_of(data->spec)->name;
    double best = -INFINITY, known;
    recon_status status = RECON_ERR_UNSUPPORTED, first = RECON_OK; /* failure */
    char why[512] = "there is no model for such data";
    *out = NULL;
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        if (strcmp(shipped[i].data, kind) != 0)
            continue;
        status = ask(ctx, &known, cli_model_file(shipped[i].model), data);
        if (status == RECON_OK) {
            recon_log(ctx, RECON_LOG_INFO, "%s knows %.2f nats about their poses", shipped[i].model,
                      known);
            *out = known > best ? shipped[i].model : *out;
            best = fmax(known, best);
        } else if (status == RECON_ERR_INTERRUPTED || status == RECON_ERR_MEMORY) {
            return status;
        } else if (first == RECON_OK) { /* images of another size, a model that is not installed */
            first = status;
            snprintf(why, sizeof why, "%s", recon_ctx_message(ctx));
        }
    }
    return *out ? RECON_OK : recon_fail(ctx, first ? first : status, "%s", why);
}
