#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/csv.hpp"
#include "load/network_reader.hpp"
#include "load/recording.hpp"
#include "load/whole_input.hpp"
#include "model/layer_kind.hpp"
#include "model/text.hpp"
#include "operators/table.hpp"
#include "profilers/formats.hpp"
#include "profilers/profiler_csv.hpp"
#include "roofline/enumeration.hpp"

namespace roofline {
namespace {

constexpr std::string_view program = "MIOpenDriver";
constexpr std::string_view read_operation = "conv";

/// What follows the program's name, which Windows ends in .exe and old drivers echo with a colon.
std::string_view after_program(std::string_view text) {
  text.remove_prefix(program.size());
  for (const std::string_view ending : {".exe", ":"})
    if (text.starts_with(ending)) text.remove_prefix(ending.size());
  return trimmed(text);
}

/// Whether a shell or Python would take what follows this text on its line for a comment. The # of
/// a root's prompt ("host:/#") follows no blank.
bool begins_comment(std::string_view text) {
  for (std::size_t at = text.find('#'); at != text.npos; at = text.find('#', at + 1))
    if (at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t') return true;
  return false;
}

/// Options of a convolution's layer, each with its letter.
constexpr std::string_view layer_options =
    "batchsize n in_channels c in_h H in_w W in_d ! out_channels k fil_h y fil_w x fil_d @ "
    "pad_h p pad_w q pad_d $ conv_stride_h u conv_stride_w v conv_stride_d # dilation_h l "
    "dilation_w j dilation_d ^ group_count g forw F mode m pad_mode z bias b spatial_dim _ "
    "in_layout I tensor_vect Z trans_output_pad_d % trans_output_pad_h Y trans_output_pad_w X";

/// Options of the run.
constexpr std::string_view run_options =
    "out_layout O fil_layout f pad_val r iter i verify V verification_cache C time t wall w search "
    "s printconv P dump_output o in_data d weights e dout_data D vector_length L solution S";

/// The driver's defaults.
constexpr std::uint64_t default_batch = 100;
constexpr std::uint64_t default_channels = 3;
constexpr std::uint64_t default_size = 32;
constexpr std::uint64_t default_filters = 32;
constexpr std::uint64_t default_window = 3;

class DriverCommand {
 public:
  explicit DriverCommand(std::string_view text) {
    std::vector<std::string_view> words = words_in(text);
    if (words.empty()) return;
    text_ = joined(words, " ");
    operation_ = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) {
      std::string_view word = words[i];
      const std::string_view whole = word;
      word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
      const std::size_t equals = word.find('=');
      std::string_view value;
      if (equals != std::string_view::npos) {
        value = word.substr(equals + 1);
        word = word.substr(0, equals);
      } else if (i + 1 < words.size()) {
        value = words[++i];
      }
      const std::optional<char> letter = whole.starts_with('-') ? letter_of(word) : std::nullopt;
      if (letter)
        values_[*letter] = value;
      else if (unknown_.empty() && !(whole.starts_with('-') && has_word(run_options, word)))
        unknown_ = whole;
    }
  }

  std::string_view operation() const { return operation_; }
  /// Whether there are convolutions' options alone, as in a list of commands: "convfp16 -n 2 ...".
  bool has_values() const { return !values_.empty() && unknown_.empty(); }
  /// The words that count, with a blank between them.
  const std::string& text() const { return text_; }
  /// Throws InputError for an unknown option, as the driver does: it may be essential.
  void check_options() const {
    if (!unknown_.empty())
      throw InputError("expected a known option of MIOpenDriver, got " + in_quotes(unknown_));
  }
  std::optional<std::string_view> text(char letter) const {
    const auto found = values_.find(letter);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  /// Throws InputError.
  std::uint64_t number(char letter, std::uint64_t otherwise) const {
    const auto value = text(letter);
    if (!value) return otherwise;
    if (const auto number = number_in<std::uint64_t>(*value)) return *number;
    throw InputError(std::string("-") + letter + ": expected a whole number" +
                     (is_beyond_64_bits(*value) ? " up to " + std::string(largest_integer) : "") +
                     ", got " + in_quotes(*value));
  }
  /// Index of the option's word; nullopt if not given. Throws InputError.
  std::optional<std::size_t> choice(char letter, std::span<const std::string_view> words) const {
    const auto value = text(letter);
    if (!value) return std::nullopt;
    const auto found = std::ranges::find(words, *value);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    throw InputError(std::string("-") + letter + ": expected " + joined(words) + ", got " +
                     in_quotes(*value));
  }

 private:
  static std::vector<std::string_view> words_in(std::string_view text) {
    constexpr std::string_view ends = " \t\r\"'`;|&>,])";
    std::vector<std::string_view> words;
    while (true) {
      const std::size_t begin = text.find_first_not_of(" \t\r\"'`");
      if (begin == std::string_view::npos || ends.find(text[begin]) != std::string_view::npos)
        return words;
      const std::size_t end = std::min(text.find_first_of(ends, begin), text.size());
      if (is_end(text.substr(begin, end - begin), text.substr(end))) return words;
      words.push_back(text.substr(begin, end - begin));
      text.remove_prefix(end);
    }
  }

  /// A shell comment, or the "2" of "2>".
  static bool is_end(std::string_view word, std::string_view rest) {
    return word.starts_with('#') || (rest.starts_with('>') && number_in<int>(word));
  }

  static std::optional<char> letter_of(std::string_view name) {
    for (std::string_view rest = layer_options; !rest.empty();) {
      const std::string_view option = take(rest, ' ');
      const std::string_view letter = take(rest, ' ');
      if (name == option || name == letter) return letter.front();
    }
    return std::nullopt;
  }

  std::string_view operation_;
  std::string text_;
  std::map<char, std::string_view> values_;
  std::string_view unknown_;  ///< the first word that is neither an option nor a value
};

/// Removes the type from an operation: "convfp16" is "conv" in fp16.
DataType take_type(std::string_view& operation) {
  constexpr std::pair<std::string_view, DataType> suffixes[] = {{"bfp16", DataType::bf16},
                                                                {"bfp8", DataType::fp8},
                                                                {"fp16", DataType::fp16},
                                                                {"fp8", DataType::fp8},
                                                                {"int8", DataType::int8}};
  for (const auto& [suffix, type] : suffixes)
    if (operation.size() > suffix.size() && operation.ends_with(suffix)) {
      operation.remove_suffix(suffix.size());
      return type;
    }
  return DataType::fp32;
}

Sizes numbers_of(const DriverCommand& command, bool is_3d, std::string_view letters,
                 std::uint64_t otherwise) {
  Sizes numbers;
  for (const char letter : letters.substr(is_3d ? 0 : 1))
    numbers.push_back(command.number(letter, otherwise));
  return numbers;
}

/// -F is a sum of passes: 1 forward, 2 data gradient, 4 weight gradient; 0 for all.
std::uint64_t asked_passes(const DriverCommand& command) {
  constexpr std::uint64_t all = 7;
  const std::uint64_t bits = command.number('F', 0);
  if (bits > all)
    throw InputError("-F: expected passes as a number up to " + std::to_string(all) + ", got " +
                     std::to_string(bits));
  return bits == 0 ? all : bits;
}

/// The driver's own layout is that of channels first, whatever the type.
Layout layout_of(const DriverCommand& command) {
  constexpr std::string_view layouts[] = {"NCHW", "NCDHW", "NHWC", "NDHWC"};
  const bool is_nhwc = command.choice('I', layouts).value_or(0) >= 2;
  if (command.number('Z', 0) != 0) return Layout::blocked;
  return is_nhwc ? Layout::nhwc : Layout::nchw;
}

/// Throws InputError.
Operation read_convolution(const DriverCommand& command, DataType type) {
  const bool is_3d = command.number('_', 2) == 3;
  const auto axes = [&](std::string_view letters, std::uint64_t otherwise) {
    return axes_list(numbers_of(command, is_3d, letters, otherwise));
  };
  constexpr std::string_view modes[] = {"conv", "trans"};
  constexpr std::string_view pad_modes[] = {"default", "same", "valid"};
  const std::string_view pad_mode = pad_modes[command.choice('z', pad_modes).value_or(0)];
  const bool is_transposed = command.choice('m', modes) == 1;
  Operation operation{.row = find_row(is_transposed ? "transposed_convolution" : "convolution")};
  Sizes sizes{command.number('n', default_batch), command.number('c', default_channels)};
  const Sizes positions = numbers_of(command, is_3d, "!HW", default_size);
  sizes.insert(sizes.end(), positions.begin(), positions.end());
  operation.operands = {{.sizes = sizes, .type = type, .stated_layout = layout_of(command)}};
  Attributes& attributes = operation.attributes;
  if (is_transposed) attributes.output_padding = axes("%YX", 0);
  attributes.channels = command.number('k', default_filters);
  attributes.kernel = axes("@yx", default_window);
  attributes.stride = axes("#uv", 1);
  attributes.dilation = axes("^lj", 1);
  if (pad_mode == "same")
    attributes.padding.rule = PaddingRule::same;
  else if (pad_mode != "valid")
    attributes.padding = axes("$pq", 0);
  attributes.groups = command.number('g', 1);
  attributes.bias = command.number('b', 0) != 0;
  if (element_count(sizes) == 0)
    throw InputError("expected an image with sizes >= 1, got " + sizes_text(sizes));
  return operation;
}

/// A command without the program's name, as in the lists that tuners take.
bool is_bare_command(std::string_view line) {
  if (line.find("conv") == line.npos || line.find(" -") == line.npos) return false;
  const DriverCommand command(line);
  std::string_view operation = command.operation();
  take_type(operation);
  return operation == read_operation && command.has_values();
}

/// Time of a convolution that the driver printed, in milliseconds; nullopt if it cannot be one.
std::optional<double> seconds_of(std::string_view number) {
  const double ms = number_in<double>(number.substr(0, number.find(' '))).value_or(0);
  return ms > 0 && ms * 1e-3 <= s_per_year ? std::optional(ms * 1e-3) : std::nullopt;
}

/// The text between a label and what ends it; empty without the label.
std::string_view labelled(std::string_view line, std::string_view label, char end = '\n') {
  const std::size_t at = line.find(label);
  if (at == line.npos) return {};
  const std::string_view rest = line.substr(at + label.size());
  return trimmed(rest.substr(0, rest.find(end)));
}

class DriverText {
 public:
  DriverText(ByteStream& stream, BadRows& bad) : stream_(stream), bad_(bad) {
    constexpr std::size_t most_named = 10'000;
    bad_.name_each(most_named);
    network_.source = stream.name();
    network_.name = network_name(stream.name());
    network_.repeats_are_runs = true;
  }

  NetworkSpecs read() {
    std::string line;
    while (stream_.read_line(line)) {
      ++line_;
      read_line(line);
    }
    return network();
  }

  /// A table with options as columns. No operation tells the type.
  NetworkSpecs read_table() {
    CsvRows rows(stream_);
    const std::optional<CsvRow> header = rows.next();
    while (const std::optional<CsvRow> row = rows.next()) {
      line_ = row->line;
      check_width(*row, header->cells.size(), stream_.name());
      std::string command(read_operation);
      for (std::size_t i = 0; i < row->cells.size(); ++i)
        if (const std::string_view cell = trimmed(row->cells[i]); !cell.empty())
          command.append(1, ' ').append(trimmed(header->cells[i])).append(1, ' ').append(cell);
      read_command(DriverCommand(command), Said::alone, false);
    }
    return network();
  }

 private:
  /// How a command came into the text.
  enum class Said {
    alone,   ///< in a list, or by the driver, which repeats its own command first
    typed,   ///< behind a prompt or a path, as a shell takes it
    search,  ///< by MIOpen, which logs a kernel search beside the run that it is for
  };

  NetworkSpecs network() {
    if (network_.layers.empty())
      throw InputError(network_.source, "",
                       comments_ > 0 ? "expected a command of MIOpenDriver, got comments alone (#)"
                                     : "expected a layer, got none");
    return {std::make_shared<const NetworkSpec>(std::move(network_))};
  }

  void read_line(const std::string& line) {
    std::size_t at = line.find(program);
    const std::string_view before = std::string_view(line).substr(0, std::min(at, line.size()));
    if (at == std::string::npos) {
      if (is_bare_command(line)) return read_command(DriverCommand(line), Said::alone);
      return read_result(line);
    }
    const Said said = before.find("[LogCmdFind") != before.npos ? Said::search
                      : trimmed(before).empty() || before.find("[LogCmd") != before.npos
                          ? Said::alone
                          : Said::typed;
    while (at != std::string::npos) {  // a list of Python has several on a line
      if (begins_comment(std::string_view(line).substr(0, at))) {
        ++comments_;
        return;
      }
      const std::size_t next = line.find(program, at + 1);
      const std::string_view text = std::string_view(line).substr(at, next - at);
      read_command(DriverCommand(after_program(text.substr(0, text.find("\",")))), said);
      at = next;
    }
  }

  void read_command(const DriverCommand& command, Said said, bool states_type = true) {
    const bool was_typed = std::exchange(is_typed_, said == Said::typed);
    if (was_typed && said == Said::alone && command.text() == last_) return;  // the driver's echo
    last_ = command.text();
    const auto [known, is_new] = has_run_.try_emplace(last_, said != Said::search);
    if (!is_new && (said == Said::search || !std::exchange(known->second, true))) return;
    std::string_view operation = command.operation();
    if (operation.empty()) return;  // prose that names the program
    const DataType type = take_type(operation);
    try {
      if (operation != read_operation)
        throw InputError("expected MIOpenDriver conv, the only operation that is read, got " +
                         in_quotes(command.operation()));
      command.check_options();
      const Operation read = read_convolution(command, type);
      for (LayerSpec& layer : read.row->build(read)) {
        if (!states_type) layer.dtypes.input.reset();
        add(layer, asked_passes(command));
      }
    } catch (const InputError& error) {
      bad_.add({stream_.name(), std::to_string(line_), error.message});
    }
  }

  /// A command's passes share parameters; a repeated command is another copy of its layers.
  void add(const LayerSpec& layer, std::uint64_t passes) {
    bool is_first = true;
    for (const auto& [bit, pass] :
         {std::pair{1U, Pass::fwd}, {2U, Pass::dgrad}, {4U, Pass::wgrad}}) {
      if ((passes & bit) == 0) continue;
      const auto [entry, is_new] = place_of_.try_emplace(key_of(pass), network_.layers.size());
      if (!is_new) {
        auto& repeat = network_.layers[entry->second].repeat;
        repeat = repeat.value_or(1) + 1;
        continue;
      }
      LayerSpec own = layer;
      own.name = info(layer.kind).name;
      own.place = {network_.source, std::to_string(line_), false, {}};
      own.pass = pass;
      own.shared_weights = !std::exchange(is_first, false);
      if (const auto failure = failure_of(own)) {
        place_of_.erase(entry);
        return bad_.add(*failure);
      }
      if (const std::size_t same = named_[*own.name]++; same > 0)
        *own.name += "_" + std::to_string(same + 1);
      network_.layers.push_back(std::move(own));
    }
  }

  std::string key_of(Pass pass) const { return last_ + '/' + std::string(name_of(pass)); }

  /// The last command's layer of a pass, or null.
  LayerSpec* layer_of(Pass pass) {
    const auto known = place_of_.find(key_of(pass));
    return known == place_of_.end() ? nullptr : &network_.layers[known->second];
  }

  /// What the driver prints behind a command: a list of kernels ("Forward Conv solutions available:
  /// 2", a line each), the one that it takes ("MIOpen Forward Conv. Algorithm: 3, Solution:
  /// 139/ConvHip"), and its time ("GPU Kernel Time Forward Conv. Elapsed: 0.6425 ms (average)").
  void read_result(std::string_view line) {
    constexpr std::pair<std::string_view, Pass> directions[] = {
        {"Forward", Pass::fwd}, {"Backward Data", Pass::dgrad}, {"Backward Weights", Pass::wgrad}};
    if (trimmed(line).starts_with("- id: ")) return read_solution(line);
    const std::size_t at = line.find(" Conv");
    if (at == line.npos) return;
    is_typed_ = false;
    for (const auto& [direction, pass] : directions) {
      LayerSpec* const layer = line.substr(0, at).ends_with(direction) ? layer_of(pass) : nullptr;
      if (layer == nullptr) continue;
      const std::string_view said = line.substr(at);
      if (said.starts_with(" Conv solutions available:")) listed_ = pass;
      if (const auto solution = labelled(said, "Solution: "); !solution.empty())
        kernel_ = solution.substr(solution.find('/') + 1);
      if (line.starts_with("GPU Kernel Time "))
        read_time(labelled(said, " Conv. Elapsed:"), pass, *layer);
    }
  }

  void read_time(std::string_view number, Pass pass, LayerSpec& layer) {
    const auto seconds = seconds_of(number);
    if (!seconds)
      return bad_.add(
          {stream_.name(), std::to_string(line_),
           "expected a time above 0 and of less than a year, got " + in_quotes(number)});
    layer.measured.change([&](Measured& measured) {
      measured.pass = pass;
      measured.warm_s = seconds;
      if (!kernel_.empty()) measured.kernel = std::exchange(kernel_, {});
    });
  }

  /// "- id: 85 algo: 1, time: 27.6 ms, ws: 0, name: ConvDirectNaiveConvFwd": the fastest is the
  /// layer's. One of -1 was not measured.
  void read_solution(std::string_view line) {
    LayerSpec* const layer = layer_of(listed_);
    const auto seconds = seconds_of(labelled(line, " time: ", ','));
    if (layer == nullptr || !seconds) return;
    layer->measured.change([&](Measured& measured) {
      measured.pass = listed_;
      double slower_s = *seconds;
      std::string slower(labelled(line, " name: "));
      if (!measured.warm_s || slower_s < *measured.warm_s) {
        slower_s = std::exchange(measured.warm_s, slower_s).value_or(0);
        slower.swap(measured.kernel);
      }
      if (slower_s > 0)
        add_item(measured.other_kernels, slower + ' ' + number_text(slower_s * 1e3) + " ms");
    });
  }

  ByteStream& stream_;
  BadRows& bad_;
  NetworkSpec network_;
  std::map<std::string, std::size_t> place_of_;  ///< in the network's layers, by command and pass
  std::map<std::string, std::size_t> named_;     ///< layers of each name
  std::size_t line_ = 0;
  std::size_t comments_ = 0;             ///< commands behind #
  std::string last_;                     ///< the command before this line
  bool is_typed_ = false;                ///< the last command, which nothing has followed
  Pass listed_ = Pass::fwd;              ///< whose kernels are listed
  std::string kernel_;                   ///< that the next time is of; may be empty
  std::map<std::string, bool> has_run_;  ///< by command; false if only searched
};

}  // namespace

bool looks_like_miopen_driver(std::string_view head) {
  if (trimmed(head.substr(0, 64)).starts_with('{')) return false;  // a note within JSON
  for (std::string_view rest = head; !rest.empty();)
    if (is_bare_command(take(rest, '\n'))) return true;
  for (std::size_t at = head.find(program); at != std::string_view::npos; at = head.find(program)) {
    head.remove_prefix(at);
    if (after_program(head.substr(0, 60)).starts_with(read_operation)) return true;
    head.remove_prefix(program.size());
  }
  return false;
}

NetworkSpecs read_miopen_driver(ByteStream& stream, BadRows& bad) {
  return DriverText(stream, bad).read();
}

bool looks_like_driver_table(std::string_view head) {
  std::string command(read_operation);
  std::string_view line = head.substr(0, head.find('\n'));
  if (!trimmed(line).starts_with('-')) return false;
  while (!line.empty()) command.append(1, ' ').append(trimmed(take(line, ','))).append(" 1");
  return DriverCommand(command).has_values();
}

NetworkSpecs read_driver_table(ByteStream& stream, BadRows& bad) {
  return DriverText(stream, bad).read_table();
}

}  // namespace roofline
