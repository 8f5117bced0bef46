load "report/figures/common.gp"
set title "Figure 6.5: salt-and-pepper noise"
set xlabel "noise (% of the pixels)"
set ylabel "F measure of the edges"
set yrange [0:1]
load "report/figures/curves.gp"
