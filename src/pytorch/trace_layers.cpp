#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/layer_kind.hpp"
#include "model/recording.hpp"
#include "model/text.hpp"
#include "pytorch/exported_program.hpp"
#include "pytorch/recording.hpp"

namespace roofline {
namespace {

/// Levels of callers that readers see, up to autograd.
constexpr std::size_t most_callers = 6;

using LaunchedWork = std::vector<std::uint32_t>;

/// PyTorch's profiler leaves out the shapes of long lists.
bool lacks_list_shapes(const Arguments& arguments) {
  return std::ranges::any_of(arguments, [](const Argument& argument) {
    return argument.is_list && argument.tensors.empty();
  });
}

/// Views, allocations, queries, dispatchers, and autograd's nodes.
bool runs_nothing(std::string_view name) {
  constexpr std::string_view others =
      " empty empty_like empty_strided empty_permuted new_empty new_empty_strided resize "
      "resize_as set item _local_scalar_dense is_nonzero result_type can_cast requires_grad "
      "retain_grad record_stream zeros zeros_like ones ones_like full full_like new_zeros new_ones "
      "new_full to _to_copy type_as contiguous clone dropout feature_dropout alpha_dropout pad "
      "constant_pad_nd conj _assert_async set_data view_as_real view_as_complex ";
  const bool is_own = name.starts_with("aten::") || !mentions(name, {"::"});
  const std::string_view op = base_name(name);
  return is_own && (is_view(op) || mentions(others, {" " + std::string(op) + " "}) ||
                    (!name.starts_with("aten::") && mentions(op, {"Backward"})));
}

/// Calls the convolution of an image of one row, which counts.
bool is_of_one_axis(const OperatorCall& call) {
  const TensorArgument* input = argument_at(*call.arguments, 0).tensor();
  return call.name == "aten::convolution" && input != nullptr && input->rank() == 3;
}

bool is_product_kernel(std::string_view name) {
  const std::size_t gemm = name.find("gemm");
  const bool is_fbgemm = gemm != std::string_view::npos && name.substr(0, gemm).ends_with("fb");
  if (gemm != std::string_view::npos && !is_fbgemm) return true;
  return mentions(name, {"bmm_", "nvjet", "xmma", "fmha", "Cijk_"});
}

/// A kernel that only changes an image's layout.
bool is_layout_kernel(std::string_view name) {
  return mentions(name, {"nchwToNhwc", "nhwcToNchw", "batched_transpose"});
}

/// Likewise, or one that pads channels or casts an operand.
bool is_transform_kernel(std::string_view name) {
  return is_layout_kernel(name) || mentions(name, {"AddPadding", "tensorTransform", "SubTensorOp"});
}

enum class Role : std::uint8_t {
  prepares,  ///< the next kernel: layout changes, fills, offsets
  finishes,  ///< the previous kernel: layout changes, sums of partial results
  data,      ///< the input's gradient, by name
  weight,    ///< the weight's gradient, by name
  product,   ///< either one: names of matrix products do not tell
};

Role role_of(std::string_view name) {
  if (mentions(name, {"nhwcToNchw", "splitKreduce", "reduce_wgrad", "_reduce", "transpose_back"}))
    return Role::finishes;
  if (mentions(name, {"nchwToNhwc", "AddPadding", "init_device_workspace", "Memset", "Offsets",
                      "FillFunctor", "SubTensorOp", "batched_transpose"}))
    return Role::prepares;
  if (mentions(name, {"wgrad", "grad_weight", "wrw", "BwdFilter", "bwd_weight"}))
    return Role::weight;
  if (mentions(name, {"dgrad", "grad_input", "BwdData", "bwd_data", "conv_depthwise2d_backward"}))
    return Role::data;
  return Role::product;
}

/// How many kernels, in launch order, compute the input's gradient if one operator computes both
/// gradients of a convolution; libraries run them one after the other. nullopt if names do not
/// tell.
std::optional<std::size_t> data_gradient_kernels(const std::vector<std::string_view>& names) {
  const std::vector<Role> roles = each_of(names, role_of);
  std::vector<std::size_t> computing;
  for (std::size_t i = 0; i < roles.size(); ++i)
    if (roles[i] >= Role::data) computing.push_back(i);
  const auto first_weight =
      std::ranges::find_if(computing, [&](std::size_t i) { return roles[i] == Role::weight; });
  auto split = first_weight;
  if (first_weight == computing.end()) {
    // Without a name the weight's gradient follows the input's, or is the second of two products.
    split = std::find_if(computing.rbegin(), computing.rend(), [&](std::size_t i) {
              return roles[i] == Role::data;
            }).base();
    if (split == computing.begin() && computing.size() == 2) ++split;
  }
  if (split == computing.begin() || split == computing.end()) return std::nullopt;
  std::size_t at = *split;
  while (at > 0 && roles[at - 1] == Role::prepares) --at;
  return at;
}

class LayerReader {
 public:
  LayerReader(const Recording& recording, const WorkOrigins& origins,
              const std::vector<Arguments>& arguments)
      : recording_(recording),
        origins_(origins),
        arguments_(arguments),
        modules_(recording, origins) {
    set_half();
  }

