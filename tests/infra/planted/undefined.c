/* Planted: overflows a signed integer. UndefinedBehaviorSanitizer must stop it. */
#include <limits.h>
#include <stdio.h>

int main(void)
{
    volatile int largest = INT_MAX;

    return printf("%d\n", largest + 1) < 0;
}
