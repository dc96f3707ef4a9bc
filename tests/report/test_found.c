/* What a report says of a folder is what the folder holds; what is missing or broken is named. */
#include "scratch.h"
#include "report/found.h"
#include "report/inputs.h"
#include <recon/core/array.h>
#include <recon/group/so2.h>

#include <jansson.h>
#include <sys/stat.h>

enum { N = 120, D = 6, K = 6, KINDS = 3 };

static float z[N][D];
static double angles[N];
static recon_so3 rotations[N];
static int64_t kind_of[N];
static char folder[600];

/* Three kinds, far apart in z, each rotated about a pose of its own. */
static void make_points(void)
{
    recon_rng rng = recon_rng_new(7, 0);
    recon_so3 about[KINDS];
    for (int k = 0; k < KINDS; k++)
        about[k] = recon_so3_haar(&rng);
    for (int i = 0; i < N; i++) {
        int k = i % KINDS;
        double lean[3];
        for (int j = 0; j < D; j++)
            z[i][j] = (float)((j == k) + 0.05 * recon_rng_normal(&rng));
        for (int j = 0; j < 3; j++)
            lean[j] = 0.2 * recon_rng_normal(&rng);
        kind_of[i] = k;
        angles[i] = recon_so2_wrap(2.0 * k + 0.4 * (2 * recon_rng_uniform(&rng) - 1));
        rotations[i] = recon_so3_compose(recon_so3_exp(lean), about[k]);
    }
}

static const char *in_folder(const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void clear(void)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        unlink(in_folder(e->d_name));
    if (d)
        closedir(d);
    rmdir(folder);
}

#define NATURAL(one, several, modulo, axis, none)                                                  \
    "\"natural_pose\": { \"one\": " one ", \"several\": " several ", \"modulo\": " modulo          \
    ", \"axis\": " axis ", \"none\": " none ", \"cannot_tell\": 0.08 }, "
#define IMAGES                                                                                     \
    "{ \"kind\": \"images\", \"group\": \"so2\", \"points\": 120, \"k\": 6, \"family\": "          \
    "\"normal\", \"theta\": "                                                                      \
    "\"uniform\", \"all\": { " NATURAL(                                                            \
        "0.52", "0.123", "0.034", "0",                                                             \
        "0.243") "\"points\": 120, \"theta_deg\": 38.2, \"several_modes\": 0.123, "                \
                 "\"modulo_180\": 0.034, \"hit_rate\": 0.75 }, \"labels\": { \"0\": { "            \
                 "\"points\": 40, "                                                                \
                 "\"theta_deg\": 11, \"hit_rate\": 0.5 }, \"4\": { \"points\": 4, \"theta_deg\": " \
                 "77, "                                                                            \
                 "\"hit_rate\": 0.5 } }, \"seconds\": { \"total\": 1.25 } }"
#define MOLECULES(free)                                                                            \
    "{ \"kind\": \"molecules\", \"group\": \"so3\", \"points\": 120, \"k\": 6, \"all\": "          \
    "{ " NATURAL(                                                                                  \
        "0.25", "0", "0", "0.7",                                                                   \
        "0.05") "\"points\": 120, \"hit_rate\": 0.25, \"concentration\": 50, \"background\": 0.1 " \
                "}, \"molecule_count\": 1, \"symmetric_count\": 1, \"molecules\": [ { "            \
                "\"name\": \"<CCO>\", "                                                            \
                "\"conformers\": 120, \"concentration\": 50, "                                     \
                "\"background\": 0.29, " free " } ] }"

#define POSES(group)                                                                               \
    "{ \"kind\": \"poses\", \"group\": \"" group                                                   \
    "\", \"points\": 120, \"rows\": 120, \"class_count\": 120, " NATURAL(                          \
        "0.5", "0.25", "0.2", "0.2",                                                               \
        "0.05") "\"classes\": \"knn\", \"family\": \"uniform\", \"hit_rate\": 0.875, "             \
                "\"classes_by_modes\": "                                                           \
                "[90, 30], \"classes_by_free_directions\": [12, 108, 0, 0] }"

/* The tables of a discovery: each kind is a cluster, the third one of which nothing can be told. Names
 * are such as files may have. */
static const char *name_of(int i)
{
    static char name[64];
    snprintf(name, sizeof name, "kind \"%d\"/</script> & %03d.png", kind_of[i] > 1, i);
    return name;
}

