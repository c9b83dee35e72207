// Kernels written by a compiler for a network (PyTorch's inductor): all but products, convolutions,
// attention and recurrent layers. A kernel iterates once over the places of its largest tensor,
// reads each outside tensor once, and writes tensors with readers outside.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "model/as_run.hpp"
#include "model/layer_kind.hpp"
#include "model/sizes.hpp"
#include "roofline/roofline_point.hpp"

namespace roofline {
namespace {

bool is_compiled(const Layer& layer) {
  using enum KindFamily;
  return !is_any(info(layer.kind).family, contraction, attention, recurrent, deformable, transfer,
                 free) &&
         layer.pass == Pass::fwd && !layer.training_only && layer.kind != LayerKind::scatter;
}

/// Whether each result depends on many elements.
bool reduces(const Layer& layer) {
  return is_any(info(layer.kind).reach, Reach::row, Reach::group, Reach::plane);
}

/// A kernel keeps reduced rows and goes on with them. Other reductions take two kernels: one for
/// partial results and one to sum them.
bool reduces_rows(const Layer& layer) {
  if (layer.kind == LayerKind::reduce)
    return layer.output.channels == 1 && layer.inputs.front().shape.channels > 1;
  return info(layer.kind).reach == Reach::row;
}

/// For a layer which reduces rows.
std::uint64_t row_elements(const Layer& layer) {
  return layer.norm_elements > 0 ? layer.norm_elements : layer.inputs.front().shape.channels;
}

/// PyTorch's inductor fuses concatenations up to this size (`MAX_COMPLEX_POINTWISE_CAT`).
constexpr std::size_t most_operands_read_in_place = 8;

/// A concatenation of many operands is copied, and read by other kernels.
bool is_copied(const Layer& layer) {
  return layer.kind == LayerKind::concat && layer.inputs.size() > most_operands_read_in_place;
}

/// Whether it computes operands as it reads them; a window would compute each many times.
bool takes_operands_in(const Layer& layer) {
  return info(layer.kind).reach != Reach::window && !is_copied(layer);
}

/// A kernel of its own for the mean and the variance; kernels that read the result normalize.
bool takes_statistics(const Layer& layer) {
  return layer.kind == LayerKind::group_norm || layer.kind == LayerKind::instance_norm;
}

std::uint64_t places_of(const Layer& layer) {
  const std::uint64_t written = elements(layer.output);
  return reduces(layer) ? std::max(written, elements(layer.inputs.front().shape)) : written;
}

/// A kernel sums about as many elements of a channel; the next one sums its partial results.
constexpr double elements_of_partial_sums = 128;
/// Longer runs of memory are summed in parts.
constexpr std::uint64_t most_elements_summed_at_once = 8192;

std::uint64_t statistics_kernels(const Layer& norm, bool channels_last) {
  if (!channels_last) return norm.norm_elements > most_elements_summed_at_once ? 2 : 1;
  const double elements = std::max(2.0, static_cast<double>(norm.norm_elements));
  return static_cast<std::uint64_t>(
      std::ceil(std::log(elements) / std::log(elements_of_partial_sums)));
}

/// A maximum of more elements is a reduction, whose threads share a window.
constexpr std::uint64_t most_taps_unrolled = 16;

/// Mean, variance, weight, bias.
constexpr std::uint64_t parameters_of_a_norm = 4;

/// Elements that a place of a maximum over windows reads one after the other.
std::uint64_t taps_read(const Layer& pool) {
  const std::uint64_t taps = checked_product(pool.window->kernel);
  return taps > most_taps_unrolled ? 2 * taps : taps;
}

void add_arithmetic(const Layer& layer, GeneratedKernel& work) {
  using enum ElementCost;
  if (is_any(info(layer.kind).cost, exponential, several, erf)) ++work.functions;
  if (layer.kind == LayerKind::batch_norm) ++work.norms;
  if (layer.kind == LayerKind::concat) work.parts += layer.inputs.size();
  if (layer.kind == LayerKind::max_pool) work.parts += taps_read(layer);
  if (!reduces(layer) || takes_statistics(layer)) return;
  if (!reduces_rows(layer)) {
    work.kernels = std::max<std::uint64_t>(work.kernels, 2);
    return;
  }
  ++work.reductions;
  work.rows += places_of(layer) / std::max<std::uint64_t>(1, row_elements(layer));
}

class Compiler {
 public:
  explicit Compiler(Network& network)
      : network_(network),
        readers_(reader_counts(network, false)),
        kernels_(network.layers.size()),
        kernel_of_(network.layers.size()),
        products_before_(network.layers.size()) {}

