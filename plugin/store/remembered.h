#pragma once

#include <xapian.h>
#include <optional>
#include <string>

#include "analyzer/analysis_record.h"
#include "config/api.h"
#include "config/settings.h"

namespace kindred {

// An index remembers the settings that shape it (prefixes, analysis, profile), as TOML: in its
// metadata if Kindred made it, else in the file "settings" among Kindred's files about it.

/// What an index remembers.
struct RememberedSettings {
  std::string source;  ///< "metadata", the path of the file, or "" if it remembers nothing
  Settings settings;   ///< `given` has the keys
};

/// `location`: file_location() of the database; "" for one that the caller opened.
/// @throws Error kInvalidArgument (the text is damaged); Xapian::Error.
RememberedSettings remembered_settings(const Xapian::Database& database,
                                       const std::string& location);

/// Refuses settings whose files say something else than what the index remembers.
/// @throws Error kInvalidArgument that names the first such key, and both values.
void check_remembered(const Settings& settings, const RememberedSettings& remembered);

/// Lets a database that is being made remember the settings that shape it, with the next commit.
/// False if it has been made before. @throws Xapian::Error; Error as analysis_record().
bool remember_at_birth(Xapian::WritableDatabase& database, const Settings& settings);

/// Lets an index that remembers nothing remember the settings that the user has given, in a file.
/// `settings` are settled. Does nothing if none of them shapes it. False if the file cannot be
/// written.
bool remember_given(const Settings& settings, const std::string& location);

/// Lets the database at a path remember these settings, whatever it has remembered before; returns
/// where: "metadata" or a file.
/// @throws Error kInvalidArgument (settings), kDatabase (it, or the file, cannot be written).
KINDRED_API std::string remember_settings(const std::string& database, const Settings& settings);

/// What there was to forget.
struct Forgotten {
  bool settings = false;
  bool analysis = false;  ///< the record of the analysis, which goes with settings in the metadata
};

/// Lets it forget them. Without the record of its analysis an index that Kindred made is taken for
/// one of another program (settled_settings.h). `settings`: where its files are, and how long to
/// wait for another writer. @throws Error kDatabase.
KINDRED_API Forgotten forget_settings(const std::string& database, const Settings& settings);

// An index that Kindred makes records in its metadata how texts were analyzed, so that nobody adds
// documents or asks questions whose terms are made in another way.

/// The record of an index; nothing if it has none.
/// @throws Error kInvalidArgument (it is damaged); Xapian::Error.
std::optional<AnalysisRecord> recorded_analysis(const Xapian::Database& database);

/// Writes the record, with the next commit. @throws Xapian::Error.
void record_analysis(Xapian::WritableDatabase& database, const AnalysisRecord& record);

/// Refuses an analysis whose rules are others than those of the record. A key that the record lacks
/// came with a later version of Kindred, and had its default when the index was made.
/// @throws Error kInvalidArgument that spells out each difference: key, value there, value here.
/// `name` is what the message calls the index.
void check_analysis(const std::string& name, const AnalysisRecord& recorded,
                    const AnalysisRecord& here);

/// A sentence that says which versions differ from those of the record; "" if none does.
std::string differing_versions(const AnalysisRecord& recorded, const AnalysisRecord& here);

}  // namespace kindred
