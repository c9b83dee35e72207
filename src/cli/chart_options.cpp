#include "cli/chart_options.hpp"

#include <vector>

#include "cli/required.hpp"

namespace roofline {

void set_charts(const Arguments& arguments, Options& options) {
  const bool has_format = arguments.json || !arguments.format.empty();
  if (arguments.plot && has_format && options.format->name != "plot")
    throw UsageError("--plot and --format " + std::string(options.format->name) +
                     " contradict each other");
  // A chart that goes nowhere else goes to the terminal.
  const bool to_terminal = !arguments.chart.empty() && options.exports.empty() && !has_format;
  if (arguments.plot || to_terminal) options.format = find_output_format("plot");
  options.chart = parse<ChartKind>(arguments.chart);

  std::vector<const OutputFormat*> formats;
  for (const Export& file : options.exports) formats.push_back(file.format);
  if (options.format != nullptr) formats.push_back(options.format);
  bool has_chart = false;
  for (const OutputFormat* format : formats) {
    has_chart = has_chart || format->shows_chart;
    options.report.derive_all = options.report.derive_all || format->derives_all;
  }
  const bool explains_layers = !arguments.explain.empty() && arguments.explain != whole_network;
  if (options.chart.value_or(ChartKind::roofline) != ChartKind::roofline && explains_layers)
    throw UsageError("--explain with --chart " + arguments.chart +
                     ": the picture of a layer is its roofline");
  if (options.chart && !has_chart)
    throw UsageError("--chart " + arguments.chart +
                     ": expected a format with a chart (--plot, --format svg, -o FILE.svg)");
}

}  // namespace roofline
