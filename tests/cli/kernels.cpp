// Recordings of kernels without layers, in every format.

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"
#include "roofline/render.hpp"

using Json = nlohmann::json;

namespace {

const std::string counted = ROOFLINE_SOURCE_FOLDER "/tests/profilers/net.h100.ncu.csv.gz";
const std::string uncounted = ROOFLINE_SOURCE_FOLDER "/tests/profilers/small.cuda_gpu_trace.csv";
const std::string uncounted_note =
    uncounted + ": kernels of the busiest of 2 GPUs; launches on others, left out: 1\n";

}  // namespace

TEST_CASE("Kernels have their roofs where the GPU is known", "[cli/kernels]") {
  const TemporaryFolder folder;
  const Outcome known = run(folder, "roofline " + counted + " --gpu h100 --json");
  CHECK(known.exit_code == 0);
  CHECK(known.err.empty());
  const Json table = Json::parse(known.out).at("kernel_tables").at(0);
  CHECK(table.at("gpu") == "H100 SXM5 80GB");
  CHECK(table.at("kernels_in_all") == 16);
  CHECK(table.at("ceilings").at("bandwidth_byte_per_s") == 3.35e12);
  const Json& first = table.at("kernels").at(0);
  CHECK(first.at("nearest_roof") == "compute");
  // Two products of 2048x2048x2048 with 4,194,304 multiplies more, in 693.632 us.
  CHECK(first.at("flop_per_s").get<double>() ==
        Approx((2 * 2 * 8589934592.0 + 2 * 4194304.0) / 693.632e-6));
  CHECK(first.at("compute_share").get<double>() ==
        Approx(first.at("flop_per_s").get<double>() / 66.9e12));

  const Outcome unknown = run(folder, "roofline " + counted + " --json");
  CHECK(unknown.exit_code == 0);
  CHECK(unknown.err == counted +
                           ": the recording does not name its GPU: --gpu draws the roofs over its "
                           "kernels\n");
  const Json bare = Json::parse(unknown.out).at("kernel_tables").at(0);
  CHECK(bare.at("ceilings").is_null());
  CHECK(bare.at("kernels").at(0).at("nearest_roof").is_null());
  CHECK(bare.at("kernels").at(0).at("flop_per_s") == first.at("flop_per_s"));

  const Outcome two = run(folder, "roofline " + counted + " --gpu h100,v100");
  CHECK(two.exit_code == 1);
  CHECK(two.err ==
        counted + ": expected the one GPU that the kernels were recorded on, got 2 by --gpu\n");
}

TEST_CASE("Kernels alone tell what need not be", "[cli/kernels]") {
  const TemporaryFolder folder;
  const auto output_of = [&](const std::string& file) {
    return run(folder, "roofline " + file).out;
  };
  const std::string folder_of_files = ROOFLINE_SOURCE_FOLDER "/tests/";
  // A copy takes 40 of 100 us.
  CHECK(
      output_of(uncounted).find("\ndo first: copy from pinned memory, beside kernels: leaves 60.00 "
                                "us, saves up to 40.00 us\n\n") != std::string::npos);
  // Layout kernels take 978.7 + 430.8 us of 4.930 ms.
  CHECK(output_of(folder_of_files + "traces/resnet34.graph.replay.json.gz")
            .find("\ndo first: channels last, of model and images, without kernels that change "
                  "layouts: leaves 3.520 ms, saves up to 1.410 ms\n\n") != std::string::npos);
  const std::string table = folder.write(
      "gaps.csv",
      "\"Kind\",\"Agent_Id\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"\n"
      "\"KERNEL_DISPATCH\",4,\"k\",0,1000\n\"KERNEL_DISPATCH\",4,\"ncclKernel\",8000,10000\n");
  CHECK(output_of(table).find(
            "\ndo first: keep the GPU busy (a CUDA graph, a larger batch, data loaded beside the "
            "step): leaves 3.000 us, saves up to 7.000 us\nor: find the GPU that the others wait "
            "for, or run collectives beside kernels: leaves 8.000 us, saves up to 2.000 us\n\n") !=
        std::string::npos);
  CHECK(output_of(folder_of_files + "profilers/student.h100.nersc.csv.gz --gpu h100")
            .find("  none (l2 6.0%)\n") != std::string::npos);
  CHECK(output_of(counted).find("do first") == std::string::npos);
}