  void run() {
    for (std::size_t i = 0; i < network_.layers.size(); ++i) take(i);
    const std::vector<std::size_t> outside = outside_readers();
    for (const Kernel& kernel : kernels_)
      if (!kernel.layers.empty()) write(kernel, outside);
  }

 private:
  struct Kernel {
    std::vector<std::size_t> layers;
    std::uint64_t places = 0;
    /// Number of dependent library kernels before it: with none in between, kernels may merge.
    std::size_t products_before = 0;
    bool reduces = false;
    bool ends = false;  ///< no kernel continues over its places after its last layer
  };

  const Layer& layer(std::size_t index) const { return network_.layers[index]; }

  /// The layer which makes the operand, seen through views.
  std::optional<std::size_t> maker_of(const Operand& operand) const {
    std::optional<std::size_t> maker = operand.producer;
    while (maker && info(layer(*maker).kind).family == KindFamily::free)
      maker = layer(*maker).inputs.front().producer;
    return maker;
  }

  void take(std::size_t index) {
    const Layer& own = layer(index);
    std::size_t& before = products_before_[index];
    for (const Operand& operand : own.inputs)
      if (const auto maker = maker_of(operand))
        before = std::max(before, products_before_[*maker] + (is_compiled(layer(*maker)) ? 0 : 1));
    if (!is_compiled(own)) return;
    kernel_of_[index] = index;
    const bool ends = is_copied(own) || (reduces(own) && !reduces_rows(own));
    kernels_[index] = {{index}, places_of(own), before, reduces(own), ends};
    if (index > 0 && fills_pad(index - 1)) merge(*kernel_of_[index - 1], index);
    if (!takes_operands_in(own)) return;
    for (const Operand& operand : own.inputs)
      if (const auto maker = maker_of(operand); maker && joins(index, *maker))
        merge(*kernel_of_[*maker], *kernel_of_[index]);
  }

  /// A constant that nothing reads: the next layer, a copy, writes it as the border of its result.
  bool fills_pad(std::size_t index) const {
    const Layer& own = layer(index);
    return own.kind == LayerKind::other && readers_[index] == 0 &&
           index + 1 < network_.layers.size() && layer(index + 1).kind == LayerKind::copy &&
           is_compiled(layer(index + 1)) &&
           std::ranges::all_of(own.inputs, [](const Operand& operand) {
             return !operand.producer && elements(operand.shape) == 1;
           });
  }

  bool joins(std::size_t index, std::size_t maker) const {
    if (!kernel_of_[maker] || kernel_of_[maker] == kernel_of_[index]) return false;
    const Kernel& first = kernels_[*kernel_of_[maker]];
    const Kernel& second = kernels_[*kernel_of_[index]];
    if (first.ends) return false;
    if (!first.reduces && readers_[maker] == 1) return true;
    const std::uint64_t places = places_of(layer(index));
    const bool same_places = first.places == places || elements(layer(maker).output) == places;
    return same_places && !second.ends && first.products_before == second.products_before;
  }

  void merge(std::size_t from, std::size_t to) {
    if (kernels_[from].layers.size() > kernels_[to].layers.size()) std::swap(from, to);
    Kernel& gone = kernels_[from];
    Kernel& kernel = kernels_[to];
    for (const std::size_t each : gone.layers) kernel_of_[each] = to;
    kernel.layers.insert(kernel.layers.end(), gone.layers.begin(), gone.layers.end());
    kernel.places = std::max(kernel.places, gone.places);
    kernel.products_before = std::max(kernel.products_before, gone.products_before);
    kernel.reduces = kernel.reduces || gone.reduces;
    kernel.ends = kernel.ends || gone.ends;
    gone = {};
  }

  /// A norm that its readers normalize has no reader here: its result is not written.
  std::vector<std::size_t> outside_readers() const {
    std::vector<std::size_t> readers(network_.layers.size());
    for (std::size_t i = 0; i < readers.size(); ++i)
      for (const Operand& operand : layer(i).inputs)
        if (const auto maker = maker_of(operand);
            maker && kernel_of_[i] != kernel_of_[*maker] && !is_normalized_by(i, *maker))
          ++readers[*maker];
    return readers;
  }

  bool is_normalized_by(std::size_t reader, std::size_t maker) const {
    return takes_statistics(layer(maker)) && kernel_of_[maker] && kernel_of_[reader];
  }

  struct Reads {
    std::map<std::size_t, std::uint64_t> made;  ///< bytes by the layer that made them
    std::uint64_t given = 0;
    std::set<std::size_t> statistics;  ///< kernels whose operands are read once more
  };

