load "report/figures/common.gp"
set title "Figure 5.6: ants and the share of edge pixels"
set xlabel "ants"
set ylabel "edge pixels / all pixels"
set yrange [0:*]
load "report/figures/curves.gp"
