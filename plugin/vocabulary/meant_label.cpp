#include "plugin/vocabulary/meant_label.h"

#include <cstddef>
#include <vector>

#include "config/error.h"
#include "config/shown.h"
#include "plugin/store/terms.h"

namespace kindred {

std::string meant_label(const std::string& text, const Mirror& mirror,
                        const Vocabulary* vocabulary) {
  const std::string label = label_name(text);
  if (vocabulary == nullptr || mirror.labels.names.find(label) || vocabulary->find(label))
    return text;

  const std::vector<std::size_t> terms = vocabulary->named(label);
  if (terms.empty()) return text;
  if (terms.size() == 1) return std::string(vocabulary->id(terms.front()));

  constexpr std::size_t kShown = 10;
  std::string ids;
  for (std::size_t i = 0; i < terms.size() && i < kShown; ++i)
    append_item(ids, vocabulary->id(terms[i]));
  if (terms.size() > kShown) append_item(ids, "...");
  throw Error(Errc::kInvalidArgument, std::to_string(terms.size()) + " labels are called '" +
                                          shortened(text) + "': expected one of their ids, " + ids);
}

}  // namespace kindred