  /// Each tensor once; of a norm whose statistics another kernel takes, that kernel's.
  void add_reads(const std::vector<std::size_t>& layers, Reads& reads) const {
    for (const std::size_t index : layers) {
      const Layer& own = layer(index);
      for (std::size_t i = 0; i < own.inputs.size(); ++i) {
        const Operand& operand = own.inputs[i];
        const DataType type = type_of(operand, own);
        const std::uint64_t bytes = stored_byte(elements_read(own, i), type);
        const auto maker = maker_of(operand);
        if (!maker) {
          reads.given = checked_add(reads.given, bytes);
        } else if (kernel_of_[*maker] != kernel_of_[index]) {
          if (!is_normalized_by(index, *maker))
            reads.made[*maker] = std::min(checked_add(reads.made[*maker], bytes),
                                          stored_byte(elements(layer(*maker).output), type));
          else if (reads.statistics.insert(*kernel_of_[*maker]).second)
            add_reads(kernels_[*kernel_of_[*maker]].layers, reads);
        }
      }
    }
  }

  std::uint64_t read_byte(const std::vector<std::size_t>& layers) const {
    Reads reads;
    add_reads(layers, reads);
    for (const auto& [maker, bytes] : reads.made) reads.given = checked_add(reads.given, bytes);
    return reads.given;
  }

  /// Images lie in channels last: PyTorch's own norms would copy them.
  bool is_channels_last(const Layer& norm) const {
    if (norm.layout == Layout::nhwc) return true;
    const std::optional<std::size_t> before = norm.inputs.front().producer;
    return before && layer(*before).kind == LayerKind::copy &&
           layer(*before).access == Access::transposed;
  }

  void add_statistics(std::size_t index, const std::vector<std::size_t>& readers,
                      GeneratedKernel& work) const {
    const Layer& norm = layer(index);
    const bool channels_last = is_channels_last(norm);
    work.kernels = statistics_kernels(norm, channels_last);
    if (channels_last && norm.kind == LayerKind::group_norm)
      work.apart = work.read_byte * 8 / info(norm.dtypes.input).bits;
    if (readers[index] == 0 && readers_[index] > 0) return;
    ++work.kernels;
    ++work.norms;
    work.read_byte = checked_add(work.read_byte, work.read_byte);
  }

  /// Norms whose statistics other kernels take.
  std::uint64_t norms_read(const std::vector<std::size_t>& layers) const {
    std::uint64_t norms = 0;
    for (const std::size_t index : layers)
      for (const Operand& operand : layer(index).inputs)
        if (const auto maker = maker_of(operand);
            maker && kernel_of_[index] != kernel_of_[*maker] && is_normalized_by(index, *maker))
          ++norms;
    return norms;
  }

  GeneratedKernel work_of(const Kernel& kernel, const std::vector<std::size_t>& readers) const {
    GeneratedKernel work;
    work.places = kernel.places;
    work.read_byte = read_byte(kernel.layers);
    work.norms = norms_read(kernel.layers);
    for (const std::size_t index : kernel.layers) {
      const Layer& own = layer(index);
      work.may_touch_less = work.may_touch_less || count(own).is_upper_estimate;
      if ((readers[index] > 0 || readers_[index] == 0) && !fills_pad(index))
        work.written_byte =
            checked_add(work.written_byte, stored_byte(elements(own.output), own.dtypes.output));
      // Layers after a reduction iterate over its results only.
      if (!kernel.reduces || places_of(own) == kernel.places) add_arithmetic(own, work);
      if (kernel.reduces && !kernel.ends && own.access == Access::transposed)
        work.apart = checked_add(work.apart, elements(own.output));
      if (takes_statistics(own)) add_statistics(index, readers, work);
    }
    // Element by element: each loads the parameters of its channel.
    if (kernel.reduces && kernel.ends) work.norms *= parameters_of_a_norm;
    return work;
  }

  void write(const Kernel& kernel, const std::vector<std::size_t>& readers) {
    std::vector<std::size_t> layers = kernel.layers;
    std::ranges::sort(layers);
    const std::size_t host = *std::ranges::find_if(
        layers, [&](std::size_t each) { return places_of(layer(each)) == kernel.places; });
    network_.layers[host].generated = work_of(kernel, readers);
    for (const std::size_t each : layers) {
      network_.layers[each].kernels = KernelSource::compiler;
      if (each != host) network_.layers[each].fused_into = host;
    }
  }

  Network& network_;
  std::vector<std::size_t> readers_;
  std::vector<Kernel> kernels_;  ///< by their first layer
  std::vector<std::optional<std::size_t>> kernel_of_;
  std::vector<std::size_t> products_before_;
};

}  // namespace

void fuse_compiled(Network& network, bool by_pytorch) {
  Compiler(network).run();
  if (!by_pytorch) return;
  for (Layer& each : network.layers)
    if (each.kind == LayerKind::attention && each.masked && each.access)
      each.kernels = KernelSource::compiler;
}

}  // namespace roofline
