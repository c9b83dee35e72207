// How operators of an exported program run: most by their row in the table.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "load/recording.hpp"
#include "model/text.hpp"
#include "pytorch/exported_program.hpp"

namespace roofline {
namespace {

constexpr std::string_view permutations =
    "permute movedim moveaxis transpose swapaxes swapdims t numpy_T mT mH adjoint";

using Run = void (*)(ProgramReader& reader, Node& node);

/// `names`: between blanks.
bool is_one_of(std::string_view op, std::string_view names) {
  return argument_place(op, names) != std::numeric_limits<std::size_t>::max();
}

Argument tensor_argument(TensorArgument tensor) { return {.tensors = {std::move(tensor)}}; }

const TensorArgument& require(ProgramReader& reader, const Node& node, std::size_t i) {
  const Argument& argument = node.argument(i);
  if (argument.is_list || argument.tensors.size() != 1)
    reader.fail(node, "expected a tensor as argument " + std::to_string(i));
  return argument.tensors.front();
}

std::size_t require_axis(ProgramReader& reader, const Node& node, std::optional<std::int64_t> axis,
                         std::size_t rank) {
  const auto at = axis_at(axis, rank);
  if (!at)
    reader.fail(node, "expected one of " + std::to_string(rank) + " axes, got " +
                          (axis ? std::to_string(*axis) : "none"));
  return *at;
}

void same(ProgramReader& reader, Node& node) { reader.sees(node, require(reader, node, 0)); }

ViewAxes own_axes(const TensorArgument& tensor) {
  ViewAxes axes;
  for (std::size_t i = 0; i < tensor.rank(); ++i) axes.push_back({i, tensor.stated[i]});
  return axes;
}

/// Axes in another order: the tensor's axis that stands at each place.
std::vector<std::size_t> axis_order(ProgramReader& reader, const Node& node, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto axes_in = [&](std::size_t argument) {
    return each_of(node.argument(argument).signed_integers(),
                   [&](std::int64_t axis) { return require_axis(reader, node, axis, rank); });
  };
  std::vector<std::size_t> from = axes_in(1);
  const std::vector<std::size_t> to = axes_in(2);
  if (node.op == "permute") {
    if (from.size() < rank) require_axis(reader, node, std::nullopt, rank);
    return from;
  }
  if (is_one_of(node.op, "movedim moveaxis")) {
    if (from.size() != to.size()) reader.fail(node, "expected as many new places as axes");
    for (const std::size_t axis : from) std::erase(order, axis);
    std::map<std::size_t, std::size_t> moved;  // by place
    for (std::size_t i = 0; i < from.size(); ++i) moved[to[i]] = from[i];
    for (const auto& [place, axis] : moved)
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(std::min(place, order.size())),
                   axis);
  } else if (rank > 1) {
    const bool states = from.size() == 1 && to.size() == 1;
    std::swap(order[states ? from[0] : rank - 2], order[states ? to[0] : rank - 1]);
  }
  return order;
}

/// Windows of an axis, with their elements behind; of two axes the diagonal.
ViewAxes strided_axes(ProgramReader& reader, const Node& node, const TensorArgument& tensor) {
  ViewAxes axes = own_axes(tensor);
  const Sizes& stated = node.results.front().stated;
  const auto axis_in = [&](std::size_t argument, std::int64_t otherwise) {
    const std::size_t axis = require_axis(
        reader, node, node.argument(argument).integer().value_or(otherwise), tensor.rank());
    if (tensor.batch_step[axis] != 0) reader.fail_batch(node);
    return axis;
  };
  if (stated.empty()) reader.fail(node, "expected a result of one axis or more");
  if (node.op == "unfold") {
    const std::size_t axis = axis_in(1, 0);
    axes.push_back({axis, stated.back()});
    axes[axis].stated = stated[axis];
    axes[axis].step = static_cast<std::uint64_t>(node.argument(3).integer().value_or(1));
    return axes;
  }
  const auto [first, second] = std::minmax({axis_in(2, 0), axis_in(3, 1)});
  axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(second));
  axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(first));
  axes.push_back({.from = first, .stated = stated.back(), .and_from = second});
  return axes;
}

