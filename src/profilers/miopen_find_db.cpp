#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/csv.hpp"
#include "load/network_reader.hpp"
#include "load/recording.hpp"
#include "model/text.hpp"
#include "operators/table.hpp"
#include "profilers/formats.hpp"

namespace roofline {
namespace {

[[noreturn]] void fail(const std::string& expected, std::string_view got) {
  throw InputError("expected " + expected + ", got " + in_quotes(got));
}

template <class Number>
Number require_number(std::string_view text, const char* expected) {
  if (const auto number = number_in<Number>(text)) return *number;
  fail(expected, text);
}

/// The numbers that a key begins with: "64-56-56-3x3-".
Sizes take_numbers(std::string_view& key) {
  const std::string_view whole = key;
  Sizes numbers;
  while (!key.empty() && key.front() >= '0' && key.front() <= '9') {
    std::string_view part = take(key, '-');
    while (!part.empty())
      numbers.push_back(require_number<std::uint64_t>(take(part, 'x'), "whole numbers in the key"));
  }
  if (numbers.size() != 16 && numbers.size() != 22)
    fail(
        "a key that begins with the 16 numbers of a 2-D convolution or the 22 of a 3-D one, as "
        "64-56-56-3x3-64-56-56-32-1x1-1x1-1x1-0-NCHW-FP16-F",
        whole);
  return numbers;
}

Layout take_layout(std::string_view& key) {
  const std::string_view layout = take(key, '-');
  const std::string others = std::string(layout) + '-' + std::string(layout) + '-';
  if (key.starts_with(others)) key.remove_prefix(others.size());
  if (layout == "NCHW" || layout == "NCDHW") return Layout::nchw;
  if (layout == "NHWC" || layout == "NDHWC") return Layout::nhwc;
  fail("NCHW, NHWC, NCDHW or NDHWC in the key", layout);
}

DataType type_of(std::string_view name) {
  if (name == "INT8INT8INT32") return DataType::int8;
  if (name == "BFP8") return DataType::fp8;
  const auto type = parse<DataType>(lower_case(name));
  if (!type || !is_operand_type(*type))
    fail("FP32, FP16, BF16, INT8, FP8 or another type in the key", name);
  return *type;
}

Pass pass_of(std::string_view name) {
  if (name == "F") return Pass::fwd;
  if (name == "B") return Pass::dgrad;
  if (name == "W") return Pass::wgrad;
  fail("F, B or W as the pass in the key", name);
}

/// "channels-sizes-window-channels-sizes-batch-padding-stride-dilation-bias-layout-type-pass", then
/// "_g" and the groups. Gradients have the result's side first.
Operation operation_of(std::string_view key) {
  Operation operation{.row = find_row("convolution")};
  Attributes& attributes = operation.attributes;
  const Sizes numbers = take_numbers(key);
  auto next = numbers.begin();
  const auto axes = [&] {
    const auto first = std::exchange(next, next + (numbers.size() == 16 ? 2 : 3));
    return Sizes(first, next);
  };
  std::array<std::uint64_t, 2> channels{};
  channels[0] = *next++;
  std::array<Sizes, 2> positions{axes(), {}};
  attributes.kernel = axes_list(axes());
  channels[1] = *next++;
  positions[1] = axes();
  const std::uint64_t batch = *next++;
  attributes.padding = axes_list(axes());
  attributes.stride = axes_list(axes());
  attributes.dilation = axes_list(axes());
  attributes.bias = *next++ != 0;
  const Layout layout = take_layout(key);
  const std::string_view type_name = take(key, '-');
  const DataType type = type_of(type_name);
  operation.pass = pass_of(take(key, '_'));
  const std::size_t input = operation.pass == Pass::fwd ? 0 : 1;
  attributes.channels = channels[1 - input];
  const auto side = [&](std::size_t at) {
    Sizes sizes{batch, channels[at]};
    sizes.insert(sizes.end(), positions[at].begin(), positions[at].end());
    return Tensor{.sizes = std::move(sizes), .type = type, .stated_layout = layout};
  };
  operation.operands = {side(input)};
  operation.results = {side(1 - input)};
  operation.results.front().type.reset();
  if (type_name == "INT8INT8INT32") operation.results.front().type = DataType::int32;
  constexpr const char* groups = "_g and a number of groups at the key's end";
  if (key.empty()) return operation;
  if (!key.starts_with('g')) fail(groups, key);
  attributes.groups = require_number<std::uint64_t>(key.substr(1), groups);
  return operation;
}

LayerSpec layer_of(std::string_view key) {
  const Operation operation = operation_of(key);
  const Layers layers = operation.row->build(operation);
  if (layers.empty())
    fail("an image with sizes >= 1", sizes_text(operation.operands.front().sizes));
  LayerSpec layer = layers.front();
  layer.name = std::string(key);
  layer.output = operation.results.front().sizes;
  return layer;
}

struct TimedSolver {
  std::string_view name;
  double ms = 0;
};

/// "name:ms,workspace,algorithm;...", the fastest first.
std::vector<TimedSolver> solvers_in(std::string_view text) {
  constexpr const char* expected = "solvers as name:ms,workspace,algorithm with ; between them";
  std::vector<TimedSolver> solvers;
  do {
    std::string_view solver = take(text, ';');
    if (std::count(solver.begin(), solver.end(), ',') != 2) fail(expected, solver);
    const std::string_view name = take(solver, ':');
    solvers.push_back({name, require_number<double>(take(solver, ','), expected)});
  } while (!text.empty());
  std::stable_sort(solvers.begin(), solvers.end(),
                   [](const TimedSolver& a, const TimedSolver& b) { return a.ms < b.ms; });
  return solvers;
}

/// MIOpen takes the fastest.
void set_measured(const std::vector<TimedSolver>& solvers, LayerSpec& layer) {
  Measured measured;
  measured.pass = *layer.pass;
  for (const auto& [name, ms] : solvers) {
    if (!(ms > 0)) continue;
    if (measured.warm_s) {
      add_item(measured.other_kernels, std::string(name) + ' ' + number_text(ms) + " ms");
    } else {
      measured.warm_s = ms * 1e-3;
      measured.kernel = name;
    }
  }
  layer.measured = std::move(measured);
}

/// `needs_times`: in a database a key without solvers is a line that was cut.
template <bool needs_times>
std::shared_ptr<const NetworkSpec> read_line(std::string_view text, const Origin& origin) {
  NetworkSpec network;
  network.name = name_without(network_name(origin.source), {".txt", ".fdb", ".ufdb"});
  network.source = origin.source;
  network.record = origin.line;
  network.repeats_are_runs = true;
  const std::string line = std::to_string(*origin.line);
  try {
    text = trimmed(text);
    LayerSpec layer = layer_of(take(text, '='));
    layer.place = {origin.source, line, false, {}};
    if (needs_times || !text.empty()) {
      const std::vector<TimedSolver> solvers = solvers_in(text);
      if (!(solvers.front().ms > 0))
        network.assumptions.emplace_back(
            "times of 0, which nobody measured, are left out, although MIOpen takes the least "
            "time");
      set_measured(solvers, layer);
    }
    network.layers.push_back(std::move(layer));
  } catch (const InputError& error) {
    throw InputError(origin.source, line, error.message);
  }
  return std::make_shared<const NetworkSpec>(std::move(network));
}

}  // namespace

bool looks_like_find_database(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  const std::size_t solvers = line.find('=');
  return solvers != line.npos && line.front() >= '0' && line.front() <= '9' &&
         line.find(",miopenConvolution", solvers) != line.npos;
}

std::unique_ptr<Reader> open_find_database(std::unique_ptr<ByteStream> stream) {
  return open_records(std::move(stream), read_line<true>);
}

bool looks_like_key_list(std::string_view head) {
  constexpr std::string_view digits = "0123456789";
  const std::string_view line = trimmed(head.substr(0, head.find('\n')));
  if (line.empty() || digits.find(line.front()) == digits.npos) return false;
  try {
    layer_of(line);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::unique_ptr<Reader> open_key_list(std::unique_ptr<ByteStream> stream) {
  return open_records(std::move(stream), read_line<false>);
}

}  // namespace roofline
