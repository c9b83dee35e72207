#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/errors.hpp"
#include "cli/run.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "report/rows.hpp"
#include "results/kernel_table.hpp"
#include "results/report.hpp"
#include "results/selection.hpp"

namespace roofline {
namespace {

/// Further assumptions are not printed.
constexpr std::size_t most_assumed = 20;

/// Rows in one allocation: large enough for the system to take it back when all rows are joined.
constexpr std::size_t rows_a_part = 4096;

/// Warns of an order by measured times without any.
void note_order(const Report& report) {
  const std::optional<SortBy> by = report.filter.sort;
  const bool by_measured = by == SortBy::lost || by == SortBy::error;
  if (!by_measured || report.results.empty()) return;
  for (const Result& result : report.results)
    for (const LayerResult& row : result.layers)
      if (row.measured_time_s) return;
  note("roofline: --sort " + std::string(name_of(*by)) +
       ": no layer has a measured time, so that rows keep the order of the input");
}

bool is_kept(const std::string& path) {
  std::error_code error;
  if (!is_replaceable(path) || !std::filesystem::exists(path, error)) return false;
  note("roofline: nothing could be evaluated: " + path + " stays as it was");
  return true;
}

/// With enough digits to differ from the limit.
std::string value_text(double value, double limit) {
  const std::string text = calculator_text(value);
  return value != limit && text == fmt::format("{}", limit) ? fmt::format("{:.12g}", value) : text;
}

std::string line_of(const Gate& gate, const GateFailure& failure, const Result& result) {
  std::string place = work_title(result, true);
  if (failure.row) {
    const Layer& layer = result.layers[*failure.row].layer;
    place += ": " + beginning(layer.name);
    if (result.setting.training) place += fmt::format(" {}", name_of(layer.pass));
  }
  return fmt::format("{}: {} {} {} {}", place, gate.name, value_text(failure.value, gate.limit),
                     gate.comparison, gate.limit);
}

constexpr std::size_t most_lines_named = 3;

void add_unanswered(const Gate& gate, const Report& report, const GateOutcome& outcome,
                    std::vector<std::string>& lines) {
  for (const std::size_t result : outcome.unanswered)
    lines.push_back(fmt::format("{}: --fail-if '{}' has no answer: expected {}, got none{}",
                                work_title(report.results[result], true), gate.text, gate.meaning,
                                gate.of_layers ? " for any layer" : ""));
  for (const KernelTable& table : report.kernels)
    lines.push_back(fmt::format("{}: --fail-if '{}' has no answer: expected layers, got kernels",
                                table.recording->source, gate.text));
}

class Results {
 public:
  Results(const Request& request, std::map<std::string, OutputFile>& files)
      : request_(&request), files_(&files) {
    for (const OutputFormat* format : request.needs.rows)
      rows_.emplace_back(
          *format->rows(), [this, format](std::string_view text) { write_rows(*format, text); },
          request.fields);
  }

  /// Prints the part's messages.
  void take(Evaluation part) {
    failed_ = failed_ || part.failed;
    evaluated_any_ = evaluated_any_ || part.evaluated;
    count_copies(part);
    for (const Message& message : part.messages) say(message);
    for (Network& network : part.networks) keep_layers(std::move(network));
    take_rows(part.rows);
    std::ranges::move(part.errors, std::back_inserter(errors_));
    for (ItemResult& result : part.results) take_result(std::move(result));
    std::ranges::move(part.kernels, std::back_inserter(kernels_));
    if (part.obeyed) obeyed_ = obeyed_.value_or(0) | *part.obeyed;
    if (!part.ends_input) return;
    if (const auto obeyed = std::exchange(obeyed_, {}))
      if (const std::string text = LayerOptions(*request_).problem(*obeyed); !text.empty())
        note(part.input + ": " + text);
    say_repeated();
    join_streams(part.input);
  }

