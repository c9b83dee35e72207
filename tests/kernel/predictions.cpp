// Fingerprint of the kernel model: expected times of the same layers on a GPU of each kernel model,
// in predictions.tsv. A change of a formula or a constant shows here as the cells that moved, and
// by how much; whether they moved towards measured times is results/accuracy's matter. After a
// wanted change, ROOFLINE_UPDATE_GOLDEN=1 rewrites the file.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "kernel/architecture.hpp"
#include "load/loading.hpp"
#include "report/golden.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace roofline;

constexpr const char* predictions_file = ROOFLINE_SOURCE_FOLDER "/tests/kernel/predictions.tsv";

/// One of each kernel model's GPUs; the name is what the file calls it.
constexpr const char* gpus[] = {"k80",      "m40",       "p100",   "gtx1080", "v100",   "t4",
                                "a100",     "rtx3090",   "l4",     "h100",    "b200",   "rtx5090",
                                "mi25",     "mi50",      "mi100",  "mi210",   "mi300x", "mi355x",
                                "rx6900xt", "rx7900xtx", "max1550"};

struct Case {
  const char* name;
  const char* layer;  ///< without braces
};

/// Every family of kernels, large and small.
constexpr Case cases[] = {
    {"first",
     R"("input": [32, 3, 224, 224], "k": 64, "kernel_size": 7, "stride": 2, "padding": 3)"},
    {"3x3", R"("input": [32, 128, 28, 28], "k": 128, "kernel_size": 3, "padding": 1)"},
    {"3x3.nhwc",
     R"("input": [32, 128, 28, 28], "k": 128, "kernel_size": 3, "padding": 1, "layout": "nhwc")"},
    {"3x3.nchw",
     R"("input": [32, 256, 14, 14], "k": 256, "kernel_size": 3, "padding": 1, "layout": "nchw")"},
    {"3x3.small", R"("input": [1, 512, 7, 7], "k": 512, "kernel_size": 3, "padding": 1)"},
    {"5x5", R"("input": [8, 48, 27, 27], "k": 128, "kernel_size": 5, "padding": 2)"},
    {"1x1", R"("input": [32, 256, 56, 56], "k": 64, "kernel_size": 1)"},
    {"1x1.strided", R"("input": [8, 512, 28, 28], "k": 1024, "kernel_size": 1, "stride": 2)"},
    {"odd", R"("input": [4, 33, 19, 19], "k": 21, "kernel_size": 3)"},
    {"dilated",
     R"("input": [2, 256, 33, 33], "k": 256, "kernel_size": 3, "padding": 6, "dilation": 6)"},
    {"conv1d",
     R"("type": "conv1d", "input": [16, 80, 3000], "k": 512, "kernel_size": 3, "padding": 1)"},
    {"conv3d",
     R"("type": "conv3d", "input": [4, 64, 8, 28, 28], "k": 64, "kernel_size": 3, "padding": 1)"},
    {"grouped",
     R"("input": [32, 256, 28, 28], "k": 256, "kernel_size": 3, "padding": 1, "groups": 32)"},
    {"two_groups",
     R"("input": [16, 96, 27, 27], "k": 256, "kernel_size": 5, "padding": 2, "groups": 2)"},
    {"depthwise",
     R"("input": [32, 144, 56, 56], "k": 144, "kernel_size": 3, "padding": 1, "depthwise": true)"},
    {"depthwise.7x7",
     R"("input": [16, 384, 14, 14], "k": 384, "kernel_size": 7, "padding": 3, "depthwise": true)"},
    {"transposed",
     R"("type": "conv_transpose", "input": [4, 256, 32, 32], "k": 128, "kernel_size": 2, "stride": 2)"},
    {"linear", R"("type": "linear", "batch": 2048, "in_features": 1024, "out_features": 4096)"},
    // One row of a product, as a recurrent layer's step and a decoder's token have it.
    {"linear.row", R"("type": "linear", "batch": 1, "in_features": 4096, "out_features": 4096)"},
    {"matmul", R"("type": "matmul", "batch": 96, "m": 197, "n": 197, "k": 64)"},
    {"attention",
     R"("type": "attention", "inputs": [[8, 12, 512, 64], [8, 12, 512, 64], [8, 12, 512, 64]])"},
    {"batch_norm", R"("type": "batch_norm", "input": [32, 256, 28, 28], "training": true)"},
    {"layer_norm", R"("type": "layer_norm", "input": [4096, 768])"},
    {"group_norm", R"("type": "group_norm", "input": [4, 320, 64, 64], "groups": 32)"},
    {"softmax", R"("type": "softmax", "input": [8, 12, 512, 512])"},
    {"relu", R"("type": "relu", "input": [32, 256, 56, 56])"},
    {"gelu", R"("type": "gelu", "input": [4096, 3072])"},
    {"add", R"("type": "add", "inputs": [[32, 512, 7, 7], [32, 512, 7, 7]])"},
    {"broadcast", R"("type": "mul", "inputs": [[32, 96, 56, 56], [32, 96, 1, 1]])"},
    {"concat", R"("type": "concat", "inputs": [[32, 64, 28, 28], [32, 192, 28, 28]])"},
    {"transpose", R"("type": "copy", "input": [64, 197, 768], "access": "transposed")"},
    {"max_pool",
     R"("type": "max_pool", "input": [32, 64, 112, 112], "kernel_size": 3, "stride": 2, "padding": 1)"},
    {"global_pool", R"("type": "global_avg_pool", "input": [32, 2048, 7, 7])"},
    {"row_sums", R"("type": "reduce", "input": [4096, 1024], "output": [4096, 1])"},
    {"total", R"("type": "reduce", "input": [1000000, 8], "output": [1, 1])"},
    {"bilinear",
     R"("type": "upsample", "input": [4, 256, 32, 32], "scale_factor": 2, "interpolation": "bilinear")"},
    {"embedding",
     R"("type": "embedding", "input": [8, 512], "num_embeddings": 30522, "embedding_dim": 768)"},
    {"scatter", R"("type": "scatter", "input": [4096, 128], "output": [1000, 128])"},
};

