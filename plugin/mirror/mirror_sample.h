#pragma once

#include <cstdint>
#include <span>

#include "plugin/mirror/mirror.h"

namespace kindred {

/// The mirror of some rows of a compact mirror, as if the database held these documents only: terms
/// and labels that none of them has are left out. It shares nothing with `mirror`, and knows
/// nothing of predicted tags and limits. `rows` ascend.
Mirror mirror_sample(const Mirror& mirror, std::span<const std::uint32_t> rows);

}  // namespace kindred