/// Removed, added, permuted or cut axes.
void view(ProgramReader& reader, Node& node) {
  const TensorArgument& tensor = require(reader, node, 0);
  const std::size_t rank = tensor.rank();
  const ViewAxes own = own_axes(tensor);
  const auto axis_in = [&](std::size_t argument, std::size_t of) {
    return require_axis(reader, node, node.argument(argument).integer(), of);
  };
  for (std::size_t i = 0; i < node.results.size(); ++i) {
    ViewAxes axes = own;
    const Sizes& stated = node.results[i].stated;
    if (is_one_of(node.op, "select unbind")) {
      const std::size_t axis = node.argument(1).integer() ? axis_in(1, rank) : 0;
      if (rank == 0 || tensor.batch_step[axis] != 0) reader.fail_batch(node);
      axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(axis));
    } else if (node.op == "unsqueeze") {
      axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(axis_in(1, rank + 1)), ViewAxis{});
    } else if (is_one_of(node.op, permutations)) {
      const std::vector<std::size_t> order = axis_order(reader, node, rank);
      for (std::size_t to = 0; to < rank; ++to) axes[to] = own[order[to]];
    } else if (is_one_of(node.op, "unfold diagonal")) {
      axes = strided_axes(reader, node, tensor);
    } else if (is_one_of(node.op, "expand expand_as broadcast_to")) {
      if (stated.size() < rank) reader.fail(node, "expected a result of as many axes or more");
      axes.insert(axes.begin(), stated.size() - rank, ViewAxis{});
      for (std::size_t to = 0; to < axes.size(); ++to) axes[to].stated = stated[to];
    } else {  // slices and splits: the axes where results differ in size
      if (stated.size() != rank) reader.fail(node, "expected results of as many axes");
      for (std::size_t axis = 0; axis < rank; ++axis) {
        // A part of the samples cannot grow with the batch.
        if (stated[axis] != own[axis].stated && tensor.batch_step[axis] != 0)
          reader.fail_batch(node);
        axes[axis].stated = stated[axis];
      }
      if (const std::int64_t step = node.argument(4).integer().value_or(1);
          node.op == "slice" && step > 1)
        axes[axis_in(1, rank)].step = static_cast<std::uint64_t>(step);
    }
    reader.sees(node, view_of(tensor, axes, reader.batch_change()), i);
  }
}

/// With sizes and strides as stated.
void restride(ProgramReader& reader, Node& node) {
  TensorArgument seen = require(reader, node, 0);
  const bool grows =
      std::ranges::any_of(seen.batch_step, [](std::uint64_t step) { return step != 0; });
  if (grows) reader.fail_batch(node);
  seen.stated = seen.sizes = node.results.front().stated;
  seen.strides = node.argument(2).integers();
  seen.batch_step.assign(seen.rank(), 0);
  if (seen.strides.size() != seen.rank())
    reader.fail(node,
                "expected as many strides as sizes, got " + std::to_string(seen.strides.size()));
  reader.sees(node, seen);
}

/// The elements with other sizes; copies first if no view has them.
std::optional<TensorArgument> with_sizes(ProgramReader& reader, const Node& node,
                                         const TensorArgument& tensor, const Sizes& stated,
                                         const BatchChange& batch) {
  bool copies = false;
  auto seen = reshaped(tensor, stated, batch, copies);
  if (!seen || !copies) return seen;
  return reshaped(reader.copied(node, tensor, contiguous_strides(tensor.sizes)), stated, batch,
                  copies);
}

void reshape(ProgramReader& reader, Node& node) {
  const TensorArgument& tensor = require(reader, node, 0);
  const Sizes& stated = node.results.front().stated;
  if (element_count(stated) != element_count(tensor.stated))
    reader.fail(node, "expected a result of as many elements, got " + sizes_text(stated) +
                          " from " + sizes_text(tensor.stated));
  reader.sees(node, with_sizes(reader, node, tensor, stated, reader.batch_change()));
}

/// `contiguous` copies tensors of another order, a cast tensors of another type or order too.
void copy(ProgramReader& reader, Node& node) {
  const TensorArgument& tensor = require(reader, node, 0);
  const std::optional<DataType> type = node.results.front().type;
  const bool keeps_order = node.op != "contiguous" && !node.memory_format;
  const bool channels_last = node.memory_format == Layout::nhwc && tensor.rank() >= 4;
  const Sizes strides = keeps_order     ? dense_strides(tensor)
                        : channels_last ? channels_last_strides(tensor.sizes)
                                        : contiguous_strides(tensor.sizes);
  const bool is_so = type == tensor.type && (keeps_order || has_strides(tensor, strides));
  if (is_so && node.op != "clone") return same(reader, node);
  reader.sees(node, reader.copied(node, tensor, strides, type));
}

