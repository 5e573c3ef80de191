#include "plugin/writing/document_edit.h"

#include <utility>

#include "config/profiles.h"
#include "plugin/input/record.h"

namespace kindred {
namespace {

/// Refuses to add labels beyond the limit. A document that has too many may lose some.
void check_counts(const StoredTags& now, const StoredTags& wanted, const LabelSettings& settings) {
  const auto check = [&](const char* what, const std::vector<std::string>& before,
                         const std::vector<std::string>& after) {
    if (after.size() > before.size())
      check_label_count("document '" + now.id + "': " + what, after.size(), settings);
  };
  check("labels", now.labels, wanted.labels);
  check("rejected tags", now.limits.rejected, wanted.limits.rejected);
}

/// Tells programs that look for what has changed by a number of the profile, as notmuch does by
/// lastmod.
void raise_revision(const Xapian::Database& database, const IndexSettings& settings,
                    Xapian::Document& document) {
  // Only profiles whose programs look for changes so have the number.
  const int slot = revision_slot_of(settings.profile);
  if (slot < 0) return;

  // The number is greater than that of any document, as after any change by the program itself.
  const auto value = static_cast<Xapian::valueno>(slot);
  const std::string greatest = database.get_value_upper_bound(value);
  const double last = greatest.empty() ? 0 : Xapian::sortable_unserialise(greatest);
  document.add_value(value, Xapian::sortable_serialise(last + 1));
}

}  // namespace

StoredDocument edit_document(Xapian::WritableDatabase& database, const Settings& settings,
                             Xapian::docid docid, const std::function<void(StoredTags&)>& change,
                             HistoryBatch& changes) {
  Xapian::Document document = database.get_document(docid);
  const StoredTags now = read_tags(document, settings, docid);

  // What people did since the last write is found out before the change, so that the change has the
  // last word.
  StoredTags wanted = now;
  settle_limits(wanted, settings.labels);
  change(wanted);
  check_counts(now, wanted, settings.labels);

  // The slot is brought up to date, so that nothing looks as if it had been taken off.
  forget_absent(wanted, settings.labels);
  remember(now, wanted, settings.labels);

  // Only what differs is written.
  if (wanted != now) {
    write_tags(document, now, wanted, settings.labels, changes, docid);
    write_labels(document, now, wanted, settings.labels);
    if (wanted.labels != now.labels) raise_revision(database, settings.index, document);
    database.replace_document(docid, document);
  }

  StoredDocument stored = stored_document(document, std::move(wanted), settings.index, docid);
  stored.docid = docid;
  return stored;
}

}  // namespace kindred
