load "report/figures/common.gp"
set title "Figure 4.5: speed-up over the CPU with candidate sets"
set ylabel "time on 1 core / time on GPU"
set logscale y
set ytics (1, 2, 5, 10, 20, 50, 100, 200, 500)
load "report/figures/curves.gp"