/// The batch's steps: the operands', aligned at the last axes, or the indices' at the first axes
/// for an operator that picks rows.
void follow_batch(ProgramReader& reader, Node& node) {
  const BatchChange& batch = reader.batch_change();
  if (batch.is_none()) return;
  const std::vector<const TensorArgument*> operands = node.tensors();
  const CallRow* row = find_operator("aten::" + std::string(node.op));
  const bool picks = is_one_of(node.op, "embedding index");
  for (TensorArgument& result : node.results) {
    const std::size_t rank = result.rank();
    const auto follow = [&](std::size_t to, const TensorArgument& from, std::size_t axis) {
      const bool repeats = from.stated[axis] == 1 && result.stated[to] != 1;
      if (from.batch_step[axis] != 0 && !repeats) result.batch_step[to] = from.batch_step[axis];
    };
    const bool reduces = !operands.empty() && operands.front()->rank() > rank && row != nullptr &&
                         mentions(row->arguments, {"axes"});
    if (reduces) {
      const TensorArgument& from = *operands.front();
      std::vector<bool> gone(from.rank(), false);
      for (const std::int64_t axis :
           node.argument(argument_place("axes", row->arguments)).signed_integers())
        if (const auto at = axis_at(axis, from.rank())) gone[*at] = true;
      for (std::size_t axis = 0, to = 0; axis < from.rank() && to < rank; ++axis)
        if (!gone[axis]) follow(to++, from, axis);
    } else {
      for (std::size_t i = picks ? 1 : 0; i < operands.size(); ++i)
        for (std::size_t axis = 0; axis < std::min(rank, operands[i]->rank()); ++axis)
          if (picks)
            follow(axis, *operands[i], axis);
          else
            follow(rank - 1 - axis, *operands[i], operands[i]->rank() - 1 - axis);
    }
    // A new tensor with as many entries as samples.
    if (operands.empty() && rank > 0 && batch.stated > 1 && result.stated.front() == batch.stated)
      result.batch_step.front() = 1;
    if (!batch.grow(result)) reader.fail_batch(node);
  }
}

/// Like the operand of its sizes, or in the layout of images; some operators leave no gaps.
Sizes strides_of(const Node& node, const TensorArgument& result) {
  const bool is_contiguous = is_one_of(
      node.op,
      "linear matmul mm bmm addmm baddbmm einsum softmax log_softmax layer_norm "
      "rms_norm group_norm instance_norm embedding gather index index_select cumsum "
      "cumprod im2col col2im reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d "
      "replication_pad2d replication_pad3d _pad_circular");
  const bool joins_both = node.op == "cat" && joins_layouts(node.arguments.front().tensors);
  if (!is_contiguous && !joins_both)
    for (const TensorArgument* operand : node.tensors()) {
      if (operand->sizes == result.sizes && !operand->learned) return dense_strides(*operand);
      const bool is_image = result.rank() >= 4 && result.rank() == operand->rank();
      if (is_image && operand->layout() == Layout::nhwc) return channels_last_strides(result.sizes);
    }
  return contiguous_strides(result.sizes);
}

/// Whether the kernel reads its first tensor as it lies in memory.
bool takes_as_it_lies(std::string_view op, const TensorArgument& tensor) {
  if (is_one_of(op,
                "softmax log_softmax layer_norm rms_norm group_norm instance_norm im2col col2im"))
    return has_strides(tensor, contiguous_strides(tensor.sizes));
  if (op != "linear" || tensor.rank() < 3) return true;
  const std::uint64_t features = std::max<std::uint64_t>(tensor.sizes.back(), 1);
  TensorArgument rows = tensor;
  rows.stated = rows.sizes;
  bool copies = false;
  reshaped(rows, {element_count(tensor.sizes) / features, features}, {}, copies);
  return !copies;
}

