# One image of a montage: in the grid's cell (row, column) of `rows` and `columns`. A missing file leaves its cell empty.
left = 0.10; top = 0.90
width = (1.0 - left) / columns; height = top / rows
set lmargin at screen left + column * width + 0.005
set rmargin at screen left + (column + 1) * width - 0.005
set tmargin at screen top - row * height
set bmargin at screen top - (row + 1) * height + 0.01
unset label
if (row == 0) { set label 1 column_label at screen left + (column + 0.5) * width, 0.95 center }
if (column == 0) { set label 2 row_label at screen left / 2, top - (row + 0.5) * height center rotate by 90 }
if (strlen(image)) { plot image binary filetype=png with rgbimage notitle } else { set xrange [0:1]; set yrange [0:1]; plot NaN notitle; set autoscale }
