// --fail-if: a run that fails where a network or a layer is too slow, too large, too far from the
// bound. Worked by hand: a ReLU of a million values in fp32 reads and writes 4 MB each, which takes
// 8 us at 1 TB/s. Measured at 16 and 40 us, the two of them are at 0.5 and 0.2 of that bound, and
// together, 16 of 56 us, at 0.285714.

#include "results/gate.hpp"

#include <sstream>

#include "catch.hpp"
#include "cli/process.hpp"

namespace {

const std::string two_layers =
    R"([{"name": "a", "type": "relu", "input": [900000], "measured_us": 16, "gpu": "v100"},)"
    R"( {"name": "b", "type": "relu", "input": [900000], "measured_us": 40, "gpu": "v100"}])";
const std::string command = "roofline net.json --gpu v100 ";
const std::string network = "net on Tesla V100 SXM2 16GB, fp32, batch 1, fwd: ";
const std::string layer_a = "net on Tesla V100 SXM2 16GB, fp32, batch 1, fwd: a: ";
const std::string layer_b = "net on Tesla V100 SXM2 16GB, fp32, batch 1, fwd: b: ";

std::string fail_if(const std::string& condition) { return "--fail-if '" + condition + "' "; }

}  // namespace

TEST_CASE("A condition that holds ends the run with 3 and says where", "[cli/gate]") {
  const TemporaryFolder folder;
  folder.write("net.json", two_layers);
  struct Case {
    std::string condition;
    std::string failures;  ///< none: the gate is open
  };
  const std::vector<Case> table{
      {"roofline_us > 15.9", network + "roofline_us 16 > 15.9\n"},
      {"roofline_us > 16", ""},
      {"roofline_us >= 16", network + "roofline_us 16 >= 16\n"},
      {"roofline_us < 16", ""},
      {"roofline_us <= 16", network + "roofline_us 16 <= 16\n"},
      {"total.roofline_ms>0.015", network + "roofline_ms 0.016 > 0.015\n"},
      {"roofline_s > 1e-5", network + "roofline_s 1.6e-05 > 1e-05\n"},
      {"roofline_time_s > 1e-5", network + "roofline_s 1.6e-05 > 1e-05\n"},
      {"measured_us > 55", network + "measured_us 56 > 55\n"},
      {"measured_us > 56", ""},
      {"lost_us >= 40", network + "lost_us 40 >= 40\n"},
      {"share_of_bound < 0.4", network + "share_of_bound 0.285714 < 0.4\n"},
      {"share_of_bound > 0.285714", network + "share_of_bound 0.285714285714 > 0.285714\n"},
      {"share_of_bound < 0.28", ""},
      {"macs > 0", ""},
      {"flops >= 1.8e6", network + "flops 1800000 >= 1800000\n"},
      {"params > 0", ""},
      {"bytes > 14e6", network + "bytes 14400000 > 14000000\n"},
      {"memory_mb > 7.1", network + "memory_mb 7.2 > 7.1\n"},
      {"memory_gb > 0.008", ""},
      {"layer.share_of_bound < 0.4", layer_b + "share_of_bound 0.2 < 0.4\n"},
      {"layer.share_of_bound < 0.6",
       layer_a + "share_of_bound 0.5 < 0.6\n" + layer_b + "share_of_bound 0.2 < 0.6\n"},
      {"layer.lost_us > 8", layer_b + "lost_us 32 > 8\n"},
      {"layer.bytes > 8e6", ""},
  };
  for (const Case& each : table) {
    INFO(each.condition);
    const Outcome outcome = run(folder, command + fail_if(each.condition));
    CHECK(outcome.err == (each.failures.empty()
                              ? "roofline: passed: no condition of --fail-if holds\n"
                              : each.failures));
    CHECK(outcome.exit_code == (each.failures.empty() ? 0 : 3));
  }
}

TEST_CASE("A gate looks at what the output says", "[cli/gate]") {
  const TemporaryFolder folder;
  const auto number = [&](const std::string& key) {
    return run(folder, "roofline lenet5 --gpu v100 --batch 4 --json | jq '" + key + "'").out;
  };
  const double expected_s = std::stod(number(".results[0].total.expected_time_s"));
  const auto holds = [&](const std::string& field, double limit) {
    std::ostringstream condition;
    condition.precision(9);
    condition << field << " > " << limit;
    return run(folder, "roofline lenet5 --gpu v100 --batch 4 " + fail_if(condition.str()))
               .exit_code == 3;
  };
  for (const auto& [field, value] :
       {std::pair("expected_us", expected_s * 1e6), std::pair("images_per_s", 4 / expected_s),
        std::pair("macs", std::stod(number(".results[0].total.macs"))),
        std::pair("params", std::stod(number(".results[0].total.params")))}) {
    INFO(field);
    CHECK(holds(field, value * 0.9999));
    CHECK_FALSE(holds(field, value * 1.0001));
  }
}

