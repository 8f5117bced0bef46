/* Reads a command line (command_line.h). */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "bench/plan/command_line.h"

ab_status ab_parse_whole(const char *option, const char *text, long long min, long long max, long long *value)
{
    char *end;
    errno = 0;
    *value = strtoll(text, &end, 10);
    const bool starts_well = isdigit((unsigned char)text[0]) || text[0] == '-';
    if (starts_well && !*end && errno == 0 && *value >= min && *value <= max) return ab_ok();
    return ab_bad_input("--%s: expected a whole number from %lld to %lld, got \"%s\"", option, min, max, text);
}

ab_status ab_parse_int(const char *option, const char *text, int min, int max, int *value)
{
    long long whole;
    AB_TRY(ab_parse_whole(option, text, min, max, &whole));
    *value = (int)whole;
    return ab_ok();
}

ab_status ab_parse_seconds(const char *option, const char *text, double *value)
{
    if (!ab_read_number(text, value) || text[0] == '+' || text[0] == '-')
        return ab_bad_input("--%s: expected a number of seconds (0: no limit), got \"%s\"", option, text);
    if (*value == 0) *value = INFINITY;
    return ab_ok();
}

ab_status ab_parse_percentage(const char *option, const char *text, double *share)
{
    char number[32];
    const size_t length = strcspn(text, "%"); /* length without the "%", which must be the last character */
    *share = 0.0;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    const bool is_read = ab_read_number(number, share) && length < sizeof number && strlen(text) <= length + 1;
    *share /= 100.0;
    if (is_read && *share > 0.0 && *share < 1.0) return ab_ok();
    return ab_bad_input("--%s: expected a percentage between 0 and 100, such as 1%%, got \"%s\"", option, text);
}

void ab_print_option(const ab_option *option, const char *help)
{
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    printf("  %-26s %s\n", left, help);
}

static ab_status unknown_option(const ab_option *options, int count, const char *argument)
{
    const char *candidates[AB_MOST_OPTIONS + 1] = {NULL};
    char name[128], hint[96];
    for (int i = 0; i < count; i++) candidates[i] = options[i].name;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, "="), argument);
    const char *nearest = strncmp(name, "--", 2) == 0 ? ab_nearest_name(name + 2, candidates) : NULL;
    snprintf(hint, sizeof hint, nearest ? "; did you mean --%s?" : " (--help lists all options)", nearest);
    return ab_bad_input("unknown option %s%s", name, hint);
}

/* True if an argument, "--runs" or "--runs=10", has an option's full name. getopt also accepts the start of a name. */
static bool is_whole(const char *argument, const ab_option *option)
{
    const size_t length = strlen(option->name);
    return strncmp(argument + 2, option->name, length) == 0 &&
           (argument[2 + length] == '\0' || argument[2 + length] == '=');
}

ab_status ab_read_options(const ab_option *options, int count, int argc, char **argv, ab_take_option *take,
                          void *context)
{
    struct option known[AB_MOST_OPTIONS + 1] = {{NULL, 0, NULL, 0}};
    for (int i = 0; i < count; i++)
        known[i] = (struct option){options[i].name, options[i].argument ? required_argument : no_argument, NULL, i + 1};
    optind = 0; /* a full restart of getopt, because tests parse many command lines */
    opterr = 0;
    for (bool done = false; !done;) {
        const int at = optind > 0 ? optind : 1;
        const int found = getopt_long(argc, argv, "+:", known, NULL);
        if (found == -1 && optind >= argc) return ab_ok();
        if (found == -1) {
            AB_TRY(take(context, AB_OPERAND, argv[optind++], &done));
            continue;
        }
        const int option = (found == ':' || found == '?' ? optopt : found) - 1;
        const bool is_known = option >= 0 && option < count;
        if (!is_known || !is_whole(argv[at], &options[option])) return unknown_option(options, count, argv[at]);
        if (found == ':') return ab_bad_input("--%s: expected %s", options[option].name, options[option].argument);
        if (found == '?') return ab_bad_input("--%s takes no value", options[option].name);
        AB_TRY(take(context, option, optarg, &done));
    }
    return ab_ok();
}
