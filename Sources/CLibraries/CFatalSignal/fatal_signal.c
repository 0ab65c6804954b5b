#define _GNU_SOURCE
#include "fatal_signal.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* All static functions run in a signal handler: they only call async-signal-safe functions and do not allocate. */

static const struct {
    int number;
    const char *name;
} fatal_signals[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},
    {SIGFPE, "SIGFPE"},   {SIGTRAP, "SIGTRAP"}, {SIGABRT, "SIGABRT"},
};
enum { signal_count = sizeof fatal_signals / sizeof fatal_signals[0] };

static struct sigaction previous[signal_count];
static char logger_name[64];
static int writes_json;

struct line {
    char bytes[512];
    size_t length;
};

static void append(struct line *line, const char *text) {
    while (*text != 0 && line->length < sizeof line->bytes) line->bytes[line->length++] = *text++;
}

/* Appends `value` in decimal, padded with zeros to `width`. */
static void append_number(struct line *line, long long value, int width) {
    char digits[24];
    int count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0 && count < 20);
    while (count < width && count < 20) digits[count++] = '0';
    while (count > 0 && line->length < sizeof line->bytes) line->bytes[line->length++] = digits[--count];
}

/* Appends the UTC time; gmtime_r() is not async-signal-safe. Years begin in March, so a leap day is a year's last. */
static void append_time(struct line *line) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    long long days = now.tv_sec / 86400 + 719468, seconds = now.tv_sec % 86400;
    long long era = days / 146097, day_of_era = days % 146097;
    long long year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    long long day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    long long month = (5 * day_of_year + 2) / 153;
    long long day = day_of_year - (153 * month + 2) / 5 + 1;
    month = month < 10 ? month + 3 : month - 9;
    append_number(line, era * 400 + year_of_era + (month <= 2), 4);
    append(line, "-");
    append_number(line, month, 2);
    append(line, "-");
    append_number(line, day, 2);
    append(line, "T");
    append_number(line, seconds / 3600, 2);
    append(line, ":");
    append_number(line, seconds / 60 % 60, 2);
    append(line, ":");
    append_number(line, seconds % 60, 2);
    append(line, ".");
    append_number(line, now.tv_nsec / 1000000, 3);
    append(line, "Z");
}

static void append_message(struct line *line, const char *signal_name) {
    char thread[17] = "";
    prctl(PR_GET_NAME, thread);
    thread[16] = 0;
    /* The name may contain characters that would have to be escaped in JSON. */
    for (char *byte = thread; *byte != 0; ++byte) {
        if (*byte < ' ' || *byte > '~' || *byte == '"' || *byte == '\\') *byte = '?';
    }
    append(line, signal_name);
    append(line, " in the thread ");
    append(line, thread);
    append(line, " ends the process. Uncommitted work is repeated after a restart.");
}

static void write_line(const char *signal_name) {
    struct line line = {.length = 0};
    if (writes_json) append(&line, "{\"time\":\"");
    append_time(&line);
    append(&line, writes_json ? "\",\"level\":\"critical\",\"logger\":\"" : " critical ");
    append(&line, logger_name);
    append(&line, writes_json ? "\",\"message\":\"" : ": ");
    append_message(&line, signal_name);
    append(&line, writes_json ? "\"}\n" : "\n");
    size_t written = 0;
    while (written < line.length) {
        ssize_t count = write(STDERR_FILENO, line.bytes + written, line.length - written);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        written += (size_t)count;
    }
}

static void handle(int number, siginfo_t *info, void *context) {
    (void)context;
    int error = errno;
    for (int index = 0; index < signal_count; ++index) {
        if (fatal_signals[index].number != number) continue;
        write_line(fatal_signals[index].name);
        sigaction(number, &previous[index], NULL);
        /* When this handler returns, the faulting instruction runs again and raises the signal for the previous
         * handler. A signal that a process sent has no such instruction, so it is raised here. */
        if (info->si_code <= 0) raise(number);
    }
    errno = error;
}

void sl_log_fatal_signals(const char *logger, int is_json) {
    static int is_installed;
    /* Alternative stack for handlers in the calling thread, so that an overflow of its stack can be logged. */
    static char stack[65536];
    if (is_installed) return;
    is_installed = 1;
    strncpy(logger_name, logger, sizeof logger_name - 1);
    writes_json = is_json;
    stack_t alternative;
    if (sigaltstack(NULL, &alternative) == 0 && (alternative.ss_flags & SS_DISABLE) != 0) {
        alternative = (stack_t){.ss_sp = stack, .ss_size = sizeof stack, .ss_flags = 0};
        sigaltstack(&alternative, NULL);
    }
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    action.sa_sigaction = handle;
    sigemptyset(&action.sa_mask);
    for (int index = 0; index < signal_count; ++index) {
        sigaction(fatal_signals[index].number, &action, &previous[index]);
    }
}
