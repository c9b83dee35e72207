// What was tried on the program, and what came of it: tests/golden/attacks.md, a table of real runs
// for a person to read.
//
//   ROOFLINE_UPDATE_GOLDEN=1 ctest --test-dir build -R cli/attacks

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>

#include "catch.hpp"
#include "cli/process.hpp"
#include "onnx/onnx_bytes.hpp"
#include "report/golden.hpp"

namespace fs = std::filesystem;

namespace {

struct Attack {
  std::string tried;
  std::string setup;  ///< in a folder with a.json, a layer, and d/b.json, another
  std::string line;
};

const std::string mine = R"({"name": "Mine", "peak_tflops": {"fp32": 10, "fp16": 20},
                            "sm_count": 40, "bandwidth_gb_per_s": 200, "l2_mib": 4,
                            "architecture": "volta", "boost_clock_mhz": 1000)";

std::string shell_file(const std::string& name, const std::string& text) {
  return "cat >" + name + " <<'END'\n" + text + "\nEND\n";
}

/// Any bytes.
std::string binary_file(const std::string& name, const std::string& bytes) {
  std::string text = "printf '";
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += '\\';
    for (const unsigned shift : {6U, 3U, 0U}) text += static_cast<char>('0' + (value >> shift) % 8);
  }
  return text + "' >" + name + "\n";
}

/// A product of operands that do not fit, of ONNX's or of a domain of somebody's own, and a sum.
std::string odd_product(bool is_own) {
  using namespace onnx_bytes;
  return model(text(1, node("MatMul", {"x", "k"}, {"t"}, is_own ? text(7, "own") : "")) +
               text(1, node("Add", {"t", "b"}, {"y"})) + input("x", {2, 3}) +
               constant("k", {1, 1, 1, 1, 1}) + constant("b", {1, 1, 1, 1}) + stated("t", {2, 4}) +
               output("y"));
}

/// A convolution with 3x3 weights and this attribute.
std::string odd_convolution(const std::string& attribute) {
  using namespace onnx_bytes;
  const std::string weights = text(5, integer(1, 4) + integer(1, 8) + integer(1, 3) +
                                          integer(1, 3) + integer(2, 1) + text(8, "w"));
  return model(text(1, node("Conv", {"x", "w"}, {"y"}, attribute)) + input("x", {1, 8, 6, 6}) +
               weights + output("y"));
}

std::string launches_file(const std::string& header, const std::string& row) {
  return shell_file("n.csv", header + ",CorrId,Device,Name\n" + row + ",1,A (0),k");
}

/// Functions that call each other twice down to one node, whose module has a long name.
std::string doubled_name() {
  using namespace onnx_bytes;
  const std::string scopes = "['', '" + std::string(4096, 'm') + "', 'relu']";
  std::string functions =
      function("f0", {node("Relu", {"a"}, {"b"},
                           text(9, text(1, "pkg.torch.onnx.name_scopes") + text(2, scopes)))});
  for (int i = 1; i < 16; ++i) {
    const std::string last = "f" + std::to_string(i - 1);
    functions += function("f" + std::to_string(i), {call(last, "a", "m"), call(last, "m", "b")});
  }
  return model(text(1, call("f15", "x", "y")) + input("x", {1, 8}) + output("y"), functions);
}

/// A shell's words for a text so many times.
std::string times(int count, const std::string& text) {
  return "\"$(yes '" + text + "' | head -" + std::to_string(count) + " | tr -d '\\n')\"";
}

constexpr const char* nanoseconds = "Start (ns),Duration (ns)";

const std::string attacking_gpu = shell_file("gpu.json", mine + "}");
const std::string times_file = shell_file("times.csv", "name,measured_us\nrelu,2");
/// A GPU whose file names a kernel model.
const std::string nested_gpu = shell_file("nested.json", mine + R"(, "kernel_model": "k.json"})") +
                               "roofline-calibrate model v100 >k.json\n";

const std::string engine_files = "engine=" ROOFLINE_SOURCE_FOLDER
                                 "/tests/fuzz/seeds/engine.json\n"
                                 "sed '/^====$/,$d' $engine >net.graph.json\n"
                                 "sed '1,/^====$/d; /^====$/,$d' $engine >net.profile.json\n";

