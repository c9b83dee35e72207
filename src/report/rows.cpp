#include "report/rows.hpp"

#include <algorithm>

#include "report/formats.hpp"
#include "report/pieces.hpp"
#include "report/version.hpp"

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

/// Fields of one group, or a field without one, with their keys as JSON has them after a comma.
struct RowMember {
  std::string key;
  std::span<const OutputField> fields;
  std::vector<std::string> keys_in_group;  ///< empty without a group
};

std::string comma_key(std::string_view name) { return ",\"" + std::string(name) + "\":"; }

std::vector<RowMember> make_members() {
  std::vector<RowMember> members;
  for (std::span<const OutputField> fields = output_fields(); !fields.empty();) {
    const std::string_view group = group_of(fields.front());
    RowMember member{comma_key(group.empty() ? fields.front().path : group), fields.first(1), {}};
    if (!group.empty()) member.fields = same_group(fields);
    for (const OutputField& field : member.fields)
      if (!group.empty())
        member.keys_in_group.push_back(comma_key(field.path.substr(group.size() + 1)));
    fields = fields.subspan(member.fields.size());
    members.push_back(std::move(member));
  }
  return members;
}

bool is_known(const OutputField& field, const Row& row) {
  return !std::holds_alternative<std::monostate>(field.value(row));
}

void write_group(JsonWriter& writer, const Row& row, const RowMember& group) {
  writer.comma_key(group.key);
  if (std::none_of(group.fields.begin(), group.fields.end(),
                   [&](const OutputField& field) { return is_known(field, row); })) {
    writer.value({});
    return;
  }
  writer.begin_object();
  for (std::size_t i = 0; i < group.fields.size(); ++i)
    writer.comma_key(group.keys_in_group[i]).value(group.fields[i].value(row));
  writer.end_object();
}

void append_line(std::string& lines, const Row& row) {
  JsonWriter writer(lines, false);
  writer.begin_object();
  write_fields(writer, row, true);
  writer.end_object();
  lines += '\n';
}

}  // namespace

void write_fields(JsonWriter& writer, const Row& row, bool with_head) {
  static const std::vector<RowMember> members = make_members();
  for (const RowMember& member : members) {
    if (!member.keys_in_group.empty())
      write_group(writer, row, member);
    else if (const OutputField& field = member.fields.front(); with_head || !field.is_head)
      writer.comma_key(member.key).value(field.value(row));
  }
}

void append_record(std::string& lines, const std::string& source, const std::string& name,
                   const std::string& gpu, const LayerResult& row) {
  append_line(lines, {source, name, gpu, row, true});
}

std::string render_record_error(const InputError& error) {
  std::string line;
  JsonWriter writer(line, false);
  writer.begin_object()
      .member("schema_version", schema_version)
      .member("source", error.source)
      .member("where", error.where)
      .member("error", error.message)
      .end_object();
  return line + '\n';
}

void write_ndjson(const Report& report, const Sink& sink) {
  Pieces pieces(sink);
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const Result& result = report.results[i];
    for (const std::size_t row : report.selections[i].rows) {
      append_line(pieces.text(),
                  {result.source, result.network, result.gpu, result.layers[row], true});
      pieces.pass_on();
    }
  }
  for (const InputError& error : report.errors) pieces.text() += render_record_error(error);
  pieces.flush();
}

}  // namespace roofline