  /// Without a GPU: the outermost operators in the table, and inner ones not in these.
  void add_operators() {
    const std::size_t count = recording_.operators.size();
    std::vector<bool> has_work(count);      // other operators inside
    std::vector<bool> calls_itself(count);  // as autocast does
    std::vector<bool> is_read(count);
    for (auto i = static_cast<std::uint32_t>(count); i-- > 0;) {
      const std::uint32_t caller = origins_.callers[i];
      if (caller == no_index) continue;
      if (has_work[i] || !runs_nothing(name_of_operator(i))) has_work[caller] = true;
      if (name_of_operator(i) == name_of_operator(caller)) calls_itself[caller] = true;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t caller = origins_.callers[i];
      is_read[i] = caller != no_index && is_read[caller];
      if (is_read[i] || calls_itself[i] || runs_nothing(name_of_operator(i))) continue;
      const OperatorCall call = call_of(i, {});
      const auto [entry, inserted] = rows_by_call_.try_emplace(key_of(i, call));
      CallRows& own = entry->second;
      if (inserted) own = read_rows(call, modules_.place_of(i));
      if (has_work[i] && (own.read.by_operands || is_of_one_axis(call))) continue;
      if (!tensors_in(*call.arguments).empty()) unruled_.add(call, own.read);
      is_read[i] = !own.rows.empty();
      for (const std::size_t row : own.rows) read_.layers.add(row, 0);
    }
  }

  void add(const std::vector<std::uint32_t>& activities) {
    std::unordered_map<std::uint32_t, std::size_t> group_of;
    std::vector<LaunchedWork> groups;
    for (const std::uint32_t index : activities) {
      const std::uint32_t op = layer_operator(index);
      if (op == no_index) {
        add_alone(index);
        continue;
      }
      const auto [group, is_new] = group_of.try_emplace(op, groups.size());
      if (is_new) groups.emplace_back();
      groups[group->second].push_back(index);
    }
    for (const LaunchedWork& work : groups) add_operator(work);
  }

  TraceLayers finish(std::size_t steps) && {
    read_.layers.join_changing(steps);
    read_.layers.move_rare(steps, read_.unmodelled);
    add_notes();
    return std::move(read_);
  }

 private:
  const std::string& name_of_activity(std::uint32_t index) const {
    return recording_.name(recording_.activities[index]);
  }
  const std::string& name_of_operator(std::uint32_t index) const {
    return recording_.name(recording_.operators[index]);
  }
  const Arguments& arguments_of(std::uint32_t op) const {
    return arguments_[recording_.operators[op].arguments];
  }
  double duration_s(std::uint32_t index) const {
    return recording_.activities[index].duration_us * s_per_us;
  }
  /// Without the overlap of kernels that ran side by side, as a library runs groups.
  double duration_s(const LaunchedWork& work) const {
    constexpr double side_by_side = 0.9;
    double time_s = 0;
    Coverage covered;
    for (const std::uint32_t index : work) {
      const GpuActivity& activity = recording_.activities[index];
      time_s += duration_s(index);
      covered.add(activity.start_us, activity.start_us + activity.duration_us);
    }
    const double covered_s = covered.covered() * s_per_us;
    return covered_s < side_by_side * time_s ? covered_s : time_s;
  }

