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

}  // namespace

FacetSpy::FacetSpy(const Schema& schema)
    : schema_(schema),
      prefixes_({schema.label_prefix, schema.predicted_prefix, schema.topic_prefix, "L"}),
      counts_(prefixes_.size()),
      values_(schema.values.size()) {}

void FacetSpy::operator()(const Xapian::Document& document, double) {
  ++counted_;
  for_each_value(document, prefixes_, [this](std::size_t kind, std::string_view value) {
    ++counts_[kind][std::string(value)];
  });
  for (std::size_t i = 0; i < values_.size(); ++i) {
    std::string value = document.get_value(schema_.values[i].slot);
    if (!value.empty()) ++values_[i][std::move(value)];
  }
}

Facets FacetSpy::facets(std::size_t most) const {
  Facets facets;
  facets.counted = counted_;
  Counts labels = counts_[0];
  for (const std::string& label : schema_.system_labels) labels.erase(label);
  facets.labels = top(labels, most);
  facets.predicted = top(counts_[1], most);
  facets.topics = top(counts_[2], most);
  facets.languages = top(counts_[3], most);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const ValueField& field = schema_.values[i];
    std::vector<FacetCount> counts = top(values_[i], most);
    for (FacetCount& count : counts) count.first = shown(field, count.first);
    facets.values.emplace_back(field.name, std::move(counts));
  }
  return facets;
}

}  // namespace search_server
