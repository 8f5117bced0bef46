"""The distance rules of TSPLIB 95, once more: they share nothing with the program's (instances/distances.c)."""

import math


def minutes(x):
    """TSPLIB's DDD.MM in radians."""
    return 3.141592 * (int(x) + 5.0 * (x - int(x)) / 3.0) / 180.0


def geo(a, b):
    (lat_a, lon_a), (lat_b, lon_b) = map(minutes, a), map(minutes, b)
    q1, q2, q3 = math.cos(lon_a - lon_b), math.cos(lat_a - lat_b), math.cos(lat_a + lat_b)
    return int(6378.388 * math.acos(0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)) + 1.0)


def att(a, b):
    exact = math.sqrt(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) / 10.0)
    return int(exact + 0.5) + (int(exact + 0.5) < exact)


RULES = {
    "EUC_2D": lambda a, b: int(math.hypot(a[0] - b[0], a[1] - b[1]) + 0.5),
    "CEIL_2D": lambda a, b: math.ceil(math.hypot(a[0] - b[0], a[1] - b[1])),
    "MAN_2D": lambda a, b: int(abs(a[0] - b[0]) + abs(a[1] - b[1]) + 0.5),
    "MAX_2D": lambda a, b: max(int(abs(a[0] - b[0]) + 0.5), int(abs(a[1] - b[1]) + 0.5)),
    "ATT": att,
    "GEO": geo,
}
