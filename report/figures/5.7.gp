load "report/figures/common.gp"
set title "Figure 5.7: an ant per warp, with and without its memory in shared memory"
set xlabel "threads per block"
set ylabel "time of a run of 50 iterations (ms)"
set logscale y
load "report/figures/curves.gp"
