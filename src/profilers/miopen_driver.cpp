#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "load/layer_check.hpp"
#include "load/network_reader.hpp"
#include "load/whole_input.hpp"
#include "model/spelling.hpp"
#include "profilers/formats.hpp"

namespace roofline {
namespace {

constexpr std::string_view program = "MIOpenDriver";

/// A whole number that makes up the text; none for any other text.
std::optional<std::uint64_t> whole_number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

/// An option's long name and its letter, by which the code below asks for it.
struct DriverOption {
  std::string_view name;
  char letter;
};

/// The options of convolutions. Other operations share those that they have.
constexpr DriverOption driver_options[] = {
    {"batchsize", 'n'},     {"in_channels", 'c'},   {"in_h", 'H'},          {"in_w", 'W'},
    {"in_d", '!'},          {"out_channels", 'k'},  {"fil_h", 'y'},         {"fil_w", 'x'},
    {"fil_d", '@'},         {"pad_h", 'p'},         {"pad_w", 'q'},         {"pad_d", '$'},
    {"conv_stride_h", 'u'}, {"conv_stride_w", 'v'}, {"conv_stride_d", '#'}, {"dilation_h", 'l'},
    {"dilation_w", 'j'},    {"dilation_d", '^'},    {"group_count", 'g'},   {"forw", 'F'},
    {"mode", 'm'},          {"pad_mode", 'z'},      {"bias", 'b'},          {"spatial_dim", '_'},
    {"in_layout", 'I'},     {"layout", 'I'},        {"back", 'b'},          {"batch_count", 'b'},
    {"a_h", 'm'},           {"a_w", 'k'},           {"b_w", 'n'},
};

/// What the driver takes where an option is not given.
constexpr std::uint64_t default_batch = 100;
constexpr std::uint64_t default_channels = 3;
constexpr std::uint64_t default_size = 32;
constexpr std::uint64_t default_filters = 32;
constexpr std::uint64_t default_window = 3;
constexpr std::uint64_t default_matrix = 256;

/// A command line: the operation, and the options by letter.
class DriverCommand {
 public:
  explicit DriverCommand(std::string_view text) {
    std::vector<std::string_view> words = words_in(text);
    if (words.empty()) return;
    operation_ = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) {
      std::string_view word = words[i];
      if (!word.starts_with('-')) continue;
      word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
      const std::size_t equals = word.find('=');
      std::string_view value;
      if (equals != std::string_view::npos) {
        value = word.substr(equals + 1);
        word = word.substr(0, equals);
      } else if (i + 1 < words.size()) {
        value = words[++i];
      }
      if (const std::optional<char> letter = letter_of(word)) values_[*letter] = value;
    }
  }

