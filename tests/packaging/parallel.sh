# NDJSON cut into chunks that GNU parallel spreads over processes gives the bytes of a single run:
#   parallel.sh FOLDER_OF_THE_PROGRAM
set -u
export PATH=$1:$PATH LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# Layers of many shapes, some without a name, and records that are wrong in several ways, two of
# which begin a chunk. (There are no blank lines: parallel -N leaves one that begins a chunk
# uncounted.)
awk 'BEGIN {
  for (i = 1; i <= 6000; ++i) {
    if (i % 97 == 0) print "{\"c\": 0}"
    else if (i % 101 == 0 || i == 2001) print "no JSON"
    else if (i % 103 == 0 || i == 3001) print "{\"type\": \"relu\"}"
    else if (i % 5 == 0)
      printf "{\"type\": \"linear\", \"name\": \"fc %d\", \"in_features\": %d, " \
             "\"out_features\": %d}\n", i, 1 + i % 4096, 1 + i % 1000
    else
      printf "{\"c\": %d, \"h\": %d, \"w\": %d, \"k\": %d, \"r\": 3, \"s\": 3, \"n\": %d}\n",
             1 + i % 512, 7 + i % 56, 7 + i % 50, 1 + i % 256, 1 + i % 8
  }
}' >layers.ndjson

roofline - --gpu v100 --format ndjson <layers.ndjson >one.ndjson 2>one.txt
[ $? -eq 1 ] || { echo "expected exit code 1 of a single run"; exit 1; }
parallel --will-cite --pipe --keep-order -N 1000 -j 3 \
  roofline - --gpu v100 --format ndjson --first-line '{= $_ = 1000 * (seq() - 1) + 1 =}' \
  <layers.ndjson >several.ndjson 2>several.txt
[ $? -eq 6 ] || { echo "expected parallel to count six chunks with wrong records"; exit 1; }
lines=$(wc -l <one.ndjson)
[ "$lines" -eq 6000 ] || { echo "expected 6000 records, got $lines"; exit 1; }
errors=$(grep -c '"error"' one.ndjson)
[ "$errors" -gt 150 ] || { echo "expected more than 150 wrong records, got $errors"; exit 1; }
cmp one.ndjson several.ndjson || exit 1
# Each chunk counts the rows that repeat its errors: "-:97: 5 more rows have this error: ...".
rows() { awk '/more rows? ha(ve|s) this error/ { all += $2; next } { ++all } END { print all }' "$1"; }
[ "$(rows one.txt)" -eq "$errors" ] && [ "$(rows several.txt)" -eq "$errors" ] ||
  { echo "expected $errors errors, got $(rows one.txt) and $(rows several.txt)"; exit 1; }
