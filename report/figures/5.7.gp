load "report/figures/common.gp"
load "report/figures/coincide.gp"
set title "Figure 5.7: an ant per warp, its memory cached or not"
set xlabel "threads per block"
set ylabel "time of 50 iterations (ms)"
set logscale y
set ytics (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
set yrange [*:20]
load "report/figures/curves.gp"