TEST_CASE("A gate sees a recording's step, its idle share and its kernels", "[cli/gate]") {
  const TemporaryFolder folder;
  const std::string trace = ROOFLINE_SOURCE_FOLDER
      "/tests/traces/resnet50.fwd.fp16.b32.3steps.json.gz --measured step=4ms ";
  const std::string name =
      "resnet50.fwd.fp16.b32.3steps on H200 SXM 141GB, fp16, batch 32, fwd, nhwc: ";
  // The recording's kernels take 2.241 ms; (4 - 2.241) / 4 = 0.44.
  for (const std::string condition : {"step_ms > 3.9", "idle_share > 0.43", "kernel_ms > 2.2"}) {
    INFO(condition);
    CHECK(run(folder, "roofline " + trace + fail_if(condition)).exit_code == 3);
  }
  for (const std::string condition : {"step_ms > 4.1", "idle_share > 0.45", "kernel_ms > 2.3"}) {
    INFO(condition);
    CHECK(run(folder, "roofline " + trace + fail_if(condition)).exit_code == 0);
  }
  const Outcome layers = run(folder, "roofline " + trace + fail_if("measured_ms > 3"));
  CHECK(layers.err == name + "measured_ms is of layers alone; the whole step is step_ms, 4\n" +
                          "roofline: passed: no condition of --fail-if holds\n");
}

TEST_CASE("With --compare a condition is of the second input against the first", "[cli/gate]") {
  const TemporaryFolder folder;
  folder.write("net.json", two_layers);
  const auto against = [&](const std::string& settings, const std::string& condition) {
    return run(folder, "roofline net.json " + settings + fail_if(condition));
  };
  const std::string slower = "--gpu v100,t4 --compare ";
  const std::string faster = "--gpu t4,v100 --compare ";
  CHECK(against(slower, "ratio > 1.1").exit_code == 3);
  CHECK(against(faster, "ratio > 1.1").exit_code == 0);
  // 900 GB/s of a V100 and 320 GB/s of a T4: only the second one's bound is looked at.
  CHECK(against(faster, "roofline_us > 30").exit_code == 0);
  const Outcome alone = against("--gpu v100 ", "ratio > 1.1");
  CHECK(alone.exit_code == 1);
  CHECK(alone.err.find("has no answer: expected the second input's time over the first one's") !=
        std::string::npos);
}

TEST_CASE("Several gates: what any of them finds", "[cli/gate]") {
  const TemporaryFolder folder;
  folder.write("net.json", two_layers);
  const Outcome outcome =
      run(folder, command + fail_if("roofline_us > 100") + fail_if("layer.measured_us > 30") +
                      fail_if("over_expected > 1000") + fail_if("bytes > 1"));
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.err == layer_b + "measured_us 40 > 30\n" + network + "bytes 14400000 > 1\n");
}

TEST_CASE("With --fail-if standard output and files stay what they are", "[cli/gate]") {
  const TemporaryFolder folder;
  folder.write("net.json", two_layers);
  folder.write("x.ndjson", conv + "\n{\"stride\": 0}\n" + conv + "\n");
  const std::string gate = fail_if("bytes > 1") + fail_if("layer.bytes > 1");
  for (const std::string input :
       {"net.json --gpu v100", "x.ndjson net.json --gpu v100,t4", "net.json --gpu v100 --batch 1,8",
        "lenet5 --gpu v100,t4 --dtype fp32,fp16 --batch 1,2,4", "net.json --gpu v100 --explain b"})
    for (const std::string format :
         {"", "--json", "--format csv", "--format ndjson", "--format markdown", "--format html",
          "--format svg", "-o out.csv"}) {
      if (input.find("explain") != input.npos && !format.empty() && format != "--json") continue;
      INFO(input << ' ' << format);
      const std::string line = "roofline " + input + " " + format + " ";
      const std::string both = " >a; [ ! -e out.csv ] || mv out.csv b; ";
      const Outcome outcome = run(folder, line + both + line + gate +
                                              " >c; code=$?; cmp a c; [ ! -e out.csv ] || cmp "
                                              "out.csv b; rm -f out.csv b; exit $code");
      CHECK(outcome.out == "");
      CHECK(outcome.exit_code == (input.find("x.ndjson") != input.npos ? 1 : 3));
    }
}

