load "report/figures/common.gp"
set title "JPDC, Figure 8: the pheromone update on GPU and CPU"
set ylabel "time of an update (ms)"
set logscale y
set xtics rotate by 25 right
load "report/figures/curves.gp"