struct Column {
  const char* name;
  DataType dtype;
  Pass pass;
};

constexpr Column columns[] = {
    {"fp32", DataType::fp32, Pass::fwd},         {"fp32.dgrad", DataType::fp32, Pass::dgrad},
    {"fp32.wgrad", DataType::fp32, Pass::wgrad}, {"fp16", DataType::fp16, Pass::fwd},
    {"fp16.dgrad", DataType::fp16, Pass::dgrad}, {"fp16.wgrad", DataType::fp16, Pass::wgrad},
    {"int8", DataType::int8, Pass::fwd},
};

/// Microseconds to four digits; "-" where no kernel of the GPU runs the layer.
std::string prediction(Layer layer, Pass pass, const Gpu& gpu, const KernelModel& model) {
  if (!runs(layer, pass)) return "-";
  layer.pass = pass;
  const auto engine = select_engine(layer, gpu.peak_flop_per_s, EngineChoice::automatic);
  if (!engine) return "-";
  const auto plan = plan_kernel(layer, count(layer), *engine, model, CacheState::warm).value();
  return plan ? fmt::format("{:.4g}", plan->expected_time_s() * 1e6) : "-";
}

/// The whole file: a line for each GPU and layer.
std::string predictions() {
  std::string text = "gpu\tlayer";
  for (const Column& column : columns) text += fmt::format("\t{}", column.name);
  text += "\tus\n";
  std::map<std::pair<std::string, DataType>, Layer> layers;
  for (const Case& each : cases)
    for (const Column& column : columns) {
      LayerDefaults defaults;
      defaults.dtype = column.dtype;
      layers[{each.name, column.dtype}] = load_layer(std::string("{") + each.layer + "}", defaults);
    }
  for (const char* name : gpus) {
    const Gpu gpu = find_gpu(name).value();
    const KernelModel model = kernel_model_of(gpu).value();
    for (const Case& each : cases) {
      text += fmt::format("{}\t{}", name, each.name);
      for (const Column& column : columns)
        text += '\t' + prediction(layers.at({each.name, column.dtype}), column.pass, gpu, model);
      text += '\n';
    }
  }
  return text;
}

/// "v100 3x3 fp16.dgrad" -> "12.34", of all that are predicted.
std::map<std::string, std::string> cells_of(const std::string& text) {
  std::map<std::string, std::string> cells;
  std::istringstream lines(text);
  std::string line;
  std::vector<std::string> names;
  while (std::getline(lines, line)) {
    std::vector<std::string> words;
    std::istringstream rest(line);
    for (std::string word; std::getline(rest, word, '\t');) words.push_back(word);
    if (names.empty()) names = words;
    for (std::size_t i = 2; i < words.size() && words[0] != "gpu"; ++i)
      if (words[i] != "-") cells[words[0] + ' ' + words[1] + ' ' + names.at(i)] = words[i];
  }
  return cells;
}

