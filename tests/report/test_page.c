/* stub */
#include "scratch.h"
#include "xml.h"
#include "report/sample.h"
static int write_sample(const char *path)
{
    recon_ctx *ctx = recon_ctx_new(NULL);
    recon_page *page;
    recon_status status =
        recon_page_new(ctx, &page, "Garments in their natural pose",
                       "Where 1,500 turned garments lie, and how far a classifier gets once they "
                       "are turned back: found without a single label.");
    sample_fill(ctx, page);
    status = recon_page_save(page, path);
    if (status)
        printf("%s\n", recon_ctx_message(ctx));
    recon_ctx_free(ctx);
    return status;
}
int main(int c, char **v)
{
    (void)scratch_setup;
    (void)c;
    return write_sample(v[1]);
}
