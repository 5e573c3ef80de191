#include "plugin/writing/edited_tuning.h"

#include <algorithm>
#include <utility>

#include "config/error.h"
#include "plugin/documents/document_tags.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/terms.h"
#include "plugin/votes/tuning/renamed_label.h"

namespace kindred {

bool is_given(const Xapian::Database& database, const LabelSettings& settings,
              const std::string& label) {
  const auto is_there = [&](const std::string& spelling) {
    return database.term_exists(prefixed_term(settings.prefix, spelling));
  };
  return !label.empty() && std::ranges::any_of(label_spellings(label), is_there);
}

EditedTuning::EditedTuning(const std::string& path, const Settings& settings, std::string from,
                           std::string to)
    : location_(file_location(path, settings.index.directory)),
      fields_(filter_fields(settings)),
      from_(std::move(from)),
      to_(std::move(to)) {}

bool EditedTuning::begin(const Xapian::Database& database, bool makes_due) {
  // Somebody else's tuning at this place is left alone.
  std::optional<Tuning> known = read();
  const bool is_own =
      known && (known->uuid == database.get_uuid() || kept_files(database).has_uuid(known->uuid));
  if (!is_own) return false;

  // While documents are edited some of them have the old name and some the new one, so the tuning
  // has to know both. It also does if the edit never ends.
  before_ = std::move(known);
  before_->merged = before_->merged || makes_due;

  write_tuning(location_, with_both_names(*before_, fields_, from_, to_));
  stamp_ = tuning_stamp(location_);
  return makes_due;
}

void EditedTuning::finish() const {
  if (!before_) return;
  const auto now = tuning_stamp(location_) == stamp_ ? before_ : read();
  if (now) write_tuning(location_, with_new_name(*now, fields_, from_, to_));
}

/// None if nobody can use it.
std::optional<Tuning> EditedTuning::read() const {
  try {
    return read_tuning(location_, "");
  } catch (const Error&) {
    return {};
  }
}

}  // namespace kindred