  std::string_view operation() const { return operation_; }
  std::optional<std::string_view> text(char letter) const {
    const auto found = values_.find(letter);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  /// Throws InputError, what is wrong with it.
  std::uint64_t number(char letter, std::uint64_t otherwise) const {
    const auto value = text(letter);
    if (!value) return otherwise;
    if (const auto number = whole_number_in(*value)) return *number;
    throw InputError(std::string("-") + letter + ": expected a whole number, got \"" +
                     std::string(value->substr(0, 40)) + '"');
  }

 private:
  static std::vector<std::string_view> words_in(std::string_view text) {
    constexpr std::string_view ends = " \t\r\"'`;|>";
    std::vector<std::string_view> words;
    while (true) {
      const std::size_t begin = text.find_first_not_of(" \t\r\"'`");
      if (begin == std::string_view::npos || ends.find(text[begin]) != std::string_view::npos)
        return words;
      const std::size_t end = std::min(text.find_first_of(ends, begin), text.size());
      words.push_back(text.substr(begin, end - begin));
      text.remove_prefix(end);
    }
  }

  static std::optional<char> letter_of(std::string_view name) {
    if (name.size() == 1) return name.front();
    for (const DriverOption& option : driver_options)
      if (name == option.name) return option.letter;
    return std::nullopt;
  }

  std::string_view operation_;
  std::map<char, std::string_view> values_;
};

/// "convfp16" is "conv" in fp16.
struct Operation {
  std::string_view name;
  DataType type = DataType::fp32;
};

Operation operation_in(std::string_view word) {
  struct Suffix {
    std::string_view text;
    DataType type;
  };
  constexpr Suffix suffixes[] = {{"bfp16", DataType::bf16},
                                 {"bfp8", DataType::fp8},
                                 {"fp16", DataType::fp16},
                                 {"fp8", DataType::fp8},
                                 {"int8", DataType::int8}};
  for (const Suffix& suffix : suffixes)
    if (word.size() > suffix.text.size() && word.ends_with(suffix.text))
      return {word.substr(0, word.size() - suffix.text.size()), suffix.type};
  return {word, DataType::fp32};
}

AxesSpec axes_of_command(const DriverCommand& command, bool is_3d, std::string_view letters,
                         std::uint64_t otherwise) {
  std::vector<std::uint64_t> numbers;
  for (const char letter : letters.substr(is_3d ? 0 : 1))
    numbers.push_back(command.number(letter, otherwise));
  return axes_list(std::move(numbers));
}

void set_layout(const DriverCommand& command, LayerSpec& layer) {
  const std::string_view layout = command.text('I').value_or("");
  if (layout == "NHWC" || layout == "NDHWC") layer.layout = Layout::nhwc;
  if (layout == "NCHW" || layout == "NCDHW") layer.layout = Layout::nchw;
}

/// `sizes`: the letters of depth, height and width.
void set_image(const DriverCommand& command, bool is_3d, LayerSpec& layer,
               std::string_view sizes = "!HW") {
  layer.batch = command.number('n', default_batch);
  layer.in_channels = command.number('c', default_channels);
  layer.input_size = axes_of_command(command, is_3d, sizes, default_size);
  set_layout(command, layer);
}

/// The bits of -F ask for passes: 1 forward, 2 the data's gradient, 4 the weights'; 0 for all.
std::vector<Pass> passes_in(const DriverCommand& command, std::uint64_t all) {
  std::uint64_t bits = command.number('F', 0);
  if (bits == 0) bits = all;
  std::vector<Pass> passes;
  if ((bits & 1U) != 0) passes.push_back(Pass::fwd);
  if ((bits & 2U) != 0) passes.push_back(Pass::dgrad);
  if ((bits & 4U) != 0) passes.push_back(Pass::wgrad);
  return passes;
}

/// A layer, and the passes in which the command runs it.
struct DriverLayer {
  LayerSpec layer;
  std::vector<Pass> passes{Pass::fwd};
};

DriverLayer convolution_of(const DriverCommand& command) {
  const bool is_3d = command.number('_', 2) == 3;
  const std::string_view pad_mode = command.text('z').value_or("");
  DriverLayer read;
  LayerSpec& layer = read.layer;
  layer.kind =
      command.text('m').value_or("conv") == "trans" ? LayerKind::conv_transpose : LayerKind::conv;
  set_image(command, is_3d, layer);
  layer.out_channels = command.number('k', default_filters);
  layer.kernel_size = axes_of_command(command, is_3d, "@yx", default_window);
  layer.stride = axes_of_command(command, is_3d, "#uv", 1);
  layer.dilation = axes_of_command(command, is_3d, "^lj", 1);
  if (pad_mode == "same")
    layer.padding.rule = PaddingRule::same;
  else if (pad_mode != "valid")
    layer.padding = axes_of_command(command, is_3d, "$pq", 0);
  layer.groups = std::max<std::uint64_t>(1, command.number('g', 1));
  layer.bias = command.number('b', 0) != 0;
  read.passes = passes_in(command, 7);
  return read;
}

/// Its strides are the other way round: -v along the height, -u along the width. Later versions
/// state the whole input as -W 100x3x32x32,NCHW.
DriverLayer pool_of(const DriverCommand& command) {
  DriverLayer read;
  LayerSpec& layer = read.layer;
  const std::string_view mode = command.text('m').value_or("max");
  layer.kind = mode == "max" ? LayerKind::max_pool : LayerKind::avg_pool;
  std::string_view input = command.text('W').value_or("");
  if (input.find('x') != std::string_view::npos) {
    layer.input.emplace();
    layer.input->whole = true;
    input = input.substr(0, input.find(','));
    while (!input.empty()) {
      const std::size_t end = std::min(input.find('x'), input.size());
      const auto size = whole_number_in(input.substr(0, end));
      if (!size) throw InputError("-W: expected sizes such as 100x3x32x32");
      layer.input->sizes.push_back(*size);
      input.remove_prefix(std::min(end + 1, input.size()));
    }
  } else {
    set_image(command, false, layer);
  }
  layer.kernel_size = axes_of_command(command, false, "@yx", default_window);
  layer.stride = axes_of_command(command, false, "#vu", 1);
  layer.padding = axes_of_command(command, false, "$pq", 0);
  read.passes = passes_in(command, 3);
  return read;
}

DriverLayer norm_of(const DriverCommand& command) {
  DriverLayer read;
  LayerSpec& layer = read.layer;
  layer.kind = LayerKind::batch_norm;
  set_image(command, command.text('D').has_value(), layer, "DHW");
  const std::uint64_t forward = command.number('F', 1);
  const bool back = command.number('b', 0) != 0;
  layer.batch_statistics = forward == 1 || back;
  read.passes.clear();
  if (forward != 0) read.passes.push_back(Pass::fwd);
  if (back) read.passes.push_back(Pass::dgrad);
  return read;
}

/// A layer of a kind whose result is as large as its image.
DriverLayer image_layer(const DriverCommand& command, LayerKind kind) {
  DriverLayer read;
  read.layer.kind = kind;
  set_image(command, false, read.layer);
  read.passes = passes_in(command, 3);
  return read;
}

DriverLayer activation_of(const DriverCommand& command) {
  struct Mode {
    std::uint64_t number;
    LayerKind kind;
  };
  constexpr Mode modes[] = {{1, LayerKind::sigmoid},    {2, LayerKind::tanh},
                            {3, LayerKind::relu},       {7, LayerKind::relu6},
                            {8, LayerKind::leaky_relu}, {9, LayerKind::elu}};
  const std::uint64_t number = command.number('m', 3);
  const auto mode = std::find_if(std::begin(modes), std::end(modes),
                                 [&](const Mode& each) { return each.number == number; });
  if (mode == std::end(modes))
    throw InputError(
        "-m: expected an activation that is a kind of layer (1, 2, 3, 7, 8 or 9), got " +
        std::to_string(number));
  return image_layer(command, mode->kind);
}

DriverLayer softmax_of(const DriverCommand& command) {
  return image_layer(command, LayerKind::softmax);
}

DriverLayer product_in(const DriverCommand& command) {
  DriverLayer read;
  read.layer.kind = LayerKind::matmul;
  read.layer.m = command.number('m', default_matrix);
  read.layer.n = command.number('n', default_matrix);
  read.layer.k = command.number('k', default_matrix);
  read.layer.batch = command.number('b', 1);
  return read;
}

struct DriverRule {
  std::string_view operation;
  DriverLayer (*read)(const DriverCommand& command);
};

constexpr DriverRule driver_rules[] = {
    {"conv", convolution_of}, {"pool", pool_of},       {"bnorm", norm_of},
    {"activ", activation_of}, {"softmax", softmax_of}, {"gemm", product_in},
};

/// The milliseconds of "GPU Kernel Time Forward Conv. Elapsed: 0.6425 ms (average)", which the
/// driver prints after a command.
struct DriverTime {
  Pass pass = Pass::fwd;
  double time_s = 0;
};

std::optional<DriverTime> time_in(std::string_view line) {
  struct Phrase {
    std::string_view text;
    Pass pass;
  };
  constexpr Phrase phrases[] = {{"GPU Kernel Time Forward Conv. Elapsed:", Pass::fwd},
                                {"GPU Kernel Time Backward Data Conv. Elapsed:", Pass::dgrad},
                                {"GPU Kernel Time Backward Weights Conv. Elapsed:", Pass::wgrad}};
  for (const Phrase& phrase : phrases) {
    const std::size_t at = line.find(phrase.text);
    if (at == std::string_view::npos) continue;
    const std::string_view number = trimmed(line.substr(at + phrase.text.size()));
    double ms = 0;
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), ms);
    if (error != std::errc() || !std::isfinite(ms) || ms <= 0) return std::nullopt;
    return DriverTime{phrase.pass, ms * 1e-3};
  }
  return std::nullopt;
}