const std::string own_gpu_file = "mkdir -p own/roofline/gpus\n" +
                                 shell_file("own/roofline/gpus/mine.json", mine + "}") +
                                 "export XDG_CONFIG_HOME=\"$PWD/own\"";

/// Each leaves what it may not write as it was.
const Attack on_outputs[] = {
    {"an old `x.json.part`", "echo keep >x.json.part", "a.json --gpu v100 -o x.json"},
    {"a link called `x.json.part`", "echo keep >kept; ln -s kept x.json.part",
     "a.json --gpu v100 -o x.json"},
    {"over a link", "echo old >real.csv; ln -s real.csv x.csv", "a.json --gpu v100 -o x.csv"},
    {"over a link to a file that is not there", "ln -s real.csv x.csv",
     "a.json --gpu v100 -o x.csv"},
    {"over one of two names of a file", "echo old >x.csv; ln x.csv other",
     "a.json --gpu v100 -o x.csv"},
    {"over a link to itself", "ln -s x.csv x.csv", "a.json --gpu v100 -o x.csv"},
    {"a name of 255 characters", "", "a.json --gpu v100 -o $(printf %0251d 0).csv"},
    {"a name of 256 characters", "", "a.json --gpu v100 -o $(printf %0252d 0).csv"},
    {"over the input", "", "a.json --gpu v100 -o a.json"},
    {"over the input by a link", "ln -s a.json x.json", "a.json --gpu v100 -o x.json"},
    {"over the input by another name of it", "ln a.json x.json", "x.json --gpu v100 -o ./a.json"},
    {"layers over the input", "", "a.json --to-layers a.json"},
    {"over redirected standard input", "", "- --gpu v100 -o a.json <a.json"},
    {"standard output appended to the input", "", "a.json --gpu v100 --json >>a.json"},
    {"over a GPU's file", attacking_gpu, "a.json --gpu ./gpu.json -o gpu.json"},
    {"over measured times", times_file, "a.json --gpu v100 --measured times.csv -o times.csv"},
    {"over a kernel model", nested_gpu, "a.json --gpu v100 --kernel-model k.json -o k.json"},
    {"over the kernel model that a GPU's file names", nested_gpu,
     "a.json --gpu ./nested.json -o k.json"},
    {"the same by another name of it", nested_gpu + "ln k.json x.json",
     "a.json --gpu ./nested.json --to-layers x.json"},
    {"the same, calibrated",
     nested_gpu + shell_file("m.json", R"({"type": "relu", "input": [8], "measured_us": 3})"),
     "calibrate m.json --gpu ./nested.json -o k.json"},
    {"standard output appended to it", nested_gpu, "a.json --gpu ./nested.json --json >>k.json"},
    {"over a GPU of one's own", own_gpu_file, "a.json --gpu mine -o own/roofline/gpus/mine.json"},
    {"over one of all GPUs", own_gpu_file, "a.json --gpu volta -o own/roofline/gpus/mine.json"},
    {"over the GPU that a recording names",
     engine_files +
         R"(echo '{"device_information": {"Selected Device": "Mine"}}' >net.profile.metadata.json)"
         "\n" +
         own_gpu_file,
     "net.graph.json -o own/roofline/gpus/mine.json"},
    {"over a GPU that has a price", own_gpu_file,
     "a.json --gpu v100 --price v100=2,mine=1 -o own/roofline/gpus/mine.json"},
    {"over a GPU of one's own that is not used", own_gpu_file,
     "a.json --gpu v100 -o own/roofline/gpus/mine.json"},
    {"over the profile beside an engine", engine_files,
     "net.graph.json --gpu v100 -o net.profile.json"},
    {"layers over it, by another name of it", engine_files + "ln net.profile.json x.json",
     "net.graph.json --to-layers x.json"},
    {"over the log beside that profile", engine_files + "echo '{}' >net.profile.metadata.json",
     "net.graph.json --gpu v100 -o net.profile.metadata.json"},
    {"over the runs' times beside an engine", engine_files + "echo '[]' >net.times.json",
     "net.graph.json --gpu v100 -o net.times.json"},
    {"over the engine beside its profile", engine_files,
     "net.profile.json --gpu v100 -o net.graph.json"},
    {"a recording over itself",
     "cp " ROOFLINE_SOURCE_FOLDER "/tests/traces/resnet18.fwd* t.json.gz; gunzip t.json.gz",
     "t.json -o t.json"},
    {"over what is called as if it were beside an engine",
     "mv a.json layers.json; echo old >profile.json", "layers.json --gpu v100 -o profile.json"},
    {"calibrated over the GPU's file", attacking_gpu,
     "calibrate a.json --gpu ./gpu.json -o gpu.json"},
    {"over a file that a folder links to", "echo '{}' >x.json; ln -s ../x.json d/x.json",
     "d --gpu v100 -o x.json"},
    {"a new file in the folder that is read", "", "d --gpu v100 -o d/x.json"},
    {"the same by a longer path", "", "d --gpu v100 -o d/deep/../x.csv"},
    {"a picture in the folder that is read", "", "d --gpu v100 -o d/x.svg"},
    {"one file twice", "", "a.json --gpu v100 -o x.csv -o ./x.csv"},
    {"one file twice, by a link", "ln -s x.csv y.csv", "a.json --gpu v100 -o x.csv -o y.csv"},
    {"one file for results and layers", "", "a.json --gpu v100 -o x.json --to-layers x.json"},
    {"one file for standard output as well", "echo old >x.csv",
     "a.json --gpu v100 -o x.csv --format csv >>x.csv"},
    {"one device twice", "ln -s /dev/null x.csv; ln -s /dev/null y.csv",
     "a.json --gpu v100 -o x.csv -o y.csv"},
    {"one pipe in and out", "mkfifo p.json", "p.json --gpu v100 -o p.json"},
    {"one pipe twice", "mkfifo p.csv; ln p.csv q.csv", "a.json --gpu v100 -o p.csv -o q.csv"},
    {"over a folder", "mkdir x.json", "a.json --gpu v100 -o x.json"},
    {"in a folder that is not there", "", "a.json --gpu v100 -o none/x.json"},
    {"in a file", "", "a.json --gpu v100 -o a.json/x.json"},
    {"a full device", "ln -s /dev/full x.json", "a.json --gpu v100 -o x.json"},
    {"a full device as standard output", "", "a.json --gpu v100 >/dev/full"},
    {"a file that may not grow", "echo old >x.json; ulimit -f 8", "resnet50 --gpu v100 -o x.json"},
    {"no such GPU", "echo old >x.json", "a.json --gpu none -o x.json"},
    {"nothing evaluated", "echo '{}' >e.json; echo old >x.json", "e.json --gpu v100 -o x.json"},
    {"no layers", "echo '{}' >e.json; echo old >x.json", "e.json --to-layers x.json"},
    {"standard input closed, read after a file", "", "a.json - --gpu v100 -o x.json <&-"},
    {"standard output closed", "", "a.json --gpu v100 --json >&-"},
    {"all closed", "", "a.json none --gpu v100 -o x.csv <&- >&- 2>&-"},
};

