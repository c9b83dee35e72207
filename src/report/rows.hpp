#pragma once

// One row's fields, nested as JSON has them.

#include "report/fields.hpp"
#include "report/json_writer.hpp"

namespace roofline {

/// Writes the fields into the open object; `with_head` those that say what the row is of, too. A
/// group of fields that are all unknown is null as a whole.
void write_fields(JsonWriter& writer, const Row& row, bool with_head);

}  // namespace roofline
