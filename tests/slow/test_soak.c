/* A million images through a shipped model: memory stays flat. SOAK_COUNT says another number. */
#include "trust/soak.h"

static void a_million_images_leave_memory_flat(void **state)
{
    recon_ctx *ctx = *state;
    recon_model *model;
    const char *count = getenv("SOAK_COUNT");
    CHECK_OK(ctx, recon_model_open(ctx, &model, "models/mnist-small.safetensors", RECON_SINGLE));
    soak_model(ctx, model, count ? strtoull(count, NULL, 10) : 1000000);
    recon_model_close(ctx, model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_million_images_leave_memory_flat) };
    return cmocka_run_group_tests(tests, check_setup, check_teardown);
}
