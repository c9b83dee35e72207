#include "cli/results.hpp"

#include <utility>

#include "cli/output.hpp"
#include "cli/terminal.hpp"

namespace roofline {
namespace {

/// Assumptions beyond this many are not said one by one.
constexpr std::size_t most_said = 20;

}  // namespace

Results::Results(const Options& options, std::size_t gpus)
    : options_(&options), records_(options.defaults.size() * gpus) {
  std::vector<const OutputFormat*> formats;
  for (const Export& file : options.exports) formats.push_back(file.format);
  if (options.format != nullptr) formats.push_back(options.format);
  for (const OutputFormat* format : formats)
    (is_stream(*format) ? wants_lines_ : wants_report_) = true;
  streaming_ = options.exports.empty() && wants_lines_;
}

bool Results::is_stream(const OutputFormat& format) const {
  return format.name == "ndjson" && !options_->report.view.selects() && !options_->report.view.by;
}

void Results::add_lines(const std::string& lines) {
  if (streaming_)
    write_standard_output(lines);
  else
    lines_ += lines;
}

void Results::add(const Network& network, std::size_t slot, const Context& context) {
  if (network.record) return add_record(network, slot, context);
  Expected<Result> result = evaluate(network, context);
  if (const auto* good = std::get_if<Result>(&result); good != nullptr && wants_lines_)
    add_lines(render_record(good->source, good->network, good->gpu, good->layers));
  keep(std::move(result), context);
}

void Results::add_record(const Network& record, std::size_t slot, const Context& context) {
  Expected<RecordResult> result = evaluate_record(record, context);
  if (const auto* error = std::get_if<InputError>(&result)) return fail(*error);
  RecordResult& good = std::get<RecordResult>(result);
  if (wants_lines_)
    add_lines(render_record(record.source, record.name, context.gpu.name, good.rows));
  if (!wants_report_) return;
  record_source_ = record.source;
  record_name_ = record.name;
  records_[slot].push_back(std::move(good));
}

void Results::keep(Expected<Result> result, const Context& context) {
  if (const auto* error = std::get_if<InputError>(&result)) return fail(*error);
  if (wants_report_) evaluated_.push_back({std::get<Result>(std::move(result)), &context});
}

void Results::fail(const InputError& error) {
  failed_ = true;
  if (!failures_.insert(error.what()).second) return;
  note(error.what());
  if (wants_lines_) add_lines(render_record_error(error));
  if (wants_report_) errors_.push_back(error);
}

/// Records of one input are layers of one file.
void Results::keep_layers(const Network& network) {
  if (!layers_) {
    layers_ = network;
    return;
  }
  if (!network.record || layers_->source != network.source)
    throw UsageError("--to-layers: expected one network, got " + layers_->source + " and " +
                     network.source);
  layers_->layers.insert(layers_->layers.end(), network.layers.begin(), network.layers.end());
}

void Results::write_layer_file() const {
  const std::string text = render_layer_file(*layers_);
  if (options_->layer_file == "-")
    write_standard_output(text);
  else
    write_file(options_->layer_file, text);
}

void Results::see(const Network& network) {
  if (!options_->layer_file.empty()) keep_layers(network);
  for (const std::string& assumption : network.assumptions) {
    if (said_.size() >= most_said) return;
    const std::string text = network.source + ": " + assumption;
    if (said_.insert(text).second) note(text);
  }
}

void Results::end_input(const std::vector<Context>& contexts) {
  for (std::size_t slot = 0; slot < records_.size(); ++slot) {
    if (records_[slot].empty()) continue;
    const Context& context = contexts[slot % contexts.size()];
    keep(join_records(record_source_, record_name_,
                      std::exchange(records_[slot], std::vector<RecordResult>{}), context),
         context);
  }
}

void Results::write() {
  if (layers_) write_layer_file();
  if (streaming_ || (layers_ && evaluated_.empty() && errors_.empty())) return;
  const Report report = make_report(std::move(evaluated_), std::move(errors_), options_->report);
  const auto text_of = [&](const OutputFormat& format, const RenderStyle& style) {
    return is_stream(format) ? lines_ : format.render(report, style);
  };
  RenderStyle in_file;
  in_file.chart = options_->chart;
  for (const Export& file : options_->exports)
    write_file(file.path, text_of(*file.format, in_file));
  if (options_->format == nullptr) return;
  RenderStyle on_terminal = standard_output_style();
  on_terminal.chart = options_->chart;
  if (options_->format->shows_chart) on_terminal = chart_style(on_terminal);
  write_standard_output(text_of(*options_->format, on_terminal));
}

}  // namespace roofline
