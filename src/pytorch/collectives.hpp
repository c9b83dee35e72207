#pragma once

// What GPUs exchange in one operation: which, of how many elements, among how many GPUs.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pytorch/operator_arguments.hpp"
#include "roofline/transfer.hpp"

namespace roofline {

/// Whether an operator or kernel of that name is work between GPUs: "record_param_comms",
/// "c10d::allreduce_", "ncclDevKernel_AllGather_RING_LL(...)".
bool is_collective(std::string_view name);

/// One range or kernel that says something of an exchange.
struct ExchangeSource {
  std::string_view name;  ///< "nccl:all_to_all", "allreduce"
  std::vector<const TensorArgument*> tensors;
};

/// The message of an operator or kernel, where the profiler records it.
struct ExchangeMessage {
  std::string_view type;  ///< "BFloat16"
  std::uint64_t in_elements = 0;
  std::uint64_t out_elements = 0;
  std::uint64_t ranks = 0;
};

struct Exchange {
  TransferKind kind = TransferKind::collective;
  std::string type;            ///< of the elements, "bf16"; empty where it is not known
  std::uint64_t elements = 0;  ///< 0 where it is not known
  std::optional<double> byte;
  std::optional<std::uint64_t> ranks;
};

/// The first source that names a kind tells it. Without a message the tensors of all sources tell
/// the sizes.
Exchange exchange_of(const std::vector<ExchangeSource>& sources,
                     const std::optional<ExchangeMessage>& message);

}  // namespace roofline
