// The words of roofline-calibrate, with the rows that it shares with roofline.

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "calibrate/calibrate.hpp"
#include "cli/errors.hpp"
#include "cli/options.hpp"
#include "cli/rows.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

constexpr std::string_view what_it_does =
    "Fits the kernel model of roofline to layers that were measured on a GPU, and writes\n"
    "a GPU file, which roofline takes with --gpu.\n"
    "\n"
    "  what times layers on my GPU?\n"
    "    roofline-calibrate --script > measure.py\n"
    "  how exact do expected times become?\n"
    "    roofline-calibrate measured.csv -o mine.json\n"
    "  which constants does a GPU's model have?\n"
    "    roofline-calibrate model h100\n"
    "\n"
    "--help OPTION says what one option does.\n";

constexpr std::string_view footer =
    "Exit codes: 0 fitted; 1 something could not be read; 2 wrong usage.";

void add_fit(Rows& rows, Options& options, CalibrationRequest& request) {
  add_layers(rows, options);
  add_limits(rows, options);
  add_gpu(rows, options);
  add_software(rows, options);
  add_library(rows, options);
  rows.group("Fit");
  add_file(rows, options);
  rows.add({"--constants", "PATTERN", request.fitted});
  CLI::Option* script = rows.add({"--script", "", request.writes_script});
  script->excludes(rows.get_option("--output"));
  rows.add({"--minutes", "N", request.minutes, within<double>("1e-9", "1e9")})->needs(script);
}

Program program_of(CalibrationRequest& request) {
  return {"roofline-calibrate",
          what_it_does,
          footer,
          [&request](Rows& rows, Options& options) { add_fit(rows, options, request); },
          {{"model", [&request](Rows& rows, Options& options) {
              request.shows_model = true;
              add_one_gpu(rows, options);
            }}}};
}

void check_inputs(const Options& options) {
  if (options.request.inputs.empty())
    throw UsageError(
        "expected measured layers, as in roofline-calibrate measured.csv --gpu v100 -o mine.json; "
        "roofline-calibrate --script prints what measures them");
  if (options.files.size() != 1 || options.files.front().format->name != "json")
    throw UsageError("expected one file to write, -o FILE.json");
}

/// `fit`: receives what the words say of the fit itself.
void resolve_calibration(const CalibrationRequest& fit, Options& options) {
  Request& request = options.request;
  if (!fit.shows_model) {
    if (!fit.writes_script) check_inputs(options);
    request.outputs = options.files;
    if (options.frameworks.size() > 1)
      throw UsageError(concat("--framework: expected one, which ran the layers, got ",
                              options.frameworks.size()));
    set_settings(options);
    set_analysis(options);
    if (fit.writes_script) return;
  }
  request.catalogue.emplace();
  set_constants(options, request);
  // Without --gpu the inputs name it.
  if (!options.gpus.empty()) note_problems(options, request, " (ignored: no GPU of this run)");
  set_gpus(options, request, false);
}

}  // namespace

CalibrationRequest make_calibration_request(int argc, const char* const* argv) {
  Options options;
  CalibrationRequest fit;
  if (auto text = read_words(argc, argv, program_of(fit), options)) {
    options.request.action = Request::Action::print_text;
    options.request.text = *std::move(text);
  } else {
    resolve_calibration(fit, options);
  }
  options.request.command = "roofline-calibrate " +
                            joined(std::span(argv, static_cast<std::size_t>(argc)).subspan(1), " ");
  static_cast<Request&>(fit) = std::move(options.request);
  return fit;
}

}  // namespace roofline
