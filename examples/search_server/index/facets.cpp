#include "index/facets.h"

#include <algorithm>

#include "index/terms.h"

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

FacetSpy::FacetSpy(const Schema& schema) : schema_(schema), values_(schema.values.size()) {
  for (const std::string& prefix :
       {schema.label_prefix, schema.predicted_prefix, schema.topic_prefix, std::string("L")}) {
    kinds_.push_back({prefix, {}});
  }
  std::sort(kinds_.begin(), kinds_.end(),
            [](const Kind& a, const Kind& b) { return a.prefix < b.prefix; });
}

void FacetSpy::operator()(const Xapian::Document& document, double) {
  ++counted_;
  Xapian::TermIterator term = document.termlist_begin();
  const Xapian::TermIterator end = document.termlist_end();
  for (Kind& kind : kinds_) {
    if (term == end) break;
    term.skip_to(kind.prefix);
    for (; term != end; ++term) {
      const std::string name = *term;
      if (!name.starts_with(kind.prefix)) break;
      if (const auto value = value_of(kind.prefix, name)) ++kind.counts[std::string(*value)];
    }
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    std::string value = document.get_value(schema_.values[i].slot);
    if (!value.empty()) ++values_[i][std::move(value)];
  }
}

Facets FacetSpy::facets(std::size_t most) const {
  Facets facets;
  facets.counted = counted_;
  for (const Kind& kind : kinds_) {
    if (kind.prefix == schema_.label_prefix) {
      Counts counts = kind.counts;
      for (const std::string& label : schema_.system_labels) counts.erase(label);
      facets.labels = top(counts, most);
    } else if (kind.prefix == schema_.predicted_prefix) {
      facets.predicted = top(kind.counts, most);
    } else if (kind.prefix == schema_.topic_prefix) {
      facets.topics = top(kind.counts, most);
    } else {
      facets.languages = top(kind.counts, most);
    }
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const ValueField& field = schema_.values[i];
    std::vector<FacetCount> counts = top(values_[i], most);
    for (FacetCount& count : counts) count.first = shown(field, count.first);
    facets.values.emplace_back(field.name, std::move(counts));
  }
  return facets;
}

}  // namespace search_server
