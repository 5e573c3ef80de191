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

namespace kindred::bench {

void run_bench(std::vector<std::string> arguments) {
  const auto named = first_arguments(arguments, 2, "export_matrix DATABASE FILE");
  const Mirror mirror = read_mirror(open_database(named[0]), Settings());
  const std::vector<Xapian::docid> docids = mirror.list->numbers();
  write_matrix(named[1], matrix_of(*mirror.list, docids));
  std::printf("%zu documents, %u terms, %zu counts\n", docids.size(), mirror.dictionary.size(),
              mirror.nonzeros());
}

}  // namespace kindred::bench
