#pragma once

// Files and texts of other programs that hold no layers: errors name them and say what to give
// instead. The list is foreign_files.tsv, which the build writes as C++.

#include <cstdint>
#include <span>
#include <string_view>

#include "load/whole_input.hpp"

namespace roofline {

/// The place of a file's words.
enum class Seen : std::uint8_t {
  head,
  first_entry,  ///< the name of a zip's, as archives of programs hold other archives
  table,        ///< the line of its columns, in CSV or printed
  side,         ///< a table without kernels: skipped beside other inputs
};

struct ForeignFile {
  Seen place;
  std::string_view name_endings;  ///< between blanks; enough by themselves
  std::string_view begin;
  std::string_view words[3];
  std::string_view what;  ///< empty for a file to read
  std::string_view to_do;
};

std::span<const ForeignFile> foreign_files();

/// By its first bytes, apart from tables, which may stand among other tables that are read.
bool looks_like_foreign_file(std::string_view head);
bool looks_like_foreign_table(std::string_view head);

/// Nothing for a table without kernels (calls, agents) beside other inputs. Throws InputError.
NetworkSpecs refuse_foreign_file(ByteStream& stream, const InputSet& inputs);

/// Binary files, by the end of their name or their first bytes. Throws InputError.
void refuse_binary_file(ByteStream& stream);

/// `endings`: between blanks.
bool ends_with_any(std::string_view name, std::string_view endings);

}  // namespace roofline
