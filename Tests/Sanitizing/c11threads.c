// C11 threads, mutexes and condition variables on POSIX threads; loaded with LD_PRELOAD.
//
// librdkafka uses C11 threads, which glibc implements without calling its pthread functions. Thread Sanitizer
// intercepts only pthread functions, so it crashes in C11 threads and reports races on data that C11 mutexes protect.
// In glibc, the C11 types have the same size as the POSIX types, so pointers can be cast.
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "mtx_t and pthread_mutex_t differ in size");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "cnd_t and pthread_cond_t differ in size");
_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "thrd_t and pthread_t differ in size");

static int result(int error) {
    switch (error) {
    case 0: return thrd_success;
    case ETIMEDOUT: return thrd_timedout;
    case EBUSY: return thrd_busy;
    case ENOMEM: return thrd_nomem;
    default: return thrd_error;
    }
}

struct thread_start {
    thrd_start_t function;
    void *argument;
};

static void *run_thread(void *opaque) {
    struct thread_start start = *(struct thread_start *)opaque;
    free(opaque);
    return (void *)(intptr_t)start.function(start.argument);
}

int thrd_create(thrd_t *thread, thrd_start_t function, void *argument) {
    struct thread_start *start = malloc(sizeof *start);
    if (start == NULL) return thrd_nomem;
    *start = (struct thread_start){function, argument};
    int error = pthread_create((pthread_t *)thread, NULL, run_thread, start);
    if (error != 0) free(start);
    return result(error);
}

int thrd_join(thrd_t thread, int *code) {
    void *value = NULL;
    int error = pthread_join((pthread_t)thread, &value);
    if (error == 0 && code != NULL) *code = (int)(intptr_t)value;
    return result(error);
}

int thrd_detach(thrd_t thread) { return result(pthread_detach((pthread_t)thread)); }

int mtx_init(mtx_t *mutex, int type) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    if (type & mtx_recursive) pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    int error = pthread_mutex_init((pthread_mutex_t *)mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return result(error);
}

void mtx_destroy(mtx_t *mutex) { pthread_mutex_destroy((pthread_mutex_t *)mutex); }
int mtx_lock(mtx_t *mutex) { return result(pthread_mutex_lock((pthread_mutex_t *)mutex)); }
int mtx_trylock(mtx_t *mutex) { return result(pthread_mutex_trylock((pthread_mutex_t *)mutex)); }
int mtx_unlock(mtx_t *mutex) { return result(pthread_mutex_unlock((pthread_mutex_t *)mutex)); }

int cnd_init(cnd_t *condition) { return result(pthread_cond_init((pthread_cond_t *)condition, NULL)); }
void cnd_destroy(cnd_t *condition) { pthread_cond_destroy((pthread_cond_t *)condition); }
int cnd_signal(cnd_t *condition) { return result(pthread_cond_signal((pthread_cond_t *)condition)); }
int cnd_broadcast(cnd_t *condition) { return result(pthread_cond_broadcast((pthread_cond_t *)condition)); }

int cnd_wait(cnd_t *condition, mtx_t *mutex) {
    return result(pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex));
}

int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until) {
    return result(pthread_cond_timedwait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex, until));
}
