#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpu/workers.h"
#include "plugin/tune/combiner/combiner_pairs.h"

namespace kindred {

/// The pairs of all documents of some examples, in chunks of a fixed number of documents, so that
/// sums over them have one order whatever the number of threads.
class ExamplePairs {
 public:
  using Document = std::span<const CombinerPair>;

  ExamplePairs(const CombinerExamples& examples, std::size_t threads)
      : chunks_(number_of_chunks(examples.documents, kDocumentsAtOnce)), threads_(threads) {
    const std::size_t size = examples.labels * kLabelFeatures;
    const auto gather_chunk = [&](std::size_t begin, std::size_t end) {
      Chunk& chunk = chunks_[begin / kDocumentsAtOnce];
      std::vector<CombinerRow> room;
      for (std::size_t d = begin; d < end; ++d) {
        const auto truth =
            examples.truth.subspan(examples.begin[d], examples.begin[d + 1] - examples.begin[d]);
        add_pairs(d, examples.features.subspan(d * size, size), truth, room, chunk.pairs);
        chunk.begin.push_back(chunk.pairs.size());
      }
    };
    for_each_chunk(examples.documents, kDocumentsAtOnce, threads_, gather_chunk);
  }

  std::size_t threads() const { return threads_; }

  /// What add_document(pairs, part) makes of the documents of each chunk, one after the other.
  template <typename Part, typename AddDocument>
  std::vector<Part> parts(AddDocument&& add_document) const {
    std::vector<Part> result(chunks_.size());
    for_each_item(chunks_.size(), threads_, [&](std::size_t c) {
      const Chunk& chunk = chunks_[c];
      for (std::size_t d = 0; d + 1 < chunk.begin.size(); ++d) {
        add_document(
            Document(chunk.pairs).subspan(chunk.begin[d], chunk.begin[d + 1] - chunk.begin[d]),
            result[c]);
      }
    });
    return result;
  }

  /// The sum of these parts, in order.
  template <typename Sum, typename AddDocument>
  Sum add_up(AddDocument&& add_document) const {
    Sum sum;
    for (const Sum& part : parts<Sum>(add_document)) sum.add(part);
    return sum;
  }

 private:
  static constexpr std::size_t kDocumentsAtOnce = 128;

  /// The pairs of some documents, one document after the other.
  struct Chunk {
    std::vector<CombinerPair> pairs;
    std::vector<std::size_t> begin{0};
  };

  std::vector<Chunk> chunks_;
  const std::size_t threads_;
};

}  // namespace kindred
