// Copies a trace and adds arguments to its GPU work; all other bytes stay.

#include <utility>

#include "pytorch/formats.hpp"

namespace roofline {

void annotate_trace(ByteStream& trace, std::span<const LayerRun> runs, const AnnotationOf& text_of,
                    const std::function<void(std::string_view)>& take) {
  constexpr std::string_view blanks = " \t\r\n";
  constexpr std::size_t most_held = 1 << 17;
  constexpr std::size_t kept = 1 << 12;  // more than follows the last argument
  std::string held;                      // read, not passed on
  std::uint64_t read = 0;
  const auto read_up_to = [&](std::uint64_t end) {
    for (std::string_view bytes; read < end && !(bytes = trace.peek(1)).empty();) {
      bytes = bytes.substr(0, end - read);
      if (held.size() > most_held) {
        take(std::string_view(held).substr(0, held.size() - kept));
        held.erase(0, held.size() - kept);
      }
      held += bytes;
      read += bytes.size();
      trace.skip(bytes.size());
    }
  };
  for (const LayerRun& run : runs) {
    read_up_to(run.end_byte);
    // The arguments are last: "...}" ends them, "}" the event.
    const std::size_t end = held.find_last_of('}', held.find_last_of('}') - 1);
    const std::size_t last = held.find_last_not_of(blanks, end - 1);
    const std::string text = text_of(run);
    if (!text.empty() && end != held.npos && last != held.npos)
      held.insert(last + 1, (held[last] == '{' ? "\"roofline\": " : ", \"roofline\": ") + text);
    take(std::exchange(held, ""));
  }
  read_up_to(UINT64_MAX);
  take(held);
}

}  // namespace roofline
