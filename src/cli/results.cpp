#include "cli/results.hpp"

#include <iterator>
#include <utility>

#include "cli/output.hpp"
#include "cli/terminal.hpp"

namespace roofline {
namespace {

/// Assumptions beyond this many are not said one by one.
constexpr std::size_t most_assumed = 20;

}  // namespace

Results::Results(const Options& options, const std::vector<Context>& contexts)
    : options_(&options), contexts_(&contexts) {
  streaming_ = options.exports.empty() && needs_of(options).lines;
}

void Results::take(Evaluation part) {
  failed_ = failed_ || part.failed;
  for (const Message& message : part.messages) say(message);
  for (Network& network : part.networks) keep_layers(std::move(network));
  take_lines(std::move(part.lines));
  std::move(part.errors.begin(), part.errors.end(), std::back_inserter(errors_));
  std::move(part.results.begin(), part.results.end(), std::back_inserter(evaluated_));
  take_records(std::move(part.records));
  if (part.ends_input) join();
}

void Results::say(const Message& message) {
  switch (message.kind) {
    case Message::Kind::plain: break;
    case Message::Kind::once:
      if (!said_once_.insert(message.text).second) return;
      break;
    case Message::Kind::assumption:
      if (assumed_.size() >= most_assumed || !assumed_.insert(message.text).second) return;
      break;
  }
  note(message.text);
}

void Results::take_lines(std::string lines) {
  if (!streaming_) {
    lines_ += lines;
    return;
  }
  write_standard_output(lines);
  flush_standard_output();  // whoever feeds a pipe may wait for the answer
}

void Results::take_records(std::vector<SlotRecords> records) {
  if (records_.size() < records.size()) records_.resize(records.size());
  for (std::size_t slot = 0; slot < records.size(); ++slot) {
    if (records[slot].all.rows.empty()) continue;
    record_source_ = std::move(records[slot].source);
    record_name_ = std::move(records[slot].name);
    records_[slot].push_back(std::move(records[slot].all));
  }
}

void Results::join() {
  for (std::size_t slot = 0; slot < records_.size(); ++slot) {
    if (records_[slot].empty()) continue;
    const Context& context = (*contexts_)[slot % contexts_->size()];
    Expected<Result> result =
        join_records(record_source_, record_name_,
                     std::exchange(records_[slot], std::vector<RecordResult>{}), context);
    if (const auto* error = std::get_if<InputError>(&result)) {
      failed_ = true;
      note(error->what());
      errors_.push_back(*error);
    } else {
      evaluated_.push_back({std::get<Result>(std::move(result)), &context});
    }
  }
}

/// Records of one input are layers of one file.
void Results::keep_layers(Network network) {
  if (!layers_) {
    layers_ = std::move(network);
    return;
  }
  if (!network.record || layers_->source != network.source)
    throw UsageError("--to-layers: expected one network, got " + layers_->source + " and " +
                     network.source);
  std::move(network.layers.begin(), network.layers.end(), std::back_inserter(layers_->layers));
}

void Results::write_layer_file() const {
  const std::string text = render_layer_file(*layers_);
  if (options_->layer_file == "-")
    write_standard_output(text);
  else
    write_file(options_->layer_file, text);
}

void Results::write() {
  if (layers_) write_layer_file();
  if (streaming_ || (layers_ && evaluated_.empty() && errors_.empty())) return;
  const Report report = make_report(std::move(evaluated_), std::move(errors_), options_->report);
  const auto text_of = [&](const OutputFormat& format, const RenderStyle& style) {
    return is_stream(format, *options_) ? lines_ : format.render(report, style);
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
