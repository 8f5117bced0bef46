if (exists("phone") || exists("paper")) { unset title }
# The curves of a figure, each with the bars of its 95 % intervals.
plot for [i = 0:series - 1] data index i using 1:3:4:5:xtic(2) with yerrorlines \
    linestyle word(styles, i + 1) + 0 title columnheader(1)
