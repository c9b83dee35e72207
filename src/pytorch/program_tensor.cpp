#include <algorithm>
#include <numeric>

#include "pytorch/exported_program.hpp"

namespace roofline {

Sizes contiguous_strides(const Sizes& sizes) {
  Sizes strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<std::uint64_t>(sizes[i], 1);
  return strides;
}

Sizes channels_last_strides(const Sizes& sizes) {
  Sizes order = sizes;  // [N, positions..., C]
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  Sizes strides = contiguous_strides(order);
  std::rotate(strides.begin() + 1, strides.end() - 1, strides.end());
  return strides;
}

Sizes dense_strides(const TensorArgument& tensor) {
  std::vector<std::size_t> order(tensor.rank());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return tensor.strides[a] > tensor.strides[b]; });
  Sizes strides(tensor.rank(), 1);
  std::uint64_t next = 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    strides[*axis] = next;
    next *= tensor.sizes[*axis];
  }
  return strides;
}

bool has_strides(const TensorArgument& tensor, const Sizes& strides) {
  for (std::size_t i = 0; i < tensor.rank(); ++i)
    if (tensor.sizes[i] != 1 && tensor.strides[i] != strides[i]) return false;
  return true;
}

bool BatchChange::grow(TensorArgument& tensor) const {
  tensor.sizes = tensor.stated;
  for (std::size_t i = 0; i < tensor.stated.size() && !is_none(); ++i) {
    if (tensor.batch_step[i] == 0) continue;
    const std::uint64_t steps = tensor.stated[i] / stated;
    if (tensor.stated[i] % stated != 0 || __builtin_mul_overflow(steps, wanted, &tensor.sizes[i]))
      return false;
  }
  return true;
}

std::optional<TensorArgument> view_of(const TensorArgument& tensor, const ViewAxes& axes,
                                      const BatchChange& batch) {
  TensorArgument view = tensor;
  view.stated.clear();
  view.strides.clear();
  view.batch_step.clear();
  for (const auto& [from, stated, step, and_from] : axes) {
    const bool is_repeated = !from || (tensor.stated[*from] == 1 && stated != 1);
    // A first axis that is repeated for all samples grows with the batch.
    const bool is_batch =
        is_repeated && view.stated.empty() && stated == batch.stated && stated > 1;
    view.stated.push_back(stated);
    view.strides.push_back(is_repeated ? 0 : tensor.strides[*from] * step);
    if (and_from) view.strides.back() += tensor.strides[*and_from];
    view.batch_step.push_back(is_batch ? 1 : from ? tensor.batch_step[*from] : 0);
  }
  if (!batch.grow(view)) return std::nullopt;
  if (view.is_parameter && !view.parameters) {
    const std::uint64_t learned =
        std::min(element_count(tensor.sizes), element_count(view.stored_sizes()));
    if (learned != element_count(view.sizes)) view.parameters = learned;
  }
  return view;
}

namespace {

/// The batch's steps with other sizes, run by run of axes with equal element counts.
std::optional<Sizes> batch_steps(const TensorArgument& tensor, const Sizes& stated,
                                 std::uint64_t batch) {
  Sizes steps(stated.size(), 0);
  const Sizes& from = tensor.stated;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < from.size()) {
    const std::size_t first_from = i;
    const std::size_t first_to = j;
    std::uint64_t own = from[i++];
    std::uint64_t other = j < stated.size() ? stated[j++] : 1;
    while (own != other) {
      if (own < other && i < from.size())
        own *= from[i++];
      else if (own > other && j < stated.size())
        other *= stated[j++];
      else
        return std::nullopt;
    }
    std::uint64_t step = 0;  // in elements of the run
    for (std::size_t axis = first_from, inner = own; axis < i; ++axis) {
      inner /= std::max<std::uint64_t>(from[axis], 1);
      if (tensor.batch_step[axis] != 0) step = tensor.batch_step[axis] * inner;
    }
    if (step == 0) continue;
    bool is_found = false;
    for (std::size_t axis = first_to, inner = other; axis < j && !is_found; ++axis) {
      inner /= std::max<std::uint64_t>(stated[axis], 1);
      is_found = step % inner == 0 && (inner * stated[axis]) % (step * batch) == 0;
      if (is_found) steps[axis] = step / inner;
    }
    if (!is_found) return std::nullopt;
  }
  return steps;
}

/// Strides of a view with these sizes, if possible: contiguous axes can be divided anew.
std::optional<Sizes> view_strides(const TensorArgument& tensor, const Sizes& sizes) {
  Sizes strides(sizes.size(), 1);
  std::size_t next = sizes.size();  // behind the next axis of a contiguous piece
  std::size_t end = tensor.rank();
  while (end > 0) {
    std::size_t begin = end - 1;
    std::uint64_t piece = tensor.sizes[begin];
    const std::uint64_t innermost = tensor.strides[begin];
    while (begin > 0 &&
           (tensor.sizes[begin - 1] == 1 || tensor.strides[begin - 1] == piece * innermost))
      piece *= tensor.sizes[--begin];
    std::uint64_t cut = 1;
    while (next > 0 && (cut < piece || sizes[next - 1] == 1)) {
      strides[next - 1] = cut * innermost;
      cut *= sizes[--next];
    }
    if (cut != piece) return std::nullopt;
    end = begin;
  }
  while (next > 0 && sizes[next - 1] == 1) --next;
  return next == 0 ? std::optional(strides) : std::nullopt;
}

}  // namespace

std::optional<TensorArgument> reshaped(const TensorArgument& tensor, const Sizes& stated,
                                       const BatchChange& batch, bool& copied) {
  TensorArgument result = tensor;
  result.stated = stated;
  result.batch_step.assign(stated.size(), 0);
  if (!batch.is_none()) {
    const auto steps = batch_steps(tensor, stated, batch.stated);
    if (!steps) return std::nullopt;
    result.batch_step = *steps;
  }
  if (!batch.grow(result)) return std::nullopt;
  const std::optional<Sizes> strides = view_strides(tensor, result.sizes);
  copied = !strides;
  result.strides = strides.value_or(contiguous_strides(result.sizes));
  return result;
}

}  // namespace roofline
