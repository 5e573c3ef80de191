#include "plugin/classify/classify_batch.h"

#include <utility>
#include <variant>

#include "gpu/workers.h"

namespace kindred {

ClassifyBatch::ClassifyBatch(MirroredDatabase& database, const Snapshot& snapshot, VoteMeans means)
    : database_(database),
      context_{snapshot, database.settings(), database.analyzers()},
      means_(std::move(means)),
      texts_(snapshot, means_) {}

void ClassifyBatch::add(std::span<const Example> examples, const Pulse& pulse) {
  constexpr std::size_t kAnalyzedAtOnce = 16;
  std::vector<TermBag> features(examples.size());
  const auto analyze = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      pulse();
      if (std::holds_alternative<Record>(examples[i]))
        features[i] = example_features(context_, examples[i]);
    }
  };
  for_each_chunk(examples.size(), kAnalyzedAtOnce, context_.snapshot.voting().threads(), analyze);

  for (std::size_t i = 0; i < examples.size(); ++i) {
    pulse();
    add(examples[i], features[i]);
  }
}

/// `features`: of a record.
void ClassifyBatch::add(const Example& example, const TermBag& features) {
  // A record brings its text, and may be of a document that the index has; other examples are
  // documents.
  const Snapshot& snapshot = context_.snapshot;
  if (const auto* record = std::get_if<Record>(&example)) {
    const Xapian::docid docid = document_of_record(snapshot.mirror(), record->id);
    texts_.add(features, docid, database_.limits_of(snapshot, example, docid));
  } else {
    const Xapian::docid docid = docid_of(snapshot, example, context_.settings.index);
    texts_.add(docid, database_.limits_of(snapshot, example, docid));
  }
}

void ClassifyBatch::add(std::span<const AnalyzedRecord> records, const Pulse& pulse) {
  for (const AnalyzedRecord& record : records) {
    pulse();
    const Xapian::docid docid = document_of_record(context_.snapshot.mirror(), record.id);
    texts_.add(record.features, docid, record.limits);
  }
}

void ClassifyBatch::add(std::span<const MirroredDocument> documents, const Pulse& pulse) {
  for (const MirroredDocument& document : documents) {
    pulse();
    const Xapian::docid docid =
        docid_of(context_.snapshot, Docid{document.docid}, context_.settings.index);
    texts_.add(docid, document.limits);
  }
}

std::vector<Classification> ClassifyBatch::classify(const ClassifyRequest& request,
                                                    const DocumentSet* voters) const {
  return Classifier(context_.snapshot, context_.settings.classify, means_)
      .classify(texts_, request, voters);
}

}  // namespace kindred
