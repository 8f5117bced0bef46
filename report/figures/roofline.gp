load "report/figures/common.gp"
set title "Roofline"
if (exists("phone") || exists("paper")) { unset title }
set xlabel "operations per byte that must be moved"
set ylabel "GFLOPS"
set logscale xy
set offsets 0, 0, 0, 0
set format y "10^{%L}"
set format x "%g"
plot data index 0 using 1:2 with lines lw 2 lc rgb "#444444" title columnheader(1), \
    for [i = 1:blocks - 1] data index i using 1:2 with points linestyle (10 + (i - 1) % 8 + 1) title columnheader(1)
