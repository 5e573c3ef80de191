#pragma once

#include <xapian.h>
#include <optional>
#include <string>

#include "config/settings.h"
#include "plugin/query/filter_fields.h"
#include "plugin/votes/tuning/tuning.h"

namespace kindred {

/// True if people gave a label to some document. "" is no label.
bool is_given(const Xapian::Database& database, const LabelSettings& settings,
              const std::string& label);

/// The tuning of an index while a label is edited in its documents: `to` takes the place of `from`,
/// or nothing does if it is "" (renamed_label.h). Expects the write lock to be held.
class EditedTuning {
 public:
  EditedTuning(const std::string& path, const Settings& settings, std::string from, std::string to);

  /// Before the first document is edited. `makes_due`: what it knows of labels is not enough then,
  /// as two of them become one. True if that makes a tuning due.
  bool begin(const Xapian::Database& database, bool makes_due);

  /// After the last one. A tuning that somebody has made meanwhile may know both names.
  void finish() const;

 private:
  std::optional<Tuning> read() const;

  const std::string location_;
  const FilterFields fields_;
  const std::string from_;
  const std::string to_;
  std::optional<Tuning> before_;
  std::string stamp_;
};

}  // namespace kindred
