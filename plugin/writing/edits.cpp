#include "plugin/writing/edits.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/profiles.h"
#include "config/shown.h"
#include "plugin/documents/document_tags.h"
#include "plugin/input/document_data.h"
#include "plugin/input/record.h"
#include "plugin/store/database.h"
#include "plugin/store/database_reader.h"
#include "plugin/store/readers.h"
#include "plugin/store/settled_settings.h"
#include "plugin/store/terms.h"
#include "plugin/store/value_check.h"
#include "plugin/store/writable_database.h"
#include "plugin/writing/document_edit.h"
#include "plugin/writing/edited_tuning.h"

namespace kindred {
namespace {

using Labels = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

/// Expects labels in byte order.
bool has(const Labels& labels, const std::string& label) {
  return std::ranges::binary_search(labels, label);
}

void check_fits(const std::string& label, const LabelSettings& settings) {
  if (fits_terms(label, settings)) return;

  std::string prefixes;
  for (const std::string& prefix : label_prefixes(settings)) append_item(prefixes, prefix);
  throw Error(Errc::kInvalidArgument, "label: expected 1 to " + std::to_string(kMaxTermBytes) +
                                          " bytes with each of the prefixes " + prefixes);
}

/// Refuses a label that people cannot give or take back.
void check_label(const std::string& label, const LabelSettings& settings) {
  if (label.empty()) throw Error(Errc::kInvalidArgument, "label: expected at least one character");
  if (!is_utf8(label)) throw Error(Errc::kInvalidArgument, "label: expected UTF-8");
  if (!is_system_label(settings, label)) return;
  throw Error(Errc::kInvalidArgument,
              "label '" + label + "': expected a label, found a name of labels.system");
}

void check_distinct(const Labels& labels, const Labels& others, const std::string& what) {
  const auto both = std::ranges::find_if(labels, [&](const auto& label) {
    return has(others, label);
  });
  if (both == labels.end()) return;
  throw Error(Errc::kInvalidArgument, "label '" + shortened(*both) + "' is both " + what);
}

void check_edit(const TagEdit& edit, const LabelSettings& settings) {
  // A label that is rejected or undone must fit into a term; one that people give must also be a
  // name.
  for (const Labels* labels : {&edit.undo, &edit.reject, &edit.accept, &edit.add})
    for (const std::string& label : *labels) check_fits(label, settings);
  for (const Labels* labels : {&edit.accept, &edit.add, &edit.take_off})
    for (const std::string& label : *labels) check_label(label, settings);

  check_distinct(edit.reject, edit.undo, "rejected and undone");
  for (const Labels* given : {&edit.accept, &edit.add}) {
    check_distinct(*given, edit.reject, "given and rejected");
    check_distinct(*given, edit.take_off, "given and taken off");
    check_distinct(*given, edit.undo, "given and undone");
  }
}

DocumentEdit named(DocumentEdit edit) {
  for (Labels* labels : {&edit.accept, &edit.reject, &edit.undo, &edit.add, &edit.take_off}) {
    *labels = label_names(*labels);
    std::ranges::sort(*labels);
  }
  return edit;
}

void add(const Labels& labels, Labels& all) {
  all.insert(all.end(), labels.begin(), labels.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

void erase(const Labels& labels, Labels& from) {
  std::erase_if(from, [&](const auto& label) {
    return has(labels, label);
  });
}

/// Refuses to take off labels that a document does not have.
void check_taken_off(const Labels& labels, const StoredTags& tags) {
  for (const std::string& label : labels) {
    if (has(tags.labels, label)) continue;

    std::string fault =
        "document '" + tags.id + "' does not have the label '" + shortened(label) + "'";
    if (std::ranges::find(tags.predicted, label) != tags.predicted.end()) {
      fault += ", but a predicted tag, which can be rejected";
    } else if (!tags.labels.empty()) {
      fault += "; did you mean '" + shortened(nearest_of(label, tags.labels, 1).front()) + "'?";
    }
    throw Error(Errc::kInvalidArgument, fault);
  }
}

/// Applies an edit. Expects settle_limits() before.
/// @throws Error kInvalidArgument as check_taken_off().
void apply(const TagEdit& edit, StoredTags& tags) {
  check_taken_off(edit.take_off, tags);

  // What people give or take off is theirs, and goes before what is predicted.
  if (edit.clear_labels) tags.labels.clear();
  for (const Labels* gone : {&edit.take_off, &edit.reject, &edit.undo}) erase(*gone, tags.labels);
  for (const Labels* given : {&edit.accept, &edit.add}) {
    add(*given, tags.labels);
    if (!given->empty()) tags.pending = false;
  }

  // What somebody gives is neither predicted nor rejected any more.
  for (const Labels* gone : {&edit.accept, &edit.add, &edit.reject}) erase(*gone, tags.predicted);
  for (const Labels* open : {&edit.accept, &edit.add, &edit.undo})
    erase(*open, tags.limits.rejected);
  add(edit.reject, tags.limits.rejected);

  tags.limits.auto_tag = edit.auto_tag.value_or(tags.limits.auto_tag);
  if (!tags.limits.auto_tag) clear_prediction(tags);
}

/// Gives a label another name, or drops it for "". What people say goes before what is predicted.
void rename(const std::string& from, const std::string& to, const LabelSettings& settings,
            StoredTags& tags) {
  for (Labels* labels : {&tags.labels, &tags.limits.rejected})
    if (std::erase(*labels, from) > 0 && !to.empty()) add({to}, *labels);

  // A label that people gave under its new name is not rejected there.
  kindred::erase(tags.labels, tags.limits.rejected);

  if (to.empty()) {
    std::erase(tags.predicted, from);
  } else {
    rename_predicted(tags, from, to, settings);
  }

  for (const Labels* gone : {&tags.labels, &tags.limits.rejected}) erase(*gone, tags.predicted);
}

/// The document of each edit, in their order. @throws Error kNotFound; as ambiguous_id().
std::vector<Xapian::docid> find(const Xapian::Database& database, const std::string& path,
                                const IndexSettings& settings,
                                std::span<const DocumentEdit> edits) {
  const auto refuse = [&](const std::string& what) {
    throw Error(Errc::kNotFound, path + ": no document with " + what);
  };

  std::vector<Xapian::docid> docids;
  for (const DocumentEdit& edit : edits) {
    if (edit.docid) {
      if (!has_document(database, *edit.docid)) refuse("docid " + std::to_string(*edit.docid));
      docids.push_back(*edit.docid);
      continue;
    }

    const std::string id = edit.id.value_or("");
    const auto found = documents_with_id(database, id, settings);
    if (found.empty()) refuse("id '" + shortened(id) + "'");
    if (found.size() > 1) throw ambiguous_id(id, found);
    docids.push_back(found.front());
  }
  return docids;
}

/// Edits a label of a document, unless it was deleted meanwhile.
void edit_label_of(Xapian::WritableDatabase& database, const Settings& settings,
                   Xapian::docid docid, const std::string& from, const std::string& to,
                   HistoryBatch& changes) {
  try {
    const auto change = [&](StoredTags& tags) {
      rename(from, to, settings.labels, tags);
    };
    edit_document(database, settings, docid, change, changes);
  } catch (const Xapian::DocNotFoundError&) {
  }
}

/// The documents that people gave a label, or that have it predicted or rejected, in any spelling.
/// @throws Error kNotFound, with the name that is perhaps meant.
std::vector<Xapian::docid> documents_with_label(const Xapian::Database& database,
                                                const LabelSettings& settings,
                                                const std::string& label) {
  // Other programs may spell a label in several ways, so all terms under the prefixes are looked
  // at.
  std::set<Xapian::docid> docids;
  Labels others;
  for (const std::string& prefix : label_prefixes(settings)) {
    for (TermReader terms(database, prefix); !terms.at_end(); terms.next()) {
      const auto value = value_under(prefix, terms.term());
      if (!value) continue;
      others.push_back(label_name(*value));
      if (others.back() != label) continue;
      for (PostingReader list(database, terms.term()); !list.at_end(); list.next())
        docids.insert(list.docid());
    }
  }

  if (!docids.empty()) return {docids.begin(), docids.end()};

  std::string fault = "no document has the label '" + shortened(label) + "'";
  const std::string meant = likely_of(label, others);
  if (!meant.empty()) fault += "; did you mean '" + meant + "'?";
  throw Error(Errc::kNotFound, fault);
}

}  // namespace

api::DocumentsAnswer edit_documents(const std::string& path, const Settings& given,
                                    std::span<const DocumentEdit> asked, const std::string& who) {
  // Everything that can be refused is refused before the lock is taken.
  DatabaseReader reader(path);  // says so if there is none
  const Settings settings = settled_settings(reader, path, given);
  std::vector<DocumentEdit> edits;
  for (const DocumentEdit& edit : asked) {
    edits.push_back(named(edit));
    check_edit(edits.back(), settings.labels);
  }
  check_may_write(path, settings);
  TagHistory history(path, settings, who, "edit");

  Xapian::WritableDatabase database = open_writable_database(path, settings.write);
  return with_database_errors(path + ": cannot edit tags", [&] {
    const std::vector<Xapian::docid> docids = find(database, path, settings.index, edits);
    check_values_of(database, path, settings, docids);

    // Several edits may be of one document, which is written once, with all of them in their order.
    std::map<Xapian::docid, std::vector<const TagEdit*>> edits_of;
    for (std::size_t i = 0; i < edits.size(); ++i) {
      edits_of[docids[i]].push_back(&edits[i]);
    }

    // All edits or none.
    std::map<Xapian::docid, StoredDocument> edited;
    HistoryBatch changes;
    in_transaction(database, [&] {
      for (const auto& of_one : edits_of) {
        const auto change = [&](StoredTags& tags) {
          for (const TagEdit* each : of_one.second) apply(*each, tags);
        };
        edited[of_one.first] = edit_document(database, settings, of_one.first, change, changes);
      }
      if (!changes.is_empty()) history.remember_in(database);
    });
    history.append(changes);

    api::DocumentsAnswer results;
    for (const Xapian::docid docid : docids) results.documents.push_back(edited.at(docid));
    results.revision = revision_of(database);
    return results;
  });
}

LabelChange edit_label(const std::string& path, const Settings& given, const LabelEdit& edit) {
  DatabaseReader reader(path);  // says so if there is none
  const Settings settings = settled_settings(reader, path, given);

  const std::string from = label_name(edit.label);
  const std::string to = label_name(edit.name);
  check_label(from, settings.labels);

  TagEdit given_name;
  if (!to.empty()) given_name.add = {to};
  check_edit(given_name, settings.labels);
  if (from == to) throw Error(Errc::kInvalidArgument, "label: expected another name");

  // A dry run needs no lock, and must not wait for one.
  if (edit.dry_run)
    return {documents_with_label(reader.database(), settings.labels, from).size(), false, 0};

  check_may_write(path, settings);
  TagHistory history(path, settings, edit.who, "label");
  const auto batch = static_cast<std::size_t>(settings.index.batch);
  return with_database_errors(path + ": cannot edit a label", [&] {
    // Documents are changed in transactions of a second at most, with a pause behind each, since
    // other writers may wait. An edit that is interrupted goes on where it stopped: documents that
    // are done no longer have the label.
    std::size_t done = 0;
    std::vector<Xapian::docid> docids;
    EditedTuning tuning(path, settings, from, to);
    bool merged = false;

    do {
      const auto began = Clock::now();
      Xapian::WritableDatabase database = open_writable_database(path, settings.write);
      if (done == 0) {
        docids = documents_with_label(database, settings.labels, from);
        check_values_of(database, path, settings, docids);
        merged = tuning.begin(database, is_given(database, settings.labels, to));
      }

      HistoryBatch changes;
      in_transaction(database, [&] {
        const std::size_t end = std::min(docids.size(), done + batch);
        do {
          edit_label_of(database, settings, docids[done], from, to, changes);
          ++done;
        } while (done < end && Clock::now() - began < std::chrono::seconds(1));
        if (!changes.is_empty()) history.remember_in(database);
      });
      history.append(changes);

      if (done == docids.size()) tuning.finish();
      database.close();

      if (edit.on_progress) edit.on_progress(done, docids.size());
      if (done < docids.size()) pause_for_writers(Clock::now() - began);
    } while (done < docids.size());
    return LabelChange{done, merged, history.run()};
  });
}

}  // namespace kindred
