/* Folders of results: replaced as wholes, what is somebody's stays, leftovers go. */
#include "scratch.h"
#include "core/file.h"
#include "core/folder.h"
#include "core/journal.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>

/* --- results, made and looked at -------------------------------------------------------------- */

static void shell(const char *command)
{
    char line[1200];
    snprintf(line, sizeof line, "cd '%s' && { %s; }", scratch_folder, command);
    if (system(line) != 0)
        fail_msg("%s", line);
}

static int there(const char *name)
{
    struct stat s;
    return lstat(scratch(name), &s) == 0;
}

static void holds(const char *name, const char *text)
{
    size_t n;
    unsigned char *bytes = slurp(scratch(name), &n);
    bytes[n] = '\0';
    assert_string_equal((char *)bytes, text);
    free(bytes);
}

static void put(recon_ctx *ctx, const recon_stage *s, const char *name, const char *text)
{
    char path[RECON_PATH];
    recon_writer w;
    CHECK_OK(ctx, recon_writer_open(ctx, &w, recon_folder_join(path, s->path, name)));
    CHECK_OK(ctx, recon_writer_write(ctx, &w, text, strlen(text)));
    CHECK_OK(ctx, recon_writer_commit(ctx, &w));
    recon_writer_close(&w);
}

/* A result of two files that say `text`; `more` is a third, or NULL. */
static recon_status write_result(recon_ctx *ctx, const char *dir, const char *text,
                                 const char *more)
{
    char summary[200];
    recon_stage s;
    recon_status status = recon_stage_open(ctx, &s, dir, RECON_RESULT);
    if (status == RECON_OK) {
        snprintf(summary, sizeof summary,
                 "{ \"version\": \"0\", \"files\": [\"gamma.npy\"%s%s%s] }", more ? ", \"" : "",
                 more ? more : "", more ? "\"" : "");
        put(ctx, &s, "gamma.npy", text);
        put(ctx, &s, "summary.json", summary);
        if (more)
            put(ctx, &s, more, text);
        status = recon_stage_commit(ctx, &s);
    }
    recon_stage_close(ctx, &s);
    return status;
}

