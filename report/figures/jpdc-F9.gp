load "report/figures/common.gp"
set title "JPDC, Figure 9: tours of 1000 iterations"
set ylabel "tour length / optimum"
set yrange [1:*]
set xtics rotate by 25 right
load "report/figures/bars.gp"