static void write_tables(const recon_group *group)
{
    FILE *f = fopen(in_folder("poses.csv"), "w");
    fprintf(f,
            "file,index,pose,score,p_value,p_embedding,verdict,fold,candidates,cluster,rotated\n");
    for (int i = 0; i < N; i++) {
        fprintf(f, "\"");
        for (const char *c = name_of(i); *c; c++)
            fprintf(f, *c == '"' ? "\"\"" : "%c", *c);
        fprintf(f, "\",%d,", i);
        if (group == RECON_SO3)
            fprintf(f, "%.6f %.6f %.6f %.6f", rotations[i].w, rotations[i].x, rotations[i].y,
                    rotations[i].z);
        else
            fprintf(f, "%.2f", angles[i] * 180 / M_PI);
        fprintf(f, ",%.6g,%.4g,%s,%s,1,,%d,%d\n", 0.25 * i, (i + 1.0) / N, i % 5 ? "0.5" : "",
                kind_of[i] == 0   ? "one"
                : kind_of[i] == 1 ? "several"
                                  : "cannot_tell",
                (int)kind_of[i], kind_of[i] < 2);
    }
    fclose(f);
    f = fopen(in_folder("clusters.csv"), "w");
    fprintf(f, "cluster,inputs,verdict,agree,poses,width_deg,rotation_deg,action\n"
               "0,40,one,40,0.00:1,13.25,17.75,rotate\n"
               "1,40,several,40,0.00:0.75;90.00:0.25,5.50,19.25,rotate\n"
               "2,40,cannot_tell,40,,61.00,80.25,leave\n");
    fclose(f);
}

static void make_folder(recon_ctx *ctx, const recon_group *group, const char *summary)
{
    recon_embedded e = { .n = N, .d = D, .z = &z[0][0] };
    recon_frames frames = { 0 };
    e.group = group;
    e.poses = group == RECON_SO3 ? (const double *)rotations : angles;
    clear();
    CHECK_OK(ctx, recon_normalize(ctx, &frames, &e, NULL,
                                  &(recon_normalize_options){ .knn = { .k = K },
                                                              .family = RECON_SO2_UNIFORM }));
    CHECK_OK(ctx, recon_frames_write(ctx, folder, &frames, RECON_F64, summary));
    recon_frames_free(&frames);
    if (!strstr(summary, "\"poses\""))
        write_tables(group);
}

static recon_status tell(recon_ctx *ctx, recon_page *page)
{
    recon_found_folder f;
    recon_status status = recon_found_open(ctx, &f, folder);
    if (status == RECON_OK)
        recon_found_head(page, &f);
    if (status == RECON_OK)
        status = recon_found_sections(ctx, page, &f, NULL);
    recon_found_close(&f);
    return status;
}

/* The page of the folder, or what went wrong; free it. */
static recon_status page_of(recon_ctx *ctx, char **html)
{
    recon_page *page;
    *html = NULL;
    recon_status status = recon_page_new(ctx, &page, "found", NULL);
    if (status == RECON_OK && (status = tell(ctx, page)) != RECON_OK)
        recon_page_free(page);
    return status == RECON_OK ? recon_page_finish(page, html) : status;
}

static void says(const char *html, const char *text)
{
    if (!strstr(html, text))
        fail_msg("the page lacks \"%s\"", text);
}

/* Without libpng spheres are left out, and that is said instead. */
static int draws(recon_ctx *ctx)
{
    recon_page *page;
    CHECK_OK(ctx, recon_page_new(ctx, &page, "x", NULL));
    int yes = recon_found_draws(ctx, page);
    recon_page_free(page);
    return yes;
}

/* --- words ------------------------------------------------------------------------------------ */

