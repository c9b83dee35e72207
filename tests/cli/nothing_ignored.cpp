// Every two options, and each option with each kind of input: each works or is refused.

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

struct Value {
  std::string option;  ///< as the help has it; a key of --assume is "fuse="
  std::string words;
  std::string needs{};            ///< what it is about
  std::string says_what_is = {};  ///< words beside which it states what is so without it
};

const std::vector<Value> values{
    {"--batch", "--batch 4"},
    {"--batch", "--batch best"},
    {"--dtype", "--dtype fp16"},
    {"--pass", "--pass dgrad"},
    {"--pass", "--pass training"},
    {"--dim", "--dim H=32"},
    {"--measured", "--measured times.csv"},
    {"--gpu", "--gpu v100,a100", "", "--to-layers -"},
    {"--gpu", "--gpu volta", "", "--to-layers -"},
    {"--set", "--set bandwidth=x2"},
    {"--price", "--price v100=2", "--gpu v100,a100"},
    {"--max-time", "--max-time 93us", "--gpu v100,orin-nano", "--dim H=32"},
    {"--top", "--top 1", "", "--max-time 93us"},  // one row is left
    {"--top", "--top 50%"},
    {"--sort", "--sort intensity", "", "--by type"},  // the same order here
    {"--sort", "--sort cost", "--gpu v100,a100 --price v100=2,a100=100"},
    {"--by", "--by type", "", "--json"},  // JSON has sums of types, too
    {"--by", "--by gpu", "--batch 1,4",
     "--gpu v100,a100|--gpu volta|--price v100=2|--sort cost|--max-time 93us"},
    {"--explain", "--explain"},
    {"--explain", "--explain '*'"},
    {"--compare", "--compare", "--gpu v100,a100"},
    {"--fail-if", "--fail-if 'expected_ms > 0.00001'"},
    {"--format", "--format ndjson"},
    {"--format", "--format csv"},
    {"--format", "--format html"},
    {"--format", "--format svg"},
    {"--json", "--json"},
    {"--fields",
     "--fields source,gpu,framework,batch,name,dtype,pass,engine,roofline_time_s,expected_time_s,"
     "expected_uncertainty_factor,measured_time_s",
     "--format csv"},
    {"--fields",
     "--fields rank,gpu,framework,batch,dtype,roofline_time_s,expected_time_s,"
     "expected_uncertainty_factor,measured_time_s,cost_per_million_images",
     "--batch 1,4 --by gpu --format csv"},
    {"--output", "-o out.csv"},
    {"--output", "-o out.svg"},
    {"--chart", "--chart time", "-o out.svg"},
    {"--to-layers", "--to-layers -"},
    {"--to-layers", "--to-layers out.ndjson"},
    {"--framework", "--framework pytorch"},
    {"--framework", "--framework tensorrt"},
    {"--framework", "--framework pytorch,torch-compile"},
    {"--tuning", "--tuning heuristic"},
    {"--kernel-model", "--kernel-model kernels.json"},
    {"--kernel", "--kernel tile=64x64x8"},
    {"fuse=", "--assume fuse=pointwise"},
    {"launch=", "--assume launch=eager", "", "--framework pytorch"},
    {"layout=", "--assume layout=nhwc", "", "--dtype fp16|--assume engine=vector"},
    {"cache=", "--assume cache=cold", "", "--batch best"},
    {"clock=", "--assume clock=idle"},
    {"engine=", "--assume engine=vector", "--dtype fp16"},
    {"host-copies=", "--assume host-copies=pinned"},
    {"library=", "--assume library=cudnn8.0"},
    {"optimizer=", "--assume optimizer=adam", "--pass training"},
    // Times of no GPU's or of cold caches are left out with it or without.
    {"measured-gpu=", "--assume measured-gpu=a100", "--measured times.csv",
     "--set bandwidth=x2|--assume cache=cold"},
};

/// The same output with them is their purpose, or they are of longer texts and larger inputs.
const std::set<std::string> never_seen{"--help", "--version", "--jobs", "--raise-limits",
                                       "--first-line"};

const std::string net = R"({"name": "net", "layers": [
  {"name": "conv1", "type": "conv", "input": [3, 64, 64], "out_channels": 64, "kernel_size": 3},
  {"name": "relu1", "type": "relu"},
  {"name": "conv2", "type": "conv", "out_channels": 32, "kernel_size": 1},
  {"name": "pool", "type": "max_pool", "kernel_size": 2, "stride": 2}]})";

std::string first_word(const std::string& words) { return words.substr(0, words.find(' ')); }

class Runs {
 public:
  Runs() {
    folder_.write("net.json", net);
    folder_.write("times.csv", "name,measured_us\nconv1,90\nrelu1,80\nconv2,170\npool,360\n");
    folder_.write("layers.ndjson",
                  std::string(conv) + "\n" + R"({"type": "relu", "input": [64, 56, 56]})" + "\n");
  }

