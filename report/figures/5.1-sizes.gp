load "report/figures/common.gp"
set title "Edge detection by ants on larger images"
set xlabel "side of the square image (pixels)"
set ylabel "Mpixel/s"
set logscale y
load "report/figures/curves.gp"
