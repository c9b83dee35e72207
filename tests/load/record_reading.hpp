#pragma once

// Reads an input from a text as from a file: the layers, and the message of each thing that fails.

#include <string>
#include <vector>

#include "roofline/error.hpp"
#include "roofline/load.hpp"
#include "temporary_folder.hpp"

struct Records {
  std::vector<std::shared_ptr<const roofline::NetworkSpec>> specs;
  std::vector<roofline::Network> networks;  ///< of those that are no recordings of kernels
  std::vector<roofline::Layer> layers;      ///< of all of them
  std::vector<std::string> errors;          ///< without the folder
  std::vector<std::string> notes;           ///< likewise
};

inline Records read_path(const std::string& path, const std::string& folder,
                         const roofline::LayerDefaults& defaults = {}) {
  using namespace roofline;
  Records records;
  const auto bare = [&](std::string text) {
    if (text.starts_with(folder + "/")) text.erase(0, folder.size() + 1);
    return text;
  };
  try {
    const std::unique_ptr<Reader> reader = open_input(path).value();
    while (const auto item = reader->next()) try {
        records.specs.push_back(item->value().spec(defaults).value());
        if (records.specs.back()->kernels) continue;
        records.networks.push_back(infer(*records.specs.back(), defaults).value());
        const auto& layers = records.networks.back().layers;
        records.layers.insert(records.layers.end(), layers.begin(), layers.end());
      } catch (const InputError& error) {
        records.errors.push_back(bare(error.what()));
      }
    for (const std::string& note : reader->notes()) records.notes.push_back(bare(note));
  } catch (const InputError& error) {
    records.errors.push_back(bare(error.what()));
  }
  return records;
}

inline Records read_records(const std::string& file_name, const std::string& text,
                            const roofline::LayerDefaults& defaults = {}) {
  const TemporaryFolder folder;
  return read_path(folder.write(file_name, text), folder.path(), defaults);
}
