#include "tests/attack/living/living_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kindred::attack {
namespace {

/// The weights of `document` in "ltc", without their length.
std::map<std::string, double> weights_of(const ModelDocument& document,
                                         const std::map<std::string, unsigned>& df, double size) {
  std::map<std::string, double> weights;
  for (const auto& [term, count] : document.terms)
    weights[term] = (1 + std::log(count)) * std::log(size / df.at(term));
  return weights;
}

double length_of(const std::map<std::string, double>& weights) {
  double sum = 0;
  for (const auto& [term, weight] : weights) sum += weight * weight;
  return std::sqrt(sum);
}

}  // namespace

Xapian::Document ModelDocument::document() const {
  Xapian::Document result;
  for (const auto& [term, count] : terms) result.add_term(term, count);
  for (const std::string& label : labels) result.add_boolean_term("K" + label);
  if (!id.empty()) result.add_boolean_term("Q" + id);
  if (marks % 5 == 0) result.add_boolean_term("XAUTOk" + std::to_string(marks % 7));
  if (marks % 7 == 0) result.add_boolean_term("XNOTk" + std::to_string(marks % 11));
  if (marks % 11 == 0) result.add_boolean_term("XNOTAG");
  if (marks % 13 == 0) result.add_boolean_term("XUNTAGGED");
  if (marks % 17 == 0) result.add_value(7001, "{}");
  result.set_data("title=" + std::to_string(marks) + "\n");
  return result;
}

Record ModelDocument::record() const {
  Record result;
  result.id = id;
  result.terms.emplace();
  for (const auto& [term, count] : terms) result.terms->push_back({term.substr(1), count});
  result.labels.assign(labels.begin(), labels.end());
  return result;
}

void Model::put(Xapian::docid docid, ModelDocument document) {
  documents_[docid] = std::move(document);
  deleted_.erase(docid);
  last_ = std::max(last_, docid);
}

void Model::remove(Xapian::docid docid) {
  documents_.erase(docid);
  deleted_.insert(docid);
}

std::map<Xapian::docid, double> Model::similar(Xapian::docid docid) const {
  std::map<std::string, unsigned> df;
  for (const auto& [other, document] : documents_)
    for (const auto& [term, count] : document.terms) ++df[term];
  const auto size = static_cast<double>(documents_.size());
  const auto query = weights_of(documents_.at(docid), df, size);
  std::map<Xapian::docid, double> found;
  for (const auto& [other, document] : documents_) {
    if (other == docid) continue;
    const auto weights = weights_of(document, df, size);
    double sum = 0;
    for (const auto& [term, weight] : weights)
      if (const auto at = query.find(term); at != query.end()) sum += weight * at->second;
    if (sum > 0) found[other] = sum / length_of(weights) / length_of(query);
  }
  return found;
}

std::map<std::string, double> Model::shares(Xapian::docid docid) const {
  std::map<std::string, double> shares;
  double all = 0;
  for (const auto& [other, similarity] : similar(docid)) {
    const auto& labels = documents_.at(other).labels;
    if (!labels.empty()) all += similarity;
    for (const std::string& label : labels) shares[label] += similarity;
  }
  for (auto& [label, share] : shares) share /= all;
  return shares;
}

std::string Model::shown_id(Xapian::docid docid) const {
  for (const auto& [other, document] : documents_)
    if (!document.id.empty()) return documents_.at(docid).id;
  return std::to_string(docid);
}

bool Model::is_named(const ModelDocument& document) const {
  const auto has_id = [&](const auto& other) { return other.second.id == document.id; };
  return !document.id.empty() && std::ranges::count_if(documents_, has_id) == 1;
}

ModelDocument random_document(std::mt19937& draw) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(draw() % n); };
  ModelDocument document;
  for (unsigned i = below(12); i > 0; --i) {
    const unsigned number = below(10) == 0 ? below(3000) : below(40);
    document.terms["Zt" + std::to_string(number)] = below(30) == 0 ? 60000 : 1 + below(4);
  }
  for (unsigned i = below(3); i > 0; --i) document.labels.insert("k" + std::to_string(below(9)));
  document.marks = 1 + below(10000);
  return document;
}

}  // namespace kindred::attack
