# What all figures share. A line style is 10 * source + kind: source 0 is the thesis, dashed with open marks; 1 the
# machine that is shown, 2 and more those beside it. Kinds differ in colour, in lightness (for greyscale) and in their
# mark; 6 to 8 are 1 to 3 once more, dotted, with marks of strokes: a bound of theirs, or the same otherwise set.
set encoding utf8
set datafile separator whitespace
array colour[9] = ["#0b3c6f", "#d1682a", "#3d9a6b", "#8a4f9e", "#8c8c8c", "#0b3c6f", "#d1682a", "#3d9a6b", "#b5306b"]
array filled[9] = [7, 5, 9, 13, 11, 1, 2, 3, 15]
array hollow[9] = [6, 4, 8, 12, 10, 1, 2, 3, 14]
do for [kind = 1:9] {
    set style line kind lc rgb colour[kind] lw 1.5 dt 2 pt hollow[kind] ps 1.1
    set style line 10 + kind lc rgb colour[kind] lw 2.2 dt 1 pt filled[kind] ps 1.0
    set style line 20 + kind lc rgb colour[kind] lw 1.8 dt 4 pt filled[kind] ps 0.8
    set style line 30 + kind lc rgb colour[kind] lw 1.8 dt 5 pt hollow[kind] ps 0.8
    set style line 40 + kind lc rgb colour[kind] lw 1.4 dt 3 pt filled[kind] ps 0.6
}
do for [kind = 6:8] { set style line 10 + kind lc rgb colour[kind] lw 1.8 dt 3 pt hollow[kind] ps 1.1 }
set border 3 lc rgb "#444444"
set tics nomirror out textcolor rgb "#222222"
set grid ytics lc rgb "#dddddd" lt 1 lw 0.7
# Names of devices and instances are text, in which nothing is markup.
set xtics noenhanced
set key noenhanced
set key below center vertical maxcols 1 Left reverse spacing 1.25 samplen 2.5 height 0.5
set offsets 0.3, 0.3, 0, 0
set title font ",15"
# Half as wide, many names below the axis would stand in each other's way.
if ((exists("phone") || exists("paper")) && exists("crowded")) {
    set xtics rotate by 35 right
    set xlabel offset 0, -0.4
}
if (exists("phone")) {
    set key samplen 1.5 spacing 1.15
    set rmargin 4
}
if (!exists("phone") && !exists("paper") && exists("lines_of_key")) {
    if (lines_of_key < series) { set key maxrows lines_of_key maxcols 2 font ",12" samplen 2 }
}
set xlabel "TSPLIB instance"
# For papers: a column wide, the key in two columns where there is room.
if (exists("paper")) {
    set key samplen 2 spacing 1.1
    set rmargin 2
    set tmargin 0.6
    set ylabel offset 0, -1
    if (key_rows > 0) { set key maxrows key_rows maxcols 2 }
}
