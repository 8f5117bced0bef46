load "report/figures/common.gp"
set title "Figure 3.8: speed-up of DS-Roulette over I-Roulette (Cecilia et al.)"
set ylabel "I-Roulette / DS-Roulette"
set yrange [0:*]
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead dt 3 lc rgb "#444444" back
load "report/figures/curves.gp"
