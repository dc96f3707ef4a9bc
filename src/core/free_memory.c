/* free_memory.c - what the system, control groups and limits leave. */
#include "core/free_memory.h"
#include "core/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { PATH_ROOM = 4096, LINE_ROOM = 1024 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The number behind a name in a file of "name number" lines; of name "" the file's first word.
 * otherwise: there is no such file, line or number ("max"). */
static size_t read_number(const char *path, const char *name, size_t otherwise)
{
    char line[LINE_ROOM];
    size_t n = strlen(name);
    FILE *f = fopen(path, "re");
    if (!f)
        return otherwise;
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, name, n) != 0)
            continue;
        const char *at = line + n + strspn(line + n, " ");
        if (*at < '0' || *at > '9')
            continue;
        otherwise = strtoull(at, NULL, 10);
        break;
    }
    fclose(f);
    return otherwise;
}

static size_t read_in(const char *folder, const char *file, const char *name, size_t otherwise)
{
    char path[PATH_ROOM + 64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return read_number(path, name, otherwise);
}

/* Of one group; files are called otherwise in version 1. */
static size_t free_in_group(const char *folder, int first)
{
    size_t most = read_in(folder, first ? "memory.limit_in_bytes" : "memory.max", "", SIZE_MAX);
    size_t used = read_in(folder, first ? "memory.usage_in_bytes" : "memory.current", "", 0);
    size_t files =
        read_in(folder, "memory.stat", first ? "total_inactive_file" : "inactive_file", 0);
    used -= smaller(used, files);
    return most == SIZE_MAX ? SIZE_MAX : most - smaller(most, used);
}

/* A group is bound by those above it. Within a container its own may be seen as the root alone. */
static size_t free_in_chain(const char *root, const char *group, int first)
{
    char folder[PATH_ROOM];
    size_t least = SIZE_MAX, top = strlen(root);
    int n = snprintf(folder, sizeof folder, "%s%s%s", root, first ? "/memory" : "", group);
    if (n < 0 || (size_t)n >= sizeof folder)
        return SIZE_MAX;
    top += first ? strlen("/memory") : 0;
    for (;;) {
        least = smaller(least, free_in_group(folder, first));
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= top || !slash)
            return least;
        *slash = '\0';
    }
}

size_t recon_free_in_groups(const char *root, const char *list)
{
    char line[LINE_ROOM];
    size_t least = SIZE_MAX;
    FILE *f = fopen(list, "re");
    while (f && fgets(line, sizeof line, f)) { /* "number:controllers:/path" */
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'),
             *group = strchr(controllers ? controllers + 1 : line, ':');
        if (!controllers || !group)
            continue;
        *group++ = '\0';
        int second = controllers[1] == '\0', first = !strcmp(controllers + 1, "memory");
        if (first || second)
            least = smaller(least, free_in_chain(root, group, first));
    }
    if (f)
        fclose(f);
    return least;
}

/* Beside what a library must find free, stacks of threads and what is freed but still mapped. */
#define LIMIT_ROOM (2 * RECON_LIBRARY_ROOM)

static size_t free_of_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return SIZE_MAX;
    size_t most = limit.rlim_cur, used = recon_mapped_bytes() + LIMIT_ROOM;
    return most - smaller(most, used);
}

size_t recon_free_memory(void)
{
    size_t available = read_number("/proc/meminfo", "MemAvailable:", SIZE_MAX);
    available = available > SIZE_MAX >> 10 ? SIZE_MAX : available << 10; /* it is in KiB */
    available = smaller(available, recon_free_in_groups("/sys/fs/cgroup", "/proc/self/cgroup"));
    return smaller(available, free_of_limit());
}
