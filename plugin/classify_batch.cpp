#include "plugin/classify_batch.h"

#include <variant>

#include "plugin/classifier.h"
#include "plugin/engine.h"

namespace kindred {

ClassifyBatch::ClassifyBatch(MirroredDatabase& database, const Snapshot& snapshot,
                             const UnitVoters* units)
    : database_(database),
      context_{snapshot, database.settings(), database.analyzers(), true},
      units_(units) {}

void ClassifyBatch::add(const Example& example) {
  own_.push_back(add_example(context_, example, queries_));
  limits_.push_back(database_.limits_of(context_.snapshot, example, own_.back()));
  if (units_ == nullptr) return;
  unit_of_.push_back(std::holds_alternative<Record>(example)
                         ? unit_of(units_->map().place(example_features(context_, example)))
                         : units_->unit_of(own_.back()));
}

void ClassifyBatch::add(const AnalyzedRecord& record) {
  const Snapshot& snapshot = context_.snapshot;
  snapshot.weigh(record.features, snapshot.tagging().weighting(), queries_);
  own_.push_back(row_with_id(snapshot.mirror(), record.id));
  limits_.push_back(record.limits);
  if (units_ != nullptr) unit_of_.push_back(unit_of(units_->map().place(record.features)));
}

void ClassifyBatch::add(const MirroredDocument& document) {
  own_.push_back(add_example(context_, Docid{document.docid}, queries_));
  limits_.push_back(document.limits);
  if (units_ != nullptr) unit_of_.push_back(units_->unit_of(own_.back()));
}

std::vector<Classification> ClassifyBatch::classify(const ClassifyRequest& request,
                                                    const RowBits* allowed) const {
  return Classifier(context_.snapshot, context_.settings.classify, units_)
      .classify(queries_, request, own_, allowed, limits_, unit_of_);
}

}  // namespace kindred
