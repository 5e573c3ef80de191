#include "plugin/cli/output/document_output.h"

#include <algorithm>

#include "plugin/cli/output/tag_output.h"

namespace kindred::cli {
namespace {

/// The further keys of a record that Kindred keeps in document data, text and language among them.
void take_data(std::string_view data, const std::string& id, Json& record) {
  if (!data.starts_with("id=" + id + "\n")) return;  // of another program
  while (!data.empty()) {
    const std::string_view line = data.substr(0, data.find('\n'));
    data.remove_prefix(std::min(line.size() + 1, data.size()));
    const std::size_t equals = std::min(line.find('='), line.size());
    const std::string name(line == "" ? "" : line.substr(0, equals));
    const std::string key = name == "sample" ? "text" : name;
    if (equals < line.size() && name != "label" && !record.contains(key))
      record[key] = line.substr(equals + 1);
  }
}

}  // namespace

Json record_json(const StoredDocument& document, const Topic* topic) {
  Json record = {{"id", document.id}, {"title", document.title}, {"labels", document.labels}};
  if (!document.rejected.empty()) record["rejected_labels"] = document.rejected;
  if (!document.auto_tag) record["auto_tag"] = false;
  take_data(document.data, document.id, record);
  record["predicted"] = tags_json(document.predicted);
  if (topic != nullptr) record["topic"] = {{"number", topic->number}, {"name", topic->name}};
  return record;
}

std::vector<Example> examples_of(std::span<const Xapian::docid> docids) {
  std::vector<Example> examples;
  for (const Xapian::docid docid : docids) examples.emplace_back(Docid{docid});
  return examples;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace kindred::cli
