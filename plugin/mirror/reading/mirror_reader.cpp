#include "plugin/mirror/reading/mirror_reader.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <numeric>
#include <string_view>
#include <thread>
#include <utility>

#include "config/error.h"
#include "gpu/workers.h"
#include "plugin/input/document_data.h"
#include "plugin/store/counted_documents.h"
#include "plugin/store/database.h"
#include "plugin/store/readers.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

constexpr std::uint32_t kNoRow = UINT32_MAX;
constexpr std::uint32_t kNotCounted = kNoRow - 1;

/// docid -> row during the pass: a table if docids are dense, a search if they are sparse.
class RowIndex {
 public:
  /// `all` documents, and those of them that have rows. Both ascend.
  RowIndex(std::vector<Xapian::docid> all, std::span<const Xapian::docid> docids)
      : all_(std::move(all)), docids_(docids) {
    if (all_.empty() || all_.back() / 8 > all_.size()) return;

    table_.resize(std::size_t{all_.back()} + 1, kNoRow);
    if (all_.size() > docids_.size())
      for (const Xapian::docid docid : all_) table_[docid] = kNotCounted;
    for (std::size_t row = 0; row < docids_.size(); ++row) {
      table_[docids_[row]] = static_cast<std::uint32_t>(row);
    }
  }
  /// kNoRow for a docid that no document has, kNotCounted for a document that does not count.
  std::uint32_t operator[](Xapian::docid docid) const {
    if (!table_.empty()) return docid < table_.size() ? table_[docid] : kNoRow;

    const auto it = std::lower_bound(docids_.begin(), docids_.end(), docid);
    if (it != docids_.end() && *it == docid)
      return static_cast<std::uint32_t>(it - docids_.begin());
    return std::ranges::binary_search(all_, docid) ? kNotCounted : kNoRow;
  }

 private:
  const std::vector<Xapian::docid> all_;
  const std::span<const Xapian::docid> docids_;
  std::vector<std::uint32_t> table_;
};

[[noreturn]] void refuse_unknown(const std::string& list, Xapian::docid docid) {
  throw Error(Errc::kCorrupt, list + " is damaged: it has docid " + std::to_string(docid) +
                                  ", which no document has");
}

/// Calls visit(row, list) for every document that has a term and counts, ascending. Returns the
/// length of the list, which is at most the number of documents, since docids ascend. The docids of
/// a shard are `first`, `first` + `step`, ...
template <typename Visit>
std::uint64_t each_row(const Xapian::Database& database, const std::string& term,
                       const RowIndex& rows, Visit&& visit, std::uint64_t first = 1,
                       std::uint64_t step = 1) {
  std::uint64_t count = 0;
  for (PostingReader list(database, term); !list.at_end(); list.next()) {
    // A docid of a shard becomes that of the whole, which must be one of a document.
    const auto docid = static_cast<Xapian::docid>(first + (list.docid() - 1) * step);
    const std::uint32_t row = rows[docid];
    if (row == kNoRow) refuse_unknown("the posting list of '" + term + "'", docid);

    ++count;
    if (row != kNotCounted) visit(row, list);
  }
  return count;
}

/// Calls visit(row, value) for every document that has a value in a slot and counts, ascending.
template <typename Visit>
void each_value(const Xapian::Database& database, Xapian::valueno slot, const RowIndex& rows,
                Visit&& visit) {
  for (ValueReader values(database, slot); !values.at_end(); values.next()) {
    const std::uint32_t row = rows[values.docid()];
    if (row == kNoRow) refuse_unknown("value slot " + std::to_string(slot), values.docid());
    if (row != kNotCounted) visit(row, values);
  }
}

/// Calls visit(term, value, df) for every term under the prefix, in byte order, but for whole
/// titles (is_word_under()).
template <typename Visit>
void each_term(const Xapian::Database& database, const std::string& prefix, Visit&& visit) {
  TermReader terms(database, prefix);
  while (!terms.at_end()) {
    const std::string& term = terms.term();
    if (const auto value = value_under(prefix, term)) {
      if (is_word_under(prefix, *value)) visit(term, *value, terms.termfreq());
      terms.next();
    } else if (term.size() > prefix.size() && is_capital(term[prefix.size()])) {
      terms.skip_to(prefix + '[');  // past all prefixes that continue this one: '[' follows 'Z'
    } else {
      terms.next();
    }
  }
}

