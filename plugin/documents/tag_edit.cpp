#include "plugin/documents/tag_edit.h"

#include <algorithm>
#include <utility>

#include "config/error.h"
#include "plugin/documents/document_tags.h"
#include "plugin/mirror/own_writes.h"
#include "plugin/profile/id_spellings.h"
#include "plugin/profile/settled_settings.h"
#include "plugin/store/database.h"
#include "plugin/store/database_reader.h"
#include "plugin/store/prefix.h"
#include "plugin/store/value_check.h"

namespace kindred {
namespace {

using Labels = std::vector<std::string>;

bool has(const Labels& labels, const std::string& label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

void check_label(const std::string& label, const Settings& settings) {
  const std::string& prefix = settings.labels.rejected_prefix;
  if (!label.empty() && fits_term(prefixed_term(prefix, label))) return;
  throw Error(Errc::kInvalidArgument, "label: expected 1 to " + std::to_string(kMaxTermBytes) +
                                          " bytes with the prefix " + prefix);
}

void check_edit(const TagEdit& edit, const Settings& settings) {
  for (const std::string& label : edit.allow) check_label(label, settings);
  for (const std::string& label : edit.remove) {
    check_label(label, settings);
    if (has(edit.allow, label)) {
      throw Error(Errc::kInvalidArgument, "label '" + label + "' is both removed and allowed");
    }
  }
}

Xapian::docid find_document(const Xapian::Database& database, const std::string& path,
                            const IndexSettings& settings, const std::string& id) {
  const std::string& prefix = settings.id_prefix;
  for (const std::string_view name : spellings_of_id(id, settings)) {
    for (const std::string& term : {prefixed_term(prefix, name), colon_term(prefix, name)}) {
      if (!fits_term(term)) continue;
      const auto it = database.postlist_begin(term);
      if (it != database.postlist_end(term)) return *it;
    }
  }
  throw Error(Errc::kNotFound, path + ": no document with id '" + id + "'");
}

StoredTags edited(const StoredTags& now, const TagEdit& edit, const LabelSettings& settings) {
  StoredTags tags = now;
  settle_limits(tags, settings);
  Labels& rejected = tags.limits.rejected;
  std::erase_if(tags.predicted, [&](const auto& label) { return has(edit.remove, label); });
  std::erase_if(rejected, [&](const auto& label) { return has(edit.allow, label); });
  rejected.insert(rejected.end(), edit.remove.begin(), edit.remove.end());
  std::sort(rejected.begin(), rejected.end());
  rejected.erase(std::unique(rejected.begin(), rejected.end()), rejected.end());
  tags.limits.auto_tag = edit.auto_tag.value_or(tags.limits.auto_tag);
  if (!tags.limits.auto_tag) clear_prediction(tags);
  forget_absent(tags, settings);
  remember(now, tags, settings);
  return tags;
}

}  // namespace

std::vector<DocumentTags> edit_tags(const std::string& path, const Settings& given,
                                    const std::vector<std::string>& ids, const TagEdit& edit,
                                    OwnWrites* own) {
  check_settings(given);
  DatabaseReader reader(path);  // says so if there is none
  const Settings settings = settled_settings(reader, path, given);
  check_edit(edit, settings);
  check_may_write(path, settings.index);
  Xapian::WritableDatabase database = open_writable_database(path, Xapian::DB_OPEN);
  std::vector<DocumentTags> results;
  try {
    std::vector<Xapian::docid> docids;
    for (const std::string& id : ids)
      docids.push_back(find_document(database, path, settings.index, id));
    check_values_of(database, path, settings, docids);
    WriteNotes notes(database, settings, own);
    database.begin_transaction();
    for (const Xapian::docid docid : docids) {
      Xapian::Document document = database.get_document(docid);
      const StoredTags now = read_tags(document, settings);
      const StoredTags wanted = edited(now, edit, settings.labels);
      results.push_back(wanted);
      if (wanted == now) continue;
      write_tags(document, now, wanted, settings.labels);
      database.replace_document(docid, document);
      notes.wrote(docid, document);
    }
    notes.commit([&] { database.commit_transaction(); });
  } catch (const Xapian::Error& e) {
    throw database_error(e, path + ": cannot edit tags");
  }
  return results;
}

}  // namespace kindred
