#include "report/legend.hpp"

#include <fmt/format.h>

#include <span>

#include "model/text.hpp"
#include "report/text.hpp"
#include "roofline/kernel.hpp"

namespace roofline {
namespace {

struct Meaning {
  std::string_view word;
  std::string_view text;
};

constexpr Meaning settings_meanings[] = {
    {"speed-up", "speed-up: over the first row, of an image's time where that is known."},
    {"TDP", "TDP: the power that the GPU draws at most."},
    {"energy", "energy: an image's expected time x TDP, an upper estimate."},
    {"bound by", "bound by: what has most of the roofline's time, and its share of it."},
    {"a million", "a million: what a million images cost, where --price says what the GPU does."},
    {"max batch", "max batch: the largest that fits, if all of the GPU's memory is free."},
    {"best batch",
     "best batch: of 1, 2, 4, ... and the largest that fits, the smallest whose time an image is "
     "within 5% of the least."},
};

constexpr Meaning meanings[] = {
    {"FLOP", "1 MAC = 2 FLOP."},
    {"", "k, M, G: powers of ten."},
    {"bytes", "bytes: each operand is read once, each result written once."},
    {"roofline", "roofline: max(FLOP / peak, bytes / bandwidth), all bytes from device memory."},
    {"expected",
     "expected: the time of a library's kernel; less than the roofline where operands are in L2 "
     "(see --cache) or Winograd needs fewer MACs."},
    {"share", "share: of the total."},
    {"within",
     "within: of 100 measured times, 68 lie between expected / within and expected x within. ~: "
     "no kernel of this kind was measured on this GPU."},
};

constexpr Meaning measured_meanings[] = {
    {"lost", "lost: the measured time beyond the roofline."},
    {"/bound",
     "/bound, /exp.: the measured time over the roofline, over the expected time; >x1000 where "
     "the roofline is far below the start of a kernel."},
};

/// The meanings of what is shown, as one paragraph. What has no word is always said.
std::string paragraph(std::span<const Meaning> all, const std::set<std::string>& shown) {
  std::string text;
  for (const Meaning& each : all)
    if (each.word.empty() || shown.contains(std::string(each.word))) add_item(text, each.text, " ");
  return text.empty() ? text : broken(text, sentence_width) + '\n';
}

}  // namespace

void Legend::add(const Grid& grid) {
  for (const GridColumn& column : grid.columns) {
    words_.insert(column.header);
    if (column.header == "expected") words_.insert("within");  // its "~", where that is dropped
    for (const std::string& cell : column.cells) {
      if (column.header == "limiter") limiters_.insert(cell);
      if (column.header == "bound" && cell.ends_with('*')) rows_below_roofline_ = true;
    }
  }
}

std::string Legend::text() const {
  std::string text = paragraph(settings_meanings, words_) + paragraph(meanings, words_);
  if (rows_below_roofline_)
    text += "*: expected is less than the roofline: operands in L2, or Winograd saves MACs.\n";
  return text + paragraph(measured_meanings, words_) + limiters_text();
}

std::string Legend::limiters_text() const {
  std::string text;
  for (const Limiter limiter : enumerators<Limiter>)
    if (const std::string name = words(limiter); limiters_.contains(name))
      add_item(text, fmt::format("{}: {}", name, meaning_of(limiter)));
  if (text.empty()) return "";
  return broken("limiter: the largest part of the expected time; " + text + ".\n", sentence_width);
}

}  // namespace roofline
