load "report/figures/common.gp"
set title "Table 3.4: the stages of an iteration"
if (exists("phone") || exists("paper")) { unset title }
set xtics font ",12"
set ylabel "share of an iteration (%)"
set yrange [0:100]
# A bar is a machine's, in the order of the key; its stages differ in fill: the update is dark.
array shade[4] = ["#c9d7e8", "#0b3c6f", "#f3d3bd", "#a8470f"]
of_bar(style) = style < 10 ? 0 : 1 + (style % 10 - 1) / 2
colour_of(style) = style < 10 ? (style % 2 ? "#dddddd" : "#222222") : shade[(style - 1) % 10 % 4 + 1]
plot for [i = 0:series - 1] data index i using 1:3:($1 - 0.12):($1 + 0.12):4:5 with boxxyerror \
         fillcolor rgb colour_of(word(styles, i + 1) + 0) fillstyle solid 1 border lc rgb "#444444" title columnheader(1), \
     for [i = 0:series - 1] data index i using (floor($1 + 0.5)):(0):xtic(2) with impulses notitle
