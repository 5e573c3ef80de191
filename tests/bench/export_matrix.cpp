// Writes the term counts of an index as a file for the benchmarks on a GPU, whose hosts need
// neither Xapian nor the index.
//
//   export_matrix DATABASE FILE
#include <xapian.h>
#include <cstdio>

#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/store/database.h"
#include "tests/bench/matrix_file.h"
#include "tests/bench/options.h"

int main(int argc, char** argv) {
  using namespace kindred::bench;
  return exit_status<Xapian::Error>(argc, argv, [](std::vector<std::string> arguments) {
    const auto named = first_arguments(arguments, 2, "export_matrix DATABASE FILE");
    const kindred::Mirror mirror =
        kindred::read_mirror(kindred::open_database(named[0]), kindred::Settings());
    const std::vector<Xapian::docid> docids = mirror.list->numbers();
    write_matrix(named[1], kindred::matrix_of(*mirror.list, docids));
    std::printf("%zu documents, %u terms, %zu counts\n", docids.size(), mirror.vocabulary.size(),
                mirror.nonzeros());
  });
}
