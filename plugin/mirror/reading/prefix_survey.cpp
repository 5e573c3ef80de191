#include "plugin/mirror/reading/prefix_survey.h"

#include <string>
#include <string_view>

#include "gpu/row_set.h"
#include "plugin/store/posting_reader.h"

namespace kindred {
namespace {

/// The prefix of a term that begins with a capital.
std::string_view prefix_of(std::string_view term) {
  if (term[0] != 'X') return term.substr(0, 1);
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  return term.substr(0, term.find_first_not_of(kLetters));
}

}  // namespace

std::vector<PrefixCount> survey_prefixes(const Xapian::Database& database, const Mirror& mirror) {
  std::vector<PrefixCount> counts;
  RowSet rows;
  const auto finish = [&] {
    if (!counts.empty()) counts.back().documents = rows.count();
  };
  TermReader terms(database, "");
  if (!terms.at_end() && terms.term() < "A") terms.skip_to("A");
  for (; !terms.at_end() && terms.term() < "Z"; terms.next()) {
    const std::string_view prefix = prefix_of(terms.term());
    if (counts.empty() || counts.back().prefix != prefix) {
      finish();
      counts.push_back({std::string(prefix), 0, 0});
      rows = RowSet(mirror.rows());
    }
    ++counts.back().terms;
    for (PostingReader list(database, terms.term()); !list.at_end(); list.next()) {
      if (const auto row = mirror.row_of(list.docid())) rows.set(*row);
    }
  }
  finish();
  return counts;
}

}  // namespace kindred
