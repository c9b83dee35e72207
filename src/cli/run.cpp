#include "cli/run.hpp"

#include <cstddef>
#include <string>
#include <vector>

#include "cli/errors.hpp"
#include "load/embedded.hpp"
#include "model/text.hpp"
#include "report/document.hpp"
#include "report/fields.hpp"
#include "report/legend.hpp"
#include "report/text.hpp"

namespace roofline {
namespace {

std::string networks_text(bool json) {
  if (!json) return network_names();
  std::string names;
  for (const EmbeddedFile& file : embedded_networks())
    add_item(names, '"' + std::string(file.name) + '"');
  return '[' + names + "]\n";
}

std::string words_text(const std::string& word, const RenderStyle& style, bool json) {
  std::string text = json ? words_json(word) : text_of(words_document(word), style.width);
  if (text.empty())
    throw UsageError("words: expected a word or mark of a table, got " + in_quotes(word) +
                     " (roofline words lists all)");
  return text;
}

std::string kernels_text(const Request& request, const RenderStyle& style) {
  if (request.only_gpu().empty())
    throw UsageError("kernels: expected one GPU, got " + std::to_string(request.gpus.size()) +
                     " (roofline gpus lists all)");
  const Gpu& gpu = request.gpus.front().gpu;
  if (request.json) return render_kernel_rows_json(gpu);
  return request.csv ? render_kernel_rows_csv(gpu) : render_kernel_rows(gpu, style);
}

std::string printed_text(const Request& request) {
  using enum Request::Action;
  if (request.action == print_text) return request.text;
  if (request.action == networks) return networks_text(request.json);
  const RenderStyle style = standard_output_style();
  if (request.action == words) return words_text(request.text, style, request.json);
  if (request.action == fields)
    return request.json ? columns_json() : columns_text(style.width.value_or(80));
  if (request.action == kernels) return kernels_text(request, style);
  std::vector<Gpu> all = each_of(request.gpus, &AskedGpu::gpu);
  const bool is_one = !request.only_gpu().empty();
  if (all.empty()) all = request.catalogue->all();
  if (request.json) return render_gpus_json(all);
  if (request.csv) return render_gpus_csv(all);
  if (!is_one) return render_gpu_list(all, style);
  const std::string text = render_gpu(all.front());
  return style.width ? broken(text, *style.width) : text;
}

}  // namespace

int run(const Request& request) {
  if (request.action == Request::Action::evaluate) return evaluate_inputs(request);
  write_standard_output(printed_text(request));
  return 0;
}

}  // namespace roofline