  /// The more common of fp16 and bf16, for elements known only to have two bytes.
  void set_half() {
    std::size_t fp16 = 0;
    std::size_t bf16 = 0;
    for (const Arguments& arguments : arguments_) {
      const auto has = [&](std::string_view type) {
        return std::ranges::any_of(arguments,
                                   [&](const Argument& argument) { return argument.type == type; });
      };
      fp16 += has("c10::Half") ? 1U : 0U;
      bf16 += has("c10::BFloat16") ? 1U : 0U;
    }
    half_ = bf16 > fp16 ? DataType::bf16 : DataType::fp16;
    list_type_ = fp16 + bf16 > 0 ? half_ : DataType::fp32;
  }

  /// The launching operator; a batch norm's cast of its statistics is its own, as if measured
  /// alone.
  std::uint32_t layer_operator(std::uint32_t activity) const {
    const std::uint32_t op = origins_.of_activities[activity].operator_index;
    if (op == no_index || name_of_operator(op) != "aten::copy_") return op;
    const std::uint32_t caller = origins_.callers[op];
    const bool casts_statistics =
        caller != no_index && name_of_operator(caller) == "aten::native_batch_norm";
    return casts_statistics ? caller : op;
  }

  void add_alone(std::uint32_t index) {
    const bool is_graph = is_graph_launch(recording_, origins_.of_activities[index].call_index);
    read_.unmodelled.add(short_kernel_name(name_of_activity(index)), "",
                         std::string(is_graph ? in_graph : "launched outside of any operator"),
                         duration_s(index));
  }

  std::vector<std::string_view> names_of(const LaunchedWork& work) const {
    const auto name = [&](std::uint32_t index) -> std::string_view {
      return name_of_activity(index);
    };
    return each_of(work, name);
  }

  OperatorCall call_of(std::uint32_t op, const std::vector<std::string_view>& kernels) const {
    OperatorCall call;
    call.name = name_of_operator(op);
    call.arguments = &arguments_of(op);
    for (std::uint32_t at = origins_.callers[op];
         at != no_index && call.callers.size() < most_callers; at = origins_.callers[at])
      call.callers.push_back({name_of_operator(at), &arguments_of(at)});
    for (const std::string_view name : kernels) {
      call.is_tf32 = call.is_tf32 || is_tf32_kernel(name);
      call.sums_in_fp16 = call.sums_in_fp16 || sums_in_fp16(name);
      if (!call.list_type) call.list_type = element_type_of_kernel(name, half_);
    }
    if (!call.list_type) call.list_type = list_type_;
    if (mentions(call.name, {"SplitLookupFunction"}) && !call.arguments->empty())
      call.forward = look_up_of(call.arguments->front());
    return call;
  }

  /// The look-up whose result has about as many elements as the gradient; null without one.
  const Arguments* look_up_of(const Argument& gradient) const {
    if (gradient.tensor() == nullptr || look_ups_.empty()) return nullptr;
    const auto elements = static_cast<double>(element_count(gradient.tensor()->sizes));
    return std::ranges::min_element(
               look_ups_, {},
               [&](const auto& look_up) {
                 return std::abs(std::log(static_cast<double>(look_up.first) / elements));
               })
        ->second;
  }

  /// Calls with equal keys have equal layers.
  std::vector<std::uint32_t> key_of(std::uint32_t op, const OperatorCall& call) const {
    std::vector<std::uint32_t> key{(call.is_tf32 ? 1U : 0U) + (call.sums_in_fp16 ? 2U : 0U),
                                   static_cast<std::uint32_t>(*call.list_type),
                                   modules_.place_of(op).module};
    std::uint32_t at = op;
    for (std::size_t i = 0; i <= call.callers.size(); ++i) {
      key.push_back(recording_.operators[at].name);
      key.push_back(recording_.operators[at].arguments);
      at = origins_.callers[at];
    }
    return key;
  }