void run_row(ProgramReader& reader, Node& node) {
  follow_batch(reader, node);
  if (node.results.empty()) return;
  std::vector<Argument> arguments = node.arguments;
  if (!arguments.empty() && arguments.front().tensors.size() == 1)
    if (TensorArgument& first = arguments.front().tensors.front();
        !takes_as_it_lies(node.op, first))
      first = reader.copied(node, first, contiguous_strides(first.sizes));
  const TensorArgument& result = node.results.front();
  const auto layer = reader.run(node, node.op, std::move(arguments), result.sizes);
  reader.writes(node, layer, strides_of(node, result));
}

/// Dropout only works in training.
void run_dropout(ProgramReader& reader, Node& node) {
  if (!node.argument(2).flag().value_or(false)) return same(reader, node);
  node.op = "native_dropout";
  run_row(reader, node);
}

/// Fills a larger tensor and copies the tensor into its first part.
std::optional<std::size_t> padded(ProgramReader& reader, const Node& node,
                                  const TensorArgument& tensor, TensorArgument& whole) {
  whole.producer.reset();
  reader.run(node, "fill", {tensor_argument(whole), {.value = "0"}}, whole.sizes);
  TensorArgument part = whole;
  for (std::size_t i = 0; i < part.rank(); ++i)
    part.sizes[i] = std::min(part.sizes[i], tensor.sizes[i]);
  return reader.run(node, "copy", {tensor_argument(part), tensor_argument(tensor)}, part.sizes);
}

/// Padding "same": half of what a kernel reaches over on both sides; an odd rest is padded in a
/// copy of the image.
void pad_same(ProgramReader& reader, const Node& node, std::vector<Argument>& arguments) {
  TensorArgument& image = arguments[0].tensors.front();
  const Sizes& kernel = arguments[1].tensors.front().sizes;
  const Sizes dilation = arguments[5].integers();
  TensorArgument whole = image;
  std::vector<std::int64_t> pads;
  for (std::size_t i = 2; i < kernel.size(); ++i) {
    const std::uint64_t reach = dilation.at(dilation.size() == 1 ? 0 : i - 2) * (kernel[i] - 1);
    pads.push_back(static_cast<std::int64_t>(reach / 2));
    whole.sizes[i] += reach % 2;
  }
  arguments[4].value = integers_text(pads);
  if (whole.sizes == image.sizes) return;
  whole.strides = image.layout() == Layout::nhwc ? channels_last_strides(whole.sizes)
                                                 : contiguous_strides(whole.sizes);
  whole.learned.reset();
  whole.producer = padded(reader, node, image, whole);
  image = whole;
}

/// Defaults of (input, weight, bias, stride, padding, dilation, groups), or with output padding and
/// groups before the dilation.
std::vector<Argument> convolution_arguments(const Node& node, bool is_transposed) {
  std::vector<Argument> arguments = node.arguments;
  for (std::size_t i = arguments.size(); i < (is_transposed ? 8 : 7); ++i) {
    const bool is_zero = i == 4 || (is_transposed && i == 5);
    arguments.push_back({.value = i == 2 ? "" : is_zero ? "0" : "1"});
  }
  if (arguments[4].value == "valid") arguments[4].value = "0";
  return arguments;
}

/// A convolution of one axis runs on an image of one row.
void make_images(std::vector<Argument>& arguments, bool is_transposed) {
  for (std::size_t i = 0; i < 2; ++i) {
    TensorArgument& tensor = arguments[i].tensors.front();
    tensor.strides.insert(tensor.strides.begin() + 2, tensor.sizes[2] * tensor.strides[2]);
    tensor.sizes.insert(tensor.sizes.begin() + 2, 1);
  }
  for (std::size_t i = 3; i < arguments.size(); ++i) {
    auto numbers = arguments[i].signed_integers();
    if (i == 6 || numbers.size() != 1) continue;  // groups
    const bool is_zero = i == 4 || (is_transposed && i == 5);
    numbers.insert(numbers.begin(), is_zero ? 0 : 1);
    arguments[i].value = integers_text(numbers);
  }
}

