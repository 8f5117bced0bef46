load "report/figures/common.gp"
set title "Figure 3.6: quality of tours after 100 iterations"
set ylabel "tour length / optimum"
load "report/figures/curves.gp"
