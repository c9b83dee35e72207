#include "load/prices.hpp"

#include "load/csv.hpp"
#include "load/json.hpp"

namespace roofline {
namespace {

class PriceList {
 public:
  explicit PriceList(const Catalogue& catalogue) : catalogue_(catalogue) {}

  /// `gpu`: the value whose text or key is the name.
  void add(const Value& gpu, const std::string& name, double per_hour) {
    const Expected<Gpu> found = catalogue_.find(name);
    if (!found) {
      InputError error = gpu.origin().error(gpu.pointer(), found.error().what());
      error.remedy = found.error().remedy;
      throw error;
    }
    if (!prices_.emplace(found->name, per_hour).second)
      gpu.fail("expected each GPU once, got " + found->name + " again");
  }

  /// {"gpu": "h100", "per_hour": 2.5}
  void add_row(const Value& row) {
    row.check_keys("a price", {"gpu", "per_hour"});
    const Value gpu = row.require("gpu", "the name of a GPU");
    add(gpu, gpu.text(), row.require("per_hour", "what an hour costs").positive_number());
  }

  void add_document(const Value& root) {
    if (!root.is_array() && !root.is_object())
      root.fail_expected("prices by GPU, or a list of objects with gpu and per_hour");
    for (const Value part : root) {
      if (root.is_array())
        add_row(part);
      else
        add(part, std::string(part.key()), part.positive_number());
    }
  }

  Prices take() { return std::move(prices_); }

 private:
  const Catalogue& catalogue_;
  Prices prices_;
};

}  // namespace

Prices load_prices(const std::string& path, const Catalogue& catalogue) {
  PriceList list(catalogue);
  read_object_list(
      path, {}, {"gpu and per_hour", {"gpu", "per_hour"}, {"gpu"}},
      [&](const Value& root) { list.add_document(root); },
      [&](const Value& row) { list.add_row(row); });
  return list.take();
}

}  // namespace roofline
