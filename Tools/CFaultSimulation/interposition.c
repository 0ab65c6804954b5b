/* Replacements of functions of the C library: the dynamic loader prefers the executable's functions. */
#define _GNU_SOURCE
#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static sl_hooks hooks;
static int64_t virtual_now = -1;
/* Number of readings since virtual time changed, above which a loop counts as waiting for a time. */
static const int patience = 100000;
static int readings;

void sl_set_hooks(sl_hooks new_hooks) { hooks = new_hooks; }

void sl_clock_set(int64_t nanoseconds) {
    virtual_now = nanoseconds;
    readings = 0;
}

int64_t sl_clock_read(void) { return virtual_now; }

/* A system call without the C library, whose function syscall() is replaced below. */
static long system_call(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    long result = x0;
#else
#error "The fault simulation supports x86-64 and aarch64."
#endif
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

int64_t sl_real_nanoseconds(void) {
    struct timespec now;
    system_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0, 0, 0, 0);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    /* jemalloc reads this clock, depending on its own state, which must not influence a run. */
    if (virtual_now < 0 || clock == CLOCK_MONOTONIC_COARSE) {
        return (int)system_call(SYS_clock_gettime, clock, (long)now, 0, 0, 0, 0);
    }
    if (++readings > patience) virtual_now += 1000000;
    bool is_wall_clock = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    int64_t time = virtual_now + sl_fiber_time_offset(is_wall_clock);
    /* Monotonic clocks begin with an arbitrary value that is not zero. */
    time += is_wall_clock ? sl_start_milliseconds * 1000000 : 1000000000000;
    now->tv_sec = time / 1000000000;
    now->tv_nsec = time % 1000000000;
    return 0;
}

/* Swift's random generator calls getrandom() through this function. */
long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long values[6];
    for (int i = 0; i < 6; i++) values[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_getrandom && sl_fiber_current() != NULL && hooks.random != NULL) {
        hooks.random((void *)values[0], (size_t)values[1]);
        return values[1];
    }
    return system_call(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

int usleep(useconds_t microseconds) {
    if (sl_fiber_current() != NULL) {
        hooks.sleep((int64_t)microseconds * 1000);
        return 0;
    }
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    return (int)system_call(SYS_nanosleep, (long)&time, 0, 0, 0, 0, 0);
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    if (sl_fiber_current() != NULL) {
        hooks.sleep((int64_t)time->tv_sec * 1000000000 + time->tv_nsec);
        return 0;
    }
    return (int)system_call(SYS_nanosleep, (long)time, (long)left, 0, 0, 0, 0);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument) {
    if (sl_fiber_current() == NULL) {
        int (*original)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
            (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
        return original(thread, attributes, entry, argument);
    }
    hooks.start_thread(entry, argument);
    *thread = pthread_self();
    return 0;
}

int poll(struct pollfd *sockets, nfds_t count, int milliseconds) {
    if (count == 1 && sockets->fd >= sl_first_socket) {
        sockets->revents = hooks.poll(sockets->fd, sockets->events, milliseconds);
        return sockets->revents != 0;
    }
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    return (int)system_call(
        SYS_ppoll, (long)sockets, (long)count, milliseconds < 0 ? 0 : (long)&time, 0, sizeof(sigset_t), 0);
}

ssize_t send(int socket, const void *bytes, size_t count, int flags) {
    if (socket >= sl_first_socket) return hooks.send(socket, bytes, count);
    return system_call(SYS_sendto, socket, (long)bytes, (long)count, flags, 0, 0);
}
