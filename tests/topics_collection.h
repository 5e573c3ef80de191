#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "plugin/ingest.h"
#include "plugin/topics.h"

namespace kindred::test {

inline const std::vector<std::pair<std::string, std::string>> kSubjects = {
    {"sea", "ships sailing harbors sailors waves anchors"},
    {"music", "violins orchestras melodies singers concerts pianos"},
    {"garden", "roses flowers gardeners planting seeds watering"},
    {"space", "rockets planets astronauts orbiting telescopes moons"}};

/// 200 documents, 50 a subject; each lacks some of its words.
inline std::string make_database(const std::string& path) {
  Ingest ingest(path, Settings{});
  for (int i = 0; i < 200; ++i) {
    const auto& [label, words] = kSubjects[static_cast<std::size_t>(i) % 4];
    Record record;
    record.id = label + std::to_string(i);
    record.title = "about " + label + " number" + std::to_string(i / 4 % 7);
    std::size_t word = 0;
    for (std::size_t begin = 0; begin < words.size(); ++word) {
      const std::size_t end = std::min(words.find(' ', begin), words.size());
      if ((static_cast<std::size_t>(i) / 4 + word) % 3 != 0)
        record.text += words.substr(begin, end - begin) + " ";
      begin = end + 1;
    }
    record.labels = {label};
    ingest.add(record);
  }
  ingest.commit();
  return path;
}

inline TopicsRequest small_request() {
  TopicsRequest request;
  request.rows = 8;
  request.columns = 8;
  request.count = 4;
  return request;
}

inline Record text(const std::string& words) {
  Record record;
  record.text = words;
  return record;
}

}  // namespace kindred::test
