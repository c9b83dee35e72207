#pragma once

// What trtexec writes of an engine: its layers (--exportLayerInfo), the time of each
// (--exportProfile), the times of whole runs (--exportTimes), and what the engine explorer's log
// reader makes of trtexec's log (*.metadata.json).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofline {

/// The profile's file beside the layers' one: "x.profile.json" beside "x.graph.json". Also the
/// other way round. Empty where the name says nothing of its part.
std::string profile_beside(const std::string& layers_file);
std::string layers_beside(const std::string& profile_file);

struct LayerTime {
  std::string name;
  double time_s = 0;
};

struct EngineProfile {
  std::string source;
  std::vector<LayerTime> layers;
  std::optional<double> latency_s;  ///< of one run, without a clock around every layer
  std::string device;               ///< empty where no file says
};

/// The profile with what its companions say. Throws InputError.
EngineProfile read_engine_profile(const std::string& file);

}  // namespace roofline
