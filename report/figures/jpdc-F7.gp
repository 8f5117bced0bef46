load "report/figures/common.gp"
set title "JPDC, Figure 7: speed-up of tour construction over one core"
set ylabel "time on one core / time on GPU"
set logscale y
load "report/figures/curves.gp"
