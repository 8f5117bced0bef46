load "report/figures/common.gp"
set title "Times over the commits"
set xlabel "commit that was measured"
set ylabel "time / time at the first of them"
set yrange [0:*]
load "report/figures/curves.gp"