static void the_head_counts_the_table(void **state)
{
    char *html, head[160];
    int far = 0;
    make_folder(*state, RECON_SO2, IMAGES);
    for (int i = 0; i < N; i++)
        far += kind_of[i] < 2 && fabs(remainder(angles[i], 2 * M_PI)) * 180 / M_PI > 20;
    assert_in_range(far, 1, 79);
    CHECK_OK(*state, page_of(*state, &html));
    snprintf(head, sizeof head,
             "<p class=\"verdict plain\">80 of 120 images would be rotated, %d by more than 20 "
             "degrees. For 40 nothing can be told.</p>",
             far);
    says(html, head);
    says(html, "75 % of the neighbours of an input have its label.");
    says(html, "For 8.0 % of the images it is not clear");
    says(html, "24 % of the images have no natural pose");
    says(html, "There are only 120 of them");
    says(html, "1.25"); /* seconds */
    free(html);
    make_folder(*state, RECON_SO3, MOLECULES("\"natural_pose\": { \"axis\": 0.7 }"));
    CHECK_OK(*state, page_of(*state, &html));
    says(html, "80 of 120 conformers would be rotated, ");
    says(html, "1 of the molecules are symmetric under rotations");
    says(html, "different kinds are mixed");
    free(html);
}

/* What the script is given; free it. */
static json_t *listing_of(const char *html)
{
    static const char begin[] = "<script type=\"application/json\">";
    const char *from = strstr(strstr(html, "class=\"listing\""), begin) + strlen(begin);
    const char *end = strstr(from, "</script>");
    json_t *all = json_loadb(from, (size_t)(end - from), 0, NULL);
    assert_non_null(all);
    return all;
}

static double at(const json_t *row, size_t i)
{
    const json_t *value = json_array_get(row, i);
    return json_is_null(value) ? NAN : json_number_value(value);
}

/* Each line of poses.csv is a row, the same to the last digit that is written. */
static void the_page_says_what_the_tables_say(void **state)
{
    for (int space = 0; space < 2; space++) {
        char *html;
        make_folder(*state, space ? RECON_SO3 : RECON_SO2, space ? MOLECULES("\"x\": 0") : IMAGES);
        CHECK_OK(*state, page_of(*state, &html));
        json_t *all = listing_of(html), *rows = json_object_get(all, "rows"),
               *verdicts = json_object_get(all, "verdicts");
        assert_int_equal(json_array_size(rows), N);
        for (int i = 0; i < N; i++) {
            const json_t *row = json_array_get(rows, (size_t)i);
            double degrees = 180 / M_PI *
                             (space ? recon_so3_distance(rotations[i], recon_so3_identity())
                                    : recon_so2_wrap(angles[i]));
            assert_string_equal(json_string_value(json_array_get(row, 0)), name_of(i));
            assert_int_equal(at(row, 1), kind_of[i]);
            CHECK_NEAR(at(row, 2), degrees, 0.02);
            CHECK_NEAR(at(row, 3), 0.25 * i, 1e-9);
            CHECK_NEAR(at(row, 4), (i + 1.0) / N, 1e-4);
            assert_int_equal(isnan(at(row, 5)), i % 5 == 0);
            assert_string_equal(json_string_value(json_array_get(verdicts, (size_t)at(row, 6))),
                                kind_of[i] == 0   ? "one"
                                : kind_of[i] == 1 ? "several"
                                                  : "cannot_tell");
            assert_int_equal(at(row, 7), kind_of[i] < 2);
        }
        says(
            html,
            "<th scope=\"row\" class=\"number\">1</th><td class=\"number\">40</td><td>several</td>"
            "<td class=\"number\">40</td><td>0.00:0.75;90.00:0.25</td><td class=\"number\">5.50</td>"
            "<td class=\"number\">19.25</td><td>rotate</td>");
        json_decref(all);
        free(html);
    }
}

/* The pictures that come first are of inputs of every action, each once. */
static void pairs_are_of_all_kinds(void **state)
{
    recon_line line[100] = { { .name = "x" } };
    const recon_listing all = { .line = line, .n = 100, .group = RECON_SO2 };
    size_t row[RECON_PAIRS_MOST], n, rotated = 0, unclear = 0;
    for (int i = 0; i < 100; i++) {
        line[i].pose[0] = 0.01 * i;
        line[i].rotated = i % 4 == 0;
        line[i].verdict = i % 4 == 1 ? RECON_NATURAL_NONE : RECON_NATURAL_ONE;
    }
    CHECK_OK(*state, recon_pairs_choose(*state, row, &n, &all));
    for (size_t i = 0; i < n; i++) {
        rotated += line[row[i]].rotated != 0;
        unclear += line[row[i]].verdict == RECON_NATURAL_NONE;
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(row[i], row[j]);
    }
    assert_int_equal(n, RECON_PAIRS_MOST);
    assert_int_equal(rotated, 12);
    assert_int_equal(unclear, 6);
}

