load "report/figures/common.gp"
set title "Figure 6.5: Lena, constancy of the map"
set xlabel "noise (% of pixels; Gaussian: s.d., % of range)"
set ylabel "F against the map without noise"
set yrange [0:1]
load "report/figures/curves.gp"
