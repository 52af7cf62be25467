/* Pyroclast's shader tests, captures and replays from C, for POSIX systems. Each function runs the program
 * `pyroclast`, whose path is its first argument ("pyroclast" is looked for in PATH); nothing is linked.
 *
 *   pyroclast_shader_tests   runs the tests beside shaders, and tells each case
 *   pyroclast_capture        runs a program and records what it does with Vulkan
 *   pyroclast_capture_here   records what this process does from its first Vulkan call on
 *   pyroclast_replay         makes the calls of a capture again, and compares the results
 *
 * Include it behind `#define _POSIX_C_SOURCE 200809L` where the compiler is strict about the standard.
 */
#ifndef PYROCLAST_TOOLS_H
#define PYROCLAST_TOOLS_H

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What became of a case. */
enum pyroclast_outcome { PYROCLAST_PASSED, PYROCLAST_FAILED, PYROCLAST_SKIPPED };

/* A case of a file of tests. */
struct pyroclast_case {
    /* FILE::CASE */
    const char *name;
    enum pyroclast_outcome outcome;
    /* Why it failed or was left out: lines, the last one without its end. Empty where it passed. */
    const char *message;
};

/* Is told each case, in order; what it is given is valid during the call. */
typedef void (*pyroclast_tell)(const struct pyroclast_case *one, void *data);

/* Starts a program whose arguments end in NULL; its standard output goes to `*output`, if that is wanted. -1 where it
 * cannot be started. */
static inline pid_t pyroclast_start(char *const *arguments, FILE **output)
{
    int ends[2];
    pid_t child;
    if (output && pipe(ends) != 0)
        return -1;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        if (output) {
            dup2(ends[1], STDOUT_FILENO);
            close(ends[0]);
            close(ends[1]);
        }
        execvp(arguments[0], arguments);
        _exit(127);
    }
    if (output) {
        close(ends[1]);
        *output = child > 0 ? fdopen(ends[0], "r") : NULL;
        if (!*output)
            close(ends[0]);
    }
    return child;
}

/* Waits for a program: its exit code, 128 and the number of the signal that ended it, or -1. */
static inline int pyroclast_wait(pid_t child)
{
    int status;
    while (child > 0 && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    if (child <= 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The list `program`, `words`, `rest` (`count` of them), NULL; to be freed. */
static inline char **pyroclast_list(const char *program, const char *const *words, const char *const *rest,
                                    size_t count)
{
    size_t before = 0, at;
    char **list;
    while (words[before])
        before++;
    list = (char **)calloc(before + count + 2, sizeof *list);
    if (!list)
        return NULL;
    list[0] = (char *)program;
    for (at = 0; at < before; at++)
        list[at + 1] = (char *)words[at];
    for (at = 0; at < count; at++)
        list[at + 1 + before] = (char *)rest[at];
    return list;
}

/* Runs a program with its arguments to its end: its exit code as of pyroclast_wait. */
static inline int pyroclast_run(const char *program, const char *const *words, const char *const *rest, size_t count)
{
    char **list = pyroclast_list(program, words, rest, count);
    int code = list ? pyroclast_wait(pyroclast_start(list, NULL)) : -1;
    free(list);
    return code;
}

/* Tells a case that is complete, if there is one, and begins the next. */
static inline void pyroclast_finish_case(struct pyroclast_case *one, char **name, char **message, pyroclast_tell tell,
                                         void *data)
{
    if (*name) {
        one->name = *name;
        one->message = *message ? *message : "";
        if (tell)
            tell(one, data);
    }
    free(*name);
    free(*message);
    *name = *message = NULL;
}

/* Adds a line to a message. */
static inline void pyroclast_add_line(char **message, const char *line)
{
    size_t length = *message ? strlen(*message) + 1 : 0;
    char *longer = (char *)realloc(*message, length + strlen(line) + 1);
    if (!longer)
        return;
    if (length)
        longer[length - 1] = '\n';
    strcpy(longer + length, line);
    *message = longer;
}

/* Runs the tests in these files and folders, which docs/shader-tests describes, and tells each case: the number of
 * cases that failed, or -1 where the program cannot be run, or the tests not be read (standard error says why). */
static inline int pyroclast_shader_tests(const char *program, const char *const *paths, size_t count,
                                         pyroclast_tell tell, void *data)
{
    static const char *const words[] = { "test", NULL };
    static const char *const starts[] = { "ok      ", "FAILED  ", "skipped " };
    char **list = pyroclast_list(program, words, paths, count);
    char *line = NULL, *name = NULL, *message = NULL;
    size_t room = 0;
    int failed = 0, code;
    struct pyroclast_case one = { NULL, PYROCLAST_PASSED, NULL };
    FILE *output = NULL;
    pid_t child;
    if (!list)
        return -1;
    child = pyroclast_start(list, &output);
    free(list);
    while (output && getline(&line, &room, output) > 0) {
        int at, kind = -1;
        char *end;
        line[strcspn(line, "\n")] = '\0';
        for (at = 0; at < 3; at++)
            if (strncmp(line, starts[at], 8) == 0)
                kind = at;
        if (kind < 0) {
            if (name && strncmp(line, "        ", 8) == 0)
                pyroclast_add_line(&message, line + 8);
            continue;
        }
        pyroclast_finish_case(&one, &name, &message, tell, data);
        one.outcome = (enum pyroclast_outcome)kind;
        failed += kind == PYROCLAST_FAILED;
        /* Behind the name: the time in parentheses, or why it was left out. */
        end = kind == PYROCLAST_SKIPPED ? strstr(line + 8, ": ") : strrchr(line, '(');
        if (end && kind == PYROCLAST_SKIPPED)
            pyroclast_add_line(&message, end + 2);
        if (end)
            end[kind == PYROCLAST_SKIPPED ? 0 : -1] = '\0';
        pyroclast_add_line(&name, line + 8);
    }
    pyroclast_finish_case(&one, &name, &message, tell, data);
    free(line);
    if (output)
        fclose(output);
    code = pyroclast_wait(child);
    return code == 0 || code == 1 ? failed : -1;
}

/* Runs a program (`command` has `count` words) on this driver, and records its calls into a file: the program's exit
 * code, 125 where it cannot be run or makes no instance, or -1. */
static inline int pyroclast_capture(const char *program, const char *file, const char *const *command, size_t count)
{
    const char *words[] = { "capture", "-o", NULL, "--", NULL };
    words[2] = file;
    return pyroclast_run(program, words, command, count);
}

/* Records what this process does, from its first call of the driver on, until its last instance is destroyed or it
 * ends; a file that exists is replaced. To be called before that first call. 0, or -1. */
static inline int pyroclast_capture_here(const char *file)
{
    if (unlink(file) != 0 && errno != ENOENT)
        return -1;
    return setenv("PYROCLAST_CAPTURE", file, 1);
}

/* Replays a capture: 0 where all results are those of the capture, 1 where some differ (standard output says which),
 * another number where it cannot be replayed. */
static inline int pyroclast_replay(const char *program, const char *file)
{
    static const char *const words[] = { "replay", NULL };
    return pyroclast_run(program, words, &file, 1);
}

#ifdef __cplusplus
}
#endif

#endif
