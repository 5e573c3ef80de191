#pragma once

#include <xapian.h>
#include <string>
#include <vector>

#include "analyzer/analyzer.h"
#include "analyzer/term_bag.h"
#include "config/settings.h"
#include "plugin/input/record.h"

namespace kindred {

/// The features of a record in an index whose feature terms have these prefixes: "Z" for stems, ""
/// for words, "ZS" and "S" for those of the title alone. Words of the title count
/// `settings.title_boost` times, those of `settings.body_fields` as often as these say. Given terms
/// are taken as they are, under the first prefix. Sorted, each term once.
TermBag record_features(const Record& record, const std::vector<std::string>& prefixes,
                        const IndexSettings& settings, Analyzer& analyzer);

/// The words of title, text and fields as they are written, folded, sorted and counted.
TermBag record_words(const Record& record, const IndexSettings& settings, Analyzer& analyzer);

/// The document that Xapian stores for a record, without predicted tags. It has
///
/// - the terms of its unique id, language and labels, and those of tags that Kindred must not give,
/// - title and text as Xapian::TermGenerator would index them: words (with positions if
///   settings.index.positions says so) and stems under Z, and both under S for the title; given
///   terms take the place of the stems under Z,
/// - the data that Omega shows.
///
/// `features` receives the features of the document, spelled as in the index ("Z..."), so that the
/// text need not be analyzed again for classification.
Xapian::Document make_document(const Record& record, const Settings& settings, Analyzer& analyzer,
                               TermBag& features);

/// Adds to a document what its record says of tags, and sets its data. For a record that got more
/// tags than it had when make_document() made the document.
void mark_document(Xapian::Document& document, const Record& record, const Settings& settings);

}  // namespace kindred
