#pragma once

// Short ways to load a text in a test.

#include <string>
#include <string_view>

#include "catch.hpp"
#include "roofline/analysis.hpp"
#include "roofline/catalogue.hpp"
#include "roofline/error.hpp"
#include "roofline/load.hpp"

/// What the command line says: --batch, and --set.
inline roofline::LayerDefaults at_batch(std::uint64_t batch) {
  roofline::LayerDefaults defaults;
  defaults.batch_override = batch;
  return defaults;
}

inline roofline::Gpu gpu_with(const char* name, const std::vector<std::string>& texts) {
  std::vector<roofline::GpuSetting> settings;
  for (const std::string& text : texts)
    settings.push_back(roofline::parse_gpu_setting(text).value());
  return roofline::with_settings(roofline::find_gpu(name).value(), settings).value();
}

/// The network on the GPU. Throws InputError where it cannot be evaluated.
inline roofline::Result analyze(const roofline::Network& network, const roofline::Gpu& gpu,
                                const roofline::AnalysisOptions& options = {}) {
  auto result = roofline::evaluate(network, roofline::make_context(gpu, options).value());
  return std::move(result).value();
}

struct BadInput {
  std::string text;
  std::string message;  ///< without "conv.json: " in front, unless a position in the text follows
};

/// The whole message of the InputError that `load` throws; empty where it throws none.
template <class Load>
std::string message_of(const Load& load) {
  try {
    load();
  } catch (const roofline::InputError& error) {
    return error.what();
  }
  return "";
}

/// What is wrong with a GPU's name; empty where it is one.
inline std::string gpu_message(const std::string& name) {
  return message_of([&] { roofline::find_gpu(name).value(); });
}

inline roofline::Network load_text(std::string_view text,
                                   const roofline::LayerDefaults& defaults = {}) {
  return roofline::load_network(text, "conv.json", defaults).value();
}

inline roofline::Layer load_layer(std::string_view text,
                                  const roofline::LayerDefaults& defaults = {}) {
  return load_text(text, defaults).layers.back();
}

inline void check_messages(const std::vector<BadInput>& table) {
  for (const BadInput& bad : table) {
    INFO(bad.text.substr(0, 200));
    const bool has_position = bad.message.starts_with("conv.json:");
    CHECK(message_of([&] { load_text(bad.text); }) ==
          (has_position ? "" : "conv.json: ") + bad.message);
  }
}
