#include "kernel/constants.hpp"
#include "model/gpu_fields.hpp"
#include "report/json_values.hpp"
#include "roofline/render.hpp"

namespace roofline {
namespace {

template <class Owner>
Json object_json(const Owner& owner);

Json to_json(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
Json to_json(const std::vector<std::string>& texts) { return texts; }
Json to_json(double value) { return number(value); }
Json to_json(const EngineRates& rates) { return rates_json(rates); }
Json to_json(const KernelConstants& constants) { return object_json(constants); }
Json to_json(const std::shared_ptr<const ModelConstants>& constants) {
  return constants ? Json(constants->name) : Json(nullptr);
}

template <class T>
Json to_json(const std::optional<T>& value) {
  return optional_number(value);
}

Json to_json(const std::optional<SustainedCeilings>& sustained) {
  return sustained ? object_json(*sustained) : Json(nullptr);
}

Json to_json(const std::vector<Source>& sources) {
  Json list = Json::array();
  for (const Source& source : sources) list.push_back(object_json(source));
  return list;
}

template <class Owner>
Json object_json(const Owner& owner) {
  Json json = Json::object();
  for (const GpuField<Owner>& field : fields_of<Owner>())
    std::visit([&](auto member) { json[std::string(field.form.key)] = to_json(owner.*member); },
               field.member);
  return json;
}

}  // namespace

std::string render_gpus_json(const std::vector<Gpu>& gpus) {
  Json list = Json::array();
  for (const Gpu& gpu : gpus) list.push_back(object_json(gpu));
  return dump_document(list);
}

}  // namespace roofline
