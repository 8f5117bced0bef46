# Times of a table on several GPUs: a panel for each row, all with the same axis, and one legend above them.
load "report/figures/common.gp"
load "report/figures/coincide.gp"
head = head_pixels / (panel_pixels * down + head_pixels)
height = (1 - head) / down
width = 1.0 / across
left = 84.0 / (panel_width * across)
set offsets 0, 0, 0, 0
set multiplot
set key at screen 0.5, 1 - 0.1 * head center top horizontal maxcols 4 maxrows 8 Left reverse samplen 2 spacing 1.2 width 1
set lmargin at screen left
set rmargin at screen 0.99
set tmargin at screen 0.99
set bmargin at screen 0.98
unset border
unset tics
unset xlabel
unset ylabel
plot [0:1][0:1] for [i = 1:keys] NaN with linespoints linestyle key_style[i] title key_label[i]
unset key
set border 3 lc rgb "#444444"
set xtics nomirror out rotate by 45 right font ",11" noenhanced
set ytics nomirror out font ",11"
set grid ytics lc rgb "#dddddd" lt 1 lw 0.7
set logscale y
set format y "%g"
first = 0
do for [p = 1:panels] {
    count = word(counts, p) + 0
    column = (p - 1) % across
    top = 1 - head - ((p - 1) / across) * height
    set lmargin at screen column * width + left
    set rmargin at screen (column + 1) * width - 0.01
    set tmargin at screen top - height * 28 / panel_pixels
    set bmargin at screen top - height * plot_pixels / panel_pixels
    set title panel[p]." (ms)" noenhanced font (strlen(panel[p]) > 30 ? ",10" : ",13") offset 0, -0.5
    plot [-0.3:places - 0.7][low:high] for [i = first:first + count - 1] data index i using 1:3:4:5:xtic(2) with yerrorlines \
        linestyle word(styles, i + 1) + 0
    first = first + count
}
unset multiplot