  void write() {
    if (layers_) write_layers(Output::What::layers, unwrap(render_layer_file(*layers_)));
    const bool chooses = request_->writes(Output::What::choice);
    if (!chooses) end_layer_file();
    const bool has_rows =
        std::ranges::any_of(rows_, [](const RowStream& rows) { return rows.has_begun(); });
    const bool is_layer_file_alone =
        has_layers_ && evaluated_.empty() && errors_.empty() && !has_rows;
    if (is_layer_file_alone && !failed_) return check_gates(Report{});
    for (RowStream& rows : rows_) rows.end();
    const Report report = unwrap(report_of(std::move(evaluated_), std::move(errors_),
                                           request_->report, std::move(kernels_)));
    check_unread(report.gpus);
    if (chooses) {
      write_layers(Output::What::choice, render_layer_records(report));
      end_layer_file();
    }
    note_order(report);
    check_gates(report);
    for (const Output& output : request_->outputs)
      if (!output.holds_layers()) end(output, report);
  }

  /// Prints what the gates found. Returns the exit code.
  int finish() const {
    for (const std::string& line : gate_lines_) note(line);
    if (gate_code_) return failed_ ? 1 : *gate_code_;
    if (request_->gates.empty()) return failed_ ? 1 : 0;
    note("roofline: --fail-if: the output was closed before all was evaluated");
    return 1;
  }

 private:
  struct Stream {
    const Context* context = nullptr;
    std::string network;
    RunsAs runs_as = RunsAs::layers;
    std::vector<std::vector<LayerResult>> rows;  ///< in pieces
    std::optional<Total> total;                  ///< of all rows, where only some are kept
    std::optional<InputError> error;
  };

  void say(const Message& message) {
    if (message.kind == Message::Kind::plain && is_repeated(message)) return;
    const bool is_assumption = message.kind == Message::Kind::assumption;
    if (is_assumption && assumed_.size() >= most_assumed && !assumed_.contains(message.text))
      return say({"roofline: more is to be said of these inputs: give fewer of them to read it",
                  Message::Kind::once});
    std::set<std::string>& said = is_assumption ? assumed_ : said_once_;
    if (message.kind != Message::Kind::plain && !said.insert(message.text).second) return;
    note(message.text);
  }

  /// Counts an error that an earlier row of this input has; false for the first.
  bool is_repeated(const Message& message) {
    constexpr std::size_t most_kept = 1000;
    if (message.row_error.empty() || row_errors_.size() == most_kept) return false;
    const std::string_view place =
        std::string_view(message.text).substr(0, message.text.size() - message.row_error.size());
    const auto [error, is_first] =
        row_errors_.try_emplace(message.row_error, RowError{std::string(place), {}});
    if (is_first) return false;
    const std::string_view line = place.substr(0, place.size() - std::string_view(": ").size());
    if (++error->second.count <= most_lines_named)
      error->second.others.emplace_back(line.substr(line.rfind(':') + 1));
    return true;
  }

  void say_repeated() {
    for (const auto& [text, error] : std::exchange(row_errors_, {})) {
      if (error.count == 0) continue;
      const std::size_t unnamed = error.count - error.others.size();
      note(fmt::format("{}{} more row{} this error: {}{}", error.place, error.count,
                       error.count == 1 ? " has" : "s have", joined(error.others),
                       unnamed == 0 ? "" : fmt::format(" and {} more", unnamed)));
    }
  }

  void count_copies(const Evaluation& part) {
    copies_ += part.copies;
    const InputLimits& limits = request_->limits;
    if (copies_ > limits.copies) raise(limit_error(part.input, "", expected_copies(limits)));
    if (part.ends_input) copies_ = 0;
  }

  void take_rows(const std::vector<RenderedRows>& rows) try {
    for (std::size_t i = 0; i < rows.size(); ++i) rows_[i].take(rows[i]);
  } catch (const InputError& error) {
    raise(error);
  }

  /// A closed standard output ends the run, unless files remain to be written.
  void print(std::string_view text) try {
    if (!is_closed_) write_standard_output(text);
  } catch (const OutputClosed&) {
    if (files_->empty()) throw;
    is_closed_ = true;
  }

  void write_rows(const OutputFormat& format, std::string_view text) {
    for (const Output& output : request_->outputs)
      if (output.what == Output::What::rows && output.format == &format) write_to(output, text);
  }

  void write_to(const Output& output, std::string_view text) {
    if (output.path.empty())
      print(text);
    else
      files_->at(output.path).write(text);
  }

