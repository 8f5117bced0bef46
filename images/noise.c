/* Noise for images (thesis §6.6.1), the same on every machine for one seed. */
#include "images/image.h"
#include "base/random.h"

/* Each half of the level goes to black and to white. */
static void add_salt_and_pepper(ab_image *image, double level, uint64_t *random)
{
    const size_t n = (size_t)image->width * (size_t)image->height, channels = (size_t)image->channels;
    for (size_t i = 0; i < n; i++) {
        const double u = random_unit(random);
        if (u >= level) continue;
        for (size_t c = 0; c < channels; c++) image->pixels[i * channels + c] = u < level / 2 ? 0 : 255;
    }
}

/* Returns a normal number with mean 0 and standard deviation 1, as the sum of 12 uniform 16-bit numbers (Irwin-Hall).
 * Box-Muller needs logarithms, whose last bits differ between C libraries. The result is never beyond 6. */
static double random_normal(uint64_t *random)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        for (uint64_t bits = splitmix64(random), k = 0; k < 4; k++) sum += (int)(bits >> 16 * k & 0xffff);
    return (sum - 6 * 65535) / 65536.0;
}

static void add_gaussian(ab_image *image, double deviation, uint64_t *random)
{
    const size_t n = (size_t)image->width * (size_t)image->height * (size_t)image->channels;
    for (size_t i = 0; i < n; i++) {
        const double noisy = image->pixels[i] + deviation * random_normal(random);
        image->pixels[i] = (uint8_t)(noisy < 0.0 ? 0.0 : noisy > 254.5 ? 255.0 : noisy + 0.5);
    }
}

void image_add_noise(ab_image *image, image_noise noise, double level, uint64_t seed)
{
    if (noise == IMAGE_SALT_AND_PEPPER)
        add_salt_and_pepper(image, level, &seed);
    else
        add_gaussian(image, level * 255.0, &seed);
}
