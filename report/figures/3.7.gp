load "report/figures/common.gp"
set title "Figure 3.7: speed-up of DS-Roulette over the CPU"
set ylabel "time on CPU / time on GPU"
set logscale y
set ytics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
load "report/figures/curves.gp"
