#include "plugin/tune/halves.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace kindred {

DocumentSet half_of(const DocumentSet& voters, const Companions& siblings) {
  // A document counts for the first of its labels.
  const auto label_of = [&](Xapian::docid docid) {
    return voters.mirror().labels_of(docid).front();
  };
  struct Halves {
    std::size_t documents = 0;
    std::size_t stay = 0;
    std::size_t leave = 0;
  };
  std::unordered_map<std::uint32_t, Halves> of_label;
  const std::vector<Xapian::docid> docids = voters.numbers();
  for (const Xapian::docid docid : docids) ++of_label[label_of(docid)].documents;

  DocumentSet half = voters;
  std::unordered_set<Xapian::docid> left(docids.begin(), docids.end());
  for (const Xapian::docid first : docids) {
    const Halves& own = of_label[label_of(first)];
    const bool stays = own.stay <= own.leave;
    const std::size_t& dealt = stays ? own.stay : own.leave;

    // The document goes to the smaller half of its label, and its siblings with it, and theirs.
    std::vector<Xapian::docid> source = {first};
    for (std::size_t i = 0; i < source.size() && 2 * dealt <= own.documents; ++i) {
      if (left.erase(source[i]) == 0) continue;

      Halves& halves = of_label[label_of(source[i])];
      if (stays) {
        ++halves.stay;
      } else {
        ++halves.leave;
        half.erase(source[i]);
      }

      const auto known = siblings.find(source[i]);
      if (known != siblings.end())
        source.insert(source.end(), known->second.begin(), known->second.end());
    }
  }
  return half;
}

}  // namespace kindred
