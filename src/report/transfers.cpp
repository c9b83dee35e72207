// What a recording says of the links to other GPUs and to the host.

#include "report/transfers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/text.hpp"

namespace roofline {
namespace {

std::string link_share_text(double part, double whole) {
  return whole > 0 ? percent(part / whole) : "";
}

/// "all_reduce bf16 8816192", "host to device pinned".
std::string transfer_label(const Transfer& transfer) {
  std::string name(name_of(transfer.kind));
  if (!is_between_gpus(transfer.kind)) std::replace(name.begin(), name.end(), '_', ' ');
  return printable(transfer.what.empty() ? name : name + ' ' + transfer.what);
}

std::string link_rate_text(const std::optional<double>& byte_per_s) {
  return byte_per_s ? si(*byte_per_s, "B/s") : "";
}

}  // namespace

std::string explained_sentence(const TraceSummary& recording) {
  const auto share = [&](double time_s) { return link_share_text(time_s, recording.kernel_s); };
  std::string text =
      fmt::format("layers stand for {} of the kernels' time", share(recording.layers_s));
  if (const double time_s = recording.between_gpus_s(); time_s > 0)
    text += fmt::format(", work between GPUs for {}", share(time_s));
  if (const double time_s = recording.host_link_s(); time_s > 0)
    text += fmt::format(", copies over the host link for {}", share(time_s));
  return text + '\n';
}

Grid transfers_grid(const Result& result, Link link, std::size_t most,
                    std::optional<std::size_t> width) {
  const bool gpus = link == Link::gpus;
  const TraceSummary& recording = *result.measured.recording;
  const std::optional<double>& link_byte_per_s = result.setting.host_link_byte_per_s;
  Grid grid;
  grid.columns = {{gpus ? "between GPUs" : "over the host link", true},
                  {"ranks"},
                  {"launches"},
                  {"bytes"},
                  {"time"},
                  {"of kernels"},
                  {"exposed"},
                  {"hidden"},
                  {"rate"},
                  {gpus ? "bus rate" : "of link"}};
  const auto add = [&](const std::string& name, const Transfer& each) {
    const std::optional<double> rate = each.algorithm_byte_per_s();
    grid.add_row({name, each.ranks ? fmt::format("{}", *each.ranks) : "", plain(each.launches),
                  each.byte ? si(*each.byte, "B") : "", duration(each.time_s),
                  link_share_text(each.time_s, recording.kernel_s), duration(each.exposed_s()),
                  link_share_text(each.hidden_s, each.time_s), link_rate_text(rate),
                  gpus                      ? link_rate_text(each.bus_byte_per_s())
                  : rate && link_byte_per_s ? link_share_text(*rate, *link_byte_per_s)
                                            : ""});
  };
  Transfer total;
  std::size_t count = 0;
  for (const Transfer& each : recording.transfers) {
    if (is_between_gpus(each.kind) != gpus) continue;
    total.launches += each.launches;
    total.time_s += each.time_s;
    total.hidden_s += each.hidden_s;
    if (++count <= most) add(transfer_label(each), each);
  }
  grid.has_total = count > 1;
  if (grid.has_total) add("total", total);
  constexpr std::string_view droppable[] = {"of kernels", "launches", "hidden", "bus rate"};
  drop_columns(grid, width, droppable);
  return grid;
}

}  // namespace roofline