static void widths_are_degrees(void **state)
{
    static const char summary[] =
        "{ \"kind\": \"poses\", \"group\": \"so2\", \"points\": 120, \"rows\": 120, "
        "\"class_count\": 120, \"classes\": \"knn\", "
        "\"family\": \"vonmises\" }";
    char *html;
    make_folder(*state, RECON_SO2, summary);
    CHECK_OK(*state, page_of(*state, &html));
    says(html, "root mean square distance (degrees)");
    free(html);
}

static void normalize_is_told_for_both_groups(void **state)
{
    char *html, *again;
    make_folder(*state, RECON_SO2, POSES("so2"));
    CHECK_OK(*state, page_of(*state, &html));
    says(html, "120 poses on SO(2)");
    says(html, "one natural pose: 50 %; with several: 25 %; with one modulo a half, third or "
               "quarter turn: 20 %; with none");
    says(html, "points that neighbours are taken from"); /* settings in words */
    says(html, "88 % have its label");
    CHECK_OK(*state, page_of(*state, &again));
    assert_string_equal(html, again);
    free(again);
    free(html);
    make_folder(*state, RECON_SO3, POSES("so3"));
    CHECK_OK(*state, page_of(*state, &html));
    says(html, "120 poses on SO(3)");
    says(html, "an axis; the spin about it free: 20 %");
    says(html, draws(*state) ? "Where the three axes" : "without libpng");
    free(html);
}

/* An application's own group has no drawing: its pages have the numbers. */
static void any_group_has_a_page(void **state)
{
    static recon_group hours; /* as long as the context */
    char *html;
    hours = recon_group_so2;
    hours.name = "hours";
    hours.words = "the clock";
    hours.meaning = "the hours of a day";
    CHECK_OK(*state, recon_group_add(*state, &hours));
    make_folder(*state, &hours, POSES("hours"));
    CHECK_OK(*state, page_of(*state, &html));
    says(html, "120 poses on the clock, the hours of a day: each was compared");
    says(html, "Distances from the natural pose");
    says(html, "root mean square distance (degrees)");
    assert_null(strstr(html, "Each circle is a histogram"));
    free(html);
}

static void without_data_pictures_are_missed_aloud(void **state)
{
    char *html;
    make_folder(*state, RECON_SO2, IMAGES);
    CHECK_OK(*state, page_of(*state, &html));
    assert_null(strstr(html, "<image"));
    free(html);
    CHECK_OK(*state, recon_found_save(*state, in_folder("report.html"), folder,
                                      &(recon_found_data){ .missing = "no such <folder>" }));
    size_t size;
    html = (char *)slurp(in_folder("report.html"), &size);
    html = realloc(html, size + 1);
    html[size] = '\0';
    says(html, "Pictures are missing: no such &lt;folder&gt;");
    free(html);
}

/* --- trust ------------------------------------------------------------------------------------ */

/* A summary with this trust at its end. */
static void make_trusted(recon_ctx *ctx, const recon_group *group, const char *summary,
                         const char *trust)
{
    char *all = malloc(strlen(summary) + strlen(trust) + 16);
    size_t n = strlen(summary) - 1;
    sprintf(all, "%.*s, \"trust\": %s }", (int)n, summary, trust);
    make_folder(ctx, group, all);
    free(all);
}

static void lacks(const char *html, const char *text)
{
    if (strstr(html, text))
        fail_msg("the page has \"%s\"", text);
}

#define LAMBDA(head)                                                                               \
    "\"lambda_choice\": { \"taken\": \"density\", \"points\": 40, \"likelihood\": { "              \
    "\"neighbours\": -1.5, \"head\": -1.25, \"density\": -0.75 }, \"apart\": { "                   \
    "\"neighbours_head\": { \"median_deg\": 3.25, \"p95_deg\": 12.5 }, \"neighbours_density\": "   \
    "{ \"median_deg\": 4, \"p95_deg\": 41 }, \"head_density\": { \"median_deg\": " head            \
    ", \"p95_deg\": 77.5 } } }"

