#include "plugin/votes/tuning/renamed_label.h"

#include <memory>
#include <utility>
#include <vector>

#include "config/error.h"
#include "plugin/query/query_lexemes.h"
#include "plugin/votes/classes/linear_classifiers.h"

namespace kindred {
namespace {

using Names = std::vector<std::string>;

/// Gives the label `from` these names, which may be none, in thresholds and classifiers.
void give_names(const std::string& from, const Names& names, Tuning& tuning) {
  const auto known = tuning.thresholds.extract(from);
  for (const std::string& name : names)
    if (!known.empty()) tuning.thresholds[name] = known.mapped();

  if (!tuning.classifiers || !tuning.classifiers->labels.find(from)) return;

  // All other labels keep theirs.
  std::vector<Names> all;
  for (std::uint32_t label = 0; label < tuning.classifiers->labels.size(); ++label) {
    const std::string name(tuning.classifiers->labels[label]);
    all.push_back(name == from ? names : Names{name});
  }

  tuning.classifiers =
      std::make_shared<const LinearClassifiers>(tuning.classifiers->with_names(all));
}

bool knows(const Tuning& tuning, const std::string& label) {
  return tuning.thresholds.contains(label) ||
         (tuning.classifiers && tuning.classifiers->labels.find(label));
}

/// A filter that does not read under the fields is left to those who use it.
std::string renamed_filter(const std::string& filter, const FilterFields& fields,
                           const std::string& from, const std::string& to) {
  if (filter.empty() || to.empty()) return filter;
  try {
    return with_label_renamed(filter, fields, from, to);
  } catch (const Error&) {
    return filter;
  }
}

/// What asks for the documents that have a label in any way.
std::string any_role(const FilterFields& fields, const std::string& label) {
  std::string query;
  for (const FilterField& field : fields.values) {
    if (!field.is_label) continue;
    if (!query.empty()) query += " OR ";
    query += value_query(field.name, label);
  }
  return "(" + query + ")";
}

}  // namespace

Tuning with_both_names(const Tuning& tuning, const FilterFields& fields, const std::string& from,
                       const std::string& to) {
  Tuning both = tuning;
  if (to.empty()) return both;
  if (!knows(tuning, to)) give_names(from, {from, to}, both);

  const std::string renamed = renamed_filter(tuning.filter, fields, from, to);
  if (renamed == tuning.filter) return both;

  // Documents that have the old name are asked for by it, and all others by the new one.
  const std::string has_old = any_role(fields, from);
  const std::string either = "((" + tuning.filter + ") AND " + has_old + ") OR ((" + renamed +
                             ") AND NOT " + has_old + ")";

  try {
    read_lexemes(either, fields);  // which refuses one that is too long
    both.filter = either;
  } catch (const Error&) {
    both.filter = renamed;
  }
  return both;
}

Tuning with_new_name(const Tuning& tuning, const FilterFields& fields, const std::string& from,
                     const std::string& to) {
  Tuning result = tuning;
  result.filter = renamed_filter(tuning.filter, fields, from, to);

  // What it knows of the label is lost if the label goes, or is one that it knows already.
  Names names;
  if (!to.empty() && !knows(tuning, to)) names.push_back(to);
  give_names(from, names, result);
  return result;
}

}  // namespace kindred