std::vector<Xapian::docid> read_docids(const Xapian::Database& database) {
  const Xapian::doccount count = database.get_doccount();
  std::vector<Xapian::docid> docids = all_docids(database);
  if (docids.size() != count) {
    throw Error(Errc::kCorrupt, "the database is damaged: it says that it has " +
                                    std::to_string(count) + " documents, and lists " +
                                    std::to_string(docids.size()));
  }
  if (docids.size() >= kNotCounted) {
    throw Error(Errc::kInvalidArgument, "the database has too many documents for one mirror");
  }
  return docids;
}

/// Tells how much of the features is read.
class Reading {
 public:
  Reading(const Xapian::Database& database, const std::vector<std::string>& prefixes,
          const ReadingProgress& on_reading)
      : on_reading_(database.get_doccount() >= kLarge ? on_reading : ReadingProgress()) {
    if (!on_reading_) return;
    for (const std::string& prefix : prefixes) {
      each_term(database, prefix, [&](const std::string&, std::string_view, Xapian::doccount df) {
        all_ += df;
      });
    }
  }
  /// Any thread may call it.
  void add(std::uint64_t postings) {
    const std::uint64_t read = read_.fetch_add(postings) + postings;
    // Others count, too, but only the thread that reads for the caller may call the caller's
    // function.
    if (!on_reading_ || read < next_ || std::this_thread::get_id() != owner_) return;
    next_ = read + kBetween;
    on_reading_(read, all_);
  }

 private:
  static constexpr Xapian::doccount kLarge = 50'000;    // smaller ones are read at once
  static constexpr std::uint64_t kBetween = 1'000'000;  // postings

  const ReadingProgress on_reading_;
  const decltype(std::this_thread::get_id()) owner_ = std::this_thread::get_id();
  std::atomic<std::uint64_t> read_ = 0;
  std::atomic<std::uint64_t> next_ = 0;
  std::uint64_t all_ = 0;
};

std::uint16_t count_of(const PostingReader& list) {
  // A boolean term has wdf 0; as a feature it counts once.
  return static_cast<std::uint16_t>(std::clamp<Xapian::termcount>(list.wdf(), 1, kMaxCount));
}

/// The features of one shard: its terms, and the rows of the mirror that have them.
class ShardFeatures {
 public:
  /// The shard is number `shard` of `shards`.
  void read(const Xapian::Database& database, std::size_t shard, std::size_t shards,
            const std::vector<std::string>& prefixes, const RowIndex& rows, Reading& reading) {
    const auto add_row = [&](std::uint32_t row, const PostingReader& list) {
      row_.push_back(row);
      count_.push_back(count_of(list));
    };

    // All shards are read before any term has a column, since a term may be in several of them.
    for (const std::string& prefix : prefixes) {
      each_term(database, prefix,
                [&](const std::string& term, std::string_view, Xapian::doccount df) {
                  reading.add(df);
                  terms_.push_back(term);
                  const auto length = each_row(database, term, rows, add_row, shard + 1, shards);
                  agrees_ = agrees_ && length == df;
                  begin_.push_back(row_.size());
                });
      prefix_end_.push_back(terms_.size());
    }
  }

  /// Goes to the terms under a prefix, by its index in the list.
  void start(std::size_t prefix) { next_ = prefix == 0 ? 0 : prefix_end_[prefix - 1]; }
  /// The next of them; null at their end.
  const std::string* next(std::size_t prefix) const {
    return next_ < prefix_end_[prefix] ? &terms_[next_] : nullptr;
  }
  /// True if all lists are as long as the database says.
  bool agrees() const { return agrees_; }
  /// Makes the next term a column of the mirror, adds its documents to those that were found, and
  /// goes past it.
  void add_column(std::uint32_t column, std::uint64_t& found) {
    column_.push_back({column, next_});
    found += begin_[next_ + 1] - begin_[next_];
    ++next_;
  }

  /// Counts the entries of each row: sizes[row + 1]. Rows of different shards are different.
  void add_sizes(std::vector<std::uint64_t>& sizes) const {
    for (const std::uint32_t row : row_) ++sizes[row + 1];
  }
  /// Writes the entries of each row from next[row] on.
  void fill(Csr& matrix, std::vector<std::uint64_t>& next) const {
    for (const auto& [column, term] : column_) {
      for (std::uint64_t i = begin_[term]; i < begin_[term + 1]; ++i) {
        std::uint64_t& entry = next[row_[i]];
        matrix.column[entry] = column;
        matrix.count[entry] = count_[i];
        ++entry;
      }
    }
  }

