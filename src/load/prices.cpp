#include "load/prices.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "load/byte_stream.hpp"
#include "load/csv.hpp"
#include "load/json_value.hpp"

namespace roofline {
namespace {

class PriceList {
 public:
  PriceList(std::string path, const Catalogue& catalogue)
      : path_(std::move(path)), catalogue_(catalogue) {}

  /// `place` is that of the name.
  void add(const std::string& name, const Value& place, double per_hour) {
    const Expected<Gpu> gpu = catalogue_.find(name);
    if (!gpu) {
      InputError error = place.origin().error(place.pointer(), gpu.error().what());
      error.remedy = gpu.error().remedy;
      throw error;
    }
    if (!prices_.emplace(gpu->name, per_hour).second)
      place.fail("expected each GPU once, got " + gpu->name + " again");
  }

  /// {"gpu": "h100", "per_hour": 2.5}
  void add(const Value& row) {
    ObjectReader reader(row, "a price", {"gpu", "per_hour"});
    const Value gpu = reader.require("gpu", "the name of a GPU");
    add(gpu.text(), gpu, reader.require("per_hour", "what an hour costs").positive_number());
    reader.finish();
  }

  void add_json(const std::string& text) {
    const Origin origin{path_, std::nullopt};
    const JsonDocument document = parse_json(text, origin);
    const Value root(document.root(), origin);
    if (root.is_array())
      for (std::size_t i = 0; i < root.size(); ++i) add(root.at(i));
    else if (root.node().is_object())
      for (const auto& [name, price] : root.node().members())
        add(std::string(name), root.beneath(price), root.beneath(price).positive_number());
    else
      root.fail_expected("prices by GPU, or a list of objects with gpu and per_hour");
  }

  void add_csv(ByteStream& stream) {
    CsvRows rows(stream);
    const std::optional<CsvRow> header = rows.next();
    const auto column = [&](std::string_view name) {
      if (header)
        for (std::size_t i = 0; i < header->cells.size(); ++i)
          if (header->cells[i] == name) return i;
      throw InputError(path_, header ? std::to_string(header->line) : "",
                       "expected a header row with gpu and per_hour, got " +
                           (header ? "none of " + std::string(name) : "an empty file"));
    };
    const std::size_t gpu = column("gpu");
    const std::size_t per_hour = column("per_hour");
    while (const std::optional<CsvRow> row = rows.next()) {
      if (row->cells.size() != header->cells.size())
        throw InputError(path_, std::to_string(row->line),
                         "expected " + std::to_string(header->cells.size()) + " cells, got " +
                             std::to_string(row->cells.size()));
      const Origin origin{path_, row->line};
      JsonStore store;
      std::array<JsonNode::Member, 2> members{
          {{"gpu", store.string(row->cells[gpu])},
           {"per_hour", cell_node(row->cells[per_hour], origin, store)}}};
      const JsonNode object = object_node(members, origin, store);
      add(Value(object, origin));
    }
  }

  Prices prices() && { return std::move(prices_); }

 private:
  std::string path_;
  const Catalogue& catalogue_;
  Prices prices_;
};

}  // namespace

Prices load_prices(const std::string& path, const Catalogue& catalogue) {
  const std::unique_ptr<ByteStream> stream = open_stream(path, {});
  const std::string_view head = stream->peek(1);
  PriceList list(path, catalogue);
  if (path.ends_with(".json") || head.starts_with('[') || head.starts_with('{'))
    list.add_json(stream->read_rest());
  else
    list.add_csv(*stream);
  return std::move(list).prices();
}

}  // namespace roofline
