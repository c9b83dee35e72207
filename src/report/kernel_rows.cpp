#include "report/kernel_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/choices.hpp"
#include "kernel/constants.hpp"
#include "model/text.hpp"
#include "report/document.hpp"
#include "report/text.hpp"
#include "report/writer.hpp"
#include "roofline/render.hpp"

namespace roofline {
namespace {

using Json = nlohmann::ordered_json;

/// A row as it is listed: of the choices, or a solver's.
struct ListedRow {
  std::size_t number = 0;  ///< as --explain names it; 0: a solver
  bool is_case = false;    ///< names layers, for other rows
  std::string kernel;
  std::string takes;
  std::string library;
  std::string since;
  std::string until;
  std::string gpu;  ///< on which it was seen
  std::uint64_t layers = 0;
  std::string origin;
};

/// "taps 26 to 32", "groups from 32", "window up to 5", "bits 16"
std::string range_text(const ChoiceRange& range) {
  std::string text(names_of<ChoiceSize>.at(range.size));
  const bool has_most = range.most != ChoiceRange::unbounded;
  if (has_most && range.least == range.most) return text + ' ' + std::to_string(range.most);
  if (range.least == 0) return text + " up to " + std::to_string(range.most);
  text += (has_most ? " " : " from ") + std::to_string(range.least);
  return has_most ? text + " to " + std::to_string(range.most) : text;
}

std::string choice_text(const ChoiceRow& row, const std::vector<std::string>& cases) {
  std::string text;
  const auto add = [&](std::uint64_t bits, const std::string& before, std::size_t first) {
    for (std::size_t i = first; i < count_of<ChoiceWord> + cases.size(); ++i)
      if ((bits >> i & 1) != 0)
        add_item(text, before + (i < count_of<ChoiceWord> ? std::string(names_of<ChoiceWord>.at(i))
                                                          : cases[i - count_of<ChoiceWord>]));
  };
  constexpr std::size_t passes = index_of(ChoiceWord::wgrad) + 1;
  constexpr std::uint64_t all_passes = (1U << passes) - 1;
  if ((row.is_not & all_passes) != 0) add(all_passes & ~row.is_not, "", 0);
  add(row.is & ~all_passes, "", passes);
  add(row.is_not, "not ", passes);
  for (std::size_t i = 0; i < row.range_count; ++i) add_item(text, range_text(row.ranges.at(i)));
  return text;
}

template <class Row>
void add_releases(ListedRow& out, const Row& row) {
  if (row.since.is_stated()) out.since = row.since.text();
  if (row.until.is_stated()) out.until = row.until.text();
}

ListedRow listed(const ChoiceRow& row, const ModelConstants& constants) {
  const LibraryChoices& choices = constants.choices;
  ListedRow out;
  out.number = static_cast<std::size_t>(&row - choices.rows.data()) + 1;
  out.is_case = row.is_case;
  out.kernel =
      row.is_case ? "case " + choices.cases[row.defines] : std::string(name_of(row.kernel));
  if (row.is_alone) out.kernel += " alone";
  out.takes = choice_text(row, choices.cases);
  out.library = name_of(row.library);
  add_releases(out, row);
  out.gpu = constants.origins[row.gpu];
  out.layers = row.layers;
  out.origin = constants.origins[row.origin];
  return out;
}

ListedRow listed(const Solver& solver, const ModelConstants& constants) {
  ListedRow out;
  out.kernel = *solver.name;
  for (const SolverWord word : enumerators<SolverWord>)
    if (solver.runs[word]) add_item(out.takes, name_of(word));
  for (std::size_t i = 0; i < solver.multiples.size(); ++i)
    if (solver.multiples.at(i) > 1)
      add_item(out.takes,
               std::string(1, "mnk"[i]) + " of " + std::to_string(solver.multiples.at(i)));
  out.library = name_of(KernelLibrary::miopen);
  add_releases(out, solver);
  out.origin = constants.title;
  return out;
}

std::vector<ListedRow> rows_of(const ModelConstants& constants) {
  std::vector<ListedRow> rows;
  for (const Solver& solver : constants.solvers) rows.push_back(listed(solver, constants));
  for (const ChoiceRow& row : constants.choices.rows) rows.push_back(listed(row, constants));
  return rows;
}

std::string number_of(const ListedRow& row) {
  return row.number > 0 ? std::to_string(row.number) : "";
}

std::string layers_of(const ListedRow& row) {
  return row.layers > 0 ? std::to_string(row.layers) : "";
}

/// As people look for them: what came or went with a release, then all other kernels, then the
/// cases.
std::vector<ListedRow> in_reading_order(std::vector<ListedRow> rows) {
  std::ranges::stable_sort(rows, {}, [](const ListedRow& row) {
    if (row.is_case) return 2;
    return row.since.empty() && row.until.empty() ? 1 : 0;
  });
  return rows;
}

}  // namespace

std::string library_changes_text(const std::vector<Gpu>& gpus) {
  std::map<std::string_view, std::set<Release>> last_before_change;
  for (const Gpu& gpu : gpus) {
    const LibraryChoices& choices = gpu.constants->choices;
    const KernelLibrary used = choices.library.library;
    const auto note = [&](KernelLibrary library, const Release& since, const Release& until) {
      if (library != used) return;
      if (since.is_stated()) last_before_change[name_of(used)].insert(since.previous());
      if (until.is_stated()) last_before_change[name_of(used)].insert(until);
    };
    for (const ChoiceRow& row : choices.rows) note(row.library, row.since, row.until);
    for (const Solver& solver : gpu.constants->solvers) note(used, solver.since, solver.until);
  }
  std::string text;
  for (const auto& [library, releases] : last_before_change) {
    text += (text.empty() ? "" : "; ") + std::string(library);
    for (const Release& release : releases) text += " up to " + release.text() + ',';
    text += " later";
  }
  return text;
}

std::string render_kernel_rows(const Gpu& gpu, const RenderStyle& style) {
  const ModelConstants& constants = *gpu.constants;
  Grid grid{{right("row"), left("kernel"), left("library"), left("since", 4), left("until", 3),
             left("seen on", 2), right("layers", 1), left("takes")}};
  for (const ListedRow& row : in_reading_order(rows_of(constants)))
    grid.add_row({number_of(row), row.kernel, row.library, row.since, row.until, row.gpu,
                  layers_of(row), row.takes});
  Document document;
  document.add_heading(gpu.name + " by " + constants.choices.library.text() + ": " +
                       constants.title);
  constexpr std::size_t widest = 100;
  const std::string changes = library_changes_text({gpu});
  if (!changes.empty())
    document.add_line("Releases whose kernels differ (--assume library=...): " + changes +
                          ". Kernels that came or went with one of them are first.",
                      widest);
  document.add_gap();
  document.add_table({std::move(grid)});
  document.add_gap();
  document.add_line(
      "The fastest of the kernels that take a convolution runs it. Cases, at the end, name layers "
      "for rows of higher numbers. layers: how many were looked at. --json gives where each row "
      "comes from.",
      widest);
  return text_of(document, style.width);
}

std::string render_kernel_rows_json(const Gpu& gpu) {
  constexpr std::uint64_t version = 1;  // raised when a key changes its meaning or goes
  Json all{{"kernels_version", version},
           {"roofline_version", ROOFLINE_VERSION},
           {"gpu", gpu.name},
           {"kernel_model", gpu.constants->name},
           {"title", gpu.constants->title},
           {"library", gpu.constants->choices.library.text()},
           {"rows", Json::array()}};
  for (const ListedRow& row : rows_of(*gpu.constants)) {
    Json& json = all["rows"].emplace_back();
    json["row"] = row.number > 0 ? Json(row.number) : Json();
    json["kernel"] = row.kernel;
    json["takes"] = row.takes;
    json["library"] = row.library;
    json["since"] = row.since.empty() ? Json() : Json(row.since);
    json["until"] = row.until.empty() ? Json() : Json(row.until);
    json["seen_on"] = row.gpu.empty() ? Json() : Json(row.gpu);
    json["layers"] = row.layers > 0 ? Json(row.layers) : Json();
    json["origin"] = row.origin;
  }
  return dumped(all, 2) + '\n';
}

std::string render_kernel_rows_csv(const Gpu& gpu) {
  std::string out = "row,kernel,takes,library,since,until,seen_on,layers,origin\n";
  TextBuffer csv(out);
  for (const ListedRow& row : rows_of(*gpu.constants)) {
    const auto text = [](const std::string& cell) { return Cell(std::string_view(cell)); };
    const auto known = [](std::uint64_t number) { return number > 0 ? Cell(number) : Cell(); };
    const Cell cells[] = {known(row.number), text(row.kernel),  text(row.takes),
                          text(row.library), text(row.since),   text(row.until),
                          text(row.gpu),     known(row.layers), text(row.origin)};
    append_csv_row(csv, cells);
  }
  csv.flush();
  return out;
}

}  // namespace roofline
