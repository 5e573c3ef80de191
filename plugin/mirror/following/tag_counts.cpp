#include "plugin/mirror/following/tag_counts.h"

#include "plugin/store/posting_reader.h"
#include "plugin/store/prefix.h"

namespace kindred {

TagCounts count_tags(const Xapian::Database& database, const LabelSettings& settings,
                     const RowSet& tagged) {
  TagCounts counts;
  counts.tagged = tagged.count();
  counts.pending = database.get_termfreq(kPendingTerm);
  counts.opted_out = database.get_termfreq(kOptOutTerm);
  for (TermReader terms(database, settings.rejected_prefix); !terms.at_end(); terms.next())
    if (value_under(settings.rejected_prefix, terms.term())) counts.rejected += terms.termfreq();
  return counts;
}

}  // namespace kindred
