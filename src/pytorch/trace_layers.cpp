#include "pytorch/trace_layers.hpp"

#include <algorithm>
#include <optional>

#include "load/layer_check.hpp"
#include "pytorch/backward_kernels.hpp"
#include "pytorch/kernel_names.hpp"

namespace roofline {
namespace {

/// The callers that rules look at: an operator and what it is called from, up to autograd.
constexpr std::size_t most_callers = 6;

}  // namespace

TraceLayers::TraceLayers(const Recording& recording, const Links& links)
    : recording_(recording), links_(links), arguments_(recording) {
  half_ = more_common_half();
  for (const HostRange& range : recording.operators)
    if (recording.texts.at(range.name) == "torch::autograd::AccumulateGrad")
      if (const TensorArgument* gradient = arguments_.at(range.arguments).tensor(0))
        parameters_.add_parameter(gradient->sizes);
}

void TraceLayers::add(const std::vector<std::uint32_t>& activities) {
  std::vector<std::uint32_t> group_of(recording_.operators.size(), no_index);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> grouped;
  std::uint32_t groups = 0;
  for (const std::uint32_t index : activities) {
    const std::uint32_t op = layer_operator(index);
    if (op == no_index) {
      add_alone(index);
      continue;
    }
    if (group_of[op] == no_index) group_of[op] = groups++;
    grouped.emplace_back(group_of[op], index);
  }
  std::stable_sort(grouped.begin(), grouped.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::uint32_t> work;
  for (std::size_t i = 0; i < grouped.size(); ++i) {
    work.push_back(grouped[i].second);
    if (i + 1 < grouped.size() && grouped[i + 1].first == grouped[i].first) continue;
    add_operator(work);
    work.clear();
  }
}

void TraceLayers::finish(std::size_t steps) {
  layers_.join_changing(steps);
  for (const FoldedLayers::RareWork& rare : layers_.take_rare(steps))
    unmodelled_.add(
        rare.name, "",
        "runs in " + std::to_string(rare.runs) + " of " + std::to_string(steps) + " steps",
        rare.time_s, rare.runs);
}

const std::string& TraceLayers::name_of_activity(std::uint32_t index) const {
  return recording_.texts.at(recording_.activities[index].name);
}

const std::string& TraceLayers::name_of_operator(std::uint32_t index) const {
  return recording_.texts.at(recording_.operators[index].name);
}

DataType TraceLayers::more_common_half() {
  std::size_t fp16 = 0;
  std::size_t bf16 = 0;
  for (const ArgumentTexts& texts : recording_.arguments) {
    const std::string& types = recording_.texts.at(texts.types);
    fp16 += types.find("c10::Half") != std::string::npos ? 1U : 0U;
    bf16 += types.find("c10::BFloat16") != std::string::npos ? 1U : 0U;
  }
  has_half_ = fp16 + bf16 > 0;
  return bf16 > fp16 ? DataType::bf16 : DataType::fp16;
}

void TraceLayers::add_alone(std::uint32_t index) {
  const WorkOrigin& origin = links_.origins[index];
  const bool graph =
      origin.call_index != no_index &&
      recording_.texts.at(recording_.calls[origin.call_index].name).find("GraphLaunch") !=
          std::string::npos;
  const std::string& name = name_of_activity(index);
  const auto elements = parameters_.elements(recording_.activities[index].blocks);
  const auto lists =
      list_kernel(name, elements.value_or(0), element_type(name, half_).value_or(DataType::fp32));
  if (!lists.empty()) return layers_.add(layers_.row_of(lists.front()), duration_s(index));
  unmodelled_.add(short_kernel_name(name), "",
                  graph ? "launched by a CUDA graph, which keeps no operators"
                        : "launched outside of any operator",
                  duration_s(index));
}

double TraceLayers::duration_s(std::uint32_t index) const {
  return recording_.activities[index].duration_us * s_per_us;
}

OperatorCall TraceLayers::call_of(std::uint32_t op, const std::vector<std::uint32_t>& work) {
  OperatorCall call;
  call.name = name_of_operator(op);
  call.arguments = &arguments_.at(recording_.operators[op].arguments);
  for (std::uint32_t at = links_.callers[op]; at != no_index && call.callers.size() < most_callers;
       at = links_.callers[at])
    call.callers.push_back(
        {name_of_operator(at), &arguments_.at(recording_.operators[at].arguments)});
  std::uint64_t blocks = 0;
  for (const std::uint32_t index : work) {
    const std::string& name = name_of_activity(index);
    blocks += recording_.activities[index].blocks;
    call.is_tf32 = call.is_tf32 || is_tf32_kernel(name);
    call.sums_in_fp16 = call.sums_in_fp16 || sums_in_fp16(name);
    if (!call.list_type) call.list_type = element_type(name, half_);
  }
  if (!call.list_type) call.list_type = has_half_ ? half_ : DataType::fp32;
  if (lacks_list_shapes(*call.arguments)) call.list_elements = parameters_.elements(blocks);
  call.results = results_of(op, call);
  if (const auto lookup = lookups_.find(op); lookup != lookups_.end())
    call.forward = &arguments_.at(lookup->second);
  return call;
}

std::vector<Sizes> TraceLayers::results_of(std::uint32_t op, const OperatorCall& call) {
  if (is_convolution(call.name) && !call.arguments->has_values())
    if (const TensorArgument* input = call.arguments->tensor(0))
      return results_.of(op, "ConvolutionBackward", input->sizes.size());
  if (base_name(call.name) == "cudnn_batch_norm" && !call.arguments->has_values())
    return results_.of(op, "BatchNormBackward", 0);
  if (call.name == "aten::cat" && lacks_list_shapes(*call.arguments))
    return results_.of(op, "CatBackward", 0);
  return {};
}

std::vector<std::uint32_t> TraceLayers::key_of(std::uint32_t op, const OperatorCall& call) const {
  std::vector<std::uint32_t> key{(call.is_tf32 ? 1U : 0U) + (call.sums_in_fp16 ? 2U : 0U),
                                 static_cast<std::uint32_t>(*call.list_type),
                                 static_cast<std::uint32_t>(call.list_elements.value_or(0)),
                                 static_cast<std::uint32_t>(call.list_elements.value_or(0) >> 32U)};
  std::uint32_t at = op;
  for (std::size_t i = 0; i <= call.callers.size(); ++i, at = links_.callers[at]) {
    key.push_back(recording_.operators[at].name);
    key.push_back(recording_.operators[at].arguments);
  }
  if (const auto lookup = lookups_.find(op); lookup != lookups_.end())
    key.push_back(lookup->second);
  for (const Sizes& sizes : call.results)
    for (const std::uint64_t size : sizes) key.push_back(static_cast<std::uint32_t>(size));
  return key;
}

std::vector<std::size_t> TraceLayers::rows_of(const OperatorCall& call) {
  std::vector<std::size_t> rows;
  const Rule rule = find_rule(call.name);
  std::vector<LayerSpec> specs = rule != nullptr ? rule(call) : std::vector<LayerSpec>{};
  const auto is_refused = [](const LayerSpec& spec) { return refusal(spec).has_value(); };
  if (specs.empty() || std::any_of(specs.begin(), specs.end(), is_refused)) {
    if (is_convolution(call.name) && !call.arguments->has_values()) ++unknown_strides_;
    specs = operand_traffic(call);
  }
  if (std::any_of(specs.begin(), specs.end(), is_refused)) return rows;
  for (LayerSpec& spec : specs)
    spec.fp16_accumulate = call.sums_in_fp16 && spec.dtypes.input == DataType::fp16 &&
                           info(spec.kind).family == KindFamily::contraction;
  for (LayerSpec& spec : specs) rows.push_back(layers_.row_of(std::move(spec)));
  return rows;
}

std::uint32_t TraceLayers::layer_operator(std::uint32_t activity) const {
  const std::uint32_t op = links_.origins[activity].operator_index;
  if (op == no_index || name_of_operator(op) != "aten::copy_") return op;
  const std::uint32_t caller = links_.callers[op];
  const bool casts_statistics =
      caller != no_index && name_of_operator(caller) == "aten::native_batch_norm";
  return casts_statistics ? caller : op;
}

void TraceLayers::add_operator(const std::vector<std::uint32_t>& work) {
  const std::uint32_t op = layer_operator(work.front());
  const OperatorCall call = call_of(op, work);
  const auto [entry, inserted] = rows_by_call_.try_emplace(key_of(op, call));
  if (inserted) entry->second = rows_of(call);
  const std::vector<std::size_t>& rows = entry->second;
  if (rows.size() == 1)
    chains_.add(rows.front(), layers_.layer(rows.front()), call);
  else
    chains_.end();
  if (rows.empty()) return add_unmodelled(call, work);
  if (is_contraction(rows.front()) && only_fills(work))
    return add_unmodelled(call, work, "its kernels are not in the recording, only fills");
  double time_s = 0;
  for (const std::uint32_t index : work) {
    time_s += duration_s(index);
    if (is_layout_kernel(name_of_activity(index))) layout_s_ += duration_s(index);
  }
  if (layers_.layer(rows.front()).kind == LayerKind::other && !call.name.starts_with("aten::") &&
      multiplies_matrices(work))
    products_.insert(std::string(call.name));
  if (rows.size() == 1) return layers_.add(rows.front(), time_s);
  const double first_s = data_gradient_s(work, time_s);
  layers_.add(rows[0], first_s);
  layers_.add(rows[1], time_s - first_s);
}

bool TraceLayers::multiplies_matrices(const std::vector<std::uint32_t>& work) const {
  return std::any_of(work.begin(), work.end(), [&](std::uint32_t index) {
    return is_product_kernel(name_of_activity(index));
  });
}

bool TraceLayers::is_contraction(std::size_t row) const {
  return info(layers_.layer(row).kind).family == KindFamily::contraction;
}

bool TraceLayers::only_fills(const std::vector<std::uint32_t>& work) const {
  return std::all_of(work.begin(), work.end(), [&](std::uint32_t index) {
    return name_of_activity(index).starts_with("Memset");
  });
}

double TraceLayers::data_gradient_s(const std::vector<std::uint32_t>& work, double time_s) {
  std::vector<std::string_view> names;
  names.reserve(work.size());
  for (const std::uint32_t index : work) names.push_back(name_of_activity(index));
  const std::optional<std::size_t> count = data_gradient_kernels(names);
  if (!count) {
    ++halved_operators_;
    return time_s / 2;
  }
  double own_s = 0;
  for (std::size_t i = 0; i < *count; ++i) own_s += duration_s(work[i]);
  return own_s;
}

void TraceLayers::add_unmodelled(const OperatorCall& call, const std::vector<std::uint32_t>& work,
                                 const std::string& reason) {
  const OperatorArguments& arguments = *call.arguments;
  if (arguments.count() == 0) {
    for (const std::uint32_t index : work) add_alone(index);
    return;
  }
  double time_s = 0;
  for (const std::uint32_t index : work) time_s += duration_s(index);
  unmodelled_.add(std::string(call.name), arguments.tensors_text(),
                  reason.empty() ? reason_of(call) : reason, time_s, work.size());
}

bool TraceLayers::lacks_list_shapes(const OperatorArguments& arguments) {
  for (std::size_t i = 0; i < arguments.count(); ++i)
    if (arguments.is_tensor_list(i) && arguments.tensors(i).empty()) return true;
  return false;
}

std::string TraceLayers::reason_of(const OperatorCall& call) {
  if (lacks_list_shapes(*call.arguments))
    return "the trace holds no shapes of its lists of tensors";
  return "its shapes or types fit no rule";
}

}  // namespace roofline
