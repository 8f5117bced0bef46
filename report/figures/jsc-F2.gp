load "report/figures/common.gp"
load "report/figures/coincide.gp"
set title "JSC, Figure 2: strategies of the pheromone update"
set ylabel "time of an update (ms)"
set logscale y
set xtics rotate by 25 right
set format y "10^{%L}"
load "report/figures/curves.gp"
