// The packed form, all numbers as packing.h has them: the last docid, the most hash in two
// halves, and both factors of documents left out in units of 2^-10; the number of labels, and for
// each the length of its name, the name and its offset; the number of terms, and the terms; for
// each term the number of its entries, and for each entry by how much its label exceeds the one
// before (the first: -1), and its weight.
#include "plugin/votes/classes/linear_classifiers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace kindred {
namespace {

const std::string kClassifiersName = "the linear classifiers";

std::int32_t read_weight(PackedReader& reader) {
  const std::int64_t weight = reader.signed_number();
  if (weight < -LinearClassifiers::kMostWeight || weight > LinearClassifiers::kMostWeight)
    reader.refuse("a weight is too large");
  return static_cast<std::int32_t>(weight);
}

std::uint32_t read_count(PackedReader& reader, std::size_t most) {
  const std::uint64_t count = reader.number();
  if (count > most) reader.refuse("a number does not fit the size");
  return static_cast<std::uint32_t>(count);
}

void read_labels(PackedReader& reader, std::size_t most, LinearClassifiers& parts) {
  const std::uint32_t labels = read_count(reader, most);
  for (std::uint32_t label = 0; label < labels; ++label) {
    parts.labels.push_back(reader.read(reader.number()));
    parts.offset.push_back(read_weight(reader));
  }
  parts.labels.index();
  if (!parts.labels.is_distinct()) reader.refuse("a label comes twice");
}

void read_entries(PackedReader& reader, LinearClassifiers& parts) {
  const std::uint32_t labels = parts.labels.size();
  const std::uint32_t count = read_count(reader, labels);

  // Each label is stored as what it exceeds the last one by.
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t label = next + reader.number() - 1;
    if (label < next || label >= labels) reader.refuse("an entry has no label");

    next = static_cast<std::uint32_t>(label) + 1;
    parts.entries.push_back({static_cast<std::uint32_t>(label), read_weight(reader)});
  }
  parts.begin.push_back(parts.entries.size());
}

}  // namespace

std::size_t LinearClassifiers::bytes() const {
  return labels.bytes() + terms.bytes() + offset.capacity() * sizeof(offset[0]) +
         begin.capacity() * sizeof(begin[0]) + entries.capacity() * sizeof(Entry);
}

LinearClassifiers LinearClassifiers::with_names(
    const std::vector<std::vector<std::string>>& names) const {
  LinearClassifiers result;

  // The labels, each as many times as it has names.
  std::vector<std::uint32_t> first;  // of the new labels that each one becomes
  for (std::uint32_t label = 0; label < labels.size(); ++label) {
    first.push_back(result.labels.size());
    for (const std::string& name : names[label]) {
      result.labels.push_back(name);
      result.offset.push_back(offset[label]);
    }
  }
  result.labels.index();
  first.push_back(result.labels.size());

  // The weights of a label go to all that it becomes.
  result.terms = terms;
  for (std::uint32_t term = 0; term < terms.size(); ++term) {
    for (const auto& [label, weight] : of(term))
      for (std::uint32_t own = first[label]; own < first[label + std::size_t{1}]; ++own)
        result.entries.push_back({own, weight});
    result.begin.push_back(result.entries.size());
  }

  result.learned_from = learned_from;
  result.left_out = left_out;
  return result;
}

Packed LinearClassifiers::packed() const {
  std::string bytes;
  put_number(bytes, learned_from.last_docid);
  put_number(bytes, learned_from.most_hash >> 32);
  put_number(bytes, learned_from.most_hash & 0xffffffffU);
  for (const double factor : {left_out.own, left_out.others})
    put_number(bytes, static_cast<std::uint64_t>(std::llrint(factor / kUnit)));

  // The labels by their names, each with its offset.
  put_number(bytes, labels.size());
  for (std::uint32_t label = 0; label < labels.size(); ++label) {
    put_number(bytes, labels[label].size());
    bytes += labels[label];
    put_signed(bytes, offset[label]);
  }

  // The weights by term. Labels ascend, so each is written as what it exceeds the last one by.
  put_number(bytes, terms.size());
  put_ascending(bytes, terms);
  for (std::uint32_t term = 0; term < terms.size(); ++term) {
    put_number(bytes, of(term).size());
    std::uint32_t next = 0;
    for (const Entry& entry : of(term)) {
      put_number(bytes, entry.label + std::uint64_t{1} - next);
      put_signed(bytes, entry.weight);
      next = entry.label + 1;
    }
  }
  return pack(bytes);
}

LinearClassifiers LinearClassifiers::unpacked(const Packed& packed) {
  const std::string bytes = unpack(packed, kClassifiersName);
  PackedReader reader(bytes, kClassifiersName);

  LinearClassifiers parts;
  parts.learned_from.last_docid = read_count(reader, std::numeric_limits<std::uint32_t>::max());
  const std::uint64_t high = read_count(reader, std::numeric_limits<std::uint32_t>::max());
  parts.learned_from.most_hash =
      high << 32 | read_count(reader, std::numeric_limits<std::uint32_t>::max());
  for (double* factor : {&parts.left_out.own, &parts.left_out.others})
    *factor = kUnit * read_count(reader, static_cast<std::size_t>(kMostFactor / kUnit));

  read_labels(reader, bytes.size(), parts);
  parts.terms = reader.ascending(read_count(reader, bytes.size()));
  for (std::uint32_t term = 0; term < parts.terms.size(); ++term) read_entries(reader, parts);
  reader.expect_end();
  return parts;
}

LinearVotes::LinearVotes(std::shared_ptr<const LinearClassifiers> classifiers,
                         const StringTable& dictionary, const StringTable& labels)
    : classifiers_(std::move(classifiers)), label_of_own_(classifiers_->labels.size(), kNone) {
  extend(dictionary, labels);
}

LinearVotes LinearVotes::extended(const StringTable& dictionary, const StringTable& labels) const {
  LinearVotes longer = *this;
  longer.extend(dictionary, labels);
  return longer;
}

void LinearVotes::extend(const StringTable& dictionary, const StringTable& labels) {
  term_of_column_.reserve(dictionary.size());
  look_up_all(classifiers_->terms, dictionary, static_cast<std::uint32_t>(term_of_column_.size()),
              [&](auto term) {
                term_of_column_.push_back(term.value_or(kNone));
              });

  for (auto label = static_cast<std::uint32_t>(own_of_label_.size()); label < labels.size();
       ++label) {
    const std::uint32_t own = classifiers_->labels.find(labels[label]).value_or(kNone);
    own_of_label_.push_back(own);
    if (own != kNone) label_of_own_[own] = label;
  }
}

std::size_t LinearVotes::bytes() const {
  return classifiers_->bytes() +
         (term_of_column_.capacity() + own_of_label_.capacity() + label_of_own_.capacity()) *
             sizeof(std::uint32_t);
}

}  // namespace kindred