  void take_result(ItemResult result) {
    if (!result.stream) return evaluated_.push_back(std::move(result));
    std::vector<LayerResult>& rows = result.result.layers;
    if (rows.empty()) return;
    Stream& stream = streams_[*result.stream];
    stream.context = result.context;
    stream.network = result.result.setting.network;
    stream.runs_as = result.result.setting.runs_as;
    if (request_->needs.leading_rows_alone)
      return take_leading(stream, result.result.setting.source, std::move(rows));
    if (stream.rows.empty() || stream.rows.back().size() + rows.size() > rows_a_part)
      stream.rows.push_back(std::move(rows));
    else
      std::ranges::move(rows, std::back_inserter(stream.rows.back()));
  }

  void take_leading(Stream& stream, const std::string& source, std::vector<LayerResult> rows) {
    if (!stream.total) stream.total.emplace();
    try {
      for (const LayerResult& row : rows) add_to_total(*stream.total, row);
    } catch (const OverflowError&) {
      stream.error = caught_error(source, std::nullopt);
    }
    if (stream.rows.empty()) stream.rows.emplace_back();
    std::vector<LayerResult>& kept = stream.rows.back();
    std::ranges::move(rows, std::back_inserter(kept));
    const RowFilter& filter = request_->report.filter;
    if (kept.size() / 2 > std::max(rows_a_part, *filter.top)) keep_leading(kept, filter);
  }

  /// Joins the input's records into one result for each stream.
  void join_streams(const std::string& input) {
    for (auto& [which, stream] : std::exchange(streams_, {})) {
      Expected<Result> result = stream.error
                                    ? *stream.error
                                    : join_records(input, stream.network, std::move(stream.rows),
                                                   *stream.context, stream.total);
      if (result) {
        result->setting.runs_as = stream.runs_as;
        evaluated_.push_back({*std::move(result), stream.context});
      } else {
        failed_ = true;
        note(result.error().what());
        errors_.push_back(result.error());
      }
    }
  }

  /// Records of one input become one layer file.
  void keep_layers(Network network) {
    if (request_->writes(Output::What::records)) {
      if (network.runs_as != RunsAs::layers)
        say({network.source + ": layers that stand alone do not say that it runs as " +
                 std::string(name_of(network.runs_as)) + ": a FILE.json of --to-layers does",
             Message::Kind::once});
      const bool training = request_->stated().training;
      return write_layers(Output::What::records, render_layer_records(network, training));
    }
    if (!layers_) {
      layers_ = std::move(network);
      return;
    }
    if (!network.record || layers_->source != network.source)
      throw UsageError("--to-layers: expected one network, got " + layers_->source + " and " +
                       network.source);
    std::ranges::move(network.layers, std::back_inserter(layers_->layers));
  }

  void write_layers(Output::What what, std::string_view text) {
    has_layers_ = has_layers_ || !text.empty();
    for (const Output& output : request_->outputs)
      if (output.what == what && !text.empty()) write_to(output, text);
  }

  void end_layer_file() {
    for (const Output& output : request_->outputs) {
      if (!output.holds_layers() || output.path.empty()) continue;
      if (has_layers_)
        files_->at(output.path).commit();
      else
        is_kept(output.path);
    }
  }

  /// A recording's GPU is known only when the outputs are open.
  void check_unread(const std::vector<Gpu>& gpus) const {
    for (const Gpu& gpu : gpus)
      for (const std::string& file : gpu.files)
        for (const Output& output : request_->outputs)
          if (!output.path.empty() && identity_of(output.path) == identity_of(file))
            throw OutputError("cannot write " + output.path +
                              ": this run has read it; give another file");
  }

