#include "plugin/mirror/reading/mirror_reader.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "config/error.h"
#include "plugin/input/document_data.h"
#include "plugin/input/label_name.h"
#include "plugin/mirror/reading/list_reading.h"
#include "plugin/mirror/reading/read_revisions.h"
#include "plugin/store/terms.h"

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
              DocumentRows& documents) {
  std::vector<std::string> ids(documents.rows());
  for (std::size_t row = 0; settings.id_in_data && row < ids.size(); ++row)
    ids[row] = id_in_data(database.get_document(documents.docids[row]).get_data(), settings);
  if (!settings.id_in_data)
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
void place_labels(std::vector<LabelRows>& labels, DocumentRows& documents, StringTable& names) {
  merge_labels(labels);
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
    for (const std::uint32_t row : labels[id].second) documents.label[next[row]++] = id;
  }
  names.index();
}

/// Adds the rows that have a term; returns how many there are.
std::uint64_t mark_rows(const Xapian::Database& database, const std::string& term,
                        const RowIndex& rows, RowSet& marked) {
  return each_row(database, term, rows,
                  [&](std::uint32_t row, const PostingReader&) { marked.set(row); });
}

void read_labels(const Xapian::Database& database, const LabelSettings& settings,
                 const RowIndex& rows, DocumentRows& documents, Mirror& mirror) {
  std::vector<LabelRows> labels;
  const auto read = [&](const std::string& term, std::string_view value, Xapian::doccount df) {
    std::string name = label_name(value);
    if (is_system_label(settings, name)) return;
    LabelRows& label = labels.emplace_back(std::move(name), std::vector<std::uint32_t>());
    std::vector<std::uint32_t>& members = label.second;
    members.reserve(std::min<std::size_t>(df, documents.rows()));
    const std::uint64_t found =
        each_row(database, term, rows,
                 [&](std::uint32_t row, const PostingReader&) { members.push_back(row); });
    mirror.agrees = mirror.agrees && found == df;
  };
  each_term(database, settings.prefix, read);
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
  documents.marked = RowSet(documents.rows());
  tags.opted_out = mark_rows(database, kOptOutTerm, rows, documents.marked);
  each_term(database, settings.rejected_prefix,
            [&](const std::string& term, std::string_view, Xapian::doccount) {
              tags.rejected += mark_rows(database, term, rows, documents.marked);
            });
  const auto slot = static_cast<Xapian::valueno>(settings.prediction_slot);
  for (ValueReader values(database, slot); !values.at_end(); values.next()) {
    const std::uint32_t row = rows[values.docid()];
    if (row == RowIndex::kNoRow)
      refuse_unknown("value slot " + std::to_string(slot), values.docid());
    documents.marked.set(row);
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
  mirror.prefixes = feature_prefixes(database, settings.mirror);
  DocumentRows documents;
  documents.docids = read_docids(database);
  const RowIndex rows(documents.docids);
  read_features({database, shards, rows, on_reading}, documents, mirror);
  read_ids(database, settings.index, rows, documents);
  read_labels(database, settings.labels, rows, documents, mirror);
  read_tag_marks(database, settings.labels, rows, documents, mirror.tags);
  mirror.set_documents(std::move(documents), settings.backend.threads);
  return mirror;
}

}  // namespace kindred
