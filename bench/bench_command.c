/* bench_command.c - runs a command and prints its seconds and its peak memory.
 *
 *   bench_command recon normalize ...      prints "SECONDS MEGABYTES" */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct timespec begin, end;
    struct rusage used;
    int status;
    if (argc < 2)
        return fprintf(stderr, "usage: bench_command COMMAND ...\n"), 2;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0)
        return fprintf(stderr, "bench_command: %s failed\n", argv[1]), 1;
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.2f %.0f\n",
           (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec),
           (double)used.ru_maxrss / 1024);
    return 0;
}