/* Names beside the folders, hidden ones too, but not . and .. */
static int entries(const char *folder)
{
    int n = -2;
    DIR *d = opendir(folder);
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* --- the laws --------------------------------------------------------------------------------- */

static void a_result_replaces_an_earlier_one(void **state)
{
    struct stat before, after;
    CHECK_OK(*state, write_result(*state, scratch("out"), "one", "z.npy"));
    holds("out/z.npy", "one");
    assert_int_equal(entries(scratch("out")), 3);
    shell(
        "chmod 2750 out; echo mine >out/notes; ln -s nowhere out/link; mkdir -p out/sub/deep; echo "
        "own >out/sub/deep/x; echo page >out/report.html; echo other >out/theta.npy");
    assert_int_equal(stat(scratch("out"), &before), 0);
    CHECK_OK(*state, write_result(*state, scratch("out/"), "two", NULL));
    holds("out/gamma.npy", "two");
    assert_false(there("out/z.npy"));       /* of the earlier result */
    assert_false(there("out/report.html")); /* which it showed       */
    holds("out/theta.npy", "other\n");      /* not listed: not its own */
    holds("out/notes", "mine\n");
    holds("out/sub/deep/x", "own\n");
    assert_true(there("out/link"));
    assert_int_equal(stat(scratch("out"), &after), 0);
    assert_int_equal(before.st_mode, after.st_mode);
    assert_int_equal(entries(scratch_folder), 1);
    shell("rm -rf out");
}

/* A page is of the result that it shows. Where there was none, it is somebody's. */
static void a_page_where_no_result_was_stays(void **state)
{
    shell(
        "mkdir out; echo mine >out/report.html; echo mine >out/theta.npy; echo mine >out/gamma.npy");
    CHECK_OK(*state, write_result(*state, scratch("out"), "one", NULL));
    holds("out/report.html", "mine\n");
    holds("out/theta.npy", "mine\n");
    holds("out/gamma.npy", "one"); /* one of its own files */
    shell("rm -rf out");
}

/* A summary that lists no files, or cannot be read, makes nothing a result's: normalize may read from there. */
static void without_a_list_everything_stays(void **state)
{
    shell("mkdir out; cd out; touch gamma.npy theta.npy z.npy; "
          "echo '{ \"version\": \"0.1.0\", \"group\": \"so2\", \"points\": 3 }' >summary.json");
    CHECK_OK(*state, write_result(*state, scratch("out"), "new", NULL));
    assert_true(there("out/theta.npy") && there("out/z.npy"));
    shell("rm -rf out; mkdir out; cd out; touch gamma.npy z.npy; echo broken >summary.json");
    CHECK_OK(*state, write_result(*state, scratch("out"), "new", NULL));
    assert_true(there("out/z.npy"));
    shell("rm -rf out");
}

/* A folder without a result of ours: what the new one does not write stays, whatever its name. */
static void what_is_not_a_result_is_the_users(void **state)
{
    shell("mkdir out; cd out; echo mine >classes.npy; echo mine >z.npy; echo mine >mine.npy.tmp-1; "
          "mkdir -p big.npy.tmp-7/sub .tmp-mydata; touch big.npy.tmp-7/sub/x "
          ".tmp-mydata/embedding.npy; "
          "touch thesis.tex; echo '{ \"version\": \"2.1\", \"files\": [\"thesis.tex\", "
          "\"z.npy\"] }' >summary.json");
    CHECK_OK(*state, write_result(*state, scratch("out"), "new", NULL));
    holds("out/gamma.npy", "new");
    holds("out/classes.npy", "mine\n");
    holds("out/z.npy", "mine\n");
    holds("out/mine.npy.tmp-1", "mine\n");
    assert_true(there("out/thesis.tex") && there("out/big.npy.tmp-7/sub/x") &&
                there("out/.tmp-mydata/embedding.npy"));
    assert_int_equal(entries(scratch_folder), 1);
    shell("rm -rf out");
}

/* Half of one the folder would lack what is its owner's, or keep what was the earlier result's. */
static void an_interruption_waits_for_the_end_of_a_commit(void **state)
{
    recon_ctx *ctx = *state;
    recon_stage s;
    CHECK_OK(ctx, write_result(ctx, scratch("late"), "one", "old.npy"));
    shell("echo mine >late/mine.txt; mkdir late/sub");
    CHECK_OK(ctx, recon_stage_open(ctx, &s, scratch("late"), RECON_RESULT));
    put(ctx, &s, "gamma.npy", "two");
    put(ctx, &s, "summary.json", "{ \"version\": \"0\", \"files\": [\"gamma.npy\"] }");
    recon_ctx_interrupt(ctx);
    CHECK_OK(ctx, recon_stage_commit(ctx, &s));
    recon_stage_close(ctx, &s);
    recon_ctx_resume(ctx);
    holds("late/gamma.npy", "two");
    assert_true(there("late/mine.txt") && there("late/sub") && !there("late/old.npy"));
    assert_int_equal(entries(scratch("late")), 4);
    shell("rm -rf late");
}

/* A journal as a writer leaves it that dies there. */
static void put_journal(const char *folder, const char *stage, const char *remove)
{
    char line[600];
    snprintf(line, sizeof line,
             "cd %s; { printf 'recon journal 2\\0'; stat -c '%%d %%i' . %s | paste -sd ' ' | "
             "head -c -1; printf '\\0%s\\0%s\\0end\\0'; } >.recon-journal",
             folder, stage, stage, remove);
    shell(line);
}

/* In a folder that all may write to, a journal counts only if it is the user's or the owner's. */
static void a_foreign_journal_is_not_carried_out(void **state)
{
    if (geteuid() != 0)
        skip();
    recon_file f;
    shell("mkdir -m 1777 out; cd out; echo mine >victim; echo mine >r; mkdir .recon-1-1; echo evil "
          ">.recon-1-1/r");
    put_journal("out", ".recon-1-1", "victim");
    shell("cd out; chown -R nobody .recon-1-1 .recon-journal");
    CHECK_OK(*state, recon_file_open(*state, &f, scratch("out/r")));
    recon_file_close(&f);
    holds("out/victim", "mine\n");
    holds("out/r", "mine\n");
    shell("rm -rf out/.recon-journal; mkfifo out/.recon-journal");
    CHECK_OK(*state, recon_file_open(*state, &f, scratch("out/r")));
    recon_file_close(&f);
    shell("rm -rf out");
}

/* Pictures are listed in poses.csv, and are no business of a result in the same folder. */
static void pictures_replace_pictures(void **state)
{
    recon_stage s;
    shell(
        "mkdir -p out/a out/b; cd out; touch a/1.png a/mine.png b/2.png 'q\"q.png' gamma.npy; "
        "printf 'file,pose_deg\\n\"a/1.png\",1\\n\"b/2.png\",2\\n\"q\"\"q.png\",3\\n' >poses.csv");
    CHECK_OK(*state, write_result(*state, scratch("out"), "found", NULL));
    assert_true(there("out/a/1.png") && there("out/b/2.png") && there("out/poses.csv"));
    CHECK_OK(*state, recon_stage_open(*state, &s, scratch("out"), RECON_PICTURES));
    put(*state, &s, "3.png", "three");
    put(*state, &s, "poses.csv", "file,index,angle_deg\n\"3.pgm\",0,1\n");
    put(*state, &s, "3.pgm.png", "three");
    CHECK_OK(*state, recon_stage_commit(*state, &s));
    recon_stage_close(*state, &s);
    assert_true(there("out/3.png") && there("out/a/mine.png"));
    assert_false(there("out/a/1.png") || there("out/b") || there("out/q\"q.png"));
    holds("out/gamma.npy", "found");
    shell(
        "touch out/3.pgm"); /* the list names the inputs: their pictures go, not the user's files */
    CHECK_OK(*state, recon_stage_open(*state, &s, scratch("out"), RECON_PICTURES));
    put(*state, &s, "poses.csv", "file,index,angle_deg\n");
    CHECK_OK(*state, recon_stage_commit(*state, &s));
    recon_stage_close(*state, &s);
    assert_false(there("out/3.pgm.png"));
    assert_true(there("out/3.pgm") && there("out/3.png"));
    shell("rm -rf out");
}

static void a_folder_in_the_way_is_an_error(void **state)
{
    CHECK_OK(*state, write_result(*state, scratch("out"), "one", NULL));
    shell("rm out/gamma.npy; mkdir out/gamma.npy; touch out/gamma.npy/x");
    CHECK_FAILS(*state, write_result(*state, scratch("out"), "two", NULL), RECON_ERR_IO,
                "out/gamma.npy: is a folder, where a file of the result has to go");
    assert_true(there("out/gamma.npy/x"));
    holds("out/summary.json", "{ \"version\": \"0\", \"files\": [\"gamma.npy\"] }");
    assert_int_equal(entries(scratch_folder), 1);
    shell("rm -rf out");
}

static void a_stage_that_is_not_committed_leaves_nothing(void **state)
{
    recon_stage s;
    CHECK_OK(*state, recon_stage_open(*state, &s, scratch("out"), RECON_RESULT));
    put(*state, &s, "gamma.npy", "one");
    CHECK_FAILS(*state,
                recon_writer_open(*state, &(recon_writer){ 0 },
                                  recon_folder_join((char[RECON_PATH]){ 0 }, s.path, "no/x")),
                RECON_ERR_IO, ".out.recon-result-");
    recon_stage_close(*state, &s);
    assert_non_null(strstr(recon_ctx_message(*state), "/out/no/x: cannot write"));
    assert_int_equal(entries(scratch_folder), 0);
    scratch_write("file", "", 0);
    CHECK_FAILS(*state, write_result(*state, scratch("file"), "x", NULL), RECON_ERR_IO,
                "file: cannot make the folder: File exists");
    CHECK_FAILS(*state, write_result(*state, scratch("no/out"), "x", NULL), RECON_ERR_IO,
                "no/out: cannot make the folder: No such file");
}

static void a_link_to_a_folder_stays_a_link(void **state)
{
    struct stat s;
    shell("mkdir real; ln -s real out");
    CHECK_OK(*state, write_result(*state, scratch("out"), "one", NULL));
    CHECK_OK(*state, write_result(*state, scratch("out"), "two", NULL));
    holds("real/gamma.npy", "two");
    assert_int_equal(lstat(scratch("out"), &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    assert_int_equal(entries(scratch_folder), 2);
    shell("rm -rf real out");
}

/* A folder that was removed while the result was made is made again. */
static void a_folder_that_is_gone_comes_back(void **state)
{
    recon_stage s;
    CHECK_OK(*state, write_result(*state, scratch("out"), "one", NULL));
    CHECK_OK(*state, recon_stage_open(*state, &s, scratch("out"), RECON_RESULT));
    put(*state, &s, "gamma.npy", "two");
    shell("rm -rf out");
    CHECK_OK(*state, recon_stage_commit(*state, &s));
    recon_stage_close(*state, &s);
    holds("out/gamma.npy", "two");
    shell("rm -rf out");
}

/* --- leftovers -------------------------------------------------------------------------------- */

static void leftovers_of_the_dead_are_removed(void **state)
{
    CHECK_OK(*state, write_result(*state, scratch("out"), "one", NULL));
    shell("mkdir .out.recon-result-1-0 out/.recon-7-1 out/.tmp-mine00; "
          "touch .out.recon-result-1-0/.recon-new .out.recon-result-1-0/gamma.npy "
          ".out.recon-result-mine out/.recon-7-1/x out/.tmp-mine00/book "
          "out/gamma.npy.tmp-0 out/report.html.tmp-0 out/mine.npy.tmp-0");
    int fd = open(scratch("out/theta.npy.tmp-3"), O_WRONLY | O_CREAT, 0666);
    assert_int_equal(flock(fd, LOCK_EX), 0); /* somebody is at work on it */
    CHECK_OK(*state, write_result(*state, scratch("out"), "two", NULL));
    assert_false(there(".out.recon-result-1-0") || there("out/.recon-7-1") ||
                 there("out/gamma.npy.tmp-0") || there("out/report.html.tmp-0"));
    assert_true(there(".out.recon-result-mine") && there("out/.tmp-mine00/book") &&
                there("out/theta.npy.tmp-3") && there("out/mine.npy.tmp-0"));
    close(fd);
    shell("rm -rf out .out*");
}

/* A writer that died after the exchange: the folder before lies beside, with what is somebody's. */
static void what_a_dead_writer_had_not_moved_is_moved(void **state)
{
    CHECK_OK(*state, write_result(*state, scratch("out"), "one", NULL));
    shell("cp -r out .out.recon-result-9-0; cd .out.recon-result-9-0; mkdir -p sub; touch sub/x y; "
          "ln ../out/gamma.npy shared; ln shared ../out/shared");
    CHECK_OK(*state, write_result(*state, scratch("out"), "two", NULL));
    assert_true(there("out/sub/x") && there("out/y") && there("out/shared"));
    assert_false(there(".out.recon-result-9-0"));
    holds("out/gamma.npy", "two");
    /* what cannot be told apart is kept */
    shell("mkdir .out.recon-result-9-0; echo other >.out.recon-result-9-0/y");
    CHECK_OK(*state, write_result(*state, scratch("out"), "two", NULL));
    holds(".out.recon-result-9-0/y", "other\n");
    holds("out/y", "");
    shell("rm -rf out .out*");
}

static void a_living_writer_is_left_alone(void **state)
{
    recon_stage s;
    CHECK_OK(*state, recon_stage_open(*state, &s, scratch("out"), RECON_RESULT));
    put(*state, &s, "gamma.npy", "slow");
    CHECK_OK(*state, write_result(*state, scratch("out"), "quick", "z.npy"));
    holds("out/gamma.npy", "quick");
    CHECK_OK(*state, recon_stage_commit(*state, &s)); /* there was no folder when it began */
    recon_stage_close(*state, &s);
    holds("out/gamma.npy", "slow");
    assert_false(there("out/z.npy"));
    assert_int_equal(entries(scratch_folder), 1);
    shell("rm -rf out");
}

/* --- in place --------------------------------------------------------------------------------- */

/* From within, at a mount point, or with attributes that a new folder would not have. */
static void some_folders_stay_what_they_are(void **state)
{
    struct stat before, after;
    char here[RECON_PATH];
    assert_non_null(getcwd(here, sizeof here));
    CHECK_OK(*state, write_result(*state, scratch("out"), "one", "z.npy"));
    shell("touch out/notes; mkdir out/sub");
    assert_int_equal(stat(scratch("out"), &before), 0);
    assert_int_equal(chdir(scratch("out")), 0);
    CHECK_OK(*state, write_result(*state, ".", "two", NULL));
    assert_int_equal(chdir(here), 0);
    if (setxattr(scratch("out"), "user.mine", "1", 1, 0) == 0) {
        holds("out/gamma.npy", "two");
        CHECK_OK(*state, write_result(*state, scratch("out"), "three", NULL));
        holds("out/gamma.npy", "three");
    }
    assert_int_equal(stat(scratch("out"), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_true(there("out/notes") && there("out/sub"));
    assert_false(there("out/z.npy"));
    assert_int_equal(entries(scratch("out")), 4);
    assert_int_equal(entries(scratch_folder), 1);
    shell("rm -rf out");
}

static int at_a_mount_point(recon_ctx *ctx)
{
    mkdir(scratch("out"), 0777);
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", scratch("out"), "tmpfs", 0, "size=1m") != 0)
        return 2;
    for (int i = 0; i < 2; i++)
        if (write_result(ctx, scratch("out"), i ? "two" : "one", i ? NULL : "z.npy") != RECON_OK)
            return 1;
    return entries(scratch("out")) == 2 && entries(scratch_folder) == 1 ? 0 : 1;
}

static void a_mount_point_is_written_in_place(void **state)
{
    int how;
    pid_t child = fork();
    if (child == 0)
        _exit(at_a_mount_point(*state));
    waitpid(child, &how, 0);
    rmdir(scratch("out"));
    if (WEXITSTATUS(how) == 2)
        skip();
    assert_int_equal(how, 0);
}

static void check_unread(recon_ctx *ctx, const char *path, recon_status status, const char *why)
{
    recon_file f;
    CHECK_FAILS(ctx, recon_file_open(ctx, &f, scratch(path)), status, why);
}

/* What a writer that was killed had begun is completed by the next; readers change nothing. */
static void a_journal_is_rolled_forward(void **state)
{
    recon_folder_view view;
    struct stat before, after;
    int fd;
    CHECK_OK(*state, write_result(*state, scratch("out"), "one", "z.npy"));
    shell("mkdir -p out/.recon-5-0/sub; cd out; echo two >.recon-5-0/gamma.npy; "
          "echo two >.recon-5-0/sub/x");
    put_journal("out", ".recon-5-0", "z.npy");
    assert_int_equal(stat(scratch("out"), &before), 0);
    check_unread(*state, "out/gamma.npy", RECON_ERR_IO, "out is between two results");
    CHECK_FAILS(*state, recon_folder_look(*state, &view, scratch("out")), RECON_ERR_IO,
                "out: a process that replaced its result did not finish");
    assert_int_equal(stat(scratch("out"), &after), 0);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    holds("out/gamma.npy", "one");
    assert_true(there("out/z.npy") && there("out/.recon-journal") && there("out/.recon-5-0/sub/x"));
    CHECK_OK(*state, recon_folder_lock(*state, &fd, scratch("out"))); /* as a writer does */
    close(fd);
    holds("out/gamma.npy", "two\n");
    holds("out/sub/x", "two\n");
    assert_false(there("out/z.npy") || there("out/.recon-journal") || there("out/.recon-5-0"));
    shell("rm -rf out");
}

/* One that was copied or unpacked with the folder is of another place: nobody carries it out. */
static void a_journal_from_elsewhere_is_refused(void **state)
{
    static const char *const why = "out/.recon-journal: was not written in this folder";
    int fd;
    shell("mkdir -p there/.recon-5-0; touch there/mine.txt there/.recon-5-0/new.txt");
    put_journal("there", ".recon-5-0", "mine.txt");
    for (int i = 0; i < 3; i++) {
        shell(i == 0   ? "cp -a there out"
              : i == 1 ? "rm -r out/.recon-5-0" /* as if it had been emptied */
                       : "mv there/.recon-5-0 out; cd out; printf 'recon journal "
                         "1\\0.recon-5-0\\0mine.txt\\0end\\0' >.recon-journal"); /* of 0.2.0 */
        check_unread(*state, "out/mine.txt", RECON_ERR_FORMAT, why);
        CHECK_FAILS(*state, recon_folder_lock(*state, &fd, scratch("out")), RECON_ERR_FORMAT, why);
        CHECK_FAILS(*state, write_result(*state, scratch("out"), "two", NULL), RECON_ERR_FORMAT,
                    why);
        assert_true(there("out/mine.txt"));
        assert_false(there("out/new.txt") || there("out/gamma.npy"));
    }
    shell("rm out/.recon-journal"); /* the remedy that the message names */
    CHECK_OK(*state, write_result(*state, scratch("out"), "two", NULL));
    assert_true(there("out/mine.txt"));
    shell("rm -rf out there");
}

/* A journal that is not ours changes nothing, here or elsewhere: one that begins like ours is an
 * error, another file by that name is none of ours. */
static void foul_journals_are_refused(void **state)
{
    static const char *const foul[] = {
        "recon journal 2\\0",
        "recon journal 2\\0../away\\0end\\0",
        "recon journal 2\\0$P\\0.recon-5-0\\0end",
        "recon journal 2\\0$P\\0.recon-5-0/..\\0end\\0",
        "recon journal 2\\0$P\\0.recon-5-0\\0z.npy\\0",
    };
    recon_file f;
    char line[300];
    int fd;
    shell("mkdir -p out/.recon-5-0 away; touch away/x out/z.npy; ln -s ../away out/link; printf "
          "'recon diary 2\\0.recon-5-0\\0z.npy\\0end\\0' >out/.recon-journal");
    CHECK_OK(*state, recon_file_open(*state, &f, scratch("out/z.npy")));
    recon_file_close(&f);
    for (size_t i = 0; i < sizeof foul / sizeof *foul; i++) {
        snprintf(line, sizeof line,
                 "P=$(stat -c '%%d %%i' out out/.recon-5-0 | paste -sd ' '); printf \"%s\" "
                 ">out/.recon-journal",
                 foul[i]);
        shell(line);
        check_unread(*state, "out/z.npy", RECON_ERR_FORMAT, "was not written in this folder");
    }
    put_journal("out", ".recon-5-0", "link/x\\0../away/x");
    CHECK_OK(*state, recon_folder_lock(*state, &fd, scratch("out")));
    close(fd);
    assert_true(there("away/x") && there("out/link") && there("out/z.npy"));
    assert_false(there("out/.recon-journal"));
    shell("rm -rf out away");
}

/* --- readers ---------------------------------------------------------------------------------- */

static void a_reader_learns_that_the_result_was_replaced(void **state)
{
    recon_folder_view view;
    CHECK_OK(*state, write_result(*state, scratch("out"), "one", NULL));
    CHECK_OK(*state, recon_folder_look(*state, &view, scratch("out")));
    shell("touch out/notes");
    CHECK_OK(*state, recon_folder_check(*state, &view, scratch("out")));
    CHECK_OK(*state, write_result(*state, scratch("out"), "two", NULL));
    CHECK_FAILS(*state, recon_folder_check(*state, &view, scratch("out")), RECON_ERR_IO,
                "out: was replaced while it was read");
    shell("rm -rf out");
}

/* Files that go into the folder come with the others; files of the earlier result are not kept, nor
 * those that a new one has by the same name. */
static void files_of_the_folder_are_known(void **state)
{
    recon_stage s;
    char room[RECON_PATH];
    CHECK_OK(*state, write_result(*state, scratch("out"), "one", "z.npy"));
    scratch_write("out/notes", "", 0);
    CHECK_OK(*state, recon_stage_open(*state, &s, scratch("out"), RECON_RESULT));
    assert_string_equal(recon_stage_file(*state, &s, room, scratch("x")), scratch("x"));
    assert_non_null(strstr(recon_stage_file(*state, &s, room, scratch("out/../out/x")), s.path));
    CHECK_OK(*state, recon_stage_keeps(*state, &s, scratch("out/notes")));
    CHECK_OK(*state, recon_stage_keeps(*state, &s, scratch("z.npy")));
    CHECK_FAILS(*state, recon_stage_keeps(*state, &s, scratch("out/z.npy")), RECON_ERR_INPUT,
                "out/z.npy: belongs to the result that would be replaced");
    scratch_write("out/score.npy", "mine", 4);
    CHECK_OK(*state, recon_stage_keeps(*state, &s, scratch("out/score.npy")));
    put(*state, &s, "score.npy", "new");
    CHECK_FAILS(*state, recon_stage_keeps(*state, &s, scratch("out/score.npy")), RECON_ERR_INPUT,
                "out/score.npy: would be replaced by the result's file of that name");
    recon_stage_close(*state, &s);
    shell("rm -rf out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(a_result_replaces_an_earlier_one),
        SCRATCH_TEST(a_page_where_no_result_was_stays),
        SCRATCH_TEST(without_a_list_everything_stays),
        SCRATCH_TEST(what_is_not_a_result_is_the_users),
        SCRATCH_TEST(an_interruption_waits_for_the_end_of_a_commit),
        SCRATCH_TEST(a_foreign_journal_is_not_carried_out),
        SCRATCH_TEST(pictures_replace_pictures),
        SCRATCH_TEST(a_folder_in_the_way_is_an_error),
        SCRATCH_TEST(a_stage_that_is_not_committed_leaves_nothing),
        SCRATCH_TEST(a_link_to_a_folder_stays_a_link),
        SCRATCH_TEST(a_folder_that_is_gone_comes_back),
        SCRATCH_TEST(leftovers_of_the_dead_are_removed),
        SCRATCH_TEST(what_a_dead_writer_had_not_moved_is_moved),
        SCRATCH_TEST(a_living_writer_is_left_alone),
        SCRATCH_TEST(some_folders_stay_what_they_are),
        SCRATCH_TEST(a_mount_point_is_written_in_place),
        SCRATCH_TEST(a_journal_is_rolled_forward),
        SCRATCH_TEST(a_journal_from_elsewhere_is_refused),
        SCRATCH_TEST(foul_journals_are_refused),
        SCRATCH_TEST(a_reader_learns_that_the_result_was_replaced),
        SCRATCH_TEST(files_of_the_folder_are_known),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
