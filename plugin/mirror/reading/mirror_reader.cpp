#include "plugin/mirror/reading/mirror_reader.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "config/error.h"
#include "plugin/input/label_name.h"
#include "plugin/mirror/reading/feature_reader.h"
#include "plugin/mirror/reading/list_reading.h"
#include "plugin/mirror/reading/read_revisions.h"
#include "plugin/profile/document_names.h"
#include "plugin/store/posting_reader.h"

namespace kindred {
namespace {

std::vector<Xapian::docid> read_docids(const Xapian::Database& database) {
  const Xapian::doccount count = database.get_doccount();
  std::vector<Xapian::docid> docids;  // not reserved, since the count may be damaged
  for (PostingReader all(database, {}); !all.at_end(); all.next()) docids.push_back(all.docid());
  if (docids.size() != count) {
    throw Error(Errc::kCorrupt, "the database is damaged: it says that it has " +
                                    std::to_string(count) + " documents, and lists " +
                                    std::to_string(docids.size()));
  }
  if (docids.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error(Errc::kInvalidArgument, "the database has too many documents for one mirror");
  }
  return docids;
}

bool has_stems(const Xapian::Database& database) {
  TermReader terms(database, "Z");
  if (!terms.at_end() && !value_under("Z", terms.term())) terms.skip_to("Z[");
  return !terms.at_end();
}

void read_ids(const Xapian::Database& database, const IndexSettings& settings, const RowIndex& rows,
              Mirror& mirror) {
  std::vector<std::string> ids(mirror.docids.size());
  const std::string prefix = settings.id_prefix;
  for (std::size_t row = 0; settings.id_in_data && row < ids.size(); ++row) {
    ids[row] = id_in_data(database.get_document(mirror.docids[row]).get_data(), settings);
    mirror.has_ids = mirror.has_ids || !ids[row].empty();
  }
  if (!settings.id_in_data)
    each_term(database, prefix,
              [&](const std::string& term, std::string_view id, Xapian::doccount) {
                if (!is_id(settings, id)) return;
                each_row(database, term, rows, [&](std::uint32_t row, const PostingReader&) {
                  if (ids[row].empty()) ids[row] = id;
                  mirror.has_ids = true;
                });
              });
  for (std::size_t row = 0; row < ids.size(); ++row) {
    mirror.ids.push_back(mirror.has_ids ? ids[row] : std::to_string(mirror.docids[row]));
  }
  mirror.ids.index();
}

using LabelRows = std::pair<std::string, std::vector<std::uint32_t>>;

/// Sorts by name; terms of one name become one label (XTfoo, and XT:foo of a tool that always
/// writes a colon; forms of Unicode).
void merge_labels(std::vector<LabelRows>& labels) {
  std::sort(labels.begin(), labels.end());
  std::size_t kept = 0;
  for (std::size_t i = 1; i < labels.size(); ++i) {
    if (labels[i].first != labels[kept].first) {
      std::swap(labels[++kept], labels[i]);
      continue;
    }
    std::vector<std::uint32_t> both;
    std::set_union(labels[kept].second.begin(), labels[kept].second.end(), labels[i].second.begin(),
                   labels[i].second.end(), std::back_inserter(both));
    labels[kept].second = std::move(both);
  }
  if (!labels.empty()) labels.resize(kept + 1);
}

/// Turns the rows of each label into the labels of each row.
LabelMatrix label_matrix(std::vector<LabelRows>& labels, std::size_t rows) {
  merge_labels(labels);
  StringTable names;
  std::vector<std::uint64_t> row_begin(rows + 1);
  for (const auto& [name, members] : labels) {
    names.push_back(name);
    for (const std::uint32_t row : members) ++row_begin[row + 1];
  }
  std::partial_sum(row_begin.begin(), row_begin.end(), row_begin.begin());
  std::vector<std::uint32_t> label(row_begin.back());
  std::vector<std::uint64_t> next(row_begin.begin(), row_begin.end() - 1);
  for (std::uint32_t id = 0; id < labels.size(); ++id) {
    for (const std::uint32_t row : labels[id].second) label[next[row]++] = id;
  }
  names.index();
  LabelMatrix matrix{std::move(names), std::move(row_begin), std::move(label)};
  matrix.count();
  return matrix;
}

/// Adds the rows that have a term; returns how many there are.
std::uint64_t mark_rows(const Xapian::Database& database, const std::string& term,
                        const RowIndex& rows, RowSet& marked) {
  return each_row(database, term, rows,
                  [&](std::uint32_t row, const PostingReader&) { marked.set(row); });
}

void read_labels(const Xapian::Database& database, const LabelSettings& settings,
                 const RowIndex& rows, Mirror& mirror) {
  std::vector<LabelRows> labels;
  mirror.labeled = RowSet(mirror.docids.size());
  const auto read = [&](const std::string& term, std::string_view value, Xapian::doccount df) {
    std::string name = label_name(value);
    if (is_system_label(settings, name)) return;
    LabelRows& label = labels.emplace_back(std::move(name), std::vector<std::uint32_t>());
    std::vector<std::uint32_t>& members = label.second;
    members.reserve(std::min<std::size_t>(df, mirror.docids.size()));
    const std::uint64_t found =
        each_row(database, term, rows, [&](std::uint32_t row, const PostingReader&) {
          members.push_back(row);
          mirror.labeled.set(row);
        });
    mirror.agrees = mirror.agrees && found == df;
  };
  each_term(database, settings.prefix, read);
  mirror.labels = label_matrix(labels, mirror.docids.size());
}

/// Counts the tags and marks that Kindred wrote, and sets the bits of Mirror::marked.
void read_tag_marks(const Xapian::Database& database, const LabelSettings& settings,
                    const RowIndex& rows, Mirror& mirror) {
  mirror.tagged = RowSet(mirror.docids.size());
  each_term(database, settings.predicted_prefix,
            [&](const std::string& term, std::string_view, Xapian::doccount) {
              mark_rows(database, term, rows, mirror.tagged);
            });
  mirror.tags.tagged = mirror.tagged.count();
  mirror.tags.pending = database.get_termfreq(kPendingTerm);
  mirror.marked = RowSet(mirror.docids.size());
  mirror.tags.opted_out = mark_rows(database, kOptOutTerm, rows, mirror.marked);
  each_term(database, settings.rejected_prefix,
            [&](const std::string& term, std::string_view, Xapian::doccount) {
              mirror.tags.rejected += mark_rows(database, term, rows, mirror.marked);
            });
  const auto slot = static_cast<Xapian::valueno>(settings.prediction_slot);
  for (ValueReader values(database, slot); !values.at_end(); values.next()) {
    const std::uint32_t row = rows[values.docid()];
    if (row == RowIndex::kNoRow)
      refuse_unknown("value slot " + std::to_string(slot), values.docid());
    mirror.marked.set(row);
  }
}

}  // namespace

std::vector<std::string> feature_prefixes(const Xapian::Database& database,
                                          const MirrorSettings& settings) {
  std::vector<std::string> prefixes = settings.term_prefixes;
  if (prefixes.empty()) prefixes.push_back(has_stems(database) ? "Z" : "");
  std::sort(prefixes.begin(), prefixes.end());
  prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());
  return prefixes;
}

Mirror read_mirror(const Xapian::Database& database, const Settings& settings,
                   const ReadingProgress& on_reading, const ShardsToRead& shards) {
  Mirror mirror;
  mirror.set_revision(database_revision(database));
  if (!shards.each.empty()) mirror.shard_revisions = revisions_of(shards.each);
  mirror.docids = read_docids(database);
  mirror.prefixes = feature_prefixes(database, settings.mirror);
  const RowIndex rows(mirror.docids);
  const FeatureSource source{database, shards, rows, on_reading};
  read_features(source, mirror);
  read_ids(database, settings.index, rows, mirror);
  read_labels(database, settings.labels, rows, mirror);
  read_tag_marks(database, settings.labels, rows, mirror);
  return mirror;
}

}  // namespace kindred
