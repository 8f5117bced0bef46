load "report/figures/common.gp"
set title "KTH, Figure 9: time of 3 × 3 convolution"
set xlabel "side of the square image (pixels)"
set ylabel "time of an image (ms)"
set logscale y
set format y "10^{%L}"
load "report/figures/curves.gp"
