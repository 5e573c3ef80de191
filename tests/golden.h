#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "gpu/csr.h"

// The term counts of Reuters-21578 ApteMod, and what an independent oracle made of them.

namespace kindred::test {

/// A file of the directory that environment variable KINDRED_GOLDEN names.
inline std::filesystem::path golden(const std::string& file) {
  const char* directory = std::getenv("KINDRED_GOLDEN");
  const std::string fallback = KINDRED_SOURCE_DIR "/../shared/golden";
  return std::filesystem::path(directory != nullptr ? directory : fallback) / file;
}

/// The lines of a gzip file; none if it is not there.
inline std::vector<std::string> read_lines(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return lines;
  std::string line;
  for (int c; (c = gzgetc(file)) != -1;) {
    if (c != '\n') {
      line.push_back(static_cast<char>(c));
      continue;
    }
    lines.push_back(line);
    line.clear();
  }
  gzclose(file);
  return lines;
}

struct Documents {
  Csr train, test;
  std::vector<std::string> train_id, test_id;
};

/// Lines 'TRAIN|TEST id label,label... term:count term:count ...'.
inline Documents read_documents(const std::vector<std::string>& lines) {
  Documents documents;
  std::uint32_t columns = 0;
  for (const std::string& line : lines) {
    std::istringstream fields(line);
    std::string split, id, labels, entry;
    fields >> split >> id;
    fields.get();  // the labels may be empty
    std::getline(fields, labels, ' ');
    Csr& csr = split == "TRAIN" ? documents.train : documents.test;
    (split == "TRAIN" ? documents.train_id : documents.test_id).push_back(id);
    while (fields >> entry) {
      const std::size_t colon = entry.find(':');
      csr.column.push_back(static_cast<std::uint32_t>(std::stoul(entry.substr(0, colon))));
      csr.count.push_back(static_cast<std::uint16_t>(std::stoul(entry.substr(colon + 1))));
      columns = std::max(columns, csr.column.back() + 1);
    }
    csr.row_begin.push_back(csr.column.size());
  }
  documents.train.columns = documents.test.columns = columns;
  return documents;
}

}  // namespace kindred::test
