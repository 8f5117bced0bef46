load "report/figures/common.gp"
set title "Edge detectors on larger images"
set xlabel "side of the square image (pixels)"
set ylabel "Mpixel/s"
set logscale y
set format y "10^{%T}"
load "report/figures/curves.gp"
