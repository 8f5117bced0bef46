load "report/figures/common.gp"
set title "JPDC, Figure 6: choice\\_info"
set ylabel "GFLOPS"
set logscale y
set xtics rotate by 25 right
load "report/figures/curves.gp"