/// Each ends by itself, soon, and says what is wrong.
const Attack on_inputs[] = {
    {"a GPU that is its own kernel model",
     shell_file("g.json", mine + R"(, "kernel_model": "g.json"})"), "a.json --gpu ./g.json"},
    {"a kernel model whose name has a NUL",
     shell_file("g.json", mine + R"(, "kernel_model": "a\u0000b.json"})"), "a.json --gpu ./g.json"},
    {"a pipe as a kernel model",
     "mkfifo k.json\n" + shell_file("g.json", mine + R"(, "kernel_model": "k.json"})"),
     "a.json --gpu ./g.json"},
    {"a GPU without an end", "", "a.json --gpu /dev/zero"},
    {"a kernel model without an end", "", "a.json --gpu v100 --kernel-model /dev/zero"},
    {"measured times without an end", "", "a.json --gpu v100 --measured /dev/zero"},
    {"standard input without an end", "", "- --gpu v100 </dev/zero"},
    {"measured times that are the layers", "", "a.json --gpu v100 --measured a.json"},
    {"measured times that are a folder", "", "a.json --gpu v100 --measured d"},
    {"layers by repeat beyond the limit",
     shell_file("r.json", R"([{"type": "relu", "input": [8], "repeat": 2},
                              {"type": "relu", "input": [8], "repeat": 300000}])"),
     "r.json --gpu v100"},
    {"records by repeat beyond the limit",
     shell_file("r.ndjson", R"({"type": "relu", "input": [8], "repeat": 150000}
{"type": "relu", "input": [8], "repeat": 150000})"),
     "r.ndjson --gpu v100 --format ndjson"},
    {"100 MB of zeros in gzip", "head -c 100000000 /dev/zero | gzip >z.json.gz",
     "z.json.gz --gpu v100"},
    {"gzip of gzip of a blank text", "printf %100000s | gzip | gzip >z.json.gz",
     "z.json.gz --gpu v100"},
    {"a GPU in gzip", attacking_gpu + "gzip gpu.json; mv gpu.json.gz gpu.json",
     "a.json --gpu ./gpu.json"},
    {"JSON a million deep", "head -c 1000000 /dev/zero | tr '\\0' '[' >deep.json",
     "deep.json --gpu v100"},
    {"a GPU after whose end a NUL stands", attacking_gpu + "printf '\\0{' >>gpu.json",
     "a.json --gpu ./gpu.json"},
    {"a size beyond 64 bits",
     shell_file("s.json", R"({"type": "relu", "input": [18446744073709551616]})"),
     "s.json --gpu v100"},
    {"a batch beyond 64 bits", "", "a.json --gpu v100 --batch 18446744073709551615"},
    {"batches that would pass 64 bits", "",
     "a.json --gpu v100 --batch 1,2,4,...,18446744073709551615,...,2"},
    {"CSV with a quote that does not end", shell_file("q.csv", "name,type,c\n\"a,relu,8"),
     "q.csv --gpu v100"},
    {"CSV in lines that end in CR", "printf 'type,c\\rrelu,8\\r' >q.csv", "q.csv --gpu v100"},
    {"CSV in UTF-16", "printf '\\377\\376t\\0' >q.csv", "q.csv --gpu v100"},
    {"CSV with a column twice", shell_file("q.csv", "type,c,c\nrelu,8,9"), "q.csv --gpu v100"},
    {"CSV with a NUL after a number", "printf 'type,c,h,w\\nrelu,8\\0,1,1\\n' >q.csv",
     "q.csv --gpu v100"},
    {"times as a spreadsheet saves them",
     "printf '\\357\\273\\277name,measured_us\\r\\nrelu,3\\r\\n' >t.csv",
     "a.json --gpu v100 --measured t.csv"},
    {"times in UTF-16", "printf '\\376\\377\\0[' >t.json", "a.json --gpu v100 --measured t.json"},
    {"times with semicolons", shell_file("t.csv", "name;measured_us\nrelu;2"),
     "a.json --gpu v100 --measured t.csv"},
    {"times in lines that end in CR", "printf 'name,measured_us\\rrelu,2\\r' >t.csv",
     "a.json --gpu v100 --measured t.csv"},
    {"two times of one layer in one row",
     shell_file("t.csv", "name,measured_us,measured_ms\nrelu,2,3"),
     "a.json --gpu v100 --measured t.csv"},
    {"two times of one layer", shell_file("t.csv", "name,measured_us\nrelu,2\nrelu,3"),
     "a.json --gpu v100 --measured t.csv"},
    {"a pass that MIOpenDriver does not have", "echo MIOpenDriver conv -F 8 >m.log",
     "m.log --gpu mi100"},
    {"a time that no kernel takes",
     "printf 'MIOpenDriver conv -F 1\\nGPU Kernel Time Forward Conv. Elapsed: 1e300 ms\\n' >m.log",
     "m.log --gpu mi100 --format csv | wc -l"},
    {"kernels among what the program printed",
     shell_file("n.csv", "Start (ns),Duration (ns),CorrId,Device,Name\n0,10,1,A (0),k\nepoch 1"),
     "n.csv --format csv | wc -l"},
    {"a GPU of one's own that is called v100",
     own_gpu_file + "; sed -i s/Mine/v100/ own/roofline/gpus/mine.json", "a.json --gpu v100"},
    {"a GPU of one's own that is called all",
     own_gpu_file + "; sed -i s/Mine/all/ own/roofline/gpus/mine.json", "a.json --gpu mine"},
    {"a product of another domain whose operands do not multiply",
     binary_file("m.onnx", odd_product(true)), "m.onnx --gpu v100 --format csv | wc -l"},
    {"the same of ONNX, beside a network", binary_file("m.onnx", odd_product(false)),
     "m.onnx alexnet --gpu v100 --format csv >/dev/null"},
    {"a window that is not its weights'",
     binary_file("m.onnx", odd_convolution(onnx_bytes::text(
                               5, onnx_bytes::text(1, "kernel_shape") + onnx_bytes::integer(8, 5) +
                                      onnx_bytes::integer(8, 5) + onnx_bytes::integer(20, 7)))),
     "m.onnx --gpu v100"},
    {"a padding that ONNX does not have",
     binary_file("m.onnx", odd_convolution(onnx_bytes::text(5, onnx_bytes::text(1, "auto_pad") +
                                                                   onnx_bytes::text(4, "garbage") +
                                                                   onnx_bytes::integer(20, 3)))),
     "m.onnx --gpu v100"},
    {"an engine of plugins, without a profile",
     "cp " ROOFLINE_SOURCE_FOLDER "/tests/fuzz/seeds/engine_alone.json .",
     "engine_alone.json --gpu a100 >/dev/null"},
    {"a profile with a time below 0",
     engine_files + "sed -i 's/\"timeMs\" : 0.3, \"averageMs\" : /&-/' net.profile.json",
     "net.graph.json --gpu a100"},
    {"a profile with a time of 1e300 ms",
     engine_files + "sed -i 's/\"averageMs\" : 0.03/\"averageMs\" : 1e300/; "
                    "s/\"medianMs\" : 0.03/\"medianMs\" : 1e300/' net.profile.json",
     "net.graph.json --gpu a100"},
    {"a name of 100,000 characters by repeat, in gzip",
     R"(printf '{"type": "relu", "input": [8], "repeat": 200000, "name": "%0100000d"}' 0 | gzip >z.json.gz)",
     "z.json.gz --gpu v100"},
    {"100,000 fused functions by repeat",
     R"sh(printf '{"type": "conv", "input": [8, 8, 8], "out_channels": 8, "kernel_size": 3, "repeat": 9000, "fused": ["relu"%s]}' "$(yes ', "relu"' | head -99999 | tr -d '\n')" | gzip >z.json.gz)sh",
     "z.json.gz --gpu v100"},
    {"a layer with a million sizes, in gzip",
     R"(printf '{"type": "relu", "input": [%s1]}' )" + times(1'000'000, "1,") +
         " | gzip >z.json.gz",
     "z.json.gz --gpu v100"},
    {"the same in an array",
     R"(printf '[{"type": "relu", "input": [%s1]}]' )" + times(1'000'000, "1,") + " >l.json",
     "l.json --gpu v100"},
    {"a million numbers as layers",
     "printf '{\"layers\": [%s1]}' " + times(1'000'000, "1,") + " >l.json", "l.json --gpu v100"},
    {"two million layers that say nothing",
     "printf '[%s{}]' " + times(2'000'000, "{\"c\":1},") + " >l.json", "l.json --gpu v100"},
    {"records of a million sizes, on eight threads",
     R"(printf '{"type": "relu", "input": [%s1]}\n' )" + times(1'000'000, "1,") +
         " >l; cat l l l >l.ndjson",
     "l.ndjson --gpu v100 --format ndjson --jobs 8 >/dev/null"},
    {"an operator with a million arguments, in gzip",
     R"(printf '{"traceEvents": [{"ph": "X", "args": {"Input Dims": [%s[1]]}}]}' )" +
         times(500'000, "[1],") + " | gzip >t.json.gz",
     "t.json.gz --gpu v100"},
    {"a header of a million commas", "printf 'type,c%s\n' " + times(1'000'000, ",") + " >q.csv",
     "q.csv --gpu v100"},
    {"a row of a million commas",
     "printf 'type,c\nrelu,8%s\n' " + times(1'000'000, ",") + " >q.csv", "q.csv --gpu v100"},
    {"a million measured times of one layer",
     R"(printf '[{"name": "relu", "measured_us": [%s1]}]' )" + times(1'000'000, "1,") + " >t.json",
     "a.json --gpu v100 --measured t.json"},
    {"a name of 40,000 parts",
     R"(printf '[{"name": "%sa", "type": "relu", "input": [8]}, {"type": "gelu"}]' )" +
         times(40'000, "a.") + " >l.json",
     "l.json --gpu v100 >/dev/null"},
    {"a module's name of 4,096 characters in functions that call each other",
     binary_file("m.onnx", doubled_name()), "m.onnx --gpu v100"},
    {"no layers, for the largest batch", shell_file("e.json", R"({"layers": []})"),
     "e.json --gpu v100 --batch max"},
    {"a word of 100,000 characters", "", "$(printf %0100000d 0) --gpu v100"},
    {"an option of 100,000 characters", "", "a.json --gpu v100 --$(printf %0100000d 0)"},
    {"a GPU's name of 100,000 characters", "", "a.json --gpu $(printf %0100000d 0)"},
    {"a GPU's file with such a name",
     "printf '{\"name\": \"%0100000d\", \"peak_tflops\": {\"fp32\": 10}, \"sm_count\": 40, "
     "\"bandwidth_gb_per_s\": 200, \"boost_clock_mhz\": 1000}' 0 >g.json",
     "a.json --gpu ./g.json >/dev/null"},
    {"a GPU's file that would act on a terminal",
     shell_file("e.json", R"({"name": "\u001b[2J\u009b2J", "peak_tflops": {"fp32": 10},
                             "sm_count": 40, "bandwidth_gb_per_s": 200, "boost_clock_mhz": 1000})"),
     "gpus ./e.json | head -1 | cat -v >&2"},
    {"a measured time in no unit", "", "a.json --gpu v100 --measured 3"},
    {"a measured time in another unit", "", "a.json --gpu v100 --measured '9.143 parsec'"},
    {"a measured time with a decimal comma", "", "a.json --gpu v100 --measured 9,143ms"},
    {"a measured time below 0", "", "a.json --gpu v100 --measured -3ms"},
    {"a measured time beyond all numbers", "", "a.json --gpu v100 --measured 1e999ms"},
    {"two prices of one GPU", "", "a.json --gpu v100 --price v100=1,'tesla v100'=2"},
    {"launches in a unit that is none", launches_file("Start (ns),Duration (fortnight)", "0,10"),
     "n.csv"},
    {"launches in nanoseconds called nsec", launches_file("Start (nsec),Duration (nsec)", "0,10"),
     "n.csv --format csv | wc -l"},
    {"a number with two decimal marks", launches_file(nanoseconds, "0,27.595.520"), "n.csv"},
    {"a number with a decimal comma", launches_file(nanoseconds, "0,\"5,3\""), "n.csv"},
    {"a convolution of MIOpenDriver in 0 groups",
     "echo MIOpenDriver conv -c 8 -k 8 -H 8 -W 8 -y 3 -x 3 -g 0 >m.log", "m.log --gpu mi100"},
    {"a table that nvprof printed",
     shell_file("n.txt",
                "==7== Profiling result:\n            Type  Time(%)      Time     Calls  "
                "     Avg       Min       Max  Name"),
     "n.txt"},
    {"a table of key_averages()",
     shell_file("n.txt", "-------  ------------\n   Name    Self CPU %    # of Calls\n-------"),
     "n.txt"},
    {"a calibration with a few times in another unit",
     "head -60 " ROOFLINE_SOURCE_FOLDER
     "/tests/measured/h200_ops.ndjson | sed '5~9s/\\(measured_us\": [0-9]*\\)/\\1000/' >m.ndjson",
     "calibrate m.ndjson --gpu h200 -o k.json"},
    {"an order by times that were not measured", "", "a.json --gpu v100 --sort lost"},
    {"a size that no model has", "", "a.json --gpu v100 --dim foo=3"},
    {"a share that is no number", "", "a.json --gpu v100 --top nan%"},
    {"a variable that is not set", "", "a.json --gpu \"$unset\""},
    {"a key that would act on a terminal", shell_file("e.json", R"({"\u001b[2J\u0007\u061c": 1})"),
     "e.json --gpu v100"},
    {"a file name that would", "", "\"$(printf 'none\\033[2J\\n')\" --gpu v100"},
};

/// What stands in a folder and below it: names and contents, or kinds of what is no file.
using Disk = std::map<std::string, std::string>;

Disk disk_of(const std::string& folder) {
  Disk disk;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::path(entry.path()).lexically_relative(folder).string();
    if (entry.is_symlink())
      disk[name] = "link to " + fs::read_symlink(entry.path()).string();
    else
      disk[name] = entry.is_regular_file() ? "file: " + read_file(entry.path().string()) : "other";
  }
  return disk;
}

/// "a.csv replaced, b.csv new"
std::string changes(const Disk& before, const Disk& after) {
  std::string text;
  const auto add = [&text](const std::string& name, const char* what) {
    constexpr std::size_t shown = 40;
    const bool is_long = name.size() > shown;
    text += (text.empty() ? "" : ", ") + ('`' + name.substr(0, is_long ? 8 : name.size())) +
            (is_long ? "...` " : "` ") + what;
  };
  for (const auto& [name, content] : before)
    if (!after.contains(name))
      add(name, "gone");
    else if (after.at(name) != content)
      add(name, "replaced");
  for (const auto& [name, content] : after)
    if (!before.contains(name)) add(name, "new");
  return text.empty() ? "as before" : text;
}

/// As a cell of a table: the first lines, none too long.
std::string said(const std::string& err) {
  constexpr std::size_t most_lines = 3;
  constexpr std::size_t longest = 170;
  std::string text;
  std::vector<std::string> lines = lines_of(err);
  lines.resize(std::min(lines.size(), most_lines));
  for (std::string& line : lines) {
    if (line.size() > longest) line = line.substr(0, longest) + "...";
    for (std::size_t at = 0; (at = line.find('|', at)) != line.npos; at += 2) line.insert(at, "\\");
    text += (text.empty() ? "`" : "<br>`") + line + '`';
  }
  return text;
}

/// The end of a setup that holds for the shell that runs the attack as well.
std::string limits_of(const std::string& setup) {
  for (const char* word : {"ulimit", "export"})
    if (const std::size_t at = setup.find(word); at != std::string::npos)
      return setup.substr(at) + "\n";
  return "";
}

/// Without the folder's own name, which changes.
std::string in_folder(const TemporaryFolder& folder, std::string text) {
  for (std::size_t at = 0; (at = text.find(folder.path())) != text.npos;)
    text.replace(at, folder.path().size(), "$PWD");
  return text;
}

std::string row_of(const Attack& attack) {
  const TemporaryFolder folder;
  folder.write("a.json", R"({"name": "relu", "type": "relu", "input": [8]})");
  folder.write("d/b.json", R"({"name": "relu", "type": "relu", "input": [9]})");
  run(folder, attack.setup);
  const Disk before = disk_of(folder.path());
  const Outcome outcome =
      run(folder, limits_of(attack.setup) + "timeout 60 " + program_line(attack.line));
  INFO(attack.line << "\n" << outcome.err);
  CHECK(outcome.exit_code <= 2);
  return "| " + attack.tried + " | " + std::to_string(outcome.exit_code) + " | " +
         said(in_folder(folder, outcome.err)) + " | " + changes(before, disk_of(folder.path())) +
         " |\n";
}

std::string table_of(std::span<const Attack> attacks) {
  std::string text =
      "| tried | exit | standard error | on disk after |\n"
      "| --- | --- | --- | --- |\n";
  for (const Attack& attack : attacks) text += row_of(attack);
  return text;
}

}  // namespace

TEST_CASE("Attacks end as the table says", "[cli/attacks]") {
  const std::string text =
      "# Attacks\n\n`tests/cli/attacks.cpp` runs these and writes this table.\n\n"
      "## On files that are written\n\n" +
      table_of(on_outputs) + "\n## On what is read\n\n" + table_of(on_inputs);
  const std::string path = std::string(golden_folder) + "attacks.md";
  if (updating())
    std::ofstream(path) << text;
  else
    CHECK(read_file(path) == text);
}