TEST_CASE("Every format has the kernels", "[cli/kernels]") {
  const TemporaryFolder folder;
  for (const roofline::OutputFormat& format : roofline::output_formats())
    for (const auto& [file, name] : {std::pair(counted + " --gpu h100", "net.h100.ncu"),
                                     {uncounted, "small.cuda_gpu_trace"}}) {
      const Outcome outcome =
          run(folder, "roofline " + file + " --format " + std::string(format.name));
      INFO(format.name << ' ' << file);
      CHECK(outcome.exit_code == 0);
      // What is left out is said where the format does not show it.
      const bool is_said = file == uncounted && !format.holds_notes();
      CHECK(outcome.err == (is_said ? uncounted_note : ""));
      CHECK(outcome.out.find(name) != std::string::npos);
    }
  const Outcome lines =
      run(folder, "roofline " + uncounted + " --format ndjson | jq -r '.recording + .name'");
  CHECK(lines_of(lines.out).at(0) == "small.cuda_gpu_trace[CUDA memcpy Host-to-Device]");
  const Outcome top = run(folder, "roofline " + uncounted + " --format csv --top 1");
  CHECK(lines_of(top.out).size() == 2);
  CHECK(run(folder, "roofline " + uncounted + " --chart time --format svg").exit_code == 0);
  const Outcome no_roofs = run(folder, "roofline " + uncounted + " --chart roofline --format svg");
  CHECK(
      no_roofs.err ==
      uncounted_note +
          "roofline: roofline chart: expected layers, or kernels with counters and their GPU, got "
          "kernels "
          "alone; --chart time draws these\n");
}

TEST_CASE("Kernels and layers stand in one run, but not under one header", "[cli/kernels]") {
  const TemporaryFolder folder;
  folder.write("conv.json", conv);
  const std::string both = "roofline conv.json " + uncounted + " --gpu a100 ";
  const Json report = Json::parse(run(folder, both + "--json").out);
  CHECK(report.at("results").size() == 1);
  CHECK(report.at("kernel_tables").size() == 1);
  CHECK(lines_of(run(folder, both + "--format ndjson").out).size() == 4);
  CHECK(run(folder, both + "-o x.html -o x.svg -o x.md").exit_code == 0);
  for (const char* more : {"--format csv", "--format csv --top 1"}) {
    const Outcome csv = run(folder, both + more);
    CHECK(csv.exit_code != 0);
    CHECK(
        csv.err ==
        uncounted_note +
            "roofline: layers and kernels have different columns: write them in runs of their own, "
            "or as "
            "another format\n");
  }
  const Outcome layers = run(folder, "roofline " + uncounted + " --to-layers x.json");
  CHECK(layers.exit_code == 1);
  CHECK(layers.err == uncounted +
                          ": holds kernels, of which nothing says which layers they were: there "
                          "are none to write\n");
}

