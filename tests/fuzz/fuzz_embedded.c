/* Embeddings, poses and labels of one's own: what is accepted can be normalised. */
#include "fuzz_folder.h"

#include <math.h>
#include <recon/backbone/embedded.h>

enum { N = 3 };

static void make(void)
{
    static const float z[] = { 0, 1, 2, 3, 4, 5 };
    static const double angle[] = { 0, 1, -2 };
    static const double rotation[] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.6, 0.8 };
    static const int64_t label[] = { 0, 1, 1 };
    fuzz_folder_make();
    fuzz_member_array("z.npy", RECON_F32, z, N, 2);
    fuzz_member_array("so2.npy", RECON_F64, angle, N, 0);
    fuzz_member_array("so3.npy", RECON_F64, rotation, N, 4);
    fuzz_member_array("labels.npy", RECON_I64, label, N, 0);
}

static void check(const recon_group *group, recon_quaternions order, const char *poses)
{
    recon_embedded e;
    recon_status status = recon_embedded_read(fuzz_ctx(), &e, group, order, fuzz_path_of("z.npy"),
                                              fuzz_path_of(poses), fuzz_path_of("labels.npy"));
    if (status != RECON_OK) {
        fuzz_check_refusal(status, fuzz_folder);
        return;
    }
    FUZZ_CHECK(e.n > 0 && e.d > 0 && e.z && e.labels);
    for (size_t i = 0; i < e.n; i++)
        FUZZ_CHECK(fabs(e.poses[i * group->numbers]) < 4);
    float last = e.z[e.n * e.d - 1];
    FUZZ_CHECK(last == last || isnan(last));
    recon_embedded_free(&e);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t which;
    if (!fuzz_members)
        make();
    fuzz_replace(&which, bytes, size);
    check(RECON_SO2, RECON_QUATERNIONS_NONE, "so2.npy");
    check(RECON_SO3, RECON_QUATERNIONS_NONE, "so3.npy");
    check(RECON_SO3, RECON_QUATERNIONS_XYZW, "so3.npy");
    fuzz_restore(which);
    return 0;
}
