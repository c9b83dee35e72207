#pragma once

// Measured times and recordings as JSON.

#include "report/json_writer.hpp"
#include "roofline/summary.hpp"

namespace roofline {

/// The rates that are there, by engine.
void write_rates(JsonWriter& w, const EngineRates& rates);
/// "measured": where the measured time went; null without measured rows.
void write_measured_summary(JsonWriter& w, const Result& result);
/// "verdict": what the measured time is made of and what would shorten it; null without one.
void write_verdict(JsonWriter& w, const Result& result);
/// "changes": of two results; null where none were compared.
void write_changes(JsonWriter& w, const std::optional<Changes>& changes);
/// "recording": what a profiler says beside the layers; null without one.
void write_recording(JsonWriter& w, const Result& result);

}  // namespace roofline
