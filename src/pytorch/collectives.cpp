#include "pytorch/collectives.hpp"

#include <algorithm>
#include <utility>

#include "pytorch/kernel_names.hpp"

namespace roofline {
namespace {

/// "c10d::_reduce_scatter_base_" as "c10dreducescatterbase": libraries differ in case and marks.
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters += c;
  }
  return letters;
}

bool text_has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

struct KindMark {
  std::string_view letters;
  TransferKind kind;
};

// Longer names before those that stand in them.
constexpr KindMark kind_marks[] = {
    {"allreduce", TransferKind::all_reduce}, {"crossdevicereduce", TransferKind::all_reduce},
    {"allgather", TransferKind::all_gather}, {"reducescatter", TransferKind::reduce_scatter},
    {"alltoall", TransferKind::all_to_all},  {"broadcast", TransferKind::broadcast},
    {"gather", TransferKind::gather},        {"scatter", TransferKind::scatter},
    {"reduce", TransferKind::reduce},        {"sendrecv", TransferKind::send_receive},
    {"send", TransferKind::send_receive},    {"recv", TransferKind::send_receive}};

std::optional<TransferKind> kind_in(std::string_view name) {
  const std::string letters = letters_of(name);
  for (const KindMark& mark : kind_marks)
    if (text_has(letters, mark.letters)) return mark.kind;
  return std::nullopt;
}

/// Names that no other work has.
bool names_exchange(std::string_view name) {
  const std::string letters = letters_of(name);
  for (const std::string_view part :
       {"allreduce", "allgather", "reducescatter", "alltoall", "crossdevicereduce"})
    if (text_has(letters, part)) return true;
  return false;
}

/// The elements of the smallest and of the largest tensor.
std::pair<std::uint64_t, std::uint64_t> extent_of(const std::vector<ExchangeSource>& sources) {
  std::pair<std::uint64_t, std::uint64_t> extent{0, 0};
  for (const ExchangeSource& source : sources)
    for (const TensorArgument* tensor : source.tensors) {
      const std::uint64_t elements = tensor->sizes.empty() ? 0 : element_count(tensor->sizes);
      if (elements == 0) continue;
      extent.first = extent.first == 0 ? elements : std::min(extent.first, elements);
      extent.second = std::max(extent.second, elements);
    }
  return extent;
}

const ElementType* type_of(const std::vector<ExchangeSource>& sources,
                           const std::optional<ExchangeMessage>& message) {
  if (message)
    if (const ElementType* type = find_element_type(message->type)) return type;
  for (const ExchangeSource& source : sources)
    for (const TensorArgument* tensor : source.tensors)
      if (const ElementType* type = find_element_type(tensor->type_name)) return type;
  return nullptr;
}

/// In these the smaller side is one GPU's share of the larger.
bool has_shares(TransferKind kind) {
  return kind == TransferKind::all_gather || kind == TransferKind::reduce_scatter;
}

}  // namespace

bool is_collective(std::string_view name) {
  if (name.starts_with("aten::")) return false;
  for (const std::string_view part : {"record_param_comms", "c10d::", "nccl", "symm_mem::"})
    if (text_has(name, part)) return true;
  return names_exchange(short_kernel_name(name));
}

Exchange exchange_of(const std::vector<ExchangeSource>& sources,
                     const std::optional<ExchangeMessage>& message) {
  Exchange exchange;
  for (const ExchangeSource& source : sources)
    if (const auto kind = kind_in(source.name)) {
      exchange.kind = *kind;
      break;
    }
  auto [share, whole] = extent_of(sources);
  if (message) {
    share = std::min(message->in_elements, message->out_elements);
    whole = std::max(message->in_elements, message->out_elements);
    if (message->ranks > 0) exchange.ranks = message->ranks;
  } else if (has_shares(exchange.kind) && share < whole && whole % share == 0) {
    exchange.ranks = whole / share;
  }
  // One side alone is the share of an all_gather: what it gives cannot be told without the other.
  if (!message && exchange.kind == TransferKind::all_gather && !exchange.ranks) whole = 0;
  const ElementType* type = type_of(sources, message);
  exchange.elements = whole;
  if (type == nullptr) return exchange;
  exchange.type = type->shown;
  if (whole > 0 && type->type)
    exchange.byte = static_cast<double>(whole) * static_cast<double>(info(*type->type).bits) / 8;
  return exchange;
}

}  // namespace roofline