  /// Exit code, both streams and all files; once for equal words.
  const std::string& of(const std::string& words, const std::string& input = "net.json",
                        const std::string& usual_gpu = "v100") {
    const auto [known, is_new] = known_.try_emplace(input + words);
    if (!is_new) return known->second;
    const bool has_gpu = words.find("--gpu") != words.npos || usual_gpu.empty();
    const std::string gpu = has_gpu ? " " : " --gpu " + usual_gpu + ' ';
    const Outcome outcome =
        run(folder_, "rm -f out.*; ln -sf " ROOFLINE_SOURCE_FOLDER
                     "/tests/golden/gpus/frozen_kernels.json kernels.json; roofline " +
                         input + gpu + words + "; code=$?; cat out.* 2>/dev/null; exit $code");
    return known->second = std::to_string(outcome.exit_code) + outcome.err + outcome.out;
  }

 private:
  TemporaryFolder folder_;
  std::map<std::string, std::string> known_;
};

bool is_refused(const std::string& seen) { return seen.front() == '1' || seen.front() == '2'; }

/// What both need and neither gives.
std::string needs_of(const Value& a, const Value& b) {
  std::string all;
  std::set<std::string> given{first_word(a.words), first_word(b.words)};
  given.erase("--assume");
  for (const Value& each : {a, b}) {
    std::istringstream words(each.needs);
    for (std::string option, value; words >> option >> value;)
      if (given.insert(option).second) all += option + ' ' + value + ' ';
  }
  return all;
}

bool states_what_is(const Value& value, const Value& beside) {
  std::istringstream all(value.says_what_is);
  for (std::string words; std::getline(all, words, '|');)
    if (words == beside.words) return true;
  return false;
}

}  // namespace

TEST_CASE("Every option is in the table of pairs", "[cli/nothing_ignored]") {
  const TemporaryFolder folder;
  const std::string help = run(folder, "roofline --help all").out;
  const std::string options = help.substr(0, help.find("\nSubcommands:"));
  std::set<std::string> expected;
  const std::regex name("\n  (?:-.,)?(--[a-z-]+)");
  for (std::sregex_iterator each(options.begin(), options.end(), name), end; each != end; ++each)
    expected.insert((*each)[1]);
  const std::string keys = options.substr(options.find("--assume"));
  const std::string assumed = keys.substr(0, keys.find("\n  --"));
  const std::regex key("\n +([a-z-]+=)");
  for (std::sregex_iterator each(assumed.begin(), assumed.end(), key), end; each != end; ++each)
    expected.insert((*each)[1]);
  expected.erase("--assume");
  std::set<std::string> tried = never_seen;
  for (const Value& each : values) tried.insert(each.option);
  CHECK(tried == expected);
}

TEST_CASE("Of every two options each works, or both are refused", "[cli/nothing_ignored]") {
  Runs runs;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      const Value& a = values[i];
      const Value& b = values[j];
      if (a.option == b.option && a.option != "--output") continue;
      const std::string needs = needs_of(a, b);
      const std::string& both = runs.of(needs + a.words + ' ' + b.words);
      if (is_refused(both)) continue;
      INFO(needs << '[' << a.words << "] [" << b.words << ']');
      CHECK((states_what_is(b, a) || runs.of(needs + a.words) != both));
      CHECK((states_what_is(a, b) || runs.of(needs + b.words) != both));
    }
}

TEST_CASE("With each kind of input an option works or is refused", "[cli/nothing_ignored]") {
  struct Kind {
    std::string input;
    std::string gpu;                ///< empty: the recording's
    std::set<std::string> holds{};  ///< words for what is so without them
  };
  const std::string tests = ROOFLINE_SOURCE_FOLDER "/tests/";
  const std::vector<Kind> kinds{
      {"resnet18", "v100"},
      {"layers.ndjson", "v100", {"--sort intensity"}},
      {tests + "onnx/resnet18.dynamo.onnx", "v100"},
      {tests + "pytorch/programs/resnetv2_50.dynamic.pt2", "v100"},
      {tests + "traces/resnet18.fwd.fp16.b32.pt.trace.json.gz",
       "",
       {"--dtype fp16", "--assume layout=nhwc"}},
      {tests + "profilers/net.h100.ncu.csv.gz", "", {"--chart time"}},
      {tests + "profilers/small.cuda_gpu_trace.csv", "", {"--chart time"}},
      {tests + "tables/resnet50.miopen.log",
       "mi100",
       {"--dtype fp16", "--assume layout=nhwc", "--assume fuse=pointwise", "--assume cache=cold"}},
  };
  Runs runs;
  for (const Kind& kind : kinds)
    for (const Value& value : values) {
      const std::string& seen = runs.of(value.needs + ' ' + value.words, kind.input, kind.gpu);
      INFO(kind.input << ' ' << value.needs << " [" << value.words << "]");
      CHECK((is_refused(seen) || kind.holds.contains(value.words) ||
             seen != runs.of(value.needs + ' ', kind.input, kind.gpu)));
    }
}

TEST_CASE("What ran as inference is no training step, and what trained is",
          "[cli/nothing_ignored]") {
  const TemporaryFolder folder;
  const std::string traces = ROOFLINE_SOURCE_FOLDER "/tests/traces/";
  const std::string inference = traces + "resnet18.fwd.fp16.b32.pt.trace.json.gz";
  const Outcome said = run(folder, "roofline " + inference + " --pass training");
  CHECK(said.err ==
        inference + ": --pass training changes nothing: all layers state another pass\n");
  CHECK(said.exit_code == 0);
  const std::string trained = traces + "mobilenet_v2.training.amp.b32.pt.trace.json.gz";
  CHECK(run(folder, "roofline " + trained + " --pass training").exit_code == 0);
}
