load "report/figures/common.gp"
set title "Energy of an iteration of Ant System"
set ylabel "energy of an iteration (mJ)"
set logscale y
load "report/figures/curves.gp"