/// Kernels take tensors without gaps, both in one layout.
void run_convolution(ProgramReader& reader, Node& node) {
  follow_batch(reader, node);
  const bool is_transposed = node.op.find("transpose") != node.op.npos;
  const std::size_t rank = require(reader, node, 1).rank();
  const bool lacks_batch = require(reader, node, 0).rank() + 1 == rank;
  if (rank < 3 || (!lacks_batch && require(reader, node, 0).rank() != rank))
    return run_row(reader, node);
  std::vector<Argument> arguments = convolution_arguments(node, is_transposed);
  TensorArgument& image = arguments[0].tensors.front();
  TensorArgument& filter = arguments[1].tensors.front();
  TensorArgument result = node.results.front();
  if (lacks_batch) {
    add_batch(image);
    add_batch(result);
  }
  if (arguments[4].value == "same") pad_same(reader, node, arguments);
  const bool has_one_axis = image.rank() == 3;
  if (has_one_axis) make_images(arguments, is_transposed);
  const bool channels_last =
      !has_one_axis && (image.layout() == Layout::nhwc || filter.layout() == Layout::nhwc ||
                        reader.wants_channels_last());
  const auto strides = [&](const Sizes& sizes) {
    return channels_last ? channels_last_strides(sizes) : contiguous_strides(sizes);
  };
  for (TensorArgument* each : {&image, &filter})
    if (!has_strides(*each, strides(each->sizes)))
      *each = reader.copied(node, *each, strides(each->sizes));
  const auto layer = reader.run(node, is_transposed ? "conv_transpose2d" : "conv2d",
                                std::move(arguments), result.sizes);
  Sizes written = strides(result.sizes);
  if (lacks_batch) written.erase(written.begin());
  reader.writes(node, layer, written);
}

/// Broadcasts axes of products into one batch, and copies for it if needed. A single second matrix
/// makes all rows one product.
void matmul(ProgramReader& reader, Node& node) {
  follow_batch(reader, node);
  const TensorArgument& a = require(reader, node, 0);
  const TensorArgument& b = require(reader, node, 1);
  const Sizes& result = node.results.front().sizes;
  if (a.rank() < 2 || b.rank() < 2) return run_row(reader, node);
  const auto folded = [&](TensorArgument matrix, const Sizes& sizes) {
    matrix.stated = matrix.sizes;
    return tensor_argument(*with_sizes(reader, node, matrix, sizes, {}));
  };
  const std::size_t rank = result.size();
  const auto spread = [&](const TensorArgument& matrix) {
    TensorArgument wide = matrix;
    wide.sizes.assign(result.begin(), result.end() - 2);
    wide.sizes.insert(wide.sizes.end(), matrix.sizes.end() - 2, matrix.sizes.end());
    wide.strides.assign(rank, 0);
    for (std::size_t i = 0; i < matrix.rank(); ++i) {
      const std::size_t to = rank - matrix.rank() + i;
      if (matrix.sizes[i] == wide.sizes[to]) wide.strides[to] = matrix.strides[i];
    }
    const Sizes& sizes = wide.sizes;
    const std::uint64_t products = element_count(Sizes(result.begin(), result.end() - 2));
    return folded(wide, {products, sizes[rank - 2], sizes[rank - 1]});
  };
  if (b.rank() == 2) {
    const std::uint64_t columns = std::max<std::uint64_t>(a.sizes.back(), 1);
    const Argument rows = folded(a, {element_count(a.sizes) / columns, columns});
    return reader.writes(node, reader.run(node, "mm", {rows, tensor_argument(b)}, result));
  }
  if (rank < 3 || rank < std::max(a.rank(), b.rank())) return run_row(reader, node);
  const Argument first = spread(a);
  reader.writes(node, reader.run(node, "bmm", {first, spread(b)}, result));
}

void einsum(ProgramReader& reader, Node& node) {
  const std::vector<const TensorArgument*> operands = node.tensors();
  const auto einsum =
      read_einsum(node.argument(0).value, each_of(operands, &TensorArgument::sizes));
  const auto product = einsum ? product_of(*einsum) : std::nullopt;
  TensorArgument& made = node.results.front();
  if (!product || einsum->result.size() != made.rank()) return run_row(reader, node);
  const auto summed = [&](TensorArgument tensor, const std::vector<std::size_t>& axes) {
    if (axes.empty()) return tensor;
    Sizes sizes = tensor.sizes;
    for (const std::size_t axis : axes) sizes[axis] = 1;
    const Argument places{.value = integers_text({axes.begin(), axes.end()})};
    tensor.producer = reader.run(node, "sum", {tensor_argument(tensor), places}, sizes);
    tensor.learned.reset();
    return tensor;
  };
  TensorArgument a = summed(*operands[0], product->summed_a);
  TensorArgument b = summed(*operands[1], product->summed_b);
  a.sizes = {product->products, product->m, product->k};
  b.sizes = {product->products, product->k, product->n};
  a.strides = contiguous_strides(a.sizes);
  b.strides = contiguous_strides(b.sizes);
  for (std::size_t axis = 0; axis < made.rank(); ++axis)
    for (std::size_t i = 0; i < 2; ++i)
      if (const std::size_t from = einsum->operands[i].find(einsum->result[axis]);
          from != std::string::npos)
        made.batch_step[axis] = std::max(made.batch_step[axis], operands[i]->batch_step[from]);
  if (!reader.batch_change().grow(made)) reader.fail_batch(node);
  reader.writes(node,
                reader.run(node, "bmm", {tensor_argument(a), tensor_argument(b)}, made.sizes));
}

