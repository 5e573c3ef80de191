#pragma once

#include <xapian.h>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"

namespace kindred {

/// A document as a writer of this process left it: what a mirror would read of it.
struct WrittenDocument {
  Xapian::docid docid = 0;
  bool exists = false;          ///< if not, it was deleted, and the rest says nothing
  bool has_prediction = false;  ///< it has a value in labels.prediction_slot
  std::string terms;            ///< packed, in byte order; see each_term()

  std::size_t bytes() const { return sizeof(*this) + terms.capacity(); }
};

/// What a mirror whose features have these prefixes would read of a document that was written under
/// a docid. Other terms are left out. @throws Xapian::Error.
WrittenDocument written_document(Xapian::docid docid, const Xapian::Document& document,
                                 const std::vector<std::string>& prefixes,
                                 const Settings& settings);

/// Calls visit(term, wdf) for each term, in byte order. Counts above kMaxCount are kMaxCount.
template <typename Visit>
void each_term(const WrittenDocument& document, Visit&& visit) {
  const std::string_view packed = document.terms;  // of each: its size, its wdf, itself
  for (std::size_t at = 0; at < packed.size();) {
    const auto size = static_cast<unsigned char>(packed[at]);
    std::uint16_t wdf = 0;
    std::memcpy(&wdf, packed.data() + at + 1, sizeof(wdf));
    visit(packed.substr(at + 1 + sizeof(wdf), size), Xapian::termcount{wdf});
    at += 1 + sizeof(wdf) + size;
  }
}

}  // namespace kindred
