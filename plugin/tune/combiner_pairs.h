#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/workers.h"
#include "plugin/tune/combiner_fit.h"
#include "plugin/votes/combiner_rows.h"

namespace kindred {

/// A document and a label, as a combiner is fitted to them.
struct CombinerPair {
  std::array<float, kCombinerSize - 1> row;  ///< as expand() fills it in, without the leading 1
  float weight = 1;                          ///< how many pairs this one stands for
  bool is_true = false;                      ///< the document has the label
};

/// The pairs of one document, labels ascending. Above `kAllLabels` labels nearly all pairs are
/// alike: the label is far from the document and not its own. Then the pairs are
/// - the document's own labels;
/// - for the share, the cosine, the profile and the linear value, the `kBestLabels` labels with the
///   largest values;
/// - of the others every `kOthersEach`-th, which stands for as many. Which ones differs from
///   document to document.
/// `features` is row-major [labels, kLabelFeatures], `truth` ascends, and `room` is working memory.
/// The pairs are added to `pairs`.
inline constexpr std::size_t kAllLabels = 128, kBestLabels = 24, kOthersEach = 16;
void add_pairs(std::size_t document, std::span<const float> features,
               std::span<const std::uint32_t> truth, std::vector<CombinerRow>& room,
               std::vector<CombinerPair>& pairs);

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
