#pragma once

#include <cstdint>

#include "tests/bench/peers/sparse_rows.cuh"

// Published ways to exact cosine neighbors of text on a GPU, implemented from their descriptions
// for a card of today. Each gives the similarities of queries [first, first + count) to all
// documents, row-major [count, documents], all on the device and asynchronous on the default
// stream; select_top_k() makes neighbors of them. Rows have length 1.

namespace kindred::bench {

/// R. Bresler and R. Gil, "Clasificación kNN de documentos usando GPU", Computación y Sistemas
/// 15(1), 2011, algorithm 2: one thread per document merges its sorted terms with those of the
/// query, which is in shared memory. They launch it once per query: count = 1. A card of today
/// holds ten times as many threads as there are documents, so here a launch may take several
/// queries.
void merge_rows(SlicesView documents, SparseView queries, std::uint32_t first, std::uint32_t count,
                float* similarities);

/// The same, algorithm 3: a block of documents by a block of queries, both in shared memory, one
/// thread per pair.
void merge_tiles(SlicesView documents, SparseView queries, std::uint32_t first, std::uint32_t count,
                 float* similarities);

/// L. Veronese, A. F. De Souza, C. Badue and E. Oliveira, "Implementação Paralela em C+CUDA de um
/// Categorizador Multi-Rótulo de Texto Baseado no Algoritmo k-NN", WSCAD 2009: documents as a dense
/// matrix, its product with one dense query, each row's sum reduced as a tree in shared memory.
class DenseDocuments {
 public:
  explicit DenseDocuments(SparseView documents);
  /// Of one query.
  void similarities(SparseView queries, std::uint32_t query, float* similarities);

 private:
  std::uint32_t rows_, columns_;  // columns_ is a multiple of 4
  DeviceArray<float> documents_, query_;
};

/// Where scatter_rows puts an entry: row * row_stride + term * term_stride.
struct DensePlace {
  std::size_t row_stride, term_stride;
};

/// Writes weight * scale of every entry of `count` rows from `first` on to its place in `dense`;
/// there the first of them is row 0. A scale of 0 clears what a scale of 1 wrote.
void scatter_rows(SparseView rows, std::uint32_t first, std::uint32_t count, DensePlace place,
                  float scale, float* dense);

}  // namespace kindred::bench
