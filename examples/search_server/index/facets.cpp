#include "index/facets.h"

#include <algorithm>

#include "index/prefixed_values.h"

namespace search_server {
namespace {

std::vector<FacetCount> top(const std::unordered_map<std::string, std::size_t>& counts,
                            std::size_t most) {
  std::vector<FacetCount> sorted(counts.begin(), counts.end());
  const std::size_t kept = std::min(most, sorted.size());
  std::partial_sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(kept),
                    sorted.end(), [](const FacetCount& a, const FacetCount& b) {
                      return a.second != b.second ? a.second > b.second : a.first < b.first;
                    });
  sorted.resize(kept);
  return sorted;
}

std::string shown(const ValueField& field, const std::string& value) {
  if (!field.number) return value;
  std::string text = std::to_string(Xapian::sortable_unserialise(value));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::vector<std::string> prefixes_of(const Schema& schema) {
  const auto prefixes = facet_prefixes(schema);
  return {prefixes.begin(), prefixes.end()};
}

}  // namespace

FacetSpy::FacetSpy(const Schema& schema, const FacetTable* table)
    : schema_(schema),
      table_(table),
      table_counts_(table != nullptr ? table->values().size() : 0),
      prefixes_(prefixes_of(schema)),
      counts_(kFirstField + schema.values.size()) {}

void FacetSpy::operator()(const Xapian::Document& document, double) {
  ++counted_;
  if (table_ == nullptr) return read(document);
  for (const std::uint32_t value : table_->of(document.get_docid())) ++table_counts_[value];
}

void FacetSpy::read(const Xapian::Document& document) {
  for_each_value(document, prefixes_, [this](std::size_t kind, std::string_view value) {
    const bool is_label = kind == kLabels || kind == kPredicted;
    const std::string text = is_label ? label_name(value) : std::string(value);
    if (kind == kLabels && schema_.is_system_label(text)) return;
    ++counts_[kind][text];
  });
  for (std::size_t i = 0; i < schema_.values.size(); ++i) {
    std::string value = document.get_value(schema_.values[i].slot);
    if (!value.empty()) ++counts_[kFirstField + i][std::move(value)];
  }
}

std::vector<FacetSpy::Counts> FacetSpy::counts_by_kind() const {
  if (table_ == nullptr) return counts_;
  std::vector<Counts> counts(counts_.size());
  for (std::size_t i = 0; i < table_counts_.size(); ++i) {
    const FacetTable::Value& value = table_->values()[i];
    if (table_counts_[i] > 0) counts[value.kind][value.text] += table_counts_[i];
  }
  return counts;
}

Facets FacetSpy::facets(std::size_t most) const {
  const std::vector<Counts> counts = counts_by_kind();
  Facets facets;
  facets.counted = counted_;
  facets.labels = top(counts[kLabels], most);
  facets.predicted = top(counts[kPredicted], most);
  facets.topics = top(counts[kTopics], most);
  facets.languages = top(counts[kLanguages], most);
  for (std::size_t i = 0; i < schema_.values.size(); ++i) {
    const ValueField& field = schema_.values[i];
    std::vector<FacetCount> values = top(counts[kFirstField + i], most);
    for (FacetCount& count : values) count.first = shown(field, count.first);
    facets.values.emplace_back(field.name, std::move(values));
  }
  return facets;
}

}  // namespace search_server
