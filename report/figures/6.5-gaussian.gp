load "report/figures/common.gp"
set title "Figure 6.5: Gaussian noise"
set xlabel "noise (standard deviation, % of the range)"
set ylabel "F measure of the edges"
set yrange [0:1]
load "report/figures/curves.gp"
