load "report/figures/common.gp"
set title "Figure 3.9: DS-Roulette and the size of the L1 cache"
set xlabel "on-chip memory preferred as shared (%)"
set ylabel "time / time with all of it shared"
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead dt 3 lc rgb "#444444" back
load "report/figures/curves.gp"
