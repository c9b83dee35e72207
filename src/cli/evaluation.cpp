#include "cli/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output.hpp"
#include "load/spelling.hpp"
#include "report/text.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/explain.hpp"

namespace roofline {

namespace {

/// Refuses what the command line asks of a GPU that does not state it.
void check_gpu(const Gpu& gpu, const AnalysisOptions& options) {
  if (options.ceilings == CeilingKind::sustained && !gpu.sustained)
    throw UsageError(
        gpu.name +
        " has no sustained ceilings: measure them and give them with --peak-tflops and "
        "--bandwidth-gbs, or as \"sustained\" in a GPU file of your own");
  if (options.host_copies && !host_copy_byte_per_s(gpu, *options.host_copies))
    throw UsageError(gpu.name + " states no " +
                     (*options.host_copies == HostMemory::pageable
                          ? "host_pageable_gb_per_s"
                          : "host_pinned_gb_per_s or host_link_gb_per_s") +
                     ": give it in a GPU file of your own");
}

}  // namespace

/// An input of records on its way through the GPUs.
struct Evaluation::Stream {
  std::string name;
  std::unique_ptr<LayerReader> records;
  std::vector<Result> results;  ///< one for each of the defaults and each GPU
};

Evaluation::Evaluation(const Options& options)
    : options_(&options),
      streaming_(options.exports.empty() && options.format == Format::ndjson &&
                 options.view.is_default() && options.explain.empty()) {
  for (const std::string& name : options.gpus) {
    gpus_.push_back(find_gpu(name));
    check_gpu(gpus_.back(), options.analysis);
  }
  for (const std::string& word : options.inputs) steps_.push_back([this, &word] { resolve(word); });
}

void Evaluation::step() {
  const Step next = std::move(steps_.front());
  steps_.pop_front();
  next();
}

void Evaluation::prepend(std::vector<Step> steps) {
  steps_.insert(steps_.begin(), std::make_move_iterator(steps.begin()),
                std::make_move_iterator(steps.end()));
}

void Evaluation::resolve(const std::string& word) {
  std::vector<Step> steps;
  for (InputSource& source : resolve_input(word))
    steps.push_back([this, source = std::move(source)] { open(source); });
  prepend(std::move(steps));
}

void Evaluation::open(const InputSource& source) {
  OpenInput input = open_input(source, options_->defaults);
  if (input.records) return start_stream(source, std::move(input.records));
  const auto text = std::make_shared<const std::string>(std::move(input.text));
  std::vector<Step> steps;
  for (const LayerDefaults& defaults : options_->defaults)
    steps.push_back([this, text, name = source.name, &defaults] { load(*text, name, defaults); });
  prepend(std::move(steps));
}

void Evaluation::load(const std::string& text, const std::string& name,
                      const LayerDefaults& defaults) {
  const auto network = std::make_shared<const Network>(load_network(text, name, defaults));
  std::vector<Step> steps;
  for (const Gpu& gpu : gpus_)
    steps.push_back([this, network, &gpu] { add(analyze(*network, gpu, options_->analysis)); });
  prepend(std::move(steps));
}

void Evaluation::start_stream(const InputSource& source, std::unique_ptr<LayerReader> records) {
  const std::vector<std::string> ignored = records->ignored_columns();
  if (!ignored.empty())
    note(fmt::format("{}: ignored columns: {}", source.name, fmt::join(ignored, ", ")));
  auto stream = std::make_shared<Stream>();
  stream->name = source.name;
  stream->records = std::move(records);
  for (std::size_t i = 0; i < options_->defaults.size(); ++i)
    for (const Gpu& gpu : gpus_)
      stream->results.push_back(begin_result(source.name, network_name(source.name), gpu));
  prepend({[this, stream] { read_record(stream); }});
}

void Evaluation::read_record(const std::shared_ptr<Stream>& stream) {
  prepend({[this, stream] { read_record(stream); }});  // a bad record does not end the stream
  const std::vector<Layer> layers = stream->records->next();
  if (layers.empty()) {
    steps_.pop_front();
    return end_stream(stream);
  }
  std::vector<Step> steps;
  for (std::size_t i = 0; i < layers.size(); ++i)
    for (std::size_t j = 0; j < gpus_.size(); ++j)
      steps.push_back([this, stream, layer = layers[i], i, j] {
        Result& result = stream->results[i * gpus_.size() + j];
        add_layer(result, layer, gpus_[j], options_->analysis);
        if (!streaming_) return;
        finish_result(result, gpus_[j], options_->analysis);
        add(std::exchange(result, begin_result(stream->name, result.network, gpus_[j])));
      });
  prepend(std::move(steps));
}

void Evaluation::end_stream(const std::shared_ptr<Stream>& stream) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < stream->results.size(); ++i)
    if (!stream->results[i].layers.empty())
      steps.push_back([this, stream, i] {
        finish_result(stream->results[i], gpus_[i % gpus_.size()], options_->analysis);
        add(std::move(stream->results[i]));
      });
  prepend(std::move(steps));
}

void Evaluation::add(Result result) {
  if (streaming_)
    write_standard_output(render_ndjson(result));
  else
    results_.push_back(std::move(result));
}

void Evaluation::fail(const InputError& error) {
  note(error.what());
  errors_.push_back(error);
}

/// The layer of that name in every result, or an error with the nearest names.
std::string Evaluation::explanation() const {
  std::string text;
  std::vector<std::string_view> names;
  for (const Result& result : results_) {
    const auto gpu = std::find_if(gpus_.begin(), gpus_.end(),
                                  [&](const Gpu& each) { return each.name == result.gpu; });
    for (const LayerResult& row : result.layers) {
      names.push_back(row.layer.name);
      if (row.layer.name == options_->explain)
        text += (text.empty() ? "" : "\n") + explain(row, result, *gpu, options_->analysis);
    }
  }
  if (text.empty() && !names.empty())
    throw UsageError("--explain: no layer is called \"" + options_->explain + "\"" +
                     did_you_mean(options_->explain, names));
  return text;
}

int Evaluation::finish() {
  const int exit_code = errors_.empty() ? 0 : 1;
  if (!options_->explain.empty()) {
    write_standard_output(explanation());
    return exit_code;
  }
  const Report report = make_report(std::move(results_), std::move(errors_), options_->view);
  for (const Export& file : options_->exports) write_file(file.path, render(report, file.format));
  if (options_->format && !streaming_)
    write_standard_output(
        render(report, *options_->format, {.colour = standard_output_has_colour()}));
  return exit_code;
}

}  // namespace roofline
