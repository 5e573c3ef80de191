#pragma once

#include <xapian.h>
#include <span>
#include <vector>

#include "config/pulse.h"
#include "config/settings.h"
#include "plugin/answers.h"
#include "plugin/mirror/mirror.h"

namespace kindred {

/// The labels of a database in byte order, with the numbers of their documents. Takes these from
/// the terms' frequencies; a list is read only where a label is spelled in two ways, or where some
/// documents do not count. `shards`: labels of the shards, or none.
/// @throws Error kCorrupt; Xapian::Error.
std::vector<api::LabelCount> survey_labels(const Xapian::Database& database,
                                           const Settings& settings,
                                           const std::vector<std::string>& shards = {},
                                           const Pulse& pulse = {});

/// The prefixes of the database's terms in byte order, without stems ("Z"). A prefix is one capital
/// letter, X and all capitals and low lines after it, or three capitals or more that all terms of
/// the letter begin with. Reads the list of each such term. `shards`: of the database, in their
/// order, or the database itself: a list is looked for only where the term is.
/// @throws Error kCorrupt; Xapian::Error.
std::vector<PrefixCount> survey_prefixes(std::span<const Xapian::Database> shards,
                                         const Mirror& mirror, const Pulse& pulse = {});

/// Which settings would read the index: its profile if it has one, else by what each prefix holds.
/// - Words: several in a document, some of them repeated.
/// - An id: each document has one, and no other has it. Without any, docids are.
/// - Labels: documents share them, not all of them are those of nearly all, and there are fewer
///   labels than half the documents.
/// What does not follow without doubt is left out, and said in `unknown`. `profile`: as
/// settled; of "none" nobody asks again whether it is one.
SettingsGuess guess_settings(const Xapian::Database& database, const Mirror& mirror,
                             const std::vector<PrefixCount>& prefixes, const std::string& profile);

}  // namespace kindred
