#pragma once

// Reads records from a text as from a file: the layers, and the message of each record that fails.

#include <string>
#include <vector>

#include "roofline/error.hpp"
#include "roofline/load.hpp"
#include "temporary_folder.hpp"

struct Records {
  std::vector<roofline::Layer> layers;
  std::vector<std::string> errors;  ///< without the folder
  std::vector<std::string> ignored;
};

inline Records read_records(const std::string& file_name, const std::string& text,
                            const roofline::LayerDefaults& defaults = {}) {
  using namespace roofline;
  const TemporaryFolder folder;
  Records records;
  const auto add_error = [&](const InputError& error) {
    std::string message = error.what();
    message.erase(0, folder.path().size() + 1);
    records.errors.push_back(message);
  };
  try {
    const OpenInput input =
        open_input(resolve_input(folder.write(file_name, text)).front(), {defaults});
    records.ignored = input.records->ignored_columns();
    for (bool more = true; more;) {
      try {
        const std::vector<Layer> layers = input.records->next();
        more = !layers.empty();
        if (more) records.layers.push_back(layers.front());
      } catch (const InputError& error) {
        add_error(error);
      }
    }
  } catch (const InputError& error) {
    add_error(error);
  }
  return records;
}
