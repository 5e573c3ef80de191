#include "plugin/classify/classify_batch.h"

#include <variant>

#include "plugin/classify/classifier.h"

namespace kindred {

ClassifyBatch::ClassifyBatch(MirroredDatabase& database, const Snapshot& snapshot,
                             const UnitVoters* units)
    : database_(database),
      context_{snapshot, database.settings(), database.analyzers(), true},
      units_(units) {}

void ClassifyBatch::add(const Example& example) {
  if (const auto* record = std::get_if<Record>(&example)) {
    add_features(record->id, example_features(context_, example));
  } else {
    add_row(example);
  }
  limits_.push_back(database_.limits_of(context_.snapshot, example, own_.back()));
}

void ClassifyBatch::add(const AnalyzedRecord& record) {
  add_features(record.id, record.features);
  limits_.push_back(record.limits);
}

void ClassifyBatch::add(const MirroredDocument& document) {
  add_row(Docid{document.docid});
  limits_.push_back(document.limits);
}

/// What was analyzed once is asked about, and placed on the map where units vote.
void ClassifyBatch::add_features(const std::string& id, const TermBag& features) {
  const Snapshot& snapshot = context_.snapshot;
  snapshot.weigh(features, snapshot.tagging().weighting(), queries_);
  own_.push_back(row_with_id(snapshot.mirror(), id));
  if (units_ != nullptr) unit_of_.push_back(unit_of(units_->map().place(features)));
}

void ClassifyBatch::add_row(const Example& document) {
  own_.push_back(add_example(context_, document, queries_));
  if (units_ != nullptr) unit_of_.push_back(units_->unit_of(own_.back()));
}

std::vector<Classification> ClassifyBatch::classify(const ClassifyRequest& request,
                                                    const RowBits* allowed) const {
  return Classifier(context_.snapshot, context_.settings.classify, units_)
      .classify(queries_, request, own_, allowed, limits_, unit_of_);
}

}  // namespace kindred
