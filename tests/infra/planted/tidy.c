/* Planted: the length of the text's tail where one byte more than the text is meant. clang-tidy must see it. */
#include <stdlib.h>
#include <string.h>

char *cf_planted_room_for(const char *text);

char *cf_planted_room_for(const char *text)
{
    return malloc(strlen(text + 1));
}
