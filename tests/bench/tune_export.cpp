// Writes the term counts and labels of an index as a file for tune_bench.
//
//   tune_export DATABASE FILE
#include <xapian.h>
#include <cstdio>

#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/store/database.h"
#include "tests/bench/tune_collection.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: tune_export DATABASE FILE\n");
    return 2;
  }
  try {
    const kindred::Mirror mirror =
        kindred::read_mirror(kindred::open_database(argv[1]), kindred::Settings());
    kindred::bench::write_collection(argv[2], mirror);
    std::printf("%zu documents, %u terms, %zu counts, %u labels\n", mirror.docids.size(),
                mirror.vocabulary.size(), mirror.nonzeros(), mirror.labels.names.size());
    return 0;
  } catch (const Xapian::Error& e) {
    std::fprintf(stderr, "tune_export: %s\n", e.get_description().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tune_export: %s\n", e.what());
  }
  return 1;
}