/// The lines of a text, each command of which is one layer for each pass that it runs.
class DriverText {
 public:
  DriverText(ByteStream& stream, BadRows& bad) : stream_(stream), bad_(bad) {
    network_.source = stream.name();
    network_.name = network_name(stream.name());
  }

  NetworkSpecs read() {
    std::string line;
    while (stream_.read_line(line)) {
      ++line_;
      const std::size_t at = line.find(program);
      if (at != std::string::npos)
        read_command(command_after(std::string_view(line).substr(at + program.size())),
                     line.find("[LogCmdFind") < at);
      else if (const auto time = time_in(line))
        set_time(*time);
    }
    if (network_.layers.empty())
      throw InputError(network_.source, "", "expected a layer, got none");
    return {std::make_shared<const NetworkSpec>(std::move(network_))};
  }

 private:
  /// Without the ending of the program's name and comments behind the command.
  static std::string_view command_after(std::string_view text) {
    if (text.starts_with(".exe")) text.remove_prefix(4);
    return trimmed(text);
  }

  /// MIOpen's log has a search for the fastest kernel beside the run that it is for.
  void read_command(std::string_view text, bool is_search) {
    last_ = text;
    const auto [known, is_new] = has_run_.try_emplace(last_, !is_search);
    if (!is_new && (is_search || !std::exchange(known->second, true))) return;
    const DriverCommand command(text);
    const Operation operation = operation_in(command.operation());
    const auto rule =
        std::find_if(std::begin(driver_rules), std::end(driver_rules),
                     [&](const DriverRule& each) { return each.operation == operation.name; });
    if (rule == std::end(driver_rules)) return fail_operation(command.operation());
    try {
      DriverLayer read = rule->read(command);
      read.layer.dtypes.input = operation.type;
      add(read);
    } catch (const InputError& error) {
      bad_.add({stream_.name(), std::to_string(line_), error.message});
    }
  }

