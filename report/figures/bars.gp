if (exists("phone") || exists("paper")) { unset title }
# The bars of a figure side by side, each with its 95 % interval; the names stand below the middle of a group.
width = 0.8 / series
place(x, i) = x + (i - (series - 1) / 2.0) * width
plot for [i = 0:series - 1] data index i using (place($1, i)):3:4:5:(width) with boxerrorbars \
         linestyle word(styles, i + 1) + 0 fillstyle solid 0.6 title columnheader(1), \
     for [i = 0:series - 1] data index i using 1:(0):xtic(2) with impulses notitle
