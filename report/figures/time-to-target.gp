# Blocks in pairs: the times of an instance, and the distribution that has their quartiles; from `low` to `high`.
load "report/figures/common.gp"
set title "Time to a tour of a given length"
set xlabel what
set ylabel "probability"
set logscale x
set format x "%g"
set xrange [low:high]
set offsets 0, 0, 0, 0
set yrange [0:1]
if (exists("phone") || exists("paper")) { unset title }
plot for [i = 0:blocks - 1:2] data index i using 1:2 with points linestyle 10 + i / 2 % 8 + 1 title columnheader(1), \
    for [i = 1:blocks - 1:2] data index i using 1:2 with lines linestyle 10 + i / 2 % 8 + 1 notitle