  void add(const DriverLayer& read) {
    bool is_first = true;
    for (const Pass pass : read.passes) {
      LayerSpec layer = read.layer;
      layer.pass = pass;
      // One layer's parameters, whichever passes of it run.
      layer.shared_weights = !std::exchange(is_first, false);
      if (!add_layer(std::move(layer), key_of(pass))) return;
    }
  }

  /// A command that comes again is one more copy of its layer. False where the model refuses it.
  bool add_layer(LayerSpec layer, const std::string& key) {
    if (const auto known = place_of_.find(key); known != place_of_.end()) {
      auto& repeat = network_.layers[known->second].repeat;
      repeat = repeat.value_or(1) + 1;
      return true;
    }
    const std::string name(info(layer.kind).name);
    layer.name = name;
    layer.place.source = network_.source;
    layer.place.where = std::to_string(line_);
    layer.place.pointers = false;
    if (const auto failure = failure_of(layer)) {
      bad_.add(*failure);
      return false;
    }
    const std::size_t same = named_[name]++;
    if (same > 0) *layer.name += "_" + std::to_string(same + 1);
    place_of_.emplace(key, network_.layers.size());
    network_.layers.push_back(std::move(layer));
    return true;
  }

  std::string key_of(Pass pass) const { return last_ + '/' + std::string(name_of(pass)); }

  void set_time(const DriverTime& time) {
    const auto known = place_of_.find(key_of(time.pass));
    if (last_.empty() || known == place_of_.end()) return;
    network_.layers[known->second].measured.change([&](Measured& measured) {
      measured.warm_s = time.time_s;
      measured.pass = time.pass;
    });
  }

  /// Prose that names the program is no command.
  void fail_operation(std::string_view operation) {
    if (operation.empty()) return;
    bad_.add({stream_.name(), std::to_string(line_),
              "expected MIOpenDriver with conv, pool, bnorm, activ, softmax or gemm, got \"" +
                  std::string(operation.substr(0, 40)) + '"'});
  }

  ByteStream& stream_;
  BadRows& bad_;
  NetworkSpec network_;
  std::map<std::string, std::size_t> place_of_;  ///< in the network's layers, by command and pass
  std::map<std::string, std::size_t> named_;     ///< how many layers have a name
  std::size_t line_ = 0;
  std::string last_;                     ///< the command before this line
  std::map<std::string, bool> has_run_;  ///< commands; false for those that only a search has had
};

NetworkSpecs read_miopen_driver(ByteStream& stream, BadRows& bad) {
  return DriverText(stream, bad).read();
}

}  // namespace

bool looks_like_miopen_driver(std::string_view head) {
  if (trimmed(head.substr(0, 64)).starts_with('{')) return false;  // a note within JSON
  for (std::size_t at = head.find(program); at != std::string_view::npos; at = head.find(program)) {
    head.remove_prefix(at + program.size());
    if (head.starts_with(".exe")) head.remove_prefix(4);
    for (const DriverRule& rule : driver_rules)
      if (head.starts_with(' ') && trimmed(head.substr(0, 40)).starts_with(rule.operation))
        return true;
  }
  return false;
}

std::unique_ptr<Reader> open_miopen_driver(std::unique_ptr<ByteStream> stream) {
  return open_whole(std::move(stream), read_miopen_driver);
}

}  // namespace roofline