void run_pad(ProgramReader& reader, Node& node) {
  follow_batch(reader, node);
  const TensorArgument& tensor = require(reader, node, 0);
  const std::string& mode = node.argument(2).value;
  if (mode == "reflect" || mode == "replicate" || mode == "circular") {
    node.op = mode == "circular"    ? "_pad_circular"
              : mode == "replicate" ? "replication_pad2d"
                                    : "reflection_pad2d";
    return run_row(reader, node);
  }
  TensorArgument whole = node.results.front();
  if (whole.rank() != tensor.rank()) return run_row(reader, node);
  whole.strides = strides_of(node, whole);
  reader.writes(node, padded(reader, node, tensor, whole), whole.strides);
}

/// Kernels take multiples of 8 features a head, others padded. Result: [N, length, heads,
/// features].
void run_attention(ProgramReader& reader, Node& node) {
  constexpr std::uint64_t features_step = 8;
  follow_batch(reader, node);
  std::vector<Argument> arguments = node.arguments;
  for (std::size_t i = 0; i < 3; ++i) {
    const TensorArgument& tensor = require(reader, node, i);
    const bool is_half = tensor.type && info(*tensor.type).bits == 16;
    if (tensor.rank() != 4 || !is_half || tensor.sizes.back() % features_step == 0) continue;
    TensorArgument wide = tensor;
    wide.sizes.back() = (tensor.sizes.back() / features_step + 1) * features_step;
    wide.strides = contiguous_strides(wide.sizes);
    wide.producer = padded(reader, node, tensor, wide);
    arguments[i] = tensor_argument(wide);
  }
  const Sizes& sizes = node.results.front().sizes;
  Sizes strides;
  if (sizes.size() == 4) {
    const std::uint64_t features = arguments[2].tensors.front().sizes.back();
    strides = contiguous_strides({sizes[0], sizes[2], sizes[1], features});
    std::swap(strides[1], strides[2]);
  }
  reader.writes(node, reader.run(node, node.op, std::move(arguments), sizes), strides);
}

void fill(ProgramReader& reader, Node& node) {
  for (Argument& argument : node.arguments) argument.tensors.clear();
  follow_batch(reader, node);
  const TensorArgument& result = node.results.front();
  reader.writes(node, reader.run(node, "fill", {tensor_argument(result)}, result.sizes));
}

void stack(ProgramReader& reader, Node& node) {
  TensorArgument& result = node.results.front();
  const std::size_t axis =
      require_axis(reader, node, node.argument(1).integer().value_or(0), result.rank());
  Argument list = node.arguments.front();
  for (TensorArgument& tensor : list.tensors) {
    ViewAxes axes = own_axes(tensor);
    if (axes.size() < axis) reader.fail(node, "expected tensors of one axis less");
    axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(axis), ViewAxis{});
    tensor = *view_of(tensor, axes, {});
    if (tensor.rank() == result.rank()) result.batch_step = tensor.batch_step;
  }
  if (!reader.batch_change().grow(result)) reader.fail_batch(node);
  reader.writes(node,
                reader.run(node, "cat", {list, {.value = std::to_string(axis)}}, result.sizes));
}

void repeat(ProgramReader& reader, Node& node) {
  follow_batch(reader, node);
  const TensorArgument& result = node.results.front();
  const Argument from = tensor_argument(require(reader, node, 0));
  reader.writes(node, reader.run(node, "copy", {tensor_argument(result), from}, result.sizes));
}