  struct CallRows {
    CallLayers read;
    std::vector<std::size_t> rows;
  };

  CallRows read_rows(const OperatorCall& call, ModuleNames::Place place) {
    CallRows own{read_call(call), {}};
    for (LayerSpec spec : own.read.layers) {
      spec.fp16_accumulate = call.sums_in_fp16 && spec.dtypes.input == DataType::fp16 &&
                             info(spec.kind).family == KindFamily::contraction;
      if (mentions(call.name, {"embedding_codegen_lookup"}) && !own.read.by_operands)
        look_ups_.emplace(element_count(spec.output), call.arguments);
      if (place.module != TextPool::empty) spec.name = modules_.name_of(place, spec);
      own.rows.push_back(read_.layers.row_of(std::move(spec)));
    }
    return own;
  }

  /// A convolution whose result has unknown sizes: its operands' bytes would be no bound.
  static bool lacks_strides(const OperatorCall& call, const CallLayers& read) {
    return read.by_operands && call.name.starts_with("aten::") && mentions(call.name, {"conv"});
  }

  CallRows rows_of(const OperatorCall& call, ModuleNames::Place place) {
    CallRows own = read_rows(call, place);
    if (lacks_strides(call, own.read)) {
      own.rows.clear();
      if (!recording_.has_values) own.read.misfit = "its multiply-adds are unknown: no strides";
    } else if (reads_cache(call.name)) {
      cached_.insert(std::string(call.name));
    } else if (own.read.by_operands) {
      if (call.name.starts_with("aten::") && recording_.has_values &&
          find_operator(call.name) != nullptr)
        unruled_.add(call, own.read);
      if (own.rows.empty()) return own;
      if (!recording_.has_values) ++without_values_;
      if (says_little(call.name)) little_said_.insert(std::string(call.name));
    }
    return own;
  }

  void add_operator(const LaunchedWork& work) {
    const std::uint32_t op = layer_operator(work.front());
    const std::vector<std::string_view> kernels = names_of(work);
    const OperatorCall call = call_of(op, kernels);
    const auto [entry, inserted] = rows_by_call_.try_emplace(key_of(op, call));
    if (inserted) entry->second = rows_of(call, modules_.place_of(op));
    const std::vector<std::size_t>& rows = entry->second.rows;
    if (rows.size() == 1)
      read_.chains.add(rows.front(), read_.layers.layer(rows.front()), *call.arguments);
    else
      read_.chains.end();
    if (rows.empty())
      return add_unmodelled(call, work,
                            lacks_list_shapes(*call.arguments)
                                ? "the trace holds no shapes of its lists of tensors"
                            : entry->second.read.misfit.empty() ? "its shapes or types fit no rule"
                                                                : entry->second.read.misfit);
    const LayerKind kind = read_.layers.layer(rows.front()).kind;
    // Kernels may be missing if the profiler's buffers ran full.
    const bool only_fills = std::ranges::all_of(
        kernels, [](std::string_view name) { return name.starts_with("Memset"); });
    if (is_any(info(kind).family, KindFamily::contraction, KindFamily::recurrent) && only_fills)
      return add_unmodelled(call, work, "its kernels are not in the recording, only fills");
    for (const std::uint32_t index : work) {
      if (is_layout_kernel(name_of_activity(index))) read_.layout_s += duration_s(index);
      read_.side_by_side_s += duration_s(index);
    }
    read_.side_by_side_s -= duration_s(work);
    if (kind == LayerKind::other && !call.name.starts_with("aten::") &&
        std::ranges::any_of(kernels, is_product_kernel))
      products_.insert(std::string(call.name));
    if (rows.size() == 1)
      add_to(rows.front(), work);
    else
      add_gradients(rows, work, kernels);
  }

