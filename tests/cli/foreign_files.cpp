// What the program makes of files that others wrote: tests/golden/foreign.md, a table of real runs.
// What stands below its second heading was read elsewhere and is kept as it is.
//
//   ROOFLINE_UPDATE_GOLDEN=1 ctest --test-dir build -R cli/foreign_files

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "cli/process.hpp"
#include "report/golden.hpp"

namespace {

struct Foreign {
  std::string what;
  std::string line;       ///< files of tests/, and options
  std::string text = {};  ///< of the file f.txt, where it is none of tests/
};

const std::vector<Foreign> files{
    {"PyTorch 2.11's profiler: inference, three steps",
     "traces/resnet50.fwd.fp16.b32.3steps.json.gz"},
    {"the same: a training step under autocast",
     "traces/mobilenet_v2.training.amp.b32.pt.trace.json.gz"},
    {"the same: torch.compile, kernels of Triton",
     "traces/resnet18.compiled.fp16.b32.pt.trace.json.gz"},
    {"the same: a CUDA graph replayed, alone", "traces/resnet34.graph.replay.json.gz"},
    {"the same: without a GPU", "traces/resnet34.cpu.fp32.b16.json.gz --gpu h100"},
    {"the same: `key_averages().table()`", "profilers/resnet34.key_averages.txt"},
    {"torch.export", "pytorch/programs/resnetv2_50.dynamic.pt2 --gpu h100"},
    {"ONNX of torch.onnx, by TorchScript", "onnx/resnet18.script.onnx --gpu h100"},
    {"ONNX of torch.onnx, by Dynamo", "onnx/resnet18.dynamo.onnx --gpu h100"},
    {"TensorRT: layers of an engine, without a profile", "fuzz/seeds/engine_alone.json --gpu a100"},
    {"Nsight Systems: `cuda_gpu_trace`, CSV", "profilers/small.cuda_gpu_trace.csv"},
    {"Nsight Systems: `cuda_gpu_kern_sum`, as text", "f.txt",
     " Time (%)  Total Time (ns)  Instances  Avg (ns)  Name\n"
     " --------  ---------------  ---------  --------  ----\n    100.0             1000          1 "
     "   "
     "1000.0  k\n"},
    {"Nsight Compute: metrics of a person's choice", "profilers/net.h100.ncu.csv.gz --gpu h100"},
    {"Nsight Compute: `--set roofline`, raw page", "profilers/net.h100.ncu-raw.csv.gz"},
    {"Nsight Compute: metrics of NERSC's scripts", "profilers/student.h100.nersc.csv.gz"},
    {"nvprof, as text", "f.txt",
     "==7== Profiling result:\n"
     "            Type  Time(%)      Time     Calls       Avg       Min       Max  Name\n"
     " GPU activities:   60.00%  1.2000ms         3  400.00us  300.00us  500.00us  sgemm\n"},
    {"rocprof 1", "f.txt",
     "\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"grd\",\"wgr\",\"BeginNs\",\"EndNs\"\n"},
    {"rocprof 2 and rocprofv3: sums", "f.txt",
     "\"Name\",\"Calls\",\"TotalDurationNs\"\n\"f(int*)\",4,8000\n"},
    {"rocprofv3: `kernel_trace`, CSV", "f.txt",
     "\"Kind\",\"Agent_Id\",\"Kernel_Name\",\"Start_Timestamp\",\"End_Timestamp\"\n"
     "\"KERNEL_DISPATCH\",4,\"copy\",1000,21000\n"},
    {"rocprofiler-compute: `timestamps.csv`", "f.txt",
     "Dispatch_ID,GPU_ID,Grid_Size,Workgroup_Size,Arch_VGPR,Kernel_Name,Start_Timestamp,"
     "End_Timestamp\n0,2,1048576,256,8,copy.kd,1000,21000\n"},
    {"MIOpen's log with commands of MIOpenDriver", "tables/resnet50.miopen.log --gpu mi300x"},
    {"MIOpen's find database", "tables/gfx942130.HIP.fdb.txt --gpu mi300x"},
};

std::string percent(double share) {
  return std::to_string(static_cast<int>(std::lround(100 * share))) + " %";
}

/// "171 layers", "19 kernels of 927 launches", and how much of the kernels' time these explain.
std::pair<std::string, std::string> read_as(const nlohmann::json& output) {
  for (const auto& table : output.at("kernel_tables")) {
    double counted_s = 0;
    for (const auto& kernel : table.at("kernels"))
      if (!kernel.at("flops").is_null()) counted_s += kernel.at("time_s").get<double>();
    const int kernels = table.at("kernels_in_all").get<int>();
    return {std::to_string(kernels) + (kernels == 1 ? " kernel" : " kernels"),
            counted_s > 0 ? "FLOP of " + percent(counted_s / table.at("time_s").get<double>())
                          : "times alone"};
  }
  for (const auto& result : output.at("results")) {
    const auto& recording = result.at("recording");
    const bool is_measured = !result.at("total").at("measured_time_s").is_null();
    return {std::to_string(result.at("layers_in_all").get<int>()) + " layers",
            !recording.is_null() ? percent(recording.at("explained_share").get<double>())
            : is_measured        ? "each has a time"
                                 : "predicted"};
  }
  return {"not read", ""};
}

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, "\\");
  return text.empty() ? "" : '`' + text + '`';
}

/// What is said of the recording, else the first line of standard error.
std::string first_note(const nlohmann::json& output, const std::string& err) {
  if (output.is_object()) {
    for (const auto& table : output.at("kernel_tables"))
      for (const auto& note : table.at("notes")) return note.get<std::string>();
    for (const auto& result : output.at("results"))
      if (!result.at("recording").is_null())
        for (const auto& note : result.at("recording").at("notes")) return note.get<std::string>();
  }
  return err.substr(0, err.find('\n'));
}

std::string row_of(const Foreign& file) {
  const TemporaryFolder folder;
  folder.write("f.txt", file.text);
  if (file.text.empty()) run(folder, "ln -s " ROOFLINE_SOURCE_FOLDER "/tests/* .");
  const Outcome outcome = run(folder, "roofline --top all --json " + file.line);
  INFO(file.line << '\n' << outcome.err);
  CHECK(outcome.exit_code <= 1);
  const auto output = nlohmann::json::parse(outcome.out, nullptr, false);
  const auto [read, explained] =
      output.is_discarded() ? std::pair<std::string, std::string>{"not read", ""} : read_as(output);
  return "| " + file.what + " | " + cell(file.line) + " | " + read + " | " + explained + " | " +
         cell(first_note(output, outcome.err)) + " |\n";
}

}  // namespace

TEST_CASE("Files of others are read as the table says", "[cli/foreign_files]") {
  const std::string elsewhere = "\n## Read elsewhere\n";
  const std::string path = std::string(golden_folder) + "foreign.md";
  const std::string text = read_file(path);
  std::string table =
      "# Files of others\n\n`tests/cli/foreign_files.cpp` runs these and writes this table. "
      "Explained: the share of the kernels' time that has layers, or FLOP that were counted.\n\n"
      "| from | file | read as | explained | said |\n| --- | --- | --- | --- | --- |\n";
  for (const Foreign& file : files) table += row_of(file);
  const std::size_t kept = text.find(elsewhere);
  REQUIRE(kept != text.npos);
  table += text.substr(kept);
  if (updating())
    std::ofstream(path) << table;
  else
    CHECK(text == table);
}
