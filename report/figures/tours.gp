# Three tours side by side, below them the length of the best tour by iteration and, where times are known, by time.
# Blocks of `data`: 0 to 2 the tours, 3 to 5 lengths by iteration, from 6 on lengths by time.
load "report/figures/common.gp"
set multiplot
unset key
set offsets 0, 0, 0, 0
do for [i = 0:2] {
    set lmargin at screen 0.02 + i / 3.0
    set rmargin at screen 0.31 + i / 3.0
    set tmargin at screen 0.93
    set bmargin at screen 0.61
    unset border
    unset tics
    unset grid
    unset xlabel
    unset ylabel
    set size ratio -1
    unset label
    set label sprintf("%s, %s, %d iterations", word("DS-Roulette I-Roulette race", i + 1), instance, iterations) at screen (i + 0.5) / 3, 0.965 center
    plot data index i using 1:2 skip 1 with lines lc rgb colour[int(word(styles, i + 1)) % 10] lw 1
}
set size noratio
set border 3 lc rgb "#444444"
unset label
set xtics nomirror out textcolor rgb "#222222"
set ytics nomirror out textcolor rgb "#222222"
set grid ytics lc rgb "#dddddd" lt 1 lw 0.7
set logscale xy
set format x "%g"
set autoscale yfix
set ytics ()
do for [power = 1:8] {
    do for [digit in "1 1.5 2 3 4 5 7"] {
        set ytics add (gprintf("%.4g", digit * 10 ** (power % 3)) . (power < 3 ? "" : power < 6 ? "k" : "M") digit * 10 ** power)
    }
}
set bmargin at screen 0.11
set tmargin at screen 0.54
set lmargin at screen 0.10
set rmargin at screen 0.49
set key inside top right vertical maxcols 1
unset title
set xlabel "iteration"
set ylabel "length of the best tour, mean of 10 runs"
plot for [i = 0:2] data index 3 + i using 1:2 with linespoints linestyle int(word(styles, i + 1)) title columnheader(1)
if (n_timed > 0) {
    set lmargin at screen 0.58
    set rmargin at screen 0.96
    unset ylabel
    set xlabel sprintf("time (ms, %s)", device)
    plot for [i = 0:n_timed - 1] data index 6 + i using 1:2 with linespoints linestyle int(word(timed, i + 1)) title columnheader(1)
}
unset multiplot
