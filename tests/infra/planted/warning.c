/* Planted: loses bits without saying so. Warnings as errors must refuse it. */
unsigned char cf_planted_low_byte(unsigned value);

unsigned char cf_planted_low_byte(unsigned value)
{
    return value;
}
