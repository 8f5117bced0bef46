load "report/figures/common.gp"
set title "Figure 3.7: speed-up of DS-Roulette over the CPU"
set ylabel "time on CPU / time on GPU"
set logscale y
load "report/figures/curves.gp"
