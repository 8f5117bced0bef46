load "report/figures/common.gp"
set title "KTH, Figure 8: speed-up of 5 × 5 convolution over one core"
set xlabel "side of the square image (pixels)"
set ylabel "time on one core / time"
set logscale y
load "report/figures/curves.gp"