/// The result has the input's samples, last states have theirs in the axis before the last.
void run_recurrent(ProgramReader& reader, Node& node) {
  const Sizes& from = require(reader, node, 0).batch_step;
  const auto sample = std::ranges::find_if(from, [](auto step) { return step != 0; });
  for (TensorArgument& result : node.results) {
    const bool is_first = &result == &node.results.front();
    const std::size_t axis =
        is_first ? static_cast<std::size_t>(sample - from.begin()) : result.rank() - 2;
    if (sample != from.end() && axis < result.rank()) result.batch_step[axis] = *sample;
    if (!reader.batch_change().grow(result)) reader.fail_batch(node);
  }
  reader.writes(node, reader.run(node, node.op, node.arguments, node.results.front().sizes));
}

/// A copy in which elements are replaced.
void put(ProgramReader& reader, Node& node) {
  const TensorArgument& tensor = require(reader, node, 0);
  if (node.target.find("_.") == node.target.npos)
    node.arguments.front() = tensor_argument(reader.copied(node, tensor, dense_strides(tensor)));
  run_row(reader, node);
}

/// A called graph, or the longest of several that data select from.
void higher_order(ProgramReader& reader, Node& node) {
  const bool runs_often = node.op.starts_with("map") || node.op == "scan";  // a run a slice
  if (runs_often) reader.cannot_size(node);
  if (node.graphs.empty() || runs_often) return run_row(reader, node);
  const auto length = [](const Value& graph) { return graph.find("nodes").size(); };
  const Value longest = *std::ranges::max_element(node.graphs, {}, length);
  if (!node.op.starts_with("wrap")) {
    std::string lengths;
    for (const Value graph : node.graphs) add_item(lengths, std::to_string(length(graph)));
    reader.note("node " + in_quotes(node.name) + " (" + beginning(node.op) +
                "): of its graphs, of " + lengths + " operators, the longest is counted once");
  }
  std::vector<const TensorArgument*> inputs = node.tensors();
  const std::size_t taken = longest.find("inputs").size();
  if (inputs.size() > taken)  // a condition comes first
    inputs.erase(inputs.begin(), inputs.end() - static_cast<std::ptrdiff_t>(taken));
  reader.run_graph(node, longest, inputs);
}

struct NodeRule {
  std::string_view names;
  Run run;
};

constexpr NodeRule node_rules[] = {
    {"view reshape flatten reshape_as view_as unflatten _unsafe_view _reshape_alias squeeze",
     reshape},
    {permutations, view},
    {"select unbind unsqueeze unfold diagonal expand expand_as broadcast_to slice narrow split "
     "split_with_sizes chunk tensor_split unsafe_split unsafe_chunk",
     view},
    {"as_strided", restride},
    {"detach alias lift_fresh lift_fresh_copy requires_grad positive resolve_conj resolve_neg",
     same},
    {"contiguous clone to _to_copy type_as float half double bfloat16 long int bool", copy},
    {"dropout feature_dropout alpha_dropout", run_dropout},
    {"conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d", run_convolution},
    {"matmul", matmul},
    {"einsum", einsum},
    {"lstm gru rnn_tanh rnn_relu", run_recurrent},
    {"scaled_dot_product_attention", run_attention},
    {"pad constant_pad_nd", run_pad},
    {"arange full full_like zeros zeros_like ones ones_like new_ones new_zeros new_full "
     "scalar_tensor empty empty_like rand rand_like randn randn_like linspace",
     fill},
    {"stack", stack},
    {"repeat tile repeat_interleave", repeat},
    {"index_put", put},
};

/// Null for a row of the table, or an unknown operator.
Run run_of(std::string_view op) {
  const auto* rule = std::ranges::find_if(
      node_rules, [&](const NodeRule& each) { return is_one_of(op, each.names); });
  return rule == std::end(node_rules) ? nullptr : rule->run;
}

}  // namespace

void run_node(ProgramReader& reader, Node& node) {
  if (node.library == "higher_order") return higher_order(reader, node);
  const Run run = node.library == "aten" ? run_of(node.op) : nullptr;
  if (run != nullptr && node.results.empty()) return;
  (run != nullptr ? run : run_row)(reader, node);
}

bool is_view(std::string_view op) {
  const Run run = run_of(op);
  return run == reshape || run == view || run == restride || run == same;
}

}  // namespace roofline