 private:
  struct Column {
    std::uint32_t column;
    std::size_t term;
  };

  std::vector<std::string> terms_;
  std::vector<std::size_t> prefix_end_;
  bool agrees_ = true;
  std::vector<std::uint64_t> begin_{0};
  std::vector<std::uint32_t> row_;
  std::vector<std::uint16_t> count_;
  std::vector<Column> column_;  ///< ascending
  std::size_t next_ = 0;
};

/// Merges the terms of all shards: by prefix, then in byte order.
void merge_terms(std::vector<ShardFeatures>& shards, Mirror& mirror) {
  mirror.agrees = std::ranges::all_of(shards, &ShardFeatures::agrees);
  for (std::size_t prefix = 0; prefix < mirror.prefixes.size(); ++prefix) {
    for (ShardFeatures& shard : shards) shard.start(prefix);
    // Each shard has its terms in order, so the least of their next ones comes next.
    while (true) {
      const std::string* first = nullptr;
      for (const ShardFeatures& shard : shards) {
        const std::string* const term = shard.next(prefix);
        if (term != nullptr && (first == nullptr || *term < *first)) first = term;
      }
      if (first == nullptr) break;

      // All shards that have the term add their documents to its column.
      std::uint64_t found = 0;
      const std::string name = *first;
      for (ShardFeatures& shard : shards) {
        const std::string* const term = shard.next(prefix);
        if (term != nullptr && *term == name) shard.add_column(mirror.dictionary.size(), found);
      }

      // Of a term that only documents have that do not count, nothing is kept.
      if (found == 0) continue;
      mirror.dictionary.push_back(name);
      mirror.df.push_back(static_cast<std::uint32_t>(found));
    }
  }
}

/// Reads the feature terms under mirror.prefixes and their documents: fills documents.counts, and
/// dictionary and df of the mirror, and clears `agrees` if lists are not as long as the database
/// says.
void read_features(std::span<const Xapian::Database> each, std::size_t threads,
                   const RowIndex& rows, Reading& reading, DocumentRows& documents,
                   Mirror& mirror) {
  std::vector<ShardFeatures> shards(each.size());
  for_each_item(each.size(), threads, [&](std::size_t i) {
    shards[i].read(each[i], i, each.size(), mirror.prefixes, rows, reading);
  });

  merge_terms(shards, mirror);
  mirror.dictionary.index();

  // Terms were read one by one, and the mirror has rows. The size of each row is counted first, so
  // that entries go where they belong.
  Csr& matrix = documents.counts;
  matrix.columns = mirror.dictionary.size();
  matrix.row_begin.assign(documents.rows() + std::size_t{1}, 0);
  for_each_item(shards.size(), threads, [&](std::size_t i) {
    shards[i].add_sizes(matrix.row_begin);
  });

  std::partial_sum(matrix.row_begin.begin(), matrix.row_begin.end(), matrix.row_begin.begin());
  matrix.column.resize(matrix.row_begin.back());
  matrix.count.resize(matrix.row_begin.back());

  // Columns ascend in each shard, and a row is in one shard only: so they ascend in each row.
  std::vector<std::uint64_t> next(matrix.row_begin.begin(), matrix.row_begin.end() - 1);
  for_each_item(shards.size(), threads, [&](std::size_t i) {
    shards[i].fill(matrix, next);
  });
}

void read_ids(const Xapian::Database& database, const IndexSettings& settings, const RowIndex& rows,
              DocumentRows& documents) {
  std::vector<std::string> ids(documents.rows());
  for (std::size_t row = 0; settings.ids == "data" && row < ids.size(); ++row)
    ids[row] = id_beside_terms(database.get_document(documents.docids[row]), settings);

  if (settings.ids == "slot") {
    const auto slot = static_cast<Xapian::valueno>(settings.id_slot);
    each_value(database, slot, rows, [&](std::uint32_t row, const ValueReader& value) {
      ids[row] = value.value();
    });
  }

  if (settings.ids == "terms")
    each_term(database, settings.id_prefix,
              [&](const std::string& term, std::string_view id, Xapian::doccount) {
                if (!is_id(settings, id)) return;
                each_row(database, term, rows, [&](std::uint32_t row, const PostingReader&) {
                  if (ids[row].empty()) ids[row] = id;
                });
              });

  for (const std::string& id : ids) documents.ids.push_back(id);
  documents.ids.index();
}

