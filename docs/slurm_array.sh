#!/bin/bash
#SBATCH --job-name=antbench --array=0-31 --gpus=1 --cpus-per-task=16 --time=02:00:00
# Every table on a Slurm cluster: a task of the array measures one driver; those that are one too many end at once. Started
# again with the same FOLDER, a run that was stopped goes on.
#
#   sbatch docs/slurm_array.sh FOLDER
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-.}"
mapfile -t drivers < <(build/bin/antbench --tables | awk -F'\t' 'NR > 1 && !told[$1]++ { print $1 }')
driver=${drivers[${SLURM_ARRAY_TASK_ID:-0}]:-}
[ -n "$driver" ] || exit 0
build/bin/antbench "$driver" --profile quick --resume --out "${1:-results/runs/fleet}/$driver"