static void a_good_verdict_is_said_with_its_measures(void **state)
{
    char *html;
    make_trusted(
        *state, RECON_SO2, IMAGES,
        "{ \"verdict\": \"trustworthy\", \"against\": [], \"points\": 1234, "
        "\"information_nats\": 1.5, \"moved_median_deg\": 2.5, \"moved_p95_deg\": 9, "
        "\"before_deg\": 20.5, \"after_deg\": 4.25, \"gain_deg\": 16.25, " LAMBDA("5") " }");
    CHECK_OK(*state, page_of(*state, &html));
    says(html, "<p class=\"verdict good\"><strong>trustworthy</strong> 80 of 120 images");
    says(html, "Verdict: trustworthy, judged on 1,234 held-out inputs.</p>");
    says(html, "16.2 degrees closer to their natural pose on average");
    says(html, "(20.5 degrees from it before, 4.2 after)");
    says(html, "agree within 2.5 degrees (median), 9.0 degrees (95 %)");
    says(html, "1.50 nats");
    says(html, "Here it comes from <code>density</code>.");
    says(html, "density (used)");
    says(html, ">-0.75</td>");
    says(html, "neighbours and head");
    says(html, ">12.5</td>");
    says(html, ">77.5</td>");
    lacks(html, "do not use");
    lacks(html, "estimates of the natural pose disagree");
    free(html);
}

static void a_bad_verdict_warns(void **state)
{
    char *html;
    make_trusted(
        *state, RECON_SO2, IMAGES,
        "{ \"verdict\": \"do not use\", \"against\": [ \"nothing_learned\", "
        "\"disagrees\" ], \"points\": 40, \"information_nats\": 0.01, "
        "\"moved_median_deg\": 2, \"moved_p95_deg\": 7, \"gain_deg\": null, " LAMBDA("55") " }");
    CHECK_OK(*state, page_of(*state, &html));
    says(html, "<p class=\"verdict bad\"><strong>do not use</strong>");
    says(html, "<p>Verdict: do not use, judged on 40 held-out inputs. On "
               "held-out inputs the pose density is hardly better");
    says(html, "<p>The estimates of the natural pose disagree.");
    says(html, "Expected gain: unknown.");
    says(html, "(<code>--resume</code> <code>--epochs</code>)");
    says(html, ">55.0</td>");
    free(html);
    make_trusted(*state, RECON_SO2, IMAGES,
                 "{ \"verdict\": \"with care\", \"against\": [ \"upright\" ], \"points\": 40 }");
    CHECK_OK(*state, page_of(*state, &html));
    says(
        html,
        "<p>Verdict: with care, judged on 40 held-out inputs. The inputs are already in their natural");
    free(html);
}

/* Molecules have fewer measures; summaries of earlier versions, and broken ones, none. */
static void what_was_not_measured_is_left_out(void **state)
{
    static const char *const none[] = { "null", "{}", "{ \"verdict\": \"perhaps\" }",
                                        "[ \"do not use\" ]" };
    char *html;
    make_trusted(
        *state, RECON_SO3, MOLECULES("\"natural_pose\": { \"axis\": 0.7 }"),
        "{ \"verdict\": \"with care\", \"against\": [ \"inconsistent\" ], \"points\": 12, "
        "\"information_nats\": 3, \"moved_median_deg\": null, \"gain_deg\": 1e300, "
        "\"lambda_choice\": { \"taken\": \"density\", \"likelihood\": { \"density\": null }, "
        "\"apart\": { \"head_density\": { \"median_deg\": 7, \"p95_deg\": null } } } }");
    CHECK_OK(*state, page_of(*state, &html));
    says(html,
         "Verdict: with care, judged on 12 held-out inputs. Similar inputs get contradictory");
    lacks(html, ">nan");
    lacks(html, " nan");
    lacks(html, "Expected gain");
    lacks(html, "likelihood");
    free(html);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        make_trusted(*state, RECON_SO2, IMAGES, none[i]);
        CHECK_OK(*state, page_of(*state, &html));
        lacks(html, "held-out inputs");
        lacks(html, "<strong>");
        free(html);
    }
}

