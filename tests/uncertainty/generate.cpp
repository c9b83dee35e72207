// Writes the "accuracy" of configs/kernels/*.json from measured errors, and prints how often the
// truth lies where it says:
//
//   roofline_uncertainty layers SHARED      the errors of layers; build again, and then
//   roofline_uncertainty totals SHARED      those of sums and of runs
//
// SHARED is a folder with what is not in this repository: figures of DeepBench and NVIDIA and
// recordings that others published (measured/, traces/others/), and networks exported to ONNX
// (onnx/timed/).

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "kernel/constants.hpp"
#include "kernel/resolved_model.hpp"
#include "load/kernel_model.hpp"
#include "results/steps.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/error.hpp"
#include "roofline/kernel.hpp"
#include "uncertainty/table.hpp"

namespace {

using namespace roofline;
using namespace roofline::uncertainty;

const std::string source_folder = ROOFLINE_SOURCE_FOLDER;

void append(std::vector<Sample>& all, std::vector<Sample> more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

std::vector<Sample> all_samples(const std::string& shared) {
  std::vector<Sample> all;
  for (const LayerSet& set : own_layer_sets())
    append(all, samples_of(source_folder + "/tests/measured", set));
  for (const LayerSet& set : other_layer_sets()) append(all, samples_of(shared, set));
  return all;
}

/// The file's text with this accuracy in place of the one that it has.
std::string with_accuracy(const std::string& text, const std::string& accuracy) {
  const std::string key = "\n  \"accuracy\": ";
  if (const std::size_t at = text.find(key); at != text.npos) {
    const std::size_t end = text.find("\n  }", at) + 4;
    return text.substr(0, at) + key + accuracy + text.substr(end);
  }
  const std::string constants_end = "\n  }";
  const std::size_t at = text.find(constants_end, text.find("\n  \"constants\": ")) + 4;
  return text.substr(0, at) + "," + key + accuracy + text.substr(at);
}

std::string path_of(const std::string& name) {
  return source_folder + "/configs/kernels/" + name + ".json";
}

std::string text_in(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// The rows of the heuristic, which this program does not make.
std::string heuristic_rows(const std::string& text) {
  std::string rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find("\"heuristic_ratio\"") != line.npos)
      rows += line + (line.ends_with(',') ? "\n" : ",\n");
  return rows;
}

void write(const std::string& name, const MeasuredErrors& errors) {
  const std::string old = text_in(path_of(name));
  std::string accuracy = measured_errors_json(errors);
  const std::string layers = "\"layers\": [\n";
  accuracy.insert(accuracy.find(layers) + layers.size(), heuristic_rows(old));
  const std::string text = with_accuracy(old, accuracy);
  std::ofstream(path_of(name), std::ios::binary) << text;
}

/// The totals and ways in place of those that the file has.
void write_runs(const std::string& name, const MeasuredErrors& errors) {
  const std::string key = "\n    \"totals\": ";
  const std::string text = text_in(path_of(name));
  const std::string made = measured_errors_json({{}, errors.totals, errors.ways});
  const std::size_t at = text.find(key);
  std::ofstream(path_of(name), std::ios::binary)
      << text.substr(0, at) + made.substr(made.find(key)) + text.substr(text.find("\n  }", at) + 4);
}

/// The file that holds the errors: of a calibrated GPU that of its architecture, else the one that
/// all others inherit. Those of MIOpen hold the errors of fits to its find databases.
const char* file_of(const ErrorScope& scope) {
  constexpr std::pair<const char*, const char*> files[] = {{"errors: v100", "cudnn7-volta"},
                                                           {"errors: t4", "cudnn7-turing"},
                                                           {"errors: gtx1080ti", "cudnn7-pascal"},
                                                           {"errors: m40", "cudnn7-maxwell"},
                                                           {"errors: k80", "cudnn7-kepler"}};
  for (const auto& [origin, file] : files)
    if (scope.origin == origin) return file;
  return "cudnn9-hopper";
}

/// Each GPU's errors by fits that had not seen the layer's network.
void hold_out_each(std::vector<Sample>& samples) {
  std::set<std::string> gpus;
  const auto is_measured = [](const Sample& sample) {
    return sample.set.basis == UncertaintyBasis::measured;
  };
  for (const Sample& sample : samples)
    if (is_measured(sample)) gpus.insert(sample.set.gpu);
  for (const std::string& gpu : gpus) {
    std::vector<Sample*> of_gpu;
    for (Sample& sample : samples)
      if (is_measured(sample) && sample.set.gpu == gpu) of_gpu.push_back(&sample);
    hold_out(of_gpu);
  }
}

/// The errors of layers, into the files.
void write_layers(const std::string& shared) {
  std::vector<Sample> samples = all_samples(shared);
  hold_out_each(samples);
  const std::vector<Use> uses = uses_of(samples);
  std::map<std::string, MeasuredErrors> of_file;
  const MeasuredErrors of_h200 = find_gpu("h200").value().constants->errors;
  of_file["cudnn9-hopper"] = {{}, of_h200.totals, of_h200.ways};
  for (const Use& use : uses) {
    const std::vector<LayerErrors> errors = layer_errors(use.samples, use.scope);
    auto& list = of_file[file_of(use.scope)].layers;
    list.insert(list.end(), errors.begin(), errors.end());
  }
  for (const auto& [file, errors] : of_file) write(file, errors);
  std::fputs(text_of(check_table(uses, {})).c_str(), stdout);
}

/// The errors of sums and runs under those of layers that this program was built with.
void write_totals(const std::string& shared) {
  const std::vector<Sample> samples = all_samples(shared);
  std::vector<const Sample*> h200;
  for (const Sample& sample : samples)
    if (sample.set.gpu == std::string("h200")) h200.push_back(&sample);
  const Gpu gpu = find_gpu("h200").value();
  MeasuredErrors errors = gpu.constants->errors;
  const double share = common_share(h200, *kernel_model_of(gpu).value().resolved().errors);
  std::vector<Run> runs = own_runs(source_folder + "/tests/measured");
  for (Run& run : other_runs(shared)) runs.push_back(std::move(run));
  errors.totals = total_errors(runs, share, "errors: runs");
  write_runs("cudnn9-hopper", errors);
  for (Run& run : runs) set_total_uncertainty(run.result, errors);
  std::fputs(text_of(check_table(uses_of(samples), runs)).c_str(), stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string step = argc == 3 ? argv[1] : "";
  if (step != "layers" && step != "totals") {
    std::fprintf(stderr, "usage: roofline_uncertainty layers|totals SHARED\n");
    return 2;
  }
  try {
    (step == "layers" ? write_layers : write_totals)(argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
