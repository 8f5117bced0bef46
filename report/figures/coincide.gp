# Two curves that coincide: the second one is thinner, so it is drawn inside the first.
set style line 11 lw 3.8 ps 1.5
set style line 12 lw 1.8 ps 0.8
