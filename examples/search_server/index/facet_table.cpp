#include "index/facet_table.h"

#include <unordered_map>
#include <utility>

#include "index/terms.h"

namespace search_server {

std::array<std::string, kFirstField> facet_prefixes(const Schema& schema) {
  return {schema.label_prefix, schema.predicted_prefix, schema.topic_prefix, "L"};
}

FacetTable::FacetTable(const Xapian::Database& database, const Schema& schema, std::string revision)
    : revision_(std::move(revision)) {
  std::vector<Pair> pairs;
  const auto prefixes = facet_prefixes(schema);
  for (std::size_t kind = 0; kind < prefixes.size(); ++kind) {
    read_terms(database, kind, prefixes[kind], schema, pairs);
  }
  for (std::size_t i = 0; i < schema.values.size(); ++i) {
    read_slot(database, kFirstField + i, schema.values[i].slot, pairs);
  }
  arrange(pairs, database.get_lastdocid());
}

std::span<const std::uint32_t> FacetTable::of(Xapian::docid docid) const {
  if (std::size_t{docid} + 1 >= begins_.size()) return {};
  return std::span(numbers_).subspan(begins_[docid], begins_[docid + 1] - begins_[docid]);
}

void FacetTable::read_terms(const Xapian::Database& database, std::size_t kind,
                            const std::string& prefix, const Schema& schema,
                            std::vector<Pair>& pairs) {
  const auto end = database.allterms_end(prefix);
  for (auto term = database.allterms_begin(prefix); term != end; ++term) {
    const std::string name = *term;
    const auto value = value_of(prefix, name);
    if (!value) continue;
    const bool is_label = kind == kLabels || kind == kPredicted;
    std::string text = is_label ? label_name(*value) : std::string(*value);
    if (kind == kLabels && schema.is_system_label(text)) continue;
    const auto number = static_cast<std::uint32_t>(values_.size());
    values_.push_back({kind, std::move(text)});
    const auto last = database.postlist_end(name);
    for (auto posting = database.postlist_begin(name); posting != last; ++posting) {
      pairs.push_back({*posting, number});
    }
  }
}

void FacetTable::read_slot(const Xapian::Database& database, std::size_t kind, Xapian::valueno slot,
                           std::vector<Pair>& pairs) {
  std::unordered_map<std::string, std::uint32_t> numbers;
  const auto end = database.valuestream_end(slot);
  for (auto value = database.valuestream_begin(slot); value != end; ++value) {
    const auto next = static_cast<std::uint32_t>(values_.size());
    const auto [found, added] = numbers.emplace(*value, next);
    if (added) values_.push_back({kind, found->first});
    pairs.push_back({value.get_docid(), found->second});
  }
}

void FacetTable::arrange(const std::vector<Pair>& pairs, Xapian::docid last) {
  begins_.assign(std::size_t{last} + 2, 0);
  for (const Pair& pair : pairs) ++begins_[std::size_t{pair.docid} + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  numbers_.resize(pairs.size());
  std::vector<std::size_t> next(begins_);
  for (const Pair& pair : pairs) numbers_[next[pair.docid]++] = pair.value;
}

}  // namespace search_server