using LabelRows = std::pair<std::string, std::vector<std::uint32_t>>;

/// Sorts by name; terms of one name become one label (XTfoo, and XT:foo of a tool that always
/// writes a colon; forms of Unicode).
void merge_labels(std::vector<LabelRows>& labels) {
  std::sort(labels.begin(), labels.end());
  std::size_t kept = 0;
  for (std::size_t i = 1; i < labels.size(); ++i) {
    if (labels[i].first != labels[kept].first) {
      ++kept;
      std::swap(labels[kept], labels[i]);
      continue;
    }

    // The same name again: its documents join those of the first.
    std::vector<std::uint32_t> both;
    std::set_union(labels[kept].second.begin(), labels[kept].second.end(), labels[i].second.begin(),
                   labels[i].second.end(), std::back_inserter(both));
    labels[kept].second = std::move(both);
  }

  if (!labels.empty()) labels.resize(kept + 1);
}

/// Turns the rows of each label into the labels of each row.
void place_labels(std::vector<LabelRows>& labels, DocumentRows& documents, StringTable& names) {
  merge_labels(labels);

  // First the number of labels of each row, then, since these are known, where each label goes.
  // Labels come in the order of their numbers, so those of a row ascend.
  std::vector<std::uint64_t>& row_begin = documents.label_begin;
  row_begin.assign(documents.rows() + std::size_t{1}, 0);
  for (const auto& [name, members] : labels) {
    names.push_back(name);
    for (const std::uint32_t row : members) ++row_begin[row + std::size_t{1}];
  }

  std::partial_sum(row_begin.begin(), row_begin.end(), row_begin.begin());
  documents.label.resize(row_begin.back());
  std::vector<std::uint64_t> next(row_begin.begin(), row_begin.end() - 1);

  for (std::uint32_t id = 0; id < labels.size(); ++id) {
    for (const std::uint32_t row : labels[id].second) {
      documents.label[next[row]] = id;
      ++next[row];
    }
  }

  names.index();
}

/// Adds the names of the shards that documents are in, which take turns in docids.
void add_shards(const std::vector<std::string>& names, const DocumentRows& documents,
                std::vector<LabelRows>& labels) {
  std::vector<std::vector<std::uint32_t>> rows(names.size());
  for (std::uint32_t row = 0; row < documents.rows() && !names.empty(); ++row)
    rows[(documents.docids[row] - 1) % names.size()].push_back(row);

  for (std::size_t shard = 0; shard < names.size(); ++shard)
    if (!names[shard].empty() && !rows[shard].empty())
      labels.emplace_back(names[shard], std::move(rows[shard]));
}

/// Adds the rows that have a term; returns the length of its list.
std::uint64_t mark_rows(const Xapian::Database& database, const std::string& term,
                        const RowIndex& rows, RowSet& marked) {
  return each_row(database, term, rows, [&](std::uint32_t row, const PostingReader&) {
    marked.set(row);
  });
}

void read_labels(const Xapian::Database& database, const LabelSettings& settings,
                 const RowIndex& rows, DocumentRows& documents, Mirror& mirror) {
  std::vector<LabelRows> labels;

  const auto read = [&](const std::string& term, std::string_view value, Xapian::doccount df) {
    std::string name = label_name(value);
    if (is_system_label(settings, name)) return;

    // The frequency is only a hint: it may be damaged.
    LabelRows& label = labels.emplace_back(std::move(name), std::vector<std::uint32_t>());
    std::vector<std::uint32_t>& members = label.second;
    members.reserve(std::min<std::size_t>(df, documents.rows()));

    const std::uint64_t length =
        each_row(database, term, rows, [&](std::uint32_t row, const PostingReader&) {
          members.push_back(row);
        });
    mirror.agrees = mirror.agrees && length == df;
    if (members.empty()) labels.pop_back();
  };

  each_term(database, settings.prefix, read);
  add_shards(mirror.shard_labels, documents, labels);
  place_labels(labels, documents, mirror.labels.names);
}

