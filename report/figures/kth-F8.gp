load "report/figures/common.gp"
set title "KTH, Figure 8: speed-up of 5 × 5 filters over one core"
set xlabel "side of the square image (pixels)"
set ylabel "time on one core / time"
# The frame holds the values. The bars of some CPU rows, whose hosts differ by far, leave it.
stats data using 3 nooutput
set yrange [STATS_min / 3:STATS_max * 3]
set logscale y
set format y "10^{%L}"
load "report/figures/curves.gp"
