load "report/figures/common.gp"
set title "Figure 4.2: DS-Roulette against a CPU core with candidate sets"
set ylabel "time on 1 core / time on GPU"
set logscale y
set ytics (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200)
set yrange [0.8:*]
set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead dt 3 lc rgb "#444444" back
load "report/figures/curves.gp"
