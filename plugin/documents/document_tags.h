#pragma once

#include <xapian.h>
#include <cstddef>
#include <string>
#include <vector>

#include "config/settings.h"
#include "plugin/answers/classification.h"
#include "plugin/documents/tag_edit.h"

namespace kindred {

/// All that a document of an index holds about its tags.
struct StoredTags : DocumentTags {
  bool pending = false;
  bool witness = false;    ///< the term that Kindred writes along with the value slot
  std::string prediction;  ///< the value slot: JSON of the tags given and of the limits, or ""

  bool operator==(const StoredTags&) const = default;
};

/// @throws Xapian::Error.
StoredTags read_tags(const Xapian::Document& document, const Settings& settings);

/// Brings the limits up to date; returns how many tags it found taken off.
/// - Somebody took a predicted tag off if the slot says that it was given and its term is gone,
///   unless people have given the tag themselves since. It is rejected from now on.
/// - Where the witness is gone as well, another program has rewritten the document without our
///   terms, as `notmuch reindex` does. Nobody took anything off: limits are restored from the slot,
///   and the tags are to be given again.
/// - In a slot from before there were witnesses, tags were taken off if others are still there.
std::size_t settle_limits(StoredTags& tags, const LabelSettings& settings);

/// What the document is to hold once it was classified. People's tags stand alone: a document that
/// has some, or that opted out, gets none. Expects settle_limits() before.
void predict(StoredTags& tags, const Classification& classification, const LabelSettings& settings);

/// Takes all predicted tags off. Expects settle_limits() before.
void clear_prediction(StoredTags& tags);

/// Takes labels that are not among the predicted tags out of the slot, so that they do not count
/// as taken off by somebody else, and writes the limits into it.
void forget_absent(StoredTags& tags, const LabelSettings& settings);

/// The last step, for a document that holds `now`: completes `wanted` by what the slot remembers in
/// case another program drops the terms, which is the limits and that there is a witness. A slot
/// from before there were witnesses stays as it is if nothing else changes.
void remember(const StoredTags& now, StoredTags& wanted, const LabelSettings& settings);

/// Makes a document that holds `now` hold `wanted`, in all but id and people's tags. Expects
/// remember() before.
void write_tags(Xapian::Document& document, const StoredTags& now, const StoredTags& wanted,
                const LabelSettings& settings);

}  // namespace kindred
