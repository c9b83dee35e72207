// Adds arguments to the GPU work of a trace; all other bytes stay.

#include "pytorch/formats.hpp"

namespace roofline {

void annotate_trace(std::string_view trace, std::span<const LayerRun> runs,
                    const AnnotationOf& text_of,
                    const std::function<void(std::string_view)>& take) {
  std::size_t passed = 0;
  for (const LayerRun& run : runs) {
    // The arguments are last: "...}" ends them, "}" the event.
    const std::size_t end = trace.rfind('}', trace.rfind('}', run.end_byte - 1) - 1);
    const std::size_t last = trace.find_last_not_of(" \t\r\n", end - 1);
    const std::string text = text_of(run);
    if (text.empty() || end == trace.npos || last == trace.npos) continue;
    take(trace.substr(passed, last + 1 - passed));
    take(trace[last] == '{' ? "\"roofline\": " : ", \"roofline\": ");
    take(text);
    passed = last + 1;
  }
  take(trace.substr(passed));
}

}  // namespace roofline
