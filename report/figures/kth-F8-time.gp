load "report/figures/common.gp"
set title "KTH, Figure 8: time of 5 × 5 convolution"
set xlabel "side of the square image (pixels)"
set ylabel "time of an image (ms)"
set logscale y
set format y "10^{%L}"
load "report/figures/curves.gp"
