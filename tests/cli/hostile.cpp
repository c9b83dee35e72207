// Every option of --help over a folder of hostile inputs: whatever is in them, the program ends by
// itself, soon, within the memory that it may take, and says what is wrong.

#include <chrono>
#include <map>
#include <regex>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

#ifdef ROOFLINE_SANITIZED  // the program takes all addresses there are
const std::string limits = "ulimit -t 10; timeout 20 ";
#else
const std::string limits = "ulimit -t 10; ulimit -v 2000000; timeout 20 ";
#endif

/// Inputs that are also given to every option that takes a file.
const std::map<std::string, std::string>& hostile_files() {
  static const std::map<std::string, std::string> files{
      {"binary.json", std::string("\0\x01\x02\xff\xfe\x80", 6)},
      {"binary.onnx", std::string("\x08\x07\xff\xff\xff\xff\x0f\x00", 8)},
      {"blank.json", std::string(100000, ' ')},
      {"bomb.json", R"([{"type": "relu", "input": [8], "repeat": 2},
                        {"type": "relu", "input": [8], "repeat": 300000}])"},
      {"circle.json", R"({"name": "Circle", "peak_tflops": {"fp32": 1}, "bandwidth_gb_per_s": 2,
                          "kernel_model": "circle.json"})"},
      {"cut.json.gz", std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\x56", 12)},
      {"deep.json", std::string(100000, '[')},
      {"empty.csv", ""},
      {"huge.json", R"({"type": "linear", "input": [18446744073709551615],
                        "out_features": 18446744073709551615})"},
      {"names.json", R"([{"type": "relu", "input": [8], "name": "\u001b[2J\u0000\u061c=1+1"},
                         {"type": "relu\u0000", "input": [8]}, {"\u0000": "\u0000"}])"},
      {"nul.json", std::string("{\"type\": \"relu\", \"input\": [8]}\0{", 32)},
      {"number.json", "1" + std::string(5000, '0')},
      {"packed.json", std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0", 20)},
      {"quote.csv", "name,type,c,h,w\n\"a,relu,8,8,8\nb,relu,8,8,8\n"},
      {"script.json", R"({"name": "<script>alert(1)</script>", "type": "relu", "input": [8]})"},
      {"trace.json", R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": 1, "ts": "a"}, )"},
      {"utf16.json", std::string("\xff\xfe{\0}\0", 6)},
      {"words.ndjson", "null\n{\"type\": \"relu\"}\n{\"type\": 7}\n\x80\n"},
  };
  return files;
}

void make_hostile_folder(const TemporaryFolder& folder) {
  for (const auto& [name, text] : hostile_files()) folder.write("d/" + name, text);
  folder.write("a.json", R"({"name": "a", "type": "relu", "input": [8], "measured_us": 3})");
  REQUIRE(run(folder,
              "mkfifo d/pipe.json; ln -s loop.json d/loop.json; ln -s none d/none.json\n"
              "mkdir d/folder.json; ln -s /dev/zero d/zero.csv; ln -s .. d/up")
              .exit_code == 0);
}

/// A value for each option that takes one that is no file: what a person would give.
const std::map<std::string, std::string>& usual_values() {
  static const std::map<std::string, std::string> values{
      {"--assume",
       "fuse=epilogue,launch=eager,layout=nhwc,cache=cold,engine=tensor,optimizer=adam"},
      {"--batch", "1,2,4,...,16"},
      {"--by", "type"},
      {"--chart", "time --format svg"},
      {"--dim", "height=224"},
      {"--dtype", "fp16,int8"},
      {"--fail-if", "'macs>1'"},
      {"--first-line", "3"},
      {"--fields", "name,bound,time_s"},
      {"--format", "html"},
      {"--framework", "torch-compile"},
      {"--tuning", "heuristic"},
      {"--gpu", "v100,a100"},
      {"--jobs", "4"},
      {"--kernel",
       "algorithm=gemm,tile=64x64x8,split-k=2,threads=128,stages=2,registers=64,"
       "shared-memory-byte=1024"},
      {"--output", "out.html"},
      {"--pass", "training"},
      {"--max-time", "10ms"},
      {"--price", "v100=2"},
      {"--raise-limits", "1"},
      {"--set", "bandwidth=x2,sms=+10%,peak=100TFLOP/s"},
      {"--sort", "bytes"},
      {"--to-layers", "out.json"},
      {"--top", "90%"},
  };
  return values;
}

