load "report/figures/common.gp"
set title "KTH, Figures 5 to 7: bounds of its rungs, and what they reach"
if (exists("phone") || exists("paper")) { unset title }
set xlabel "width of the filter"
set ylabel "GFLOPS"
set logscale y
set offsets 0, 0, 0, 0
set xrange [2:18]
set xtics (3, 5, 7, 9, 11, 13, 15, 17)
# The blocks of a rung are neighbours: its bound, then what was measured.
plot for [i = 0:blocks - 1:2] data index i using 1:2 with lines linestyle (11 + i / 2) lw 2 dt 3 notitle, \
    for [i = 1:blocks - 1:2] data index i using 1:2 with points linestyle (11 + i / 2) title columnheader(1), \
    NaN with lines lw 2 dt 3 lc rgb "#444444" title "dotted: the bound of the rung of that colour"