/// Which predictions moved and by how much: their number, the geometric mean of after / before, and
/// the ten that moved most. Empty where all are as before.
std::string moved(const std::string& before_text, const std::string& after_text) {
  const auto before = cells_of(before_text);
  const auto after = cells_of(after_text);
  struct Move {
    double log;
    std::string text;
  };
  std::vector<Move> moves;
  std::map<std::string, int> of_gpu;
  double sum_log = 0;
  std::string only;
  for (const auto& [cell, value] : before) {
    const auto now = after.find(cell);
    if (now == after.end()) {
      only += fmt::format("  {}: {} us before, no longer predicted\n", cell, value);
    } else if (now->second != value) {
      const double log = std::log(std::stod(now->second) / std::stod(value));
      sum_log += log;
      ++of_gpu[cell.substr(0, cell.find(' '))];
      moves.push_back({log, fmt::format("  {}: {} -> {} us (x{:.3f})\n", cell, value, now->second,
                                        std::exp(log))});
    }
  }
  for (const auto& [cell, value] : after)
    if (!before.contains(cell)) only += fmt::format("  {}: {} us, new\n", cell, value);
  if (moves.empty()) return only;
  std::ranges::stable_sort(moves, std::greater(),
                           [](const Move& move) { return std::abs(move.log); });
  const auto count = static_cast<double>(moves.size());
  std::string text = fmt::format("{} of {} predictions moved, by x{:.3f} in the geometric mean\n ",
                                 moves.size(), before.size(), std::exp(sum_log / count));
  for (const auto& [gpu, cells] : of_gpu) text += fmt::format(" {} {}", gpu, cells);
  text += "\nmost of all\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(moves.size(), 10); ++i) text += moves[i].text;
  return text + only;
}

}  // namespace

TEST_CASE("Expected times are those of the last fingerprint", "[kernel/predictions]") {
  const std::string now = predictions();
  const std::string difference = moved(read_file(predictions_file), now);
  if (updating()) {
    std::ofstream(predictions_file, std::ios::binary) << now;
    if (!difference.empty()) WARN(difference);
    return;
  }
  INFO(difference);
  CHECK(difference.empty());
  CHECK((now == read_file(predictions_file)));  // names and order too
}

TEST_CASE("Each architecture has about 200 predictions or more", "[kernel/predictions]") {
  std::set<Architecture> architectures;
  for (const char* name : gpus)
    architectures.insert(stated_architecture(find_gpu(name).value()).value());
  CHECK(architectures.size() == count_of<Architecture>);
  std::map<std::string, int> of_gpu;
  for (const auto& [cell, value] : cells_of(read_file(predictions_file)))
    ++of_gpu[cell.substr(0, cell.find(' '))];
  CHECK(of_gpu.size() == std::size(gpus));
  for (const auto& [gpu, cells] : of_gpu) {
    INFO(gpu << ' ' << cells);
    CHECK(cells >= (gpu == "k80" || gpu == "m40" ? 90 : 180));  // these have no fp16, no int8
  }
}

TEST_CASE("What moved is told with how much it moved", "[kernel/predictions]") {
  const std::string before =
      "gpu\tlayer\tfp32\tfp16\tus\na\tconv\t10\t20\na\tadd\t4\t-\nb\tadd\t1\t3\n";
  CHECK(moved(before, before).empty());
  // 11 / 10 x 40 / 20 = 2.2, of which the square root is 1.483.
  CHECK(
      moved(before, "gpu\tlayer\tfp32\tfp16\tus\na\tconv\t11\t40\na\tadd\t4\t5\nb\tadd\t1\t-\n") ==
      "2 of 5 predictions moved, by x1.483 in the geometric mean\n"
      "  a 2\n"
      "most of all\n"
      "  a conv fp16: 20 -> 40 us (x2.000)\n"
      "  a conv fp32: 10 -> 11 us (x1.100)\n"
      "  b add fp16: 3 us before, no longer predicted\n"
      "  a add fp16: 5 us, new\n");
}