TEST_CASE("Each network, batch and GPU has to pass", "[cli/gate]") {
  const TemporaryFolder folder;
  folder.write("relu.json", R"({"name": "a", "type": "relu", "input": [900000]})");
  // 8 us an image at 900 GB/s.
  const Outcome outcome = run(folder,
                              "roofline relu.json --gpu v100,t4 --set bandwidth=900GB/s "
                              "--batch 1,2,4 " +
                                  fail_if("roofline_us > 12") + fail_if("layer.roofline_us > 30"));
  CHECK(outcome.exit_code == 3);
  CHECK(outcome.err ==
        "relu on Tesla V100 SXM2 16GB with bandwidth=900GB/s, fp32, batch 4, fwd: roofline_us 32 > "
        "12\n"
        "relu on Tesla V100 SXM2 16GB with bandwidth=900GB/s, fp32, batch 2, fwd: roofline_us 16 > "
        "12\n"
        "relu on Tesla T4 with bandwidth=900GB/s, fp32, batch 4, fwd: roofline_us 32 > 12\n"
        "relu on Tesla T4 with bandwidth=900GB/s, fp32, batch 2, fwd: roofline_us 16 > 12\n"
        "relu on Tesla V100 SXM2 16GB with bandwidth=900GB/s, fp32, batch 4, fwd: a: roofline_us "
        "32 > 30\n"
        "relu on Tesla T4 with bandwidth=900GB/s, fp32, batch 4, fwd: a: roofline_us 32 > 30\n");
}

TEST_CASE("Rows of training say of which pass they are", "[cli/gate]") {
  const TemporaryFolder folder;
  folder.write("net.json", R"({"name": "a", "type": "conv", "input": [8, 8, 8],
                               "out_channels": 8, "kernel_size": 3, "padding": 1})");
  const Outcome outcome = run(folder, command + "--pass training " + fail_if("layer.macs > 1"));
  CHECK(outcome.exit_code == 3);
  // 8 x 8 positions x 8 x 8 channels x 9 of the kernel.
  const std::string row = "net on Tesla V100 SXM2 16GB, fp32, batch 1, training, nchw: a ";
  CHECK(outcome.err == row + "fwd: macs 36864 > 1\n" + row + "dgrad: macs 36864 > 1\n" + row +
                           "wgrad: macs 36864 > 1\n");
}

TEST_CASE("A stream's gate is of all its layers", "[cli/gate]") {
  const TemporaryFolder folder;
  const std::string relu = R"({"type": "relu", "input": [900000]})";
  const Outcome outcome =
      run(folder, "printf '%s\\n' '" + relu + "' '" + relu + "' | roofline - --gpu v100 " +
                      "--format ndjson " + fail_if("roofline_us >= 16") +
                      fail_if("layer.roofline_us > 7.5"));
  CHECK(outcome.exit_code == 3);
  CHECK(lines_of(outcome.out).size() == 2);
  const std::string stream = "stdin on Tesla V100 SXM2 16GB, fp32, batch 1, fwd: ";
  CHECK(outcome.err == stream + "roofline_us 16 >= 16\n" + stream + "relu1: roofline_us 8 > 7.5\n" +
                           stream + "relu2: roofline_us 8 > 7.5\n");
}

TEST_CASE("Inputs that fail come before gates", "[cli/gate]") {
  const TemporaryFolder folder;
  folder.write("net.json", two_layers);
  folder.write("bad.json", "{");
  const Outcome outcome =
      run(folder, "roofline bad.json net.json --gpu v100 " + fail_if("roofline_us > 15"));
  CHECK(outcome.exit_code == 1);
  CHECK(outcome.err == "bad.json:1:2: expected more JSON, got the end of the text\n" + network +
                           "roofline_us 16 > 15\n");
}

