/* Checkpoints: see fuzz_models.h. */
#include "fuzz_models.h"
#include "nn/adam.h"

static small_run run;

static void end(void)
{
    small_run_free(fuzz_ctx(), &run);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    recon_checkpoint state = { .settings = SMALL_SETTINGS };
    const char *path = fuzz_lie(small_checkpoint, bytes, size);
    if (!run.params) {
        FUZZ_CHECK(small_run_new(fuzz_ctx(), &run) == RECON_OK);
        atexit(end);
    }
    if (fuzz_opened(recon_checkpoint_load(fuzz_ctx(), run.adam, &state, path), path))
        FUZZ_CHECK(!isnan(state.best) && run.adam->steps == state.step - state.from);
    return 0;
}
