load "report/figures/common.gp"
set title "JPDC, Table 3: I-Roulette by worker ants"
set xlabel "worker ants (threads of an ant's block)"
set ylabel "time / time with 128 worker ants"
set logscale y 2
load "report/figures/curves.gp"
