/* Steps of one's own: two threads that work at once, or in turns with `threads serial`. Prints how they read. */
#include <confound/judge.h>
#include <confound/step.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t go[2], done[2];
static pthread_mutex_t turn[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int64_t thread_id[2], serial;

static void *work(void *user)
{
    intptr_t lane = (intptr_t)user;
    volatile uint64_t x = 0;
    thread_id[lane] = confound_thread_id();
    for (sem_post(&done[lane]); sem_wait(&go[lane]) == 0; sem_post(&done[lane])) {
        pthread_mutex_lock(&turn[serial ? 0 : lane]);
        for (int i = 0; i < 1500000; i++)
            x = x * 6364136223846793005u + 1442695040888963407u;
        pthread_mutex_unlock(&turn[serial ? 0 : lane]);
    }
    return NULL;
}

static int submit(void *user, int variant, int lanes, confound_error *err)
{
    (void)user, (void)variant, (void)err;
    return (lanes & CONFOUND_LANE_A && sem_post(&go[0])) || (lanes & CONFOUND_LANE_B && sem_post(&go[1]));
}

static int wait_for(void *user, int variant, int lanes, confound_error *err)
{
    (void)user, (void)variant, (void)err;
    return (lanes & CONFOUND_LANE_A && sem_wait(&done[0])) || (lanes & CONFOUND_LANE_B && sem_wait(&done[1]));
}

int main(int argc, char *argv[])
{
    confound_steps *steps;
    confound_record *record;
    confound_judgement *judgement;
    confound_error err;
    pthread_t thread;
    serial = argc > 1 && argv[1][0] == 's';
    if (confound_steps_new(&steps, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    for (intptr_t lane = 0; lane < 2; lane++) {
        sem_init(&go[lane], 0, 0), sem_init(&done[lane], 0, 0);
        if (pthread_create(&thread, NULL, work, (void *)lane) || sem_wait(&done[lane]) ||
            confound_steps_add_thread(steps, thread_id[lane], &err))
            return fprintf(stderr, "a thread could not be had\n"), 1;
    }
    confound_steps_set_submit(steps, submit, NULL), confound_steps_set_wait(steps, wait_for, NULL);
    if (confound_run_steps(steps, NULL, &record, &err) || confound_judge(record, 0, &judgement, &err))
        return fprintf(stderr, "%s\n", err.text), 1;
    puts(confound_reading_name(confound_judgement_reading(judgement, 0)));
    return confound_judgement_free(judgement), confound_record_free(record), confound_steps_free(steps), 0;
}
