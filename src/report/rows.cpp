#include "report/rows.hpp"

#include <algorithm>

namespace roofline {
namespace {

std::string_view group_of(const OutputField& field) {
  const std::size_t dot = field.path.find('.');
  return dot == field.path.npos ? std::string_view() : field.path.substr(0, dot);
}

/// Fields from `begin` on that have the same group.
std::span<const OutputField> same_group(std::span<const OutputField> fields) {
  const std::string_view group = group_of(fields.front());
  const auto end = std::find_if(fields.begin(), fields.end(),
                                [&](const OutputField& field) { return group_of(field) != group; });
  return fields.first(static_cast<std::size_t>(end - fields.begin()));
}

/// Fields of one group, or a field without one.
struct RowMember {
  JsonKey key;
  std::span<const OutputField> fields;
  std::vector<JsonKey> keys_in_group;  ///< empty without a group
};

std::vector<RowMember> make_members() {
  std::vector<RowMember> members;
  for (std::span<const OutputField> fields = output_fields(); !fields.empty();) {
    const std::string_view group = group_of(fields.front());
    RowMember member{JsonKey(group.empty() ? fields.front().path : group), fields.first(1), {}};
    if (!group.empty()) member.fields = same_group(fields);
    for (const OutputField& field : member.fields)
      if (!group.empty()) member.keys_in_group.emplace_back(field.path.substr(group.size() + 1));
    fields = fields.subspan(member.fields.size());
    members.push_back(std::move(member));
  }
  return members;
}

void write_group(JsonWriter& writer, const Row& row, const RowMember& group) {
  writer.key(group.key);
  if (std::none_of(group.fields.begin(), group.fields.end(),
                   [&](const OutputField& field) { return is_known(field.value(row)); })) {
    writer.value({});
    return;
  }
  writer.begin_object();
  for (std::size_t i = 0; i < group.fields.size(); ++i)
    writer.member(group.keys_in_group[i], group.fields[i].value(row));
  writer.end_object();
}

}  // namespace

void write_fields(JsonWriter& writer, const Row& row, bool with_head) {
  static const std::vector<RowMember> members = make_members();
  for (const RowMember& member : members) {
    if (!member.keys_in_group.empty())
      write_group(writer, row, member);
    else if (const OutputField& field = member.fields.front(); with_head || !field.is_head)
      writer.member(member.key, field.value(row));
  }
}

}  // namespace roofline