static void counts_and_shares_read_well(void **state)
{
    recon_found_words words;
    (void)state;
    assert_string_equal(recon_found_count(words, 0), "0");
    assert_string_equal(recon_found_count(words, 999), "999");
    assert_string_equal(recon_found_count(words, 60000), "60,000");
    assert_string_equal(recon_found_count(words, 1234567), "1,234,567");
    assert_string_equal(recon_found_share(words, 0), "none");
    assert_string_equal(recon_found_share(words, 0.0002), "under 0.1 %");
    assert_string_equal(recon_found_share(words, 0.034), "3.4 %");
    assert_string_equal(recon_found_share(words, 0.123), "12 %");
    assert_string_equal(recon_found_share(words, 1), "100 %");
    assert_string_equal(recon_found_share(words, NAN), "not known");
}

/* --- what is read ----------------------------------------------------------------------------- */

/* psi is what Algorithm 1 was given. */
static void poses_are_what_went_in(void **state)
{
    recon_found_folder f;
    make_folder(*state, RECON_SO2, POSES("so2"));
    CHECK_OK(*state, recon_found_open(*state, &f, folder));
    for (int i = 0; i < N; i++)
        CHECK_LESS(recon_so2_distance(f.psi[i], angles[i]), 1e-12);
    recon_found_close(&f);
    make_folder(*state, RECON_SO3, POSES("so3"));
    CHECK_OK(*state, recon_found_open(*state, &f, folder));
    for (int i = 0; i < N; i++)
        CHECK_LESS(recon_so3_distance(recon_so3_at(f.psi, i), rotations[i]), 1e-3);
    recon_found_close(&f);
}

/* Components leave points out: their rows are as wide as an array's are, SO(3)'s have nine numbers. */
static void rows_of_no_class_are_dropped(void **state)
{
    static const char *const summary[] = {
        "{ \"kind\": \"poses\", \"group\": \"so2\", \"points\": 120, \"classes\": \"components\" }",
        "{ \"kind\": \"poses\", \"group\": \"so3\", \"points\": 120, \"classes\": \"components\" }"
    };
    int64_t classes[N];
    for (int group = 0; group < 2; group++) {
        recon_found_folder f;
        size_t kept = 0;
        for (int i = 0; i < N; i++)
            classes[i] = i % 3 ? i % 2 : -1;
        make_folder(*state, group ? RECON_SO3 : RECON_SO2, summary[group]);
        recon_array own = { .dtype = RECON_I64, .ndim = 1, .shape = { N }, .data = classes };
        CHECK_OK(*state, recon_npy_write(*state, in_folder("classes.npy"), &own));
        CHECK_OK(*state, recon_found_open(*state, &f, folder));
        assert_int_equal(f.rows, N * 2 / 3);
        for (int i = 0; i < N; i++) {
            if (classes[i] < 0)
                continue;
            CHECK_NEAR(group ? recon_so3_distance(recon_so3_at(f.psi, kept), rotations[i])
                             : recon_so2_distance(f.psi[kept], angles[i]),
                       0, 1e-3);
            assert_int_equal(f.classes[kept++], classes[i]);
        }
        recon_found_close(&f);
    }
}

static void every_missing_array_is_named(void **state)
{
    static const char *const names[] = { "gamma.npy",      "absolute.npy",        "theta.npy",
                                         "background.npy", "identifiability.npy", "score.npy",
                                         "neighbors.npy" };
    char *html;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        make_folder(*state, RECON_SO2, POSES("so2"));
        unlink(in_folder(names[i]));
        CHECK_FAILS(*state, page_of(*state, &html), RECON_ERR_IO, names[i]);
    }
    for (int i = 0; i < 2; i++) {
        make_folder(*state, RECON_SO2, IMAGES);
        unlink(in_folder(i ? "clusters.csv" : "poses.csv"));
        CHECK_FAILS(*state, page_of(*state, &html), RECON_ERR_IO, i ? "clusters.csv" : "poses.csv");
    }
}

