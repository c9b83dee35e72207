#include <fmt/format.h>

#include "cli/output.hpp"
#include "cli/output_file.hpp"
#include "cli/run.hpp"
#include "model/text.hpp"

namespace roofline {
namespace {

/// The script builds images and rows of features, and no learned operands of combinations.
bool can_be_timed(const Layer& layer) {
  using enum LayerKind;
  constexpr LayerKind timed[] = {
      conv,     conv_transpose, linear,         matmul, attention, add,      batch_norm, layer_norm,
      rms_norm, group_norm,     softmax,        mul,    concat,    max_pool, avg_pool,   copy,
      reduce,   upsample,       global_avg_pool};
  const KindInfo& kind = info(layer.kind);
  const bool is_function = kind.family == KindFamily::activation && kind.reach == Reach::place;
  const bool is_timed = is_function || std::ranges::find(timed, layer.kind) != std::end(timed);
  return is_timed && (!has_window(layer.kind) || layer.window->rank == 2) &&
         layer.window->pad_begin == layer.window->pad_end &&
         std::ranges::none_of(layer.inputs, [&](const Operand& operand) {
           return operand.is_parameter && kind.family == KindFamily::combine;
         });
}

std::string_view calibration_file(std::string_view name) {
  const auto files = embedded_calibration();
  return std::ranges::find(files, name, &EmbeddedFile::name)->text;
}

void replace(std::string& text, std::string_view what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
}

/// The layers of all inputs in their own types and passes, without duplicates.
std::string objects_of_inputs(const Request& request, bool& failed) {
  std::string out;
  std::set<std::string> known;
  const auto inputs = resolve_inputs(request.inputs);
  for (const Network& network : read_networks(request, inputs, failed))
    for (const Layer& layer : network.layers) {
      LayerSpec spec = stated(layer);
      spec.measured = {};
      if (!known.insert(identity(spec)).second) continue;
      if (!can_be_timed(layer) || !spec.fused.empty()) {
        note(fmt::format("{}: layer {} is none that the script can time: left out", network.source,
                         in_quotes(layer.name)));
        continue;
      }
      if (!out.empty()) out += '\n';
      JsonWriter writer(out, false);
      write_layer(writer, spec);
    }
  if (out.empty())
    throw InputError(request.inputs.front(), "", "expected layers that the script can time");
  return out;
}

}  // namespace

int write_measuring_script(const Request& request) {
  bool failed = false;
  std::string script(calibration_file("measure"));
  replace(script, "@MINUTES@", fmt::format("{}", request.minutes));
  replace(script, "@LAYERS@",
          request.inputs.empty() ? std::string(trimmed(calibration_file("layers")))
                                 : objects_of_inputs(request, failed));
  write_standard_output(script);
  return failed ? 1 : 0;
}

}  // namespace roofline
