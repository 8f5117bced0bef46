load "report/figures/common.gp"
set title "JSC, Table 3: P systems for SAT"
set xlabel "membranes"
set xtics noenhanced
set ylabel "time of a run (ms)"
set logscale y
set format y "10^{%L}"
load "report/figures/curves.gp"