  /// The longest kernel that computes names the row's kernel.
  void add_to(std::size_t row, const LaunchedWork& work) {
    LaunchedWork computing;
    for (const std::uint32_t index : work)
      if (!is_transform_kernel(name_of_activity(index))) computing.push_back(index);
    const std::uint32_t longest = *std::ranges::max_element(
        computing.empty() ? work : computing, {}, [&](std::uint32_t i) { return duration_s(i); });
    const double time_s = duration_s(work);
    read_.layers.add(row, time_s, name_of_activity(longest), time_s - duration_s(computing));
  }

  void add_gradients(const std::vector<std::size_t>& rows, const LaunchedWork& work,
                     const std::vector<std::string_view>& kernels) {
    if (const std::optional<std::size_t> count = data_gradient_kernels(kernels)) {
      const auto middle = work.begin() + static_cast<std::ptrdiff_t>(*count);
      add_to(rows[0], LaunchedWork(work.begin(), middle));
      add_to(rows[1], LaunchedWork(middle, work.end()));
      return;
    }
    ++halved_operators_;
    for (const std::size_t row : rows) read_.layers.add(row, duration_s(work) / 2);
  }

  /// Other ranges have no arguments: kernels' names tell more.
  void add_unmodelled(const OperatorCall& call, const LaunchedWork& work,
                      const std::string& reason) {
    if (!call.arguments->empty())
      return read_.unmodelled.add(std::string(call.name), tensors_text(*call.arguments), reason,
                                  duration_s(work), work.size());
    for (const std::uint32_t index : work) add_alone(index);
  }

  void add_notes() {
    if (halved_operators_ > 0)
      read_.notes.push_back(std::to_string(halved_operators_) +
                            " convolution_backward whose kernels' names do not tell the gradients "
                            "apart: half of the time each");
    if (without_values_ > 0)
      read_.notes.push_back(std::to_string(without_values_) +
                            " operators are counted by the bytes of their operands alone: the "
                            "trace holds no values such as strides, which newer profilers record");
    if (!little_said_.empty())
      read_.notes.push_back(joined(little_said_) +
                            ": counted by the bytes of the operands alone, though the kernels may "
                            "touch a part of them or write them too");
    if (!products_.empty())
      read_.notes.push_back(joined(products_) +
                            ": counted by the bytes of the operands alone, though the kernels "
                            "multiply matrices that are none of them");
    if (!cached_.empty())
      read_.notes.push_back(joined(cached_) +
                            ": without the keys and values of the cache and their products, as "
                            "a recording does not say how many they are");
    for (const std::set<std::string>* unsized : {&products_, &cached_})
      for (const std::string& name : *unsized) unruled_.add_product(name);
    unruled_.add_notes(read_.notes);
    read_.lacks_products = unruled_.has_products();
  }

  const Recording& recording_;
  const WorkOrigins& origins_;
  const std::vector<Arguments>& arguments_;  ///< the recording's, in the requested types
  ModuleNames modules_;
  std::map<std::vector<std::uint32_t>, CallRows> rows_by_call_;
  TraceLayers read_;
  DataType half_ = DataType::fp16;
  DataType list_type_ = DataType::fp32;  ///< if kernels' names do not tell
  std::size_t halved_operators_ = 0;
  std::size_t without_values_ = 0;
  UnruledCalls unruled_;
  std::map<std::uint64_t, const Arguments*> look_ups_;  ///< by elements of their results
  std::set<std::string> cached_;                        ///< attention on caches of unknown lengths
  std::set<std::string> little_said_;
  std::set<std::string> products_;  ///< of matrices, but counted by operands
};

}  // namespace

TraceLayers layers_of(const Recording& recording, const WorkOrigins& origins,
                      const std::vector<std::uint32_t>& activities, std::size_t steps) {
  LayerReader reader(recording, origins, recording.arguments);
  reader.add(activities);
  return std::move(reader).finish(steps);
}

TraceLayers layers_of_operators(const Recording& recording, const WorkOrigins& origins,
                                const std::vector<Arguments>& arguments) {
  LayerReader reader(recording, origins, arguments);
  reader.add_operators();
  return std::move(reader).finish(1);
}

}  // namespace roofline
