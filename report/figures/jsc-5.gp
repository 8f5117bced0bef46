load "report/figures/common.gp"
set title "JSC, Table 5: the tiled simulator, 2^{21} membranes"
set xlabel "membranes per block"
set ylabel "time (ms)"
set logscale y
set format y "%g"
load "report/figures/curves.gp"