static void what_does_not_fit_is_named(void **state)
{
    char *html;
    double bad[N] = { 0 };
    int64_t far[N] = { 0 };
    make_folder(*state, RECON_SO2, POSES("so2"));
    recon_array score = { .dtype = RECON_F64, .ndim = 1, .shape = { N - 1 }, .data = bad };
    CHECK_OK(*state, recon_npy_write(*state, in_folder("score.npy"), &score));
    CHECK_FAILS(*state, page_of(*state, &html), RECON_ERR_FORMAT, "score.npy: 119 rows");
    bad[17] = NAN;
    score.shape[0] = N;
    CHECK_OK(*state, recon_npy_write(*state, in_folder("score.npy"), &score));
    CHECK_FAILS(*state, page_of(*state, &html), RECON_ERR_FORMAT, "score.npy: row 17");
    make_folder(*state, RECON_SO2, POSES("so2"));
    far[3] = N;
    CHECK_OK(*state,
             recon_npy_write(
                 *state, in_folder("neighbors.npy"),
                 &(recon_array){ .dtype = RECON_I64, .ndim = 2, .shape = { N, 1 }, .data = far }));
    CHECK_FAILS(*state, page_of(*state, &html), RECON_ERR_FORMAT,
                "neighbors.npy: row 3: 120 is none of 120 points");
    make_folder(*state, RECON_SO2, POSES("so3"));
    CHECK_FAILS(*state, page_of(*state, &html), RECON_ERR_FORMAT, "gamma.npy: 1 numbers a row");
}

static void broken_tables_are_named(void **state)
{
    static const char head[] = "file,index,angle_deg,score,p_value,p_embedding,verdict,fold,"
                               "candidates,cluster,rotated\n";
    static const char *const broken[][2] = {
        { "\"a\",0,x,1,1,1,one,1,,0,1\n", "poses.csv: line 2: no pose" },
        { "\"a\",0,1 2,1,1,1,one,1,,0,1\n", "poses.csv: line 2: no pose" },
        { "\"a\",0,1,1,high,1,one,1,,0,1\n", "poses.csv: line 2: no number" },
        { "\"a\",0,1,1,1,1,sure,1,,0,1\n", "poses.csv: line 2: unknown verdict" },
        { "\"a\",0,1,1,1,1,one,1,,-4,1\n", "poses.csv: line 2: no cluster" },
        { "\"a\",0,1,1,1,1,one,1,,0,1\n", "poses.csv: 1 lines, but summary.json says 120 inputs" },
        { "", "poses.csv: there are no inputs in it" },
    };
    char *html;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        make_folder(*state, RECON_SO2, IMAGES);
        FILE *f = fopen(in_folder("poses.csv"), "w");
        fprintf(f, "%s%s", head, broken[i][0]);
        fclose(f);
        CHECK_FAILS(*state, page_of(*state, &html), RECON_ERR_FORMAT, broken[i][1]);
    }
}

static void broken_summaries_are_named(void **state)
{
    static const char *const broken[][2] = {
        { "{ \"all\": ", "summary.json: line" },
        { "[]", "not written by `recon discover` or `recon normalize`" },
        { "{}", "not written by `recon discover` or `recon normalize`" },
        { "{ \"kind\": \"poses\", \"group\": \"torus\", \"points\": 120 }",
          "no group 'torus': so2, so3" },
        { "{ \"kind\": \"poses\", \"points\": 120 }", "no group ''" },
        { "{ \"kind\": \"outlines\", \"group\": \"so2\", \"points\": 120 }",
          "summary.json: unknown kind 'outlines': images, molecules, poses, or one that" },
        { "{ \"kind\": \"images\", \"group\": \"so2\", \"all\": { \"theta_deg\": \"wide\" } }",
          "no number points" },
    };
    char *html;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        make_folder(*state, strstr(broken[i][0], "so3") ? RECON_SO3 : RECON_SO2, broken[i][0]);
        CHECK_FAILS(*state, page_of(*state, &html), RECON_ERR_FORMAT, broken[i][1]);
    }
    unlink(in_folder("summary.json"));
    CHECK_FAILS(*state, page_of(*state, &html), RECON_ERR_IO, "a folder of `recon discover`");
}

/* --- groups and samples ----------------------------------------------------------------------- */

/* Clusters never mix kinds that lie apart, and every row is in one group or among the others. */
static void clusters_keep_kinds_apart(void **state)
{
    recon_found_folder f;
    recon_found_groups g;
    size_t in = 0;
    make_folder(*state, RECON_SO2, POSES("so2"));
    CHECK_OK(*state, recon_found_open(*state, &f, folder));
    CHECK_OK(*state, recon_found_group(*state, &g, &f));
    assert_true(g.count >= KINDS);
    for (size_t i = 0; i < g.count; i++) {
        in += g.n[i];
        for (size_t j = 0; j < g.n[i]; j++)
            assert_int_equal(kind_of[g.member[i][j]], kind_of[g.member[i][0]]);
        assert_true(i == 0 || g.n[i] <= g.n[i - 1]);
    }
    assert_int_equal(in + g.others, N);
    recon_found_groups_free(&g);
    make_folder(*state, RECON_SO2, IMAGES);
    recon_found_close(&f);
    CHECK_OK(*state, recon_found_open(*state, &f, folder));
    CHECK_OK(*state, recon_found_group(*state, &g, &f));
    assert_int_equal(g.count, KINDS);
    assert_int_equal(g.others, 0);
    assert_string_equal(g.name[2], "cluster 2");
    recon_found_groups_free(&g);
    recon_found_close(&f);
}

