#pragma once

#include <random>
#include <string>
#include <vector>

#include "plugin/engine.h"
#include "tests/small_collection.h"

namespace kindred::test {

/// Documents of five topics in words that partly overlap; every fourth has a second label.
inline std::vector<Record> topical_documents(std::size_t count, bool several_labels = true,
                                             std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<Record> records;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t topic = i % 5;
    std::string text;
    for (int word = 0; word < 12; ++word) {
      const bool common = random() % 3 == 0;
      text += common ? "shared" + std::to_string(random() % 40) + "x "
                     : "topic" + std::to_string(topic) + "w" + std::to_string(random() % 25) + "x ";
    }
    std::vector<std::string> labels = {"label" + std::to_string(topic)};
    if (several_labels && i % 4 == 0) labels.push_back("label" + std::to_string((topic + 1) % 5));
    records.push_back(record("d" + std::to_string(i), text, labels));
  }
  return records;
}

/// Settings that tag without a tuning, in one thread.
inline Settings untuned() {
  Settings settings;
  settings.classify.use_tuning = false;
  settings.backend.kind = "cpu";
  return settings;
}

/// topical_documents() in a database of its own.
struct TopicalCollection {
  explicit TopicalCollection(std::size_t count = 120, bool several_labels = true) {
    write(path, topical_documents(count, several_labels));
  }
  TemporaryDirectory directory;
  std::string path = directory / "db";
};

}  // namespace kindred::test
