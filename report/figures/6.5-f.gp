load "report/figures/common.gp"
set title "Figure 6.5: tolerance to salt-and-pepper noise, parameters as for the clean image"
set xlabel "noise (% of the pixels)"
set ylabel "F measure against the true edges"
set yrange [0:1]
load "report/figures/curves.gp"
