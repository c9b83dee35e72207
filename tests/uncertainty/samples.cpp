#include "uncertainty/samples.hpp"

#include <cmath>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>

#include "calibrate/fit.hpp"
#include "load/kernel_model.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/load.hpp"

namespace roofline::uncertainty {
namespace {

using enum UncertaintyBasis;

AnalysisOptions options_of(const LayerSet& set) {
  AnalysisOptions options;
  options.launch = set.launch;
  options.cache = set.cache;
  options.engine = set.engine;
  return options;
}

std::vector<LayerResult> rows_of(const Network& network, const Context& context) {
  if (network.recording) return evaluate(network, context).value().layers;
  return evaluate_layers(network, context).value();
}

std::vector<std::string> cells_of(const std::string& line, char separator) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, separator);) cells.push_back(cell);
  return cells;
}

std::ifstream opened(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return file;
}

/// Read as all beginnings and then all ends, a square window's uneven padding differs by axis.
bool has_uneven_padding(const Layer& layer) {
  return layer.window->pad_begin[1] != layer.window->pad_begin[2];
}

/// A network of the catalogue or of a file.
Network network_named(const std::string& name, const LayerDefaults& defaults) {
  if (const auto text = find_network(name)) return load_network(*text, name, defaults).value();
  const auto reader = open_input(name).value();
  return infer(*reader->next()->value().spec(defaults).value(), defaults).value();
}

Run run_of(const std::string& network, const std::string& gpu, const std::string& dtype,
           const std::string& batch, const AnalysisOptions& options, double measured_s,
           const std::string& file) {
  LayerDefaults defaults;
  defaults.dtype = *parse<DataType>(dtype);
  defaults.dtype_given = true;
  defaults.batch_override = std::stoull(batch);
  const Context context = make_context(find_gpu(gpu).value(), options).value();
  return {evaluate(network_named(network, defaults), context).value(), file, measured_s};
}

}  // namespace

double Run::log_ratio() const { return std::log(*result.total.expected_time_s / measured_s); }

std::vector<LayerSet> own_layer_sets() {
  const auto h200 = [](const char* file) {
    return LayerSet{.file = file, .gpu = "h200", .basis = measured, .fitted = "*"};
  };
  const auto convs = [](const char* gpu, UncertaintyBasis basis, const char* constants_of) {
    return LayerSet{.file = "neusight_convs.ndjson",
                    .gpu = gpu,
                    .basis = basis,
                    .constants_of = constants_of,
                    .launch = LaunchProtocol::stream};
  };
  const auto products = [](const char* gpu, CacheState cache) {
    return LayerSet{.file = "aiconfigurator_products.ndjson",
                    .gpu = gpu,
                    .basis = datasheet,
                    .constants_of = "h100",
                    .cache = cache};
  };
  LayerSet odd = h200("h200_odd_convs.ndjson");
  odd.engine = EngineChoice::tf32;
  return {h200("h200.csv"),
          h200("h200_more.csv"),
          h200("h200_gemms.ndjson"),
          h200("h200_ops.ndjson"),
          h200("h200_ops_backward.ndjson"),
          h200("h200_attention.ndjson"),
          h200("h200_seldom.ndjson"),
          odd,
          {.file = "h200_unaligned.ndjson", .gpu = "h200", .basis = measured},
          {.file = "h200_nchw.ndjson", .gpu = "h200", .basis = measured},
          {.file = "h200_drawn.ndjson", .gpu = "h200", .basis = measured},
          {.file = "h100_networks.ndjson", .gpu = "h100", .basis = architecture},
          {.file = "h100_order.ndjson", .gpu = "h100", .basis = architecture},
          {.file = "h100_convs.ndjson", .gpu = "h100", .basis = architecture},
          convs("v100-pcie", architecture, nullptr),
          convs("p4", architecture, nullptr),
          convs("t4", measured, nullptr),
          convs("a100-pcie", datasheet, "h100"),
          convs("v100-pcie", datasheet, "h100"),
          convs("t4", datasheet, "v100"),
          convs("p4", datasheet, "v100"),
          products("a100", CacheState::warm),
          products("a100", CacheState::cold),
          products("l40s", CacheState::warm),
          products("l40s", CacheState::cold),
          products("b200", CacheState::warm),
          products("b200", CacheState::cold)};
}

std::vector<LayerSet> other_layer_sets() {
  const auto deepbench = [](const char* file, const char* gpu, const char* constants_of) {
    return LayerSet{.file = file,
                    .gpu = gpu,
                    .basis = constants_of == nullptr ? measured : datasheet,
                    .constants_of = constants_of,
                    .launch = LaunchProtocol::stream,
                    .fitted = constants_of == nullptr ? "dense.*" : nullptr};
  };
  // One parameter of a K80 and one of FFT's kernels were fitted to half of these rows.
  const auto sessions = [](const char* file, const char* gpu) {
    return LayerSet{.file = file,
                    .gpu = gpu,
                    .basis = measured,
                    .launch = LaunchProtocol::stream,
                    .has_axis_by_axis_padding = true};
  };
  const auto recording = [](const char* file, const char* gpu) {
    return LayerSet{.file = file, .gpu = gpu, .basis = datasheet};
  };
  return {deepbench("measured/deepbench_v100.csv", "v100", nullptr),
          deepbench("measured/deepbench_t4.csv", "t4", nullptr),
          deepbench("measured/deepbench_gtx1080ti.csv", "gtx1080ti", nullptr),
          deepbench("measured/deepbench_m40.csv", "m40", nullptr),
          deepbench("measured/deepbench_v100.csv", "v100", "h100"),
          deepbench("measured/deepbench_t4.csv", "t4", "v100"),
          deepbench("measured/deepbench_gtx1080ti.csv", "gtx1080ti", "v100"),
          deepbench("measured/deepbench_m40.csv", "m40", "v100"),
          deepbench("measured/deepbench_mi25.csv", "mi25", "v100"),
          sessions("measured/tensorflow1_convs_v100.ndjson.gz", "v100"),
          sessions("measured/tensorflow1_convs_1080ti.ndjson.gz", "gtx1080ti"),
          sessions("measured/tensorflow1_convs_k80.ndjson.gz", "k80"),
          recording("traces/others/resnet50.training.v100-dgxs.json.gz", "v100-32gb"),
          recording("traces/others/distributed.a100-pg509.json.gz", "a100-40gb"),
          recording("traces/others/recommender.a100.json.gz", "a100"),
          recording("traces/others/vllm-eager.b200.json.gz", "b200"),
          recording("traces/others/vit.mi300x.json.gz", "mi300x"),
          recording("traces/others/qwen1.5-0.5b.mi300x.json.gz", "mi300x"),
          recording("traces/others/resnet.ddp-checkpoint.mi300x.json.gz", "mi300x")};
}

