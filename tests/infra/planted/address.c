/* Planted: reads memory after it was freed. AddressSanitizer must stop it. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int *volatile numbers = calloc(4, sizeof *numbers);
    int *volatile alias = numbers;

    free(numbers);
    return printf("%d\n", alias[2]) < 0;
}