/// Counts the tags and marks that Kindred wrote, and finds the rows that have them.
void read_tag_marks(const Xapian::Database& database, const LabelSettings& settings,
                    const RowIndex& rows, DocumentRows& documents, TagCounts& tags) {
  documents.tagged = RowSet(documents.rows());
  each_term(database, settings.predicted_prefix,
            [&](const std::string& term, std::string_view, Xapian::doccount) {
              mark_rows(database, term, rows, documents.tagged);
            });
  tags.tagged = documents.tagged.count();
  tags.pending = database.get_termfreq(kPendingTerm);

  // Whatever may limit the tags of a document marks it: opting out, a rejected tag, or a value in
  // the slot where both are kept.
  documents.marked = RowSet(documents.rows());
  tags.opted_out = mark_rows(database, kOptOutTerm, rows, documents.marked);
  each_term(database, settings.rejected_prefix,
            [&](const std::string& term, std::string_view, Xapian::doccount) {
              tags.rejected += mark_rows(database, term, rows, documents.marked);
            });

  const auto slot = static_cast<Xapian::valueno>(settings.prediction_slot);
  each_value(database, slot, rows, [&](std::uint32_t row, const ValueReader&) {
    documents.marked.set(row);
  });
}

/// How many terms under a prefix documents have, or a number that is not less than `most`.
std::uint64_t count_postings(const Xapian::Database& database, const std::string& prefix,
                             std::uint64_t most) {
  std::uint64_t postings = 0;
  TermReader terms(database, prefix);
  if (prefix.empty() && !terms.at_end() && terms.term() < "[") terms.skip_to("[");  // behind Z

  while (!terms.at_end() && postings < most) {
    const std::string& term = terms.term();
    if (value_under(prefix, term)) postings += terms.termfreq();

    // Past all prefixes that continue this one.
    const bool is_longer = term.size() > prefix.size() && is_capital(term[prefix.size()]);
    if (is_longer) {
      terms.skip_to(prefix + '[');
    } else {
      terms.next();
    }
  }
  return postings;
}

/// At which revisions shards are that were opened one by one.
ShardRevisions revisions_of(std::span<const Xapian::Database> shards) {
  std::vector<ShardRevision> revisions;
  for (const Xapian::Database& shard : shards)
    revisions.push_back({shard.get_uuid(), revision_of(shard)});
  return std::make_shared<const std::vector<ShardRevision>>(std::move(revisions));
}

}  // namespace

bool has_stems(const Xapian::Database& database) {
  constexpr std::uint64_t kRare = 100;      // documents for each that has a stem
  constexpr std::uint64_t kManyWords = 10;  // times as many words as stems

  // In an index of words as they are written, some begin with Z. So where hardly a document has
  // what looks like a stem, words must be about as rare.
  const std::uint64_t documents = database.get_doccount();
  const std::uint64_t stems = count_postings(database, "Z", documents / kRare + 1);
  if (stems == 0 || stems * kRare > documents) return stems > 0;
  return count_postings(database, "", kManyWords * stems) < kManyWords * stems;
}

std::vector<std::string> feature_prefixes(bool stems, const MirrorSettings& settings) {
  std::vector<std::string> prefixes = settings.term_prefixes;
  if (prefixes.empty()) prefixes.push_back(stems ? "Z" : "");

  std::sort(prefixes.begin(), prefixes.end());
  prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
  return prefixes;
}

Mirror read_mirror(const Xapian::Database& database, const Settings& settings,
                   const ReadingProgress& on_reading, const ShardsToRead& shards) {
  Mirror mirror;
  mirror.set_revision(database_revision(database));
  if (shards.each.size() > 1) mirror.shard_revisions = revisions_of(shards.each);
  mirror.prefixes = feature_prefixes(has_stems(database), settings.mirror);

  // Which documents there are comes first: every list is held against it.
  DocumentRows documents;
  std::vector<Xapian::docid> all = read_docids(database);
  documents.docids = CountedDocuments(settings.mirror).among(database, all);
  const RowIndex rows(std::move(all), documents.docids);
  mirror.shard_labels = shards.labels;

  // Features take nearly all of the time, so only they are read shard by shard.
  Reading reading(database, mirror.prefixes, on_reading);
  std::span<const Xapian::Database> each = shards.each;
  if (each.empty()) each = std::span(&database, 1);
  read_features(each, shards.threads, rows, reading, documents, mirror);

  read_ids(database, settings.index, rows, documents);
  read_labels(database, settings.labels, rows, documents, mirror);
  read_tag_marks(database, settings.labels, rows, documents, mirror.tags);

  mirror.set_documents(std::move(documents), settings.backend.threads);
  return mirror;
}

}  // namespace kindred
