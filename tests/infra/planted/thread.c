/* Planted: two threads write one integer with nothing between them. ThreadSanitizer must stop it. */
#include <pthread.h>
#include <stdio.h>

static int shared_count;

static void *count_up(void *unused)
{
    for (int i = 0; i < 100000; i++)
        shared_count++;
    return unused;
}

int main(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, count_up, NULL))
        return 0;
    count_up(NULL);
    pthread_join(thread, NULL);
    return printf("%d\n", shared_count) < 0;
}
