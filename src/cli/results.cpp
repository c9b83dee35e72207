#include "cli/results.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/required.hpp"
#include "cli/terminal.hpp"

namespace roofline {
namespace {

/// Assumptions beyond this many are not said one by one.
constexpr std::size_t most_assumed = 20;

/// Whether a file is there that is worth more than nothing.
bool is_kept(const std::string& path) {
  std::error_code error;
  if (!is_replaceable(path) || !std::filesystem::exists(path, error)) return false;
  note("roofline: nothing could be evaluated: " + path + " stays as it was");
  return true;
}

}  // namespace

Results::Results(const Options& options, const std::vector<Context>& contexts)
    : options_(&options), needs_(needs_of(options)), contexts_(&contexts) {
  streaming_ = options.exports.empty() && !needs_.report;
  kept_.resize(needs_.rows.size());
  for (std::size_t i = 0; i < needs_.rows.size(); ++i)
    rows_.emplace_back(*needs_.rows[i]->rows(), [this, i](std::string_view text) {
      if (streaming_)
        write_standard_output(text);
      else
        kept_[i].emplace_back(text);
    });
}

void Results::take(Evaluation part) {
  failed_ = failed_ || part.failed;
  evaluated_any_ = evaluated_any_ || part.evaluated;
  count_copies(part);
  for (const Message& message : part.messages) say(message);
  for (Network& network : part.networks) keep_layers(std::move(network));
  take_rows(std::move(part.rows));
  std::move(part.errors.begin(), part.errors.end(), std::back_inserter(errors_));
  std::move(part.results.begin(), part.results.end(), std::back_inserter(evaluated_));
  std::move(part.kernels.begin(), part.kernels.end(), std::back_inserter(kernels_));
  take_records(std::move(part.records));
  if (!part.ends_input) return;
  join();
  for (RowStream& rows : rows_) rows.end_input();
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

void Results::count_copies(const Evaluation& part) {
  const std::uint64_t most = options_->limits.copies;
  copies_ += part.copies;
  if (copies_ > most)
    raise(InputError(
        beyond_limit("at most " + std::to_string(most) + " layers by repeat in an input"),
        Remedy::limits));
  if (part.ends_input) copies_ = 0;
}

void Results::take_rows(std::vector<RenderedRows> rows) try {
  for (std::size_t i = 0; i < rows.size(); ++i) rows_[i].take(std::move(rows[i]));
  if (streaming_) flush_standard_output();  // whoever feeds a pipe may wait for the answer
} catch (const InputError& error) {
  raise(error);
}

void Results::take_records(std::vector<SlotRecords> records) {
  if (records_.size() < records.size()) records_.resize(records.size());
  for (std::size_t slot = 0; slot < records.size(); ++slot) {
    SlotRecords& each = records[slot];
    if (each.all.rows.empty()) continue;
    record_source_ = std::move(each.source);
    record_name_ = std::move(each.name);
    records_[slot].push_back(std::move(each.all));
  }
}

void Results::join() {
  for (std::size_t slot = 0; slot < records_.size(); ++slot) {
    if (records_[slot].empty()) continue;
    const Context& context = (*contexts_)[slot % contexts_->size()];
    Expected<Result> result =
        join_records(record_source_, record_name_,
                     std::exchange(records_[slot], std::vector<RecordResult>{}), context);
    if (result) {
      evaluated_.push_back({*std::move(result), &context});
    } else {
      failed_ = true;
      note(result.error().what());
      errors_.push_back(result.error());
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
  if (layers_ && options_->layer_file == "-")
    write_standard_output(render_layer_file(*layers_));
  else if (layers_)
    write_file(options_->layer_file, render_layer_file(*layers_));
  else if (!options_->layer_file.empty() && options_->layer_file != "-")
    is_kept(options_->layer_file);
}

void Results::write() {
  write_layer_file();
  const bool has_rows = std::any_of(rows_.begin(), rows_.end(),
                                    [](const RowStream& rows) { return rows.has_begun(); });
  const bool is_layer_file_alone = layers_ && evaluated_.empty() && errors_.empty() && !has_rows;
  if (is_layer_file_alone && !failed_) return;
  for (RowStream& rows : rows_) rows.end();
  if (streaming_) return;
  write_formats(required(make_report(std::move(evaluated_), std::move(errors_), options_->report,
                                     std::move(kernels_))));
}

void Results::write_formats(const Report& report) const {
  RenderStyle style;
  style.chart = options_->chart;
  const bool nothing = failed_ && !evaluated_any_;
  for (const Export& file : options_->exports)
    if (!nothing || !is_kept(file.path))
      write_file(file.path,
                 [&](const Sink& sink) { write_format(*file.format, report, style, sink); });
  if (options_->format == nullptr) return;
  style = standard_output_style();
  style.chart = options_->chart;
  if (options_->format->shows_chart) style = chart_style(style);
  write_format(*options_->format, report, style, write_standard_output);
}

void Results::write_format(const OutputFormat& format, const Report& report,
                           const RenderStyle& style, const Sink& sink) const {
  const auto rows = std::find(needs_.rows.begin(), needs_.rows.end(), &format);
  if (rows == needs_.rows.end()) {
    if (const auto error = format.write(report, style, sink)) raise(*error);
    return;
  }
  for (const std::string& piece : kept_[static_cast<std::size_t>(rows - needs_.rows.begin())])
    sink(piece);
}

}  // namespace roofline
