#include "plugin/classify/classify_batch.h"

#include <utility>
#include <variant>

namespace kindred {

ClassifyBatch::ClassifyBatch(MirroredDatabase& database, const Snapshot& snapshot, VoteMeans means)
    : database_(database),
      context_{snapshot, database.settings(), database.analyzers()},
      means_(std::move(means)),
      texts_(snapshot, means_) {}

void ClassifyBatch::add(const Example& example) {
  // A record brings its text, and may be of a document that the index has; other examples are
  // documents.
  const Snapshot& snapshot = context_.snapshot;
  if (const auto* record = std::get_if<Record>(&example)) {
    const TermBag features = example_features(context_, example);
    const Xapian::docid docid = document_of_record(snapshot.mirror(), record->id);
    texts_.add(features, docid, database_.limits_of(snapshot, example, docid));
  } else {
    const Xapian::docid docid = docid_of(snapshot, example, context_.settings.index);
    texts_.add(docid, database_.limits_of(snapshot, example, docid));
  }
}

void ClassifyBatch::add(const AnalyzedRecord& record) {
  const Xapian::docid docid = document_of_record(context_.snapshot.mirror(), record.id);
  texts_.add(record.features, docid, record.limits);
}

void ClassifyBatch::add(const MirroredDocument& document) {
  const Xapian::docid docid =
      docid_of(context_.snapshot, Docid{document.docid}, context_.settings.index);
  texts_.add(docid, document.limits);
}

std::vector<Classification> ClassifyBatch::classify(const ClassifyRequest& request,
                                                    const DocumentSet* voters) const {
  return Classifier(context_.snapshot, context_.settings.classify, means_)
      .classify(texts_, request, voters);
}

}  // namespace kindred
