// Which labels a document is compared with, where labels are many.
#include "plugin/votes/classes/shortlist.h"

#include "gpu/document_set.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/segmented_mirror.h"

using namespace kindred;

namespace {

constexpr std::uint32_t kRows = 400, kTerms = 300;

std::string name_of(std::uint32_t label) { return "label" + std::to_string(1000 + label); }

/// A mirror whose labels have numbers in the order of their names, or in the order against it.
struct Labeled {
  Csr counts = test::random_csr({.rows = kRows, .columns = kTerms}, 1);
  TermWeighting weighting = test::ltc_weighting(counts.view());
  test::Labels labels;
  StringTable names;
  SegmentListPointer mirror;

  Labeled(std::uint32_t label_count, bool is_against) {
    const test::Labels drawn = test::random_labels(kRows, label_count, 2);
    for (std::uint32_t row = 0; row < kRows; ++row) {
      std::set<std::uint32_t> own;
      for (const std::uint32_t label : drawn.view().of(row))
        own.insert(is_against ? label_count - 1 - label : label);
      labels.add_row(own);
    }
    for (std::uint32_t label = 0; label < label_count; ++label)
      names.push_back(name_of(is_against ? label_count - 1 - label : label));
    names.index();
    mirror = test::SegmentedMirror(counts.view(), labels.view()).list();
  }

  /// Classifiers of every label but each seventh. Their values are few, so that many are equal.
  std::shared_ptr<const LinearClassifiers> classifiers() const {
    auto parts = std::make_shared<LinearClassifiers>();
    std::mt19937 random(3);
    for (std::uint32_t label = 0; label < names.size(); ++label) {
      if (label % 7 == 0) continue;
      parts->labels.push_back(name_of(label));
      parts->offset.push_back(-static_cast<std::int32_t>(random() % 4) * 512);
    }
    parts->labels.index();
    parts->terms.index();
    return parts;
  }

  /// True if a document with terms has the label.
  bool has_document(const std::string& name) const {
    for (std::uint32_t row = 0; row < kRows; ++row) {
      for (const std::uint32_t label : labels.view().of(row))
        if (names[label] == name && entries_of(counts.view(), row).size() > 0) return true;
    }
    return false;
  }

  StringTable dictionary() const {
    StringTable terms;
    for (std::uint32_t term = 0; term < kTerms; ++term) terms.push_back("t" + std::to_string(term));
    terms.index();
    return terms;
  }
};

/// The names of the labels that are listed for a row, with their features.
std::map<std::string, std::vector<float>> listed(const Labeled& of, std::uint32_t row) {
  const LinearVotes linear(of.classifiers(), of.dictionary(), of.names);
  const ClassSums sums(DocumentSet::all(of.mirror), of.weighting, of.names.size(), 1);
  Shortlister shortlister(sums, &linear, *of.mirror, of.names);
  Queries query;
  test::add_row_query(query, of.counts.view(), row, of.weighting);
  const std::vector<Neighbor> neighbors = {{row + 1, .9F}, {(row + 7) % kRows + 1, .5F}, {}};

  // Asked twice: nothing of the first time is left.
  shortlister.list({{query.terms(0), query.weights(0)}, {}});
  const Shortlist& list = shortlister.list({{query.terms(0), query.weights(0)}, neighbors});
  CHECK(std::ranges::is_sorted(list.labels));
  REQUIRE(list.features.size() == list.labels.size() * kLabelFeatures);
  std::map<std::string, std::vector<float>> found;
  for (std::size_t i = 0; i < list.labels.size(); ++i) {
    const float* own = list.features.data() + i * kLabelFeatures;
    found[std::string(of.names[list.labels[i]])] = {own, own + kLabelFeatures};
  }
  return found;
}

}  // namespace

TEST_CASE("of many labels, those of the neighbors and the best by linear value are listed") {
  const Labeled labeled(200, false);
  const auto classifiers = labeled.classifiers();
  std::vector<std::pair<std::int32_t, std::string>> best;
  for (std::uint32_t i = 0; i < classifiers->labels.size(); ++i)
    best.emplace_back(-classifiers->offset[i], std::string(classifiers->labels[i]));
  std::ranges::sort(best);
  best.resize(kListedByLinear);

  std::set<std::string> wanted;
  for (const auto& [value, name] : best) wanted.insert(name);
  for (const std::uint32_t row : {5u, 12u})
    for (const std::uint32_t label : labeled.labels.view().of(row)) wanted.insert(name_of(label));
  std::set<std::string> found;
  for (const auto& [name, features] : listed(labeled, 5)) {
    found.insert(name);
    if (classifiers->labels.find(name)) continue;
    CHECK(features[kLinear] == Approx(2 * features[kShare] - 1));  // it has no classifier
  }
  std::erase_if(wanted, [&](const std::string& name) { return !labeled.has_document(name); });
  CHECK(found == wanted);
}

TEST_CASE("a shortlist does not depend on the numbers of labels") {
  for (const std::uint32_t labels : {kFewLabels, 200u}) {
    const Labeled there(labels, false), against(labels, true);
    for (const std::uint32_t row : {0u, 5u, 77u}) CHECK(listed(there, row) == listed(against, row));
  }
  CHECK(listed(Labeled(kFewLabels, false), 5).size() > kFewLabels / 2);
}
