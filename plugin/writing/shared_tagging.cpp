#include "plugin/writing/shared_tagging.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "plugin/classify/shared_classification.h"
#include "plugin/ranks/collective.h"
#include "plugin/ranks/packed.h"

namespace kindred {
namespace {

std::string packed(const std::vector<MirroredDocument>& documents) {
  std::string bytes;
  for (const MirroredDocument& document : documents) {
    const std::uint64_t numbers[] = {document.docid, document.limits.auto_tag ? 1U : 0U,
                                     document.limits.rejected.size()};
    pack(std::span<const std::uint64_t>(numbers), bytes);
    for (const std::string& label : document.limits.rejected)
      pack(std::span<const char>(label), bytes);
  }
  return bytes;
}

std::vector<MirroredDocument> unpacked_documents(std::string_view bytes) {
  std::vector<MirroredDocument> documents;
  while (!bytes.empty()) {
    const auto numbers = unpack<std::uint64_t>(bytes);
    MirroredDocument document;
    document.docid = static_cast<Xapian::docid>(numbers.at(0));
    document.limits.auto_tag = numbers.at(1) != 0;
    for (std::uint64_t i = 0; i < numbers.at(2); ++i) {
      const auto label = unpack<char>(bytes);
      document.limits.rejected.emplace_back(label.begin(), label.end());
    }
    documents.push_back(std::move(document));
  }
  return documents;
}

/// What all ranks do together once they know the documents.
std::vector<Classification> classify_shares(Ranks& ranks, const Engine& engine,
                                            const std::vector<MirroredDocument>& documents) {
  std::vector<Classification> answers;
  share_classification(
      ranks, documents.size(), documents.size(),
      [&](std::size_t begin, std::size_t end) {
        return engine.classify(
            std::vector<MirroredDocument>(documents.begin() + static_cast<std::ptrdiff_t>(begin),
                                          documents.begin() + static_cast<std::ptrdiff_t>(end)));
      },
      [&](std::size_t, const Classification& found) { answers.push_back(found); });
  return answers;
}

}  // namespace

void help_tagging(const Engine& engine, Ranks& ranks) {
  engine.check_agreement(ranks);
  while (true) {
    ranks.tell("waiting for documents to classify");
    const auto documents = unpacked_documents(broadcast(ranks, ""));
    if (documents.empty()) return;
    ranks.tell("classifying " + std::to_string(documents.size()) + " documents with the others");
    classify_shares(ranks, engine, documents);
  }
}

std::vector<Classification> classify_with(Ranks& ranks, const Engine& engine,
                                          const std::vector<MirroredDocument>& documents) {
  if (ranks.size() == 1) return engine.classify(documents);
  broadcast(ranks, packed(documents));
  return classify_shares(ranks, engine, documents);
}

}  // namespace kindred
