#include "plugin/mirror/reading/feature_reader.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/workers.h"
#include "plugin/mirror/reading/list_reading.h"

namespace kindred {
namespace {

/// Tells how much of the features is read.
class Reading {
 public:
  Reading(const Xapian::Database& database, const std::vector<std::string>& prefixes,
          const ReadingProgress& on_reading)
      : on_reading_(database.get_doccount() >= kLarge ? on_reading : ReadingProgress()) {
    if (!on_reading_) return;
    for (const std::string& prefix : prefixes) {
      each_term(database, prefix,
                [&](const std::string&, std::string_view, Xapian::doccount df) { all_ += df; });
    }
  }
  /// Any thread may call it.
  void add(std::uint64_t postings) {
    const std::uint64_t read = read_ += postings;
    if (!on_reading_ || read < next_ || std::this_thread::get_id() != owner_) return;
    next_ = read + kBetween;
    on_reading_(read, all_);
  }

 private:
  static constexpr Xapian::doccount kLarge = 50'000;    // smaller ones are read at once
  static constexpr std::uint64_t kBetween = 1'000'000;  // postings

  const ReadingProgress on_reading_;
  const decltype(std::this_thread::get_id()) owner_ = std::this_thread::get_id();
  std::atomic<std::uint64_t> read_ = 0, next_ = 0;
  std::uint64_t all_ = 0;
};

std::uint16_t count_of(const PostingReader& list) {
  // A boolean term has wdf 0; as a feature it counts once.
  return static_cast<std::uint16_t>(std::clamp<Xapian::termcount>(list.wdf(), 1, kMaxCount));
}

/// Term by term as Xapian stores them.
void read_one_by_one(const FeatureSource& source, DocumentRows& documents, Mirror& mirror) {
  Reading reading(source.database, mirror.prefixes, source.on_reading);
  Csr postings;  // terms x documents
  postings.columns = documents.rows();
  const auto read_term = [&](const std::string& term, std::string_view, Xapian::doccount df) {
    reading.add(df);
    const std::uint64_t found = each_row(source.database, term, source.rows,
                                         [&](std::uint32_t row, const PostingReader& list) {
                                           postings.column.push_back(row);
                                           postings.count.push_back(count_of(list));
                                         });
    mirror.agrees = mirror.agrees && found == df;
    mirror.vocabulary.push_back(term);
    mirror.df.push_back(static_cast<std::uint32_t>(found));
    postings.row_begin.push_back(postings.column.size());
  };
  for (const std::string& prefix : mirror.prefixes) each_term(source.database, prefix, read_term);
  documents.counts = transpose(postings.view());
}

/// The features of one shard: its terms, and the rows of the mirror that have them.
class ShardFeatures {
 public:
  /// The shard is number `shard` of `shards`.
  void read(const Xapian::Database& database, std::size_t shard, std::size_t shards,
            const std::vector<std::string>& prefixes, const RowIndex& rows, Reading& reading) {
    for (const std::string& prefix : prefixes) {
      each_term(database, prefix,
                [&](const std::string& term, std::string_view, Xapian::doccount df) {
                  reading.add(df);
                  terms_.push_back(term);
                  df_.push_back(df);
                  for (PostingReader list(database, term); !list.at_end(); list.next()) {
                    const auto docid = static_cast<Xapian::docid>(
                        (list.docid() - 1) * std::uint64_t{shards} + shard + 1);
                    const std::uint32_t row = rows[docid];
                    if (row == RowIndex::kNoRow)
                      refuse_unknown("the posting list of '" + term + "'", docid);
                    row_.push_back(row);
                    count_.push_back(count_of(list));
                  }
                  begin_.push_back(row_.size());
                });
      prefix_end_.push_back(terms_.size());
    }
  }

  /// Goes to the terms under a prefix, by its place in the list.
  void start(std::size_t prefix) { next_ = prefix == 0 ? 0 : prefix_end_[prefix - 1]; }
  /// The next of them; null at their end.
  const std::string* next(std::size_t prefix) const {
    return next_ < prefix_end_[prefix] ? &terms_[next_] : nullptr;
  }
  /// Makes the next term a column of the mirror, adds its documents, by the database and by its
  /// list, and goes past it.
  void take(std::uint32_t column, std::uint64_t& df, std::uint64_t& found) {
    column_.push_back({column, next_});
    df += df_[next_];
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
        const std::uint64_t place = next[row_[i]]++;
        matrix.column[place] = column;
        matrix.count[place] = count_[i];
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
  std::vector<Xapian::doccount> df_;
  std::vector<std::uint64_t> begin_{0};
  std::vector<std::uint32_t> row_;
  std::vector<std::uint16_t> count_;
  std::vector<Column> column_;  ///< ascending
  std::size_t next_ = 0;
};

/// Merges the terms of all shards, in the order of read_one_by_one().
void merge_terms(std::vector<ShardFeatures>& shards, Mirror& mirror) {
  for (std::size_t prefix = 0; prefix < mirror.prefixes.size(); ++prefix) {
    for (ShardFeatures& shard : shards) shard.start(prefix);
    while (true) {
      const std::string* first = nullptr;
      for (const ShardFeatures& shard : shards) {
        const std::string* const term = shard.next(prefix);
        if (term != nullptr && (first == nullptr || *term < *first)) first = term;
      }
      if (first == nullptr) break;
      std::uint64_t df = 0, found = 0;
      for (ShardFeatures& shard : shards) {
        const std::string* const term = shard.next(prefix);
        if (term != nullptr && *term == *first) shard.take(mirror.vocabulary.size(), df, found);
      }
      mirror.agrees = mirror.agrees && found == df;
      mirror.vocabulary.push_back(*first);
      mirror.df.push_back(static_cast<std::uint32_t>(found));
    }
  }
}

void read_together(const FeatureSource& source, DocumentRows& documents, Mirror& mirror) {
  Reading reading(source.database, mirror.prefixes, source.on_reading);
  const auto [each, threads] = source.shards;
  std::vector<ShardFeatures> shards(each.size());
  for_each_item(each.size(), threads, [&, each = each](std::size_t i) {
    shards[i].read(each[i], i, each.size(), mirror.prefixes, source.rows, reading);
  });
  merge_terms(shards, mirror);
  Csr matrix;
  matrix.columns = mirror.vocabulary.size();
  matrix.row_begin.assign(documents.rows() + std::size_t{1}, 0);
  for_each_item(shards.size(), threads,
                [&](std::size_t i) { shards[i].add_sizes(matrix.row_begin); });
  std::partial_sum(matrix.row_begin.begin(), matrix.row_begin.end(), matrix.row_begin.begin());
  matrix.column.resize(matrix.row_begin.back());
  matrix.count.resize(matrix.row_begin.back());
  std::vector<std::uint64_t> next(matrix.row_begin.begin(), matrix.row_begin.end() - 1);
  for_each_item(shards.size(), threads, [&](std::size_t i) { shards[i].fill(matrix, next); });
  documents.counts = std::move(matrix);
}

}  // namespace

void read_features(const FeatureSource& source, DocumentRows& documents, Mirror& mirror) {
  if (source.shards.each.size() < 2)
    read_one_by_one(source, documents, mirror);
  else
    read_together(source, documents, mirror);
  mirror.vocabulary.index();
}

}  // namespace kindred
