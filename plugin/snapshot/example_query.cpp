#include "plugin/snapshot/example_query.h"

#include <algorithm>
#include <map>
#include <string>
#include <variant>

#include "config/error.h"
#include "config/shown.h"
#include "plugin/documents/features.h"
#include "plugin/input/document_data.h"

namespace kindred {
namespace {

/// Adds weight * (the mean of the queries' vectors) to `sums`.
void add_mean(const Queries& queries, double weight, std::map<std::uint32_t, double>& sums) {
  for (std::size_t row = 0; row < queries.rows(); ++row) {
    const auto terms = queries.terms(row);
    const auto weights = queries.weights(row);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      sums[terms[i]] += weight * weights[i] / static_cast<double>(queries.rows());
    }
  }
}

/// Appends an example, weighed as related documents are, and returns its document or kNoDocument.
Xapian::docid add(const ExampleContext& context, const Example& example, Queries& queries) {
  const Snapshot& snapshot = context.snapshot;
  const TermWeighting& weighting = *snapshot.related().weighting;

  // A record is analyzed, as if it were about to be added to the index.
  if (const auto* record = std::get_if<Record>(&example)) {
    snapshot.weigh(example_features(context, example), weighting, queries);
    return document_of_record(snapshot.mirror(), record->id);
  }

  const Xapian::docid docid = docid_of(snapshot, example, context.settings.index);
  snapshot.weigh_document(docid, weighting, queries);
  return docid;
}

}  // namespace

UnknownId::UnknownId(const std::string& id)
    : Error(Errc::kNotFound, "no document with id '" + shortened(id) + "'") {}

std::optional<Xapian::docid> find_document(const Snapshot& snapshot, const std::string& id,
                                           const IndexSettings& settings) {
  for (const std::string& name : spellings_of_id(id, settings)) {
    const std::vector<Xapian::docid> docids = snapshot.mirror().documents_with_id(name);
    if (docids.size() > 1) throw ambiguous_id(id, docids);
    if (!docids.empty()) return docids.front();
  }
  return {};
}

Xapian::docid docid_of(const Snapshot& snapshot, const Example& document,
                       const IndexSettings& settings) {
  if (const auto* id = std::get_if<UniqueId>(&document)) {
    if (const auto docid = find_document(snapshot, id->value, settings)) return *docid;
    throw UnknownId(id->value);
  }

  if (const auto* docid = std::get_if<Docid>(&document)) {
    if (snapshot.mirror().has(docid->value)) return docid->value;
    throw Error(Errc::kNotFound, "no document with docid " + std::to_string(docid->value));
  }

  throw Error(Errc::kInvalidArgument, "expected a document of the index, found a record");
}

Xapian::docid document_of_record(const Mirror& mirror, const std::string& id) {
  if (!mirror.has_ids()) return kNoDocument;
  const std::vector<Xapian::docid> docids = mirror.documents_with_id(id);
  if (docids.empty()) return kNoDocument;
  return docids.front();
}

TermBag example_features(const ExampleContext& context, const Example& example) {
  const Mirror& mirror = context.snapshot.mirror();
  if (const auto* record = std::get_if<Record>(&example)) {
    const auto analyzer = context.analyzers.lease_for(*record);
    return record_features(*record, mirror.prefixes, context.settings.index, *analyzer);
  }

  // A document of the index is not analyzed again.
  const RowEntries stored =
      mirror.terms_of(docid_of(context.snapshot, example, context.settings.index));
  TermBag features;
  for (std::size_t i = 0; i < stored.size(); ++i)
    features.push_back({std::string(mirror.dictionary[stored.columns[i]]), stored.counts[i]});
  return features;
}

ExampleQuery make_query(const ExampleContext& context, const std::vector<Example>& like,
                        const std::vector<Example>& unlike, const Pulse& pulse) {
  if (like.empty()) throw Error(Errc::kInvalidArgument, "expected at least one example");

  ExampleQuery result;
  const auto add_all = [&](const std::vector<Example>& examples, Queries& queries) {
    for (const Example& example : examples) {
      pulse();
      const Xapian::docid docid = add(context, example, queries);
      if (docid != kNoDocument) result.docids.push_back(docid);
    }
  };

  Queries likes;
  Queries unlikes;
  add_all(like, likes);
  add_all(unlike, unlikes);

  // Several examples may be the same document.
  std::ranges::sort(result.docids);
  result.docids.erase(std::unique(result.docids.begin(), result.docids.end()), result.docids.end());

  // The mean of one query is this query, to the bit.
  if (like.size() == 1 && unlike.empty()) {
    result.query = std::move(likes);
    return result;
  }

  // In a map, since the terms of a query must ascend. add_weights() drops what is negative.
  std::map<std::uint32_t, double> sums;
  add_mean(likes, 1.0, sums);
  add_mean(unlikes, -1.0, sums);

  std::vector<std::uint32_t> terms;
  std::vector<double> weights;
  for (const auto& [term, weight] : sums) {
    terms.push_back(term);
    weights.push_back(weight);
  }
  result.query.add_weights(terms, weights);
  return result;
}

}  // namespace kindred
