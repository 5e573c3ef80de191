#include "plugin/classify/classify_batch.h"

#include <utility>
#include <variant>

namespace kindred {

ClassifyBatch::ClassifyBatch(MirroredDatabase& database, const Snapshot& snapshot,
                             const UnitVoters* units)
    : database_(database),
      context_{snapshot, database.settings(), database.analyzers()},
      units_(units) {}

void ClassifyBatch::add(const Example& example) {
  // A record brings its text, and may be of a document that the index has; other examples are
  // documents or texts.
  const Snapshot& snapshot = context_.snapshot;
  if (const auto* record = std::get_if<Record>(&example)) {
    const TermBag features = example_features(context_, example);
    const Xapian::docid docid = document_of_record(snapshot.mirror(), record->id);
    add_features(features, docid, database_.limits_of(snapshot, example, docid));
  } else {
    const Xapian::docid docid = add_example(context_, example, queries_);
    add_mirrored(docid, database_.limits_of(snapshot, example, docid));
  }
}

void ClassifyBatch::add(const AnalyzedRecord& record) {
  const Xapian::docid docid = document_of_record(context_.snapshot.mirror(), record.id);
  add_features(record.features, docid, record.limits);
}

void ClassifyBatch::add(const MirroredDocument& document) {
  add_mirrored(add_example(context_, Docid{document.docid}, queries_), document.limits);
}

/// Adds the query of these features. If units vote, also places it on the map.
void ClassifyBatch::add_features(const TermBag& features, Xapian::docid docid, TagLimits limits) {
  const Snapshot& snapshot = context_.snapshot;
  snapshot.weigh(features, snapshot.voting().weighting(), queries_);
  const std::uint32_t unit =
      units_ != nullptr ? unit_of(units_->map().place(features)) : SomMatch::kNoUnit;
  documents_.push_back({docid, std::move(limits), unit});
}

/// A document of the mirror, whose query was added.
void ClassifyBatch::add_mirrored(Xapian::docid docid, TagLimits limits) {
  const std::uint32_t unit = units_ != nullptr ? units_->unit_of(docid) : SomMatch::kNoUnit;
  documents_.push_back({docid, std::move(limits), unit});
}

std::vector<Classification> ClassifyBatch::classify(const ClassifyRequest& request,
                                                    const DocumentSet* voters) const {
  return Classifier(context_.snapshot, context_.settings.classify, units_)
      .classify(queries_, documents_, request, voters);
}

}  // namespace kindred
