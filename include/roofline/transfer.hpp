#pragma once

// What a GPU exchanges with other GPUs and with its host, and how fast.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "roofline/enumeration.hpp"

namespace roofline {

enum class TransferKind : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  reduce,
  gather,
  scatter,
  send_receive,
  collective,  ///< one that the recording does not name
  peer_to_peer,
  host_to_device,
  device_to_host,
  host_to_host,
};

/// Between GPUs; the others are over the link to the host.
constexpr bool is_between_gpus(TransferKind kind) { return kind <= TransferKind::peer_to_peer; }

/// Bytes that the busiest link carries for a byte of payload, among so many GPUs: the rate times
/// this compares with the link's own, whatever the kind. As NVIDIA's nccl-tests define it
/// (doc/PERFORMANCE.md).
constexpr double bus_factor(TransferKind kind, std::uint64_t ranks) {
  const double others = ranks > 0 ? static_cast<double>(ranks - 1) / static_cast<double>(ranks) : 0;
  switch (kind) {
    case TransferKind::all_reduce: return 2 * others;
    case TransferKind::all_gather:
    case TransferKind::reduce_scatter:
    case TransferKind::all_to_all:
    case TransferKind::gather:
    case TransferKind::scatter: return others;
    default: return 1;
  }
}

/// Transfers alike, of one step. Their time holds the wait for the slowest of the GPUs.
struct Transfer {
  TransferKind kind = TransferKind::collective;
  std::string what;  ///< the elements, "bf16 8816192", or the host's memory, "pinned"; may be empty
  std::optional<std::uint64_t> ranks;  ///< GPUs that take part
  double launches = 0;                 ///< kernels and copies
  /// Payload of all of them: what one GPU has in the end of an all_gather, what it starts from
  /// otherwise.
  std::optional<double> byte;
  double time_s = 0;
  double hidden_s = 0;  ///< of that, while the same GPU computed

  double exposed_s() const { return time_s - hidden_s; }
  /// Payload over time.
  std::optional<double> algorithm_byte_per_s() const {
    return byte && time_s > 0 ? std::optional(*byte / time_s) : std::nullopt;
  }
  std::optional<double> bus_byte_per_s() const {
    const std::optional<double> rate = algorithm_byte_per_s();
    return rate && ranks ? std::optional(*rate * bus_factor(kind, *ranks)) : std::nullopt;
  }
};

}  // namespace roofline
