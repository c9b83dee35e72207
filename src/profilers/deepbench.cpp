#include "profilers/deepbench.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "load/network_reader.hpp"
#include "model/spelling.hpp"
#include "profilers/layer_list.hpp"

namespace roofline {
namespace {

constexpr std::string_view tuple_mark = "make_tuple(";

/// w, h, c, n, k, filter_w, filter_h, pad_w, pad_h, wstride, hstride
LayerSpec convolution(const std::vector<std::uint64_t>& numbers) {
  LayerSpec layer;
  layer.kind = LayerKind::conv;
  layer.input_size = axes_list({numbers[1], numbers[0]});
  layer.in_channels = numbers[2];
  layer.batch = numbers[3];
  layer.out_channels = numbers[4];
  layer.kernel_size = axes_list({numbers[6], numbers[5]});
  layer.padding = axes_list({numbers[8], numbers[7]});
  layer.stride = axes_list({numbers[10], numbers[9]});
  return layer;
}

std::optional<LayerSpec> layer_in(std::string_view tuple) {
  constexpr std::size_t conv_items = 11;
  constexpr std::size_t product_items = 5;
  constexpr std::size_t product_numbers = 3;
  const std::vector<std::string_view> items = items_in(tuple);
  if (items.size() != conv_items && items.size() != product_items) return std::nullopt;
  const std::size_t count = items.size() == conv_items ? conv_items : product_numbers;
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<std::uint64_t> number = whole_number_in(items[i]);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  // Whether matrices are transposed changes no count.
  return count == conv_items ? convolution(numbers) : product_layer(numbers);
}

/// "training_set" of "... >> training_set = {"; empty for other lines.
std::string_view set_in(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || line.find('{', equals) == std::string_view::npos)
    return {};
  const std::string_view before = trimmed(line.substr(0, equals));
  return before.substr(before.find_last_of(" >\t") + 1);
}

class DeepBenchText {
 public:
  DeepBenchText(ByteStream& stream, BadRows& bad) : stream_(stream), bad_(bad) {}

  NetworkSpecs read() {
    std::string text;
    while (stream_.read_line(text)) {
      ++line_;
      std::string_view line = text;
      line = line.substr(0, line.find("//"));
      if (const std::string_view set = set_in(line); !set.empty()) begin_set(std::string(set));
      read_tuples(line);
    }
    finish_set();
    if (networks_.empty())
      throw InputError(stream_.name(), "", "expected a list with a layer, got none");
    return std::move(networks_);
  }

 private:
  void begin_set(const std::string& name) {
    finish_set();
    list_.emplace(stream_, network_name(stream_.name()) + "." + name, bad_);
  }

  void finish_set() {
    if (list_ && !list_->empty()) networks_.push_back(std::move(*list_).network());
    list_.reset();
  }

  void read_tuples(std::string_view line) {
    for (std::size_t at = line.find(tuple_mark); at != std::string_view::npos;
         at = line.find(tuple_mark)) {
      line.remove_prefix(at + tuple_mark.size());
      const std::string_view tuple = line.substr(0, line.find(')'));
      if (!list_) list_.emplace(stream_, "", bad_);
      if (auto layer = layer_in(tuple))
        list_->add(std::move(*layer), std::string(tuple), line_);
      else
        bad_.add({stream_.name(), std::to_string(line_),
                  "expected a convolution (w, h, c, n, k, filter_w, filter_h, pad_w, pad_h, "
                  "wstride, hstride) or a product (m, n, k, a_t, b_t), got \"" +
                      std::string(tuple.substr(0, 60)) + '"'});
    }
  }

  ByteStream& stream_;
  BadRows& bad_;
  std::size_t line_ = 0;
  std::optional<LayerList> list_;
  NetworkSpecs networks_;
};

NetworkSpecs read_deepbench(ByteStream& stream, BadRows& bad) {
  return DeepBenchText(stream, bad).read();
}

}  // namespace

bool looks_like_deepbench(std::string_view head) {
  return head.find("std::make_tuple(") != std::string_view::npos &&
         head.find("std::tuple<") != std::string_view::npos;
}

std::unique_ptr<Reader> open_deepbench(std::unique_ptr<ByteStream> stream) {
  return open_whole(std::move(stream), read_deepbench);
}

}  // namespace roofline
