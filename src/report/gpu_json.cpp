#include "report/json_values.hpp"
#include "roofline/render.hpp"

namespace roofline {
namespace {

Json text_json(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json sustained_json(const std::optional<SustainedCeilings>& sustained) {
  if (!sustained) return nullptr;
  return {{"peak_flop_per_s", rates_json(sustained->peak_flop_per_s)},
          {"bandwidth_byte_per_s", optional_number(sustained->bandwidth_byte_per_s)},
          {"source", sustained->source}};
}

Json sources_json(const std::vector<Source>& sources) {
  Json list = Json::array();
  for (const Source& source : sources)
    list.push_back({{"title", source.title}, {"date", source.date}, {"fields", source.fields}});
  return list;
}

Json gpu_json(const Gpu& gpu) {
  return {{"name", gpu.name},
          {"aliases", gpu.aliases},
          {"vendor", text_json(gpu.vendor)},
          {"architecture", text_json(gpu.architecture)},
          {"compute_capability", text_json(gpu.compute_capability)},
          {"sm_count", optional_number(gpu.sm_count)},
          {"boost_clock_hz", optional_number(gpu.boost_clock_hz)},
          {"peak_flop_per_s", rates_json(gpu.peak_flop_per_s)},
          {"flop_per_clock_per_sm", rates_json(gpu.flop_per_clock_per_sm)},
          {"memory_byte", optional_number(gpu.memory_byte)},
          {"memory_type", text_json(gpu.memory_type)},
          {"memory_bus_bit", optional_number(gpu.memory_bus_bit)},
          {"memory_data_rate_bit_per_s", optional_number(gpu.memory_data_rate_bit_per_s)},
          {"bandwidth_byte_per_s", gpu.bandwidth_byte_per_s},
          {"l2_byte", optional_number(gpu.l2_byte)},
          {"l3_byte", optional_number(gpu.l3_byte)},
          {"shared_memory_byte_per_sm", optional_number(gpu.shared_memory_byte_per_sm)},
          {"shared_memory_byte_per_block", optional_number(gpu.shared_memory_byte_per_block)},
          {"registers_per_sm", optional_number(gpu.registers_per_sm)},
          {"max_threads_per_sm", optional_number(gpu.max_threads_per_sm)},
          {"max_blocks_per_sm", optional_number(gpu.max_blocks_per_sm)},
          {"warp_size", optional_number(gpu.warp_size)},
          {"host_link_byte_per_s", optional_number(gpu.host_link_byte_per_s)},
          {"host_pinned_byte_per_s", optional_number(gpu.host_pinned_byte_per_s)},
          {"host_pageable_byte_per_s", optional_number(gpu.host_pageable_byte_per_s)},
          {"tdp_w", optional_number(gpu.tdp_w)},
          {"sustained", sustained_json(gpu.sustained)},
          {"kernel",
           {{"math_share", optional_number(gpu.kernel.math_share)},
            {"dram_share", optional_number(gpu.kernel.dram_share)},
            {"launch_s", optional_number(gpu.kernel.launch_s)}}},
          {"notes", gpu.notes},
          {"sources", sources_json(gpu.sources)}};
}

}  // namespace

std::string render_gpus_json(const std::vector<Gpu>& gpus) {
  Json list = Json::array();
  for (const Gpu& gpu : gpus) list.push_back(gpu_json(gpu));
  return dump_document(list);
}

}  // namespace roofline
