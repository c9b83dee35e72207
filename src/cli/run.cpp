#include "cli/run.hpp"

#include "cli/errors.hpp"
#include "model/text.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

/// Exit code 1 if an input could not be evaluated.
int evaluate_inputs(const Request& request) {
  Contexts contexts(request);
  const auto inputs = resolve_inputs(request.inputs);
  for (const Expected<std::string>& input : inputs)  // "resnet50 v100"
    if (request.gpus.empty() && !input && request.catalogue->find(input.error().source))
      raise(input.error());
  std::map<std::string, OutputFile> files = open_outputs(request, inputs);
  std::optional<MeasuredTimes> times = request.measured;
  const Evaluator evaluator(request, contexts, times ? &*times : nullptr);
  Results results(request, files);
  Progress progress("evaluated");
  try {
    evaluate_in_order(inputs, request, evaluator, [&](Evaluation part) {
      progress.step(part.items);
      results.take(std::move(part));
    });
    if (times)
      for (const std::string& text : times->notes()) note(text);
    progress.erase();
    results.write();
  } catch (const OutputClosed&) {  // `| head` has seen enough
  }
  return results.finish();
}

std::string networks_text(bool json) {
  if (!json) return network_names();
  std::string names;
  for (const EmbeddedFile& file : embedded_networks())
    add_item(names, '"' + std::string(file.name) + '"');
  return '[' + names + "]\n";
}

std::string words_of(const std::string& word, std::size_t width) {
  std::string text = words_text(width, word);
  if (text.empty())
    throw UsageError("words: expected a word or mark of a table, got " + in_quotes(word) +
                     " (roofline words lists all)");
  return text;
}

std::string printed_text(const Request& request) {
  using enum Request::Action;
  if (request.action == print_text) return request.text;
  if (request.action == networks) return networks_text(request.json);
  const RenderStyle style = standard_output_style();
  const std::size_t width = style.width.value_or(80);
  if (request.action == words) return words_of(request.text, width);
  std::vector<Gpu> all;
  for (const AskedGpu& asked : request.gpus) all.push_back(asked.gpu);
  if (request.action == model) return write_constants(*all.front().constants);
  const bool is_one = !request.only_gpu().empty();
  if (all.empty()) all = request.catalogue->all();
  if (request.json) return render_gpus_json(all);
  if (!is_one) return render_gpu_list(all, style);
  const std::string text = render_gpu(all.front());
  return style.width ? broken(text, width) : text;
}

}  // namespace

int run(const Request& request) {
  if (request.action == Request::Action::evaluate) return evaluate_inputs(request);
  if (request.action == Request::Action::calibrate) return calibrate_inputs(request);
  if (request.action == Request::Action::write_script) return write_measuring_script(request);
  write_standard_output(printed_text(request));
  return 0;
}

}  // namespace roofline
