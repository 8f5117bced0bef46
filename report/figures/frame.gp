# The frame of a figure whose axis y is logarithmic holds the values. The bars of some CPU rows, whose hosts differ by
# far, leave it.
stats data using 3 nooutput
set yrange [STATS_min / 3:STATS_max * 3]
set logscale y
set format y "10^{%L}"
