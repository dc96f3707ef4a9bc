/* Folders of results, of which a report is made: a page comes out, or the folder is named. */
#include "fuzz_folder.h"

#include <math.h>
#include <recon/normalize/normalize.h>
#include "report/found.h"

enum { N = 24, D = 3, K = 4 };

#define NATURAL                                                                                    \
    "\"natural_pose\": {\"one\": 0.25, \"several\": 0.25, \"modulo\": 0.125, \"axis\": 0.125, "    \
    "\"none\": 0.25}, "
#define IMAGES                                                                                     \
    "{\"kind\": \"images\", \"group\": \"so2\", \"points\": 24, \"k\": 4, \"family\": "            \
    "\"normal\", \"theta\": "                                                                      \
    "\"uniform\", \"all\": {" NATURAL                                                              \
    "\"points\": 24, \"theta_deg\": 38.2, \"several_modes\": 0.1, "                                \
    "\"modulo_180\": 0.03, \"hit_rate\": 0.75}, \"labels\": {\"0\": {\"points\": 20, "             \
    "\"theta_deg\": 11, \"hit_rate\": 0.5}, \"4\": {\"points\": 4, \"theta_deg\": 77}}}"
#define MOLECULES                                                                                  \
    "{\"kind\": \"molecules\", \"group\": \"so3\", \"points\": 24, \"k\": 4, \"all\": {" NATURAL   \
    "\"points\": 24, \"hit_rate\": 0.25, \"concentration\": 50, \"background\": 0.1}, "            \
    "\"molecules\": [{\"name\": \"<CCO>\", \"conformers\": 24, \"concentration\": 50, "            \
    "\"background\": 0.1, \"free\": {\"spin\": 18}}]}"
#define POSES(group)                                                                               \
    "{\"kind\": \"poses\", \"group\": \"" group                                                    \
    "\", \"points\": 24, \"rows\": 24, \"class_count\": 24, \"classes\": "                         \
    "\"knn\", \"family\": \"uniform\", \"hit_rate\": 0.875, " NATURAL                              \
    "\"classes_by_modes\": [18, 6], "                                                              \
    "\"classes_by_free_directions\": [4, 20, 0, 0]}"

static const struct {
    const recon_group *group;
    const char *summary;
} kinds[] = {
    { RECON_SO2, IMAGES },
    { RECON_SO3, MOLECULES },
    { RECON_SO2, POSES("so2") },
    { RECON_SO3, POSES("so3") },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *const names[] = { "summary.json", "gamma.npy",           "absolute.npy",
                                     "theta.npy",    "identifiability.npy", "background.npy",
                                     "score.npy",    "neighbors.npy",       "parameters.npy",
                                     "poses.csv",    "clusters.csv" };
enum { NAMES = sizeof names / sizeof *names };

static char folder[KINDS][16]; /* under fuzz_folder */

static void remove_folders(void)
{
    for (int k = 0; k < KINDS; k++)
        rmdir(fuzz_path_of(folder[k]));
    rmdir(fuzz_folder);
}

/* Points on a circle in z, each rotated by its place there. */
static void write_frames(int kind)
{
    float z[N][D] = { { 0 } };
    double angle[N];
    recon_so3 rotation[N];
    recon_embedded e = { .n = N, .d = D, .z = &z[0][0] };
    recon_frames frames;
    for (int i = 0; i < N; i++) {
        angle[i] = 3.0 * cos(i);
        z[i][0] = (float)cos(0.3 * i);
        z[i][1] = (float)sin(0.3 * i);
        rotation[i] = recon_so3_exp((double[]){ angle[i], 0.1 * i, 0.2 });
    }
    e.group = kinds[kind].group;
    e.poses = e.group == RECON_SO2 ? angle : (const double *)rotation;
    const recon_normalize_options o = { .knn = { .k = K }, .family = RECON_SO2_UNIFORM };
    FUZZ_CHECK(recon_normalize(fuzz_ctx(), &frames, &e, NULL, &o) == RECON_OK);
    FUZZ_CHECK(recon_frames_write(fuzz_ctx(), fuzz_path_of(folder[kind]), &frames, RECON_F32,
                                  kinds[kind].summary) == RECON_OK);
    recon_frames_free(&frames);
}

static void write_tables(int kind)
{
    char path[64], text[4096];
    size_t used = 0;
    snprintf(path, sizeof path, "%d/poses.csv", kind);
    used += (size_t)snprintf(text, sizeof text,
                             "file,index,pose,score,p_value,p_embedding,verdict,cluster,rotated\n");
    for (int i = 0; i < N; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "\"%d.png\",%d,%s,1.5,0.25,,one,%d,1\n", i, i,
                                 kinds[kind].group == RECON_SO3 ? "0 0 0 1" : "90.00", i % 2);
    fuzz_write(path, text, used);
    snprintf(path, sizeof path, "%d/clusters.csv", kind);
    used = (size_t)snprintf(text, sizeof text,
                            "cluster,inputs,verdict,agree,poses,width_deg,rotation_deg,action\n"
                            "0,12,one,12,,1,1,rotate\n1,12,one,12,,1,1,rotate\n");
    fuzz_write(path, text, used);
}

static void make(void)
{
    static char path[KINDS][NAMES][64];
    atexit(remove_folders);
    fuzz_folder_make();
    for (int k = 0; k < KINDS; k++) {
        snprintf(folder[k], sizeof folder[k], "%d", k);
        write_frames(k);
        write_tables(k);
        for (int i = 0; i < NAMES; i++) {
            snprintf(path[k][i], sizeof path[k][i], "%d/%s", k, names[i]);
            fuzz_member_keep(path[k][i]);
        }
    }
}

/* A page of angles. Pages of rotations take seconds to draw: there the folder is read. */
static recon_status tell(recon_page *page, const char *dir, const recon_group *group)
{
    recon_found_folder f = { 0 };
    recon_status status = recon_found_open(fuzz_ctx(), &f, dir);
    if (status == RECON_OK)
        recon_found_head(page, &f);
    if (status == RECON_OK && group == RECON_SO2)
        status = recon_found_sections(fuzz_ctx(), page, &f, NULL);
    recon_found_close(&f);
    return status;
}

static void check(const char *dir, const recon_group *group)
{
    recon_page *page;
    char *html = NULL;
    FUZZ_CHECK(recon_page_new(fuzz_ctx(), &page, "found", NULL) == RECON_OK);
    recon_status status = tell(page, dir, group);
    if (status == RECON_OK) {
        FUZZ_CHECK(recon_page_finish(page, &html) == RECON_OK);
        free(html);
    } else {
        fuzz_check_refusal(status, dir);
        recon_page_free(page);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    size_t which;
    if (!fuzz_members)
        make();
    fuzz_replace(&which, bytes, size);
    check(fuzz_path_of(folder[which / NAMES]), kinds[which / NAMES].group);
    fuzz_restore(which);
    return 0;
}
