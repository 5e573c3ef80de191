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

std::string packed(const TagReport& report) {
  std::string bytes;
  std::vector<std::uint64_t> counts;
  for (const auto member : kTagCounts) counts.push_back(report.*member);
  pack(counts, bytes);
  for (const TagChange& change : report.sample) {
    const std::uint64_t docid = change.docid;
    pack(std::span(&docid, 1), bytes);
    pack(std::span<const char>(change.id), bytes);
    pack_tags(change.given, bytes);
    std::vector<Tag> taken_off;
    for (const std::string& label : change.taken_off) taken_off.push_back({label, 0});
    pack_tags(taken_off, bytes);
  }
  return bytes;
}

TagReport unpacked_report(std::string_view bytes) {
  TagReport report;
  const auto counts = unpack<std::uint64_t>(bytes);
  for (std::size_t i = 0; i < kTagCounts.size(); ++i) report.*kTagCounts[i] = counts.at(i);
  while (!bytes.empty()) {
    TagChange change;
    change.docid = static_cast<Xapian::docid>(unpack<std::uint64_t>(bytes).at(0));
    const auto id = unpack<char>(bytes);
    change.id.assign(id.begin(), id.end());
    change.given = unpack_tags(bytes);
    for (Tag& tag : unpack_tags(bytes)) change.taken_off.push_back(std::move(tag.label));
    report.sample.push_back(std::move(change));
  }
  return report;
}

}  // namespace kindred
