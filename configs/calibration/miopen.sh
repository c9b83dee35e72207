#!/bin/sh
# Times convolutions with MIOpen's own driver, for `roofline calibrate`:
#
#     sh measure.sh > measured.log
#     roofline calibrate measured.log --gpu mi300x -o mine.json
#
# MIOPEN_DRIVER says where the driver is, if it is not in PATH. Forward and both gradients, fp16 and
# fp32, NCHW, the most telling layers first, for the stated time: sh measure.sh SECONDS takes another.

driver=${MIOPEN_DRIVER:-MIOpenDriver}
seconds=${1:-@SECONDS@}
command -v "$driver" >/dev/null || { echo "measure.sh: no $driver: set MIOPEN_DRIVER" >&2; exit 1; }
end=$(($(date +%s) + seconds))

time_layer() {
  for type in convfp16 conv; do
    [ "$(date +%s)" -lt "$end" ] || exit 0
    "$driver" $type "$@" -I NCHW -F 0 -V 0 -t 1 -i 20 || echo "left out: $type $*" >&2
  done
}

@LAYERS@
