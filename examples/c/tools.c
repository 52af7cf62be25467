/* Runs the shader tests of a folder, then a program under capture, and replays the capture.
 *   cc tools.c -I../../crates/pyroclast/include -o tools
 *   ./tools pyroclast FOLDER CAPTURE PROGRAM ARGUMENTS
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>

#include "pyroclast_tools.h"

static void show(const struct pyroclast_case *one, void *data)
{
    static const char *const outcomes[] = { "passed", "failed", "skipped" };
    int *count = (int *)data;
    *count += 1;
    printf("%s: %s [%s]\n", one->name, outcomes[one->outcome], one->message);
}

int main(int argc, const char **argv)
{
    int count = 0, failed, code;
    if (argc < 5) {
        fprintf(stderr, "tools PYROCLAST FOLDER CAPTURE PROGRAM ARGUMENTS\n");
        return 2;
    }
    failed = pyroclast_shader_tests(argv[1], &argv[2], 1, show, &count);
    printf("%d of %d failed\n", failed, count);
    code = pyroclast_capture(argv[1], argv[3], &argv[4], (size_t)(argc - 4));
    printf("captured: %d\n", code);
    printf("replayed: %d\n", pyroclast_replay(argv[1], argv[3]));
    return 0;
}
