/* Planted: memory that is never freed. cppcheck must see it. */
#include <stdlib.h>

int cf_planted_leak(int size);

int cf_planted_leak(int size)
{
    char *text = malloc((size_t)size);
    if (!text)
        return -1;
    text[0] = 'x';
    return text[0];
}
