// Tables of sums as profilers print them to be read by people: a row has its numbers first, with
// blanks between them, and then a name.

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "load/recording.hpp"
#include "profilers/formats.hpp"
#include "profilers/profiler_csv.hpp"

namespace roofline {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view gpu_rows = "GPU activities:";
constexpr const char* instead_of_operators =
    "this is a table of key_averages(), which is not read: give the recording itself, of "
    "profile(..., record_shapes=True) and export_chrome_trace(\"FILE.json.gz\")";

/// Takes the first word off a text.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// Columns stand two blanks apart.
std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  while (!(line = trimmed(line)).empty()) {
    columns.push_back(line.substr(0, line.find("  ")));
    line.remove_prefix(columns.back().size());
  }
  return columns;
}

bool has(const std::vector<std::string_view>& columns, std::string_view wanted) {
  return std::ranges::find(columns, wanted) != columns.end();
}

bool is_header(const std::vector<std::string_view>& columns) {
  return (has(columns, "Time(%)") || has(columns, "Time (%)")) &&
         (columns.back() == "Name" || columns.back() == "Operation");
}

/// Of PyTorch's key_averages().table(), where an operator's time holds that of its kernels, which
/// have rows too.
bool is_of_operators(const std::vector<std::string_view>& columns) {
  return has(columns, "Self CPU %") || has(columns, "Self CPU total %");
}

/// "1.27759s", or a number of the unit in the column's name.
std::optional<double> seconds_in(std::string_view cell, std::string_view column) {
  const std::size_t end = cell.find_last_of("0123456789.") + 1;
  std::string_view unit = cell.substr(end);
  if (const std::size_t open = column.find('('); unit.empty() && open != column.npos)
    unit = column.substr(open + 1, column.size() - open - 2);
  const auto number = profiler_number(cell.substr(0, end));
  const auto factor = unit.ends_with('s') ? unit_factor(unit) : std::nullopt;
  return number && factor && *number >= 0 && *number * *factor < s_per_year
             ? std::optional(*number * *factor)
             : std::nullopt;
}

/// A row under these columns, of which each but the last is a number.
std::optional<KernelLaunch> launch_in(std::string_view row,
                                      std::span<const std::string_view> columns) {
  KernelLaunch launch;
  std::optional<double> time_s;
  std::optional<double> count;
  for (const std::string_view column : columns.first(columns.size() - 1)) {
    if (column == "Type") continue;
    const std::string_view cell = take_word(row);
    if (column == "Time" || column.starts_with("Total Time")) time_s = seconds_in(cell, column);
    if (column == "Calls" || column == "Instances" || column == "Count")
      count = profiler_number(cell);
  }
  launch.kernel.name = trimmed(row);
  constexpr double most = 1e12;
  if (!time_s || !count || !(*count >= 1 && *count <= most) || launch.kernel.name.empty())
    return std::nullopt;
  launch.kernel.time_s = *time_s;
  launch.kernel.launches = static_cast<std::uint64_t>(*count);
  return launch;
}

}  // namespace

bool looks_like_profiler_text(std::string_view head) {
  for (; !head.empty(); head.remove_prefix(std::min(head.find('\n'), head.size() - 1) + 1))
    if (const auto columns = columns_of(head.substr(0, head.find('\n')));
        is_header(columns) || is_of_operators(columns))
      return true;
  return false;
}

NetworkSpecs read_profiler_text(ByteStream& stream, BadRows& bad) {
  const std::string text = stream.read_rest();
  KernelList list;
  KernelRecording recording;
  std::vector<std::string_view> columns;
  bool are_kernels = false;
  std::size_t number = 0;
  std::size_t calls = 0;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    line = trimmed(line);
    ++number;
    if (auto found = columns_of(line); is_of_operators(found)) {
      throw InputError(stream.name(), "", instead_of_operators);
    } else if (is_header(found)) {
      columns = std::move(found);
      are_kernels = !has(columns, "Num Calls");
      recording.recorder = columns.front() == "Type" ? "nvprof" : "Nsight Systems";
      continue;
    }
    // nvprof has kernels and calls in one table, Nsight Systems a blank line behind each.
    if (line.starts_with(gpu_rows)) line = trimmed(line.substr(gpu_rows.size()));
    if (line.starts_with("API calls:")) are_kernels = false;
    if (line.empty() && recording.recorder != "nvprof") columns.clear();
    if (columns.empty() || line.empty() || line.starts_with("--") || line.starts_with("=="))
      continue;
    const auto launch = are_kernels ? launch_in(line, columns) : std::nullopt;
    if (launch)
      list.add(*launch);
    else if (are_kernels)
      bad.add({stream.name(), std::to_string(number),
               "expected a row of numbers with times and a name, got \"" +
                   std::string(line.substr(0, 40)) + '"'});
    else
      ++calls;
  }
  if (calls > 0)
    recording.notes.push_back("rows of calls on the host, left out: " + std::to_string(calls));
  list.fold_into(recording);
  return specs_of(std::move(recording), stream);
}

}  // namespace roofline