static void samples_are_different_rows(void **state)
{
    size_t *row, n;
    CHECK_OK(*state, recon_found_sample(*state, &row, &n, 1000, 50));
    assert_int_equal(n, 50);
    for (size_t i = 0; i < n; i++)
        assert_true(row[i] < 1000 && (i == 0 || row[i] > row[i - 1]));
    free(row);
    CHECK_OK(*state, recon_found_sample(*state, &row, &n, 3, 50));
    assert_int_equal(n, 3);
    free(row);
}

static void extremes_are_the_largest(void **state)
{
    double key[200];
    size_t out[20], least[20];
    recon_rng rng = recon_rng_new(5, 0);
    (void)state;
    for (int i = 0; i < 200; i++)
        key[i] = floor(40 * recon_rng_uniform(&rng)); /* many ties */
    assert_int_equal(recon_found_extreme(out, 20, key, 1, 1, 200), 20);
    assert_int_equal(recon_found_extreme(least, 20, key, 1, -1, 200), 20);
    for (int i = 0; i < 20; i++) {
        size_t above = 0, below = 0;
        for (size_t j = 0; j < 200; j++) { /* how many come before it */
            above += key[j] > key[out[i]] || (key[j] == key[out[i]] && j < out[i]);
            below += key[j] < key[least[i]] || (key[j] == key[least[i]] && j < least[i]);
        }
        assert_int_equal(above, i);
        assert_int_equal(below, i);
    }
    assert_int_equal(recon_found_extreme(out, 20, key, 1, 1, 4), 4);
}

/* Each failing allocation is a failure that says so, and leaves nothing behind. */
static void memory_may_run_out_anywhere(void **state)
{
    char *html = NULL;
    recon_status status = RECON_ERR_MEMORY;
    make_folder(*state, RECON_SO2, IMAGES);
    for (long at = 1; status != RECON_OK; at += 7) {
        recon_alloc_fail_at(*state, at);
        status = page_of(*state, &html);
        assert_true(status == RECON_OK || status == RECON_ERR_MEMORY);
        assert_true((status == RECON_OK) == (html != NULL));
    }
    recon_alloc_fail_at(*state, 0);
    free(html);
}

static int setup(void **state)
{
    if (scratch_setup(state) != 0)
        return -1;
    make_points();
    snprintf(folder, sizeof folder, "%s", scratch("found"));
    return 0;
}

static int teardown(void **state)
{
    clear();
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_head_counts_the_table),
        cmocka_unit_test(the_page_says_what_the_tables_say),
        cmocka_unit_test(pairs_are_of_all_kinds),
        cmocka_unit_test(widths_are_degrees),
        cmocka_unit_test(normalize_is_told_for_both_groups),
        cmocka_unit_test(any_group_has_a_page),
        cmocka_unit_test(without_data_pictures_are_missed_aloud),
        cmocka_unit_test(a_good_verdict_is_said_with_its_measures),
        cmocka_unit_test(a_bad_verdict_warns),
        cmocka_unit_test(what_was_not_measured_is_left_out),
        cmocka_unit_test(counts_and_shares_read_well),
        cmocka_unit_test(poses_are_what_went_in),
        cmocka_unit_test(rows_of_no_class_are_dropped),
        cmocka_unit_test(every_missing_array_is_named),
        cmocka_unit_test(what_does_not_fit_is_named),
        cmocka_unit_test(broken_tables_are_named),
        cmocka_unit_test(broken_summaries_are_named),
        cmocka_unit_test(clusters_keep_kinds_apart),
        cmocka_unit_test(samples_are_different_rows),
        cmocka_unit_test(extremes_are_the_largest),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