TEST_CASE("Where nothing was evaluated no gate is open", "[cli/gate]") {
  const TemporaryFolder folder;
  folder.write("bad.json", "{");
  folder.write("empty.ndjson", "");
  folder.write("net.json", two_layers);
  const std::string gate = fail_if("roofline_us > 15");
  const std::string nothing = "roofline: --fail-if: nothing was evaluated\n";
  struct Case {
    std::string arguments;
    std::string message;
  };
  const std::vector<Case> table{
      {"bad.json --gpu v100",
       "bad.json:1:2: expected more JSON, got the end of the text\n" + nothing},
      {"empty.ndjson --gpu v100",
       "empty.ndjson: expected a layer a line, got an empty file\n" + nothing},
      {"net.json --to-layers layers.json", nothing},
      {"lenet5 --gpu v100 --fail-if 'measured_ms > 1'",
       "lenet5 on Tesla V100 SXM2 16GB, fp32, batch 1, fwd, nchw: --fail-if 'measured_ms > 1' has "
       "no "
       "answer: expected the measured time, of a network known where every layer has one (a "
       "recorded "
       "step is step_ms), got none\n"},
      {"lenet5 --gpu v100 --fail-if 'layer.measured_ms > 1'",
       "lenet5 on Tesla V100 SXM2 16GB, fp32, batch 1, fwd, nchw: --fail-if 'layer.measured_ms > "
       "1' has "
       "no answer: expected the measured time, of a network known where every layer has one (a "
       "recorded step is step_ms), got none for any layer\n"},
      {"x.csv --gpu a100",
       "x.csv: --fail-if 'roofline_us > 15' has no answer: expected layers, got kernels\n"},
  };
  folder.write("x.csv",
               read_file(ROOFLINE_SOURCE_FOLDER "/tests/profilers/small.cuda_gpu_trace.csv"));
  for (const Case& each : table) {
    INFO(each.arguments);
    const Outcome outcome = run(folder, "roofline " + each.arguments + " " + gate);
    CHECK(outcome.err == each.message);
    CHECK(outcome.exit_code == 1);
  }
}

TEST_CASE("A condition that is none is a wrong command line", "[cli/gate]") {
  const TemporaryFolder folder;
  const std::string fields =
      "expected one of expected_ms, roofline_ms, measured_ms, step_ms, idle_share, kernel_ms, "
      "ratio, lost_ms, share_of_bound, "
      "over_expected, images_per_s, tokens_per_s, memory_mb, macs, flops, params, bytes, got ";
  const std::string form =
      "expected a field, one of > >= < <=, and a number, as in 'expected_ms > 2.5'";
  struct Case {
    std::string condition;
    std::string message;
  };
  const std::vector<Case> table{
      {"expected_ms", form},
      {"expected_ms == 2", form},
      {"> 2", form},
      {"expectd_ms > 2", fields + "\"expectd_ms\"; did you mean \"expected_ms\"?"},
      {"expected > 2", fields + "\"expected\"; did you mean \"expected_ms\"?"},
      {"layers.macs > 2", fields + "\"layers.macs\""},
      {"expected_ms > 2.5ms",
       "expected a number after >, got \"2.5ms\"; a unit stands in the name, as in expected_ms"},
      {"macs >= ",
       "expected a number after >=, got \"\"; a unit stands in the name, as in expected_ms"},
      {"macs < nan",
       "expected a number after <, got \"nan\"; a unit stands in the name, as in expected_ms"},
      {"macs < 1e999",
       "expected a number after <, got \"1e999\"; a unit stands in the name, as in expected_ms"},
      {"layer.memory_mb > 2", "memory_mb is of networks, not of layers"},
      {"layer.images_per_s < 2", "images_per_s is of networks, not of layers"},
  };
  for (const Case& each : table) {
    INFO(each.condition);
    const Outcome outcome = run(folder, "roofline lenet5 --gpu v100 " + fail_if(each.condition));
    CHECK(outcome.err == "roofline: --fail-if '" + each.condition + "': " + each.message + "\n");
    CHECK(outcome.out == "");
    CHECK(outcome.exit_code == 2);
  }
  const Outcome list = run(folder, "roofline gpus " + fail_if("macs > 2"));
  CHECK(list.err == "roofline: gpus has no option --fail-if (see --help)\n");
  CHECK(list.exit_code == 2);
}

TEST_CASE("A reader that leaves early opens no gate", "[cli/gate]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run(folder, "yes '" + conv +
                      "' | head -20000 >many.ndjson; { roofline many.ndjson --gpu v100 "
                      "--format ndjson " +
                      fail_if("macs < 1") +
                      "; echo $? >code; } | head -1 "
                      ">/dev/null; cat code");
  CHECK(outcome.err == "roofline: --fail-if: the output was closed before all was evaluated\n");
  CHECK(outcome.out == "1\n");
}

TEST_CASE("Of a time of fewer bytes than counted no share of a bound is known", "[cli/gate]") {
  const roofline::Gate gate = roofline::parse_gate("share_of_bound < 0.6").value();
  roofline::Result result;
  result.total.roofline_time_s = 1;
  result.total.measured_time_s = 2;
  const roofline::GateOutcome known = check_gate(gate, {&result}).value();
  REQUIRE(known.failures.size() == 1);
  CHECK(known.failures[0].value == 0.5);
  result.total.is_overcounted = true;
  const roofline::GateOutcome unknown = check_gate(gate, {&result}).value();
  CHECK(unknown.failures.empty());
  CHECK(unknown.unanswered == std::vector<std::size_t>{0});
}
