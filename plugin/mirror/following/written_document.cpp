#include "plugin/mirror/following/written_document.h"

#include <algorithm>

#include "gpu/csr.h"
#include "plugin/store/prefix.h"

namespace kindred {
namespace {

static_assert(kMaxTermBytes <= 0xff && kMaxCount <= 0xffff);

/// True for the terms that DocumentChanges looks at.
bool is_mirrored(std::string_view term, const std::vector<std::string>& prefixes,
                 const Settings& settings) {
  const LabelSettings& labels = settings.labels;
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const std::string& prefix) { return value_under(prefix, term); }) ||
         term == kOptOutTerm || term.starts_with(settings.index.id_prefix) ||
         term.starts_with(labels.prefix) || term.starts_with(labels.predicted_prefix) ||
         term.starts_with(labels.rejected_prefix);
}

void pack(std::string_view term, Xapian::termcount wdf, std::string& packed) {
  const auto count = static_cast<std::uint16_t>(std::min<Xapian::termcount>(wdf, kMaxCount));
  packed += static_cast<char>(term.size());
  packed.append(reinterpret_cast<const char*>(&count), sizeof(count));
  packed += term;
}

}  // namespace

WrittenDocument written_document(Xapian::docid docid, const Xapian::Document& document,
                                 const std::vector<std::string>& prefixes,
                                 const Settings& settings) {
  WrittenDocument written{.docid = docid, .exists = true, .has_prediction = false, .terms = {}};
  const auto end = document.termlist_end();
  for (auto it = document.termlist_begin(); it != end; ++it) {
    const std::string term = *it;
    if (is_mirrored(term, prefixes, settings)) pack(term, it.get_wdf(), written.terms);
  }
  written.terms.shrink_to_fit();
  const auto slot = static_cast<Xapian::valueno>(settings.labels.prediction_slot);
  written.has_prediction = !document.get_value(slot).empty();
  return written;
}

}  // namespace kindred