struct Option {
  std::string name;
  bool has_value;
  bool reads_file;
};

/// Those that --help lists.
std::vector<Option> options_of_help(const TemporaryFolder& folder) {
  static const std::regex line(R"(^ +(?:-\w,)?(--[a-z-]+)(?:\{\w+\})?( ([A-Z][\w=%|]*))?( .*)?$)");
  std::vector<Option> options;
  for (const std::string& text : lines_of(run(folder, "roofline --help all").out)) {
    std::smatch match;
    if (!std::regex_match(text, match, line)) continue;
    const bool written = match[1] == "--output" || match[1] == "--to-layers";
    const bool reads = (match[3] == "FILE" && !written) || match[1] == "--gpu" || match[3] == "GPU";
    options.push_back({match[1], match[3].matched, reads});
  }
  return options;
}

void check(const TemporaryFolder& folder, const std::string& arguments) {
  INFO(arguments);
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = run(folder, limits + program_line(arguments));
  CHECK(outcome.exit_code <= 2);
  CHECK((outcome.exit_code == 0 || !outcome.err.empty()));
  CHECK(outcome.err.find("out of memory") == outcome.err.npos);
  CHECK(outcome.err.find("bad_alloc") == outcome.err.npos);
  static const std::regex no_number(R"(\b(nan|inf)\b)");
  CHECK(!std::regex_search(outcome.out, no_number));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(15));
}

}  // namespace

TEST_CASE("Every option over a folder of hostile inputs", "[cli/hostile]") {
  const TemporaryFolder folder;
  make_hostile_folder(folder);
  const std::vector<Option> options = options_of_help(folder);
  CHECK(options.size() >= 28);
  CHECK(options.size() <= 32);
  for (const Option& option : options) {
    INFO(option.name);
    if (option.has_value && !option.reads_file) REQUIRE(usual_values().contains(option.name));
    const auto value = usual_values().find(option.name);
    const std::string words =
        option.has_value && value != usual_values().end() ? ' ' + value->second : "";
    if (option.name == "--measured" || option.name == "--kernel-model") continue;
    const std::string gpu = option.name == "--gpu" ? "" : " --gpu v100";
    check(folder, "d" + gpu + ' ' + option.name + words);
  }
  check(folder, "d --gpu v100 --explain '*'");
}

TEST_CASE("Every option with hostile values", "[cli/hostile]") {
  const TemporaryFolder folder;
  folder.write("a.json", R"({"name": "a", "type": "relu", "input": [8], "measured_us": 3})");
  for (const Option& option : options_of_help(folder)) {
    if (!option.has_value) continue;
    for (const char* value : {"''", "nan", "-1", "1e999", "18446744073709551616", "010",
                              "'\033[2J'", "a=nan", "../none", ",", "'*'"})
      check(folder, "a.json --gpu v100 --set bandwidth=x2 " + option.name + ' ' + value);
  }
}

TEST_CASE("Every option that reads a file, from hostile ones", "[cli/hostile]") {
  const TemporaryFolder folder;
  make_hostile_folder(folder);
  for (const Option& option : options_of_help(folder)) {
    if (!option.reads_file) continue;
    const std::string gpu = option.name == "--gpu" ? "" : " --gpu v100";
    for (const auto& [name, text] : hostile_files())
      check(folder, "a.json" + gpu + ' ' + option.name + " d/" + name);
    for (const char* path : {"d/loop.json", "d/none.json", "d/folder.json", "/dev/zero"})
      check(folder, "a.json" + gpu + ' ' + option.name + ' ' + path);
  }
  check(folder, "calibrate d --gpu v100 -o out.json --constants 'memory.*'");
  check(folder, "- --gpu v100 </dev/zero");
  check(folder, "- --gpu v100 --format ndjson <d/words.ndjson");
}