TEST_CASE("A trace without shapes still has its kernels", "[cli/kernels]") {
  const TemporaryFolder folder;
  const std::string begin =
      R"({"deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}], "traceEvents": [)";
  const std::string kernel =
      R"({"ph": "X", "cat": "kernel", "name": "f<int>", "ts": 10, "dur": 4, )"
      R"("args": {"device": 0, "correlation": 1}})";
  const std::string operation =
      R"({"ph": "X", "cat": "cpu_op", "name": "aten::relu", "ts": 1, "dur": 2, "tid": 1, )"
      R"("args": {"External id": 1}},)";
  folder.write("alone.json", begin + kernel + "]}");
  folder.write("no_shapes.json", begin + operation + kernel + "]}");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"alone",
       "expected the operators that launched the kernels, got kernels alone: record the trace with "
       "ProfilerActivity.CPU too, and without CUDA graphs, which keep no operators"},
      {"no_shapes",
       "expected operators with their shapes, got a trace without: record it with "
       "torch.profiler.profile(..., record_shapes=True)"}};
  for (const auto& [file, note] : cases) {
    const Outcome outcome = run(folder, "roofline " + file + ".json --json");
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.err.empty());
    const Json table = Json::parse(outcome.out).at("kernel_tables").at(0);
    CHECK(table.at("recording") == file);
    CHECK(table.at("gpu") == "NVIDIA H100 80GB HBM3");
    CHECK(table.at("busy_s").get<double>() == Approx(4e-6));
    CHECK(table.at("notes") == Json::array({note}));
  }
}

TEST_CASE("What was written of kernels is no input", "[cli/kernels]") {
  const TemporaryFolder folder;
  CHECK(run(folder, "roofline " + uncounted + " -o x.json -o x.csv -o x.ndjson").exit_code == 0);
  const std::string rest =
      "expected rows with their layers, got some without, which this program wrote: give the input "
      "that they are of";
  CHECK(run(folder, "roofline x.json --gpu a100").err == "x.json: " + rest + "\n");
  CHECK(run(folder, "roofline x.csv --gpu a100").err == "x.csv:1: " + rest + "\n");
  CHECK(lines_of(run(folder, "roofline x.ndjson --gpu a100").err).at(0) == "x.ndjson:1: " + rest);
}

TEST_CASE("Two recordings of kernels are held against each other", "[cli/kernels]") {
  const TemporaryFolder folder;
  const std::string header = "Start (ns),Duration (ns),CorrId,Device,Name\n";
  folder.write("before.csv",
               header + "0,4000,1,A (0),same\n5000,1000,2,A (0),same\n8000,2000,3,A (0),old\n");
  folder.write("after.csv", header + "0,3000,1,A (0),same\n3000,500,2,A (0),fresh\n");
  const Outcome text = run(folder, "roofline before.csv after.csv --compare");
  CHECK(text.err.empty());
  // 7 us of 10 busy; after it 3.5 of 3.5. "old" took 2 us, "fresh" 0.5, "same" 5 and then 3.
  CHECK(text.out.find("GPU busy 7.000 us -> 3.500 us, x0.50: -3.500 us\n") != std::string::npos);
  CHECK(text.out.find("kernels recorded by") == std::string::npos);
  const Json changes =
      Json::parse(run(folder, "roofline before.csv after.csv --compare --json").out).at("changes");
  CHECK(changes.at("before_run").at("idle_s").get<double>() == Approx(3e-6));
  CHECK(changes.at("gone").at(0).at("name") == "old");
  folder.write("conv.json", conv);
  CHECK(run(folder, "roofline before.csv conv.json --gpu a100 --compare").err ==
        "roofline: expected two inputs with layers to compare, got one of kernels\n");
}

TEST_CASE("A profiler's folder is read for its kernels", "[cli/kernels]") {
  const TemporaryFolder folder;
  folder.write("run/1_agent_info.csv",
               "\"Node_Id\",\"Agent_Type\",\"Name\",\"Product_Name\"\n4,\"GPU\",\"x\",\"y\"\n");
  folder.write("run/1_hip_api_trace.csv",
               "\"Domain\",\"Function\",\"Start_Timestamp\"\n\"H\",f,1\n");
  folder.write("run/1_kernel_trace.csv",
               "Kind,Kernel_Name,Start_Timestamp,End_Timestamp\nKERNEL_DISPATCH,f,1,2\n");
  const Outcome outcome = run(folder, "roofline run --json");
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err.empty());
  CHECK(Json::parse(outcome.out).at("kernel_tables").size() == 1);
}
