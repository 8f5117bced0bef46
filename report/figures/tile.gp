# One image of a montage, in the cell (row, column) of the grid that begins right of `left` and below `top` (shares of
# the canvas). In the cell of a
# missing file stands why.
width = (1.0 - left) / columns; height = top / rows
set lmargin at screen left + column * width + gap_x
set rmargin at screen left + (column + 1) * width - gap_x
set tmargin at screen top - row * height - gap_y
set bmargin at screen top - (row + 1) * height + gap_y
unset label
label_font = exists("paper") ? ",12" : ",28"
if (row == 0) { set label 1 column_label at screen left + (column + 0.5) * width, (1 + top) / 2 center noenhanced font label_font }
if (column == 0) { set label 2 row_label at screen left / 2, top - (row + 0.5) * height center rotate by 90 noenhanced font label_font }
if (strlen(image)) { set autoscale; plot image binary filetype=png with rgbimage notitle
} else {
    set label 3 "not stored" at screen left + (column + 0.5) * width, top - (row + 0.5) * height center font label_font tc rgb "#777777"
    set xrange [0:1]; set yrange [0:1]; plot NaN notitle
}
