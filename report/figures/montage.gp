# A grid of saved images; `tiles` sets row, column, labels and file of each and loads tile.gp.
set encoding utf8
set multiplot
unset key
unset tics
unset border
unset colorbox
set size ratio -1
load tiles
unset multiplot
