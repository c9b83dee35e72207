#include "profilers/scale_sim.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profilers/layer_list.hpp"

namespace roofline {
namespace {

using RowCells = std::vector<std::string_view>;

/// The columns of numbers, behind the layer's name.
constexpr std::array<std::string_view, 7> conv_columns{
    "IFMAP Height", "IFMAP Width", "Filter Height", "Filter Width",
    "Channels",     "Num Filter",  "Strides"};
constexpr std::array<std::string_view, 3> product_columns{"M", "N", "K"};

/// Up to a comment, as the files have them behind their cells.
RowCells scale_sim_cells(std::string_view line) { return items_in(line.substr(0, line.find('#'))); }

template <std::size_t N>
bool is_topology(const RowCells& cells, const std::array<std::string_view, N>& columns) {
  return cells.size() > N && cells[0].starts_with("Layer") &&
         std::equal(columns.begin(), columns.end(), cells.begin() + 1);
}

LayerSpec conv_of(const std::vector<std::uint64_t>& numbers) {
  LayerSpec layer;
  layer.kind = LayerKind::conv;
  layer.input_size = axes_list({numbers[0], numbers[1]});
  layer.kernel_size = axes_list({numbers[2], numbers[3]});
  layer.in_channels = numbers[4];
  layer.out_channels = numbers[5];
  layer.stride = axes_list({numbers[6], numbers[6]});
  return layer;
}

class Topology {
 public:
  Topology(ByteStream& stream, BadRows& bad) : stream_(stream), bad_(bad), list_(stream, "", bad) {}

  NetworkSpecs read() {
    std::string line;
    while (stream_.read_line(line)) {
      ++line_;
      const RowCells cells = scale_sim_cells(line);
      if (line_ == 1)
        is_conv_ = is_topology(cells, conv_columns);
      else if (cells.size() > 1 || !cells[0].empty())
        read_layer(cells);
    }
    return {std::move(list_).network()};
  }

 private:
  std::size_t columns() const { return is_conv_ ? conv_columns.size() : product_columns.size(); }
  std::string_view column(std::size_t i) const {
    return is_conv_ ? conv_columns[i] : product_columns[i];
  }

  void read_layer(const RowCells& cells) {
    if (cells.size() <= columns())
      return bad_.add({stream_.name(), std::to_string(line_),
                       "expected a name and " + std::to_string(columns()) + " numbers, got " +
                           std::to_string(cells.size()) + " cells"});
    std::vector<std::uint64_t> numbers;
    for (std::size_t i = 0; i < columns(); ++i) {
      const std::optional<std::uint64_t> number = whole_number_in(cells[i + 1]);
      if (!number)
        return bad_.add({stream_.name(), std::to_string(line_),
                         std::string(column(i)) + ": expected a whole number, got \"" +
                             std::string(cells[i + 1].substr(0, 40)) + '"'});
      numbers.push_back(*number);
    }
    LayerSpec layer = is_conv_ ? conv_of(numbers) : product_layer(numbers);
    if (!cells[0].empty()) layer.name = std::string(cells[0]);
    list_.add(std::move(layer), std::to_string(line_), line_);
  }

  ByteStream& stream_;
  BadRows& bad_;
  LayerList list_;
  std::size_t line_ = 0;
  bool is_conv_ = true;
};

NetworkSpecs read_scale_sim(ByteStream& stream, BadRows& bad) {
  return Topology(stream, bad).read();
}

}  // namespace

bool looks_like_scale_sim(std::string_view head) {
  const RowCells cells = scale_sim_cells(head.substr(0, head.find('\n')));
  return is_topology(cells, conv_columns) || is_topology(cells, product_columns);
}

std::unique_ptr<Reader> open_scale_sim(std::unique_ptr<ByteStream> stream) {
  return open_whole(std::move(stream), read_scale_sim);
}

}  // namespace roofline
