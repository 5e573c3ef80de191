#pragma once

#include <string>
#include <vector>

#include "plugin/ingest.h"
#include "plugin/record.h"
#include "tests/temporary_directory.h"

namespace kindred::test {

inline Record record(std::string id, std::string text, std::vector<std::string> labels = {}) {
  Record r;
  r.id = std::move(id);
  r.text = std::move(text);
  r.labels = std::move(labels);
  return r;
}

/// Six labeled documents on two topics, and one on neither without a label.
inline std::vector<Record> small_collection() {
  return {
      record("cat1", "The cat sleeps on the warm mat and purrs", {"animals", "pets"}),
      record("cat2", "A sleeping cat purrs when it is stroked", {"animals", "pets"}),
      record("dog1", "The dog barks at the cat and guards the house", {"animals"}),
      record("tax1", "The tax on income rises with the new budget", {"finance"}),
      record("tax2", "Income tax and interest rates in the budget", {"finance"}),
      record("bank1", "The bank lowers interest rates again", {"finance"}),
      record("zen1", "Silence"),
  };
}

/// Writes records without tagging any.
inline void write(const std::string& database, const std::vector<Record>& records,
                  const Settings& settings = {}) {
  IngestOptions options;
  options.tag = false;
  Ingest ingest(database, settings, options);
  for (const Record& r : records) ingest.add(r);
  ingest.commit();
}

/// small_collection() and perhaps more, in a database of its own.
struct Collection {
  explicit Collection(const std::vector<Record>& more = {}) {
    std::vector<Record> records = small_collection();
    records.insert(records.end(), more.begin(), more.end());
    write(path, records);
  }
  TemporaryDirectory directory;
  std::string path = directory / "db";
};

}  // namespace kindred::test
