#pragma once

#include <string_view>
#include <vector>

#include "config/settings.h"

namespace kindred {

/// What the id may be in the index that is asked for as `id`: itself and, if index.id_scheme
/// precedes it, what follows. None if it is empty. The results borrow from `id`.
std::vector<std::string_view> spellings_of_id(std::string_view id, const IndexSettings& settings);

}  // namespace kindred
