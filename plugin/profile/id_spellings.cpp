#include "plugin/profile/id_spellings.h"

#include <string>

#include "plugin/store/posting_reader.h"
#include "plugin/store/prefix.h"

namespace kindred {

std::vector<std::string_view> spellings_of_id(std::string_view id, const IndexSettings& settings) {
  if (id.empty()) return {};
  const std::string& scheme = settings.id_scheme;
  if (scheme.empty() || !id.starts_with(scheme) || id.size() == scheme.size()) return {id};
  return {id, id.substr(scheme.size())};
}

std::vector<Xapian::docid> documents_with_id(const Xapian::Database& database, std::string_view id,
                                             const IndexSettings& settings) {
  std::vector<Xapian::docid> docids;
  for (const std::string_view name : spellings_of_id(id, settings)) {
    for (const std::string& term :
         {prefixed_term(settings.id_prefix, name), colon_term(settings.id_prefix, name)}) {
      const bool is_of_id = value_under(settings.id_prefix, term) == name;
      if (!docids.empty() || !is_of_id || !fits_term(term)) continue;
      for (PostingReader list(database, term); !list.at_end(); list.next())
        docids.push_back(list.docid());
    }
  }
  return docids;
}

}  // namespace kindred
