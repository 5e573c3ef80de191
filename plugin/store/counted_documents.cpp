#include "plugin/store/counted_documents.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "config/error.h"
#include "plugin/store/readers.h"

namespace kindred {

using Docids = std::vector<Xapian::docid>;

CountedDocuments::CountedDocuments(const MirrorSettings& settings) {
  for (const std::string& item : settings.documents) {
    const bool is_unwanted = item.starts_with('-');
    const std::string_view named = std::string_view(item).substr(is_unwanted ? 1 : 0);

    Mark mark{std::nullopt, std::string(named)};
    if (const auto value = slot_value(named)) mark = {value->first, std::string(value->second)};
    if (is_unwanted)
      unwanted_.push_back(std::move(mark));
    else
      wanted_.push_back(std::move(mark));
  }
}

Docids CountedDocuments::among(const Xapian::Database& database, const Docids& all) const {
  Docids counted = all;
  if (!wanted_.empty()) counted = with_one(database, wanted_);
  if (!std::ranges::includes(all, counted))
    throw Error(Errc::kCorrupt, "the list of the documents that count has others than there are");

  Docids left;
  std::ranges::set_difference(counted, with_one(database, unwanted_), std::back_inserter(left));
  return left;
}

std::uint64_t CountedDocuments::count(const Xapian::Database& database) const {
  if (are_all()) return database.get_doccount();
  return among(database, all_docids(database)).size();
}

bool CountedDocuments::has(const Xapian::Document& document) const {
  if (!wanted_.empty() && !has_one(document, wanted_)) return false;
  return !has_one(document, unwanted_);
}

Xapian::Query CountedDocuments::query() const {
  // Not Query::MatchAll: copies of it share a count that only one thread at a time may change.
  Xapian::Query wanted{std::string()};
  if (!wanted_.empty()) wanted = query_of(wanted_);
  if (!unwanted_.empty())
    wanted = Xapian::Query(Xapian::Query::OP_AND_NOT, wanted, query_of(unwanted_));
  return Xapian::Query(Xapian::Query::OP_SCALE_WEIGHT, wanted, 0);
}

Xapian::Query CountedDocuments::query_of(const std::vector<Mark>& marks) {
  std::vector<Xapian::Query> any;
  for (const Mark& mark : marks) {
    if (mark.slot) {
      any.emplace_back(Xapian::Query::OP_VALUE_RANGE, *mark.slot, mark.text, mark.text);
    } else {
      any.emplace_back(mark.text);
    }
  }
  return Xapian::Query(Xapian::Query::OP_OR, any.begin(), any.end());
}

bool CountedDocuments::has_one(const Xapian::Document& document, const std::vector<Mark>& marks) {
  return std::ranges::any_of(marks, [&](const Mark& mark) {
    if (mark.slot) return document.get_value(*mark.slot) == mark.text;

    auto term = document.termlist_begin();
    term.skip_to(mark.text);
    return term != document.termlist_end() && *term == mark.text;
  });
}

Docids CountedDocuments::with_one(const Xapian::Database& database,
                                  const std::vector<Mark>& marks) {
  Docids found;
  for (const Mark& mark : marks) {
    if (!mark.slot) {
      for (PostingReader list(database, mark.text); !list.at_end(); list.next())
        found.push_back(list.docid());
      continue;
    }
    for (ValueReader values(database, *mark.slot); !values.at_end(); values.next())
      if (values.value() == mark.text) found.push_back(values.docid());
  }

  // A document may have several of them.
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Docids all_docids(const Xapian::Database& database) {
  Docids docids;  // not reserved, since the count may be damaged
  for (PostingReader all(database, {}); !all.at_end(); all.next()) docids.push_back(all.docid());
  return docids;
}

}  // namespace kindred
