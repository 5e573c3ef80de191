#pragma once

#include <xapian.h>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "config/settings.h"
#include "plugin/answers.h"
#include "plugin/history/tag_history.h"

namespace kindred {

/// What people have said about the predicted tags of one document.
struct TagLimits {
  bool auto_tag = true;               ///< false: the document gets none
  std::vector<std::string> rejected;  ///< tags that the document must not get

  bool operator==(const TagLimits&) const = default;
};

/// Everything that a document of an index holds about its tags. Each list is in byte order.
struct StoredTags {
  std::string id;                      ///< the unique id, or the docid in digits if there is none
  std::vector<std::string> labels;     ///< that people gave
  std::vector<std::string> predicted;  ///< that Kindred gave
  TagLimits limits;
  std::vector<std::string> system;  ///< values under labels.prefix that are no labels
  bool pending = false;
  bool witness = false;    ///< the term that Kindred writes along with the value slot
  std::string prediction;  ///< the value slot: the given tags and the limits as JSON, or ""

  bool operator==(const StoredTags&) const = default;
};

/// What the terms of a document have under another prefix.
struct FirstValue {
  std::string prefix;
  std::string value{};  ///< of the first such term that has one; "" if there is none
};

/// Reads the terms of a document in one pass, and fills the values of `further` in the same.
/// @param docid by which the document is called if it has no id, since a document of several shards
///        knows only the docid that its own shard gives it; 0: that one
/// @throws Xapian::Error.
StoredTags read_tags(const Xapian::Document& document, const Settings& settings,
                     Xapian::docid docid = 0, std::span<FirstValue> further = {});

/// Adds the label that a document has by its shard (labels.shards); "" for none. Such tags are for
/// answers, and never written.
void add_shard_label(const std::string& label, StoredTags& tags);

/// Brings the limits up to date with what people did; returns how many tags were taken off.
/// - If the slot lists a predicted tag and its term is gone, somebody took the tag off, and it is
///   rejected from now on. Not so if people have given the same tag themselves.
/// - If the witness is gone as well, another program has rewritten the document without our terms,
///   as `notmuch reindex` does. Nobody took anything off: the limits are restored from the slot,
///   and the tags are to be given again.
std::size_t settle_limits(StoredTags& tags, const LabelSettings& settings);

/// Changes `tags` to what the document is to hold after this classification, without the tags that
/// are too long for a term, which it loses, and without the weakest beyond labels.max_per_document.
/// A document that has tags from people, or that opted
/// out, gets no predicted tags. Expects settle_limits() before.
void predict(StoredTags& tags, Classification& classification, const LabelSettings& settings);

/// Takes all predicted tags off. Expects settle_limits() before.
void clear_prediction(StoredTags& tags);

/// Renames a label among the predicted tags and in the slot. A tag that is predicted as `to`
/// already keeps its confidence. Expects settle_limits() before.
void rename_predicted(StoredTags& tags, const std::string& from, const std::string& to,
                      const LabelSettings& settings);

/// Removes from the slot the labels that are not among the predicted tags, so that they do not
/// count as taken off by somebody else. Writes the limits into the slot.
void forget_absent(StoredTags& tags, const LabelSettings& settings);

/// The last step for a document that holds `now`: adds the limits to the slot of `wanted`, and the
/// witness, in case another program drops the terms. A document without a slot is not changed for
/// that alone.
void remember(const StoredTags& now, StoredTags& wanted, const LabelSettings& settings);

/// What a document that holds `tags` says about them. Expects settle_limits() before. The title is
/// read from the document. `docid`: as above. @throws Xapian::Error.
StoredDocument stored_document(const Xapian::Document& document, StoredTags tags,
                               const IndexSettings& settings, Xapian::docid docid = 0);

/// Changes a document that holds `now` so that it holds `wanted`, except for its id and the tags of
/// people. Expects remember() before. All of what changes, also among the tags of people, goes into
/// the history of the commit.
/// - `docid`: that of the document in the whole database; 0 if it is not known yet.
/// - `replaced`: of what another document held whose place this one takes, or none; null: `now`.
void write_tags(Xapian::Document& document, const StoredTags& now, const StoredTags& wanted,
                const LabelSettings& settings, HistoryBatch& history, Xapian::docid docid,
                const StoredTags* replaced = nullptr);

/// Brings a label of `tags` into a state. One that is predicted again has this confidence. Expects
/// settle_limits() before.
void set_state(StoredTags& tags, const LabelStep& step, LabelState state,
               const LabelSettings& settings);

/// What a label is to a document: LabelStep says what "" is.
LabelState state_of(const StoredTags& tags, const std::string& label);

/// Changes the tags of people that a document holds from those of `now` to those of `wanted`, in
/// its terms and its data.
void write_labels(Xapian::Document& document, const StoredTags& now, const StoredTags& wanted,
                  const LabelSettings& settings);

}  // namespace kindred