Gpu gpu_of(const LayerSet& set) {
  Gpu gpu = find_gpu(set.gpu).value();
  if (set.constants_of != nullptr)
    gpu.constants = built_in_constants(find_gpu(set.constants_of).value());
  return gpu;
}

std::vector<Sample> samples_of(const std::string& folder, const LayerSet& set) {
  const Context context = make_context(gpu_of(set), options_of(set)).value();
  const std::unique_ptr<Reader> reader = open_input(folder + "/" + set.file).value();
  std::vector<Sample> samples;
  std::set<std::pair<double, double>> alike;
  while (const auto item = reader->next()) {
    Network network = infer(*item->value().spec({}).value(), {}).value();
    if (network.recording)  // whatever it calls its GPU
      for (Layer& layer : network.layers)
        layer.measured.change([](Measured& measured) { measured.gpu.clear(); });
    set_measured_gpu(network, set.gpu);
    for (LayerResult& row : rows_of(network, context)) {
      if (!row.kernel || !row.measured_time_s) continue;
      if (set.has_axis_by_axis_padding && has_uneven_padding(row.layer)) continue;
      if (network.recording && !alike.insert({*row.expected_time_s(), *row.measured_time_s}).second)
        continue;
      const double log_ratio = std::log(*row.expected_time_s() / *row.measured_time_s);
      const std::string& name = row.layer.name;
      std::string before_slash = name.substr(0, name.find('/'));
      samples.push_back({std::move(row), set, std::move(before_slash), log_ratio});
    }
  }
  return samples;
}

std::vector<Run> own_runs(const std::string& folder) {
  std::vector<Run> runs;
  std::string line;
  for (const std::string name : {"h200_networks.tsv", "h200_steps.tsv"}) {
    std::ifstream file = opened(folder + "/" + name);
    std::getline(file, line);
    const bool has_steps = name == "h200_steps.tsv";
    while (std::getline(file, line)) {
      // model, [what], dtype, layout, batch, [pixels], graph_us
      const auto cells = cells_of(line, '\t');
      if (has_steps && (cells[5] != "224" || !find_network(cells[0]))) continue;
      AnalysisOptions options;
      options.training = has_steps && cells[1] == "training";
      runs.push_back(run_of(cells[0], "h200", cells[has_steps ? 2 : 1], cells[has_steps ? 4 : 3],
                            options, std::stod(cells[has_steps ? 6 : 4]) * 1e-6, name));
    }
  }
  return runs;
}

std::vector<Run> other_runs(const std::string& folder) {
  std::vector<Run> runs;
  std::string line;
  std::ifstream published = opened(folder + "/measured/published_networks.csv");
  std::getline(published, line);
  while (std::getline(published, line)) {
    // source, gpu, network, dtype, pass, fuse, batch, images_per_s
    const auto cells = cells_of(line, ',');
    AnalysisOptions options;
    options.training = cells[4] == "training";
    options.fusion = *parse<FusionKind>(cells[5]);
    runs.push_back(run_of(cells[2], cells[1], cells[3], cells[6], options,
                          std::stod(cells[6]) / std::stod(cells[7]), "published_networks.csv"));
  }
  std::ifstream exported = opened(folder + "/measured/h100_onnx.csv");
  std::getline(exported, line);
  while (std::getline(exported, line)) {
    // model, dtype, batch, how, measured_us
    const auto cells = cells_of(line, ',');
    if (cells[3] == "as trained") continue;  // the files hold no batch norms
    AnalysisOptions options;
    if (cells[3] == "compiled") options.fusion = FusionKind::pointwise;
    runs.push_back(run_of(folder + "/onnx/timed/" + cells[0] + ".onnx", "h100", cells[1], cells[2],
                          options, std::stod(cells[4]) * 1e-6, "h100_onnx.csv"));
  }
  return runs;
}

void hold_out(const std::vector<Sample*>& samples) {
  std::vector<MeasuredLayer> layers;
  std::vector<Sample*> fitted;
  for (Sample* sample : samples) {
    if (sample->set.fitted == nullptr) continue;
    fitted.push_back(sample);
    layers.push_back({sample->row.layer, sample->row.counts, sample->row.planned_engine,
                      sample->set.cache, Launch{sample->set.launch, 0},
                      *sample->row.measured_time_s, sample->network});
  }
  if (fitted.empty()) return;
  const Calibration calibration =
      calibrate(gpu_of(fitted.front()->set), layers, fitted.front()->set.fitted, [] {});
  for (std::size_t i = 0; i < fitted.size(); ++i)
    fitted[i]->log_ratio = calibration.held_out_log_ratios[i];
}

}  // namespace roofline::uncertainty