  void check_gates(const Report& report) {
    constexpr int not_evaluated = 1;
    constexpr int condition_holds = 3;
    std::vector<std::string> unanswered;
    const std::vector<const Result*> results =
        each_of(report.results, [](const Result& each) { return &each; });
    for (const Gate& gate : request_->gates) {
      const GateOutcome outcome = unwrap(check_gate(gate, results, request_->report.compare));
      note_step(gate, report);
      for (const GateFailure& failure : outcome.failures)
        gate_lines_.push_back(line_of(gate, failure, report.results[failure.result]));
      add_unanswered(gate, report, outcome, unanswered);
    }
    if (!request_->gates.empty() && report.results.empty() && report.kernels.empty())
      unanswered.emplace_back("roofline: --fail-if: nothing was evaluated");
    gate_code_ = !unanswered.empty() ? not_evaluated : !gate_lines_.empty() ? condition_holds : 0;
    gate_lines_.insert(gate_lines_.end(), unanswered.begin(), unanswered.end());
    if (gate_code_ == 0 && !failed_ && !request_->gates.empty())
      gate_lines_.emplace_back("roofline: passed: no condition of --fail-if holds");
  }

  /// A condition on a recording's layers does not see its other kernels and gaps.
  static void note_step(const Gate& gate, const Report& report) {
    if (gate.of_layers || !gate.name.starts_with("measured_")) return;
    for (const Result& result : report.results)
      if (const auto& verdict = result.measured.verdict; verdict && verdict->knows_gaps)
        note(fmt::format("{}: {} is of layers alone; the whole step is step_ms, {}",
                         work_title(result, true), gate.name,
                         calculator_text(verdict->step_s * 1e3)));
  }

  void end(const Output& output, const Report& report) {
    const bool is_file = !output.path.empty();
    if (is_file && !evaluated_any_ && is_kept(output.path)) return;
    if (output.what == Output::What::report) {
      RenderStyle style = is_file ? RenderStyle() : standard_output_style();
      style.chart = request_->chart;
      style.fields = request_->fields;
      const Sink sink = [&](std::string_view piece) { write_to(output, piece); };
      if (const auto error = output.format->write(report, style, sink)) raise(*error);
    }
    if (!is_file) return;
    files_->at(output.path).commit();
    note_success("roofline: wrote " + output.path);
  }

  const Request* request_;
  std::vector<RowStream> rows_;  ///< one for each of Needs::rows
  std::map<std::string, OutputFile>* files_;
  bool is_closed_ = false;  ///< the reader of standard output is gone
  bool failed_ = false;
  bool evaluated_any_ = false;
  std::optional<unsigned> obeyed_;  ///< by the present input's records
  std::uint64_t copies_ = 0;        ///< layers that "repeat" added to the present input's records
  std::set<std::string> assumed_;
  std::set<std::string> said_once_;
  struct RowError {
    std::string place;                ///< of the first: "x.csv:3: "
    std::vector<std::string> others;  ///< lines of rows with an equal error, the first few
    std::size_t count = 0;            ///< of all others
  };
  std::map<std::string, RowError> row_errors_;  ///< of the present input
  std::map<RecordStream, Stream> streams_;      ///< of the present input
  std::vector<Evaluated> evaluated_;
  std::vector<KernelTable> kernels_;
  std::optional<Network> layers_;  ///< for a layer file of one network
  bool has_layers_ = false;        ///< the layer file is not empty
  std::vector<InputError> errors_;
  std::vector<std::string> gate_lines_;  ///< findings of --fail-if
  std::optional<int> gate_code_;         ///< set once everything is evaluated
};

}  // namespace

int evaluate_inputs(const Request& request) {
  Contexts contexts(request);
  const auto inputs = resolve_inputs(request.inputs);
  for (const Expected<std::string>& input : inputs)  // "resnet50 v100"
    if (request.gpus.empty() && !input && request.catalogue->find(input.error().source))
      raise(input.error());
  std::map<std::string, OutputFile> files = open_outputs(request, inputs);
  std::optional<MeasuredTimes> times = request.measured;
  const Evaluator evaluator(request, contexts, times ? &*times : nullptr);
  Results results(request, files);
  Progress progress("evaluated");
  try {
    evaluate_in_order(inputs, request, evaluator, [&](Evaluation part) {
      progress.step(part.items);
      results.take(std::move(part));
    });
    if (times)
      for (const std::string& text : times->notes()) note(text);
    progress.erase();
    if (const std::string text = times ? times->problem() : ""; !text.empty())
      throw UsageError(text);
    results.write();
  } catch (const OutputClosed&) {  // `| head` has seen enough
  }
  return results.finish();
}

}  // namespace roofline
