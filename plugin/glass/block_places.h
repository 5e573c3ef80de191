#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plugin/glass/termlist_state.h"

namespace kindred {

/// Where the blocks of a state are in it, by their number.
class BlockPlaces {
 public:
  struct Place {
    unsigned level = 0;
    std::size_t first_leaf = 0;
    std::size_t leaves = 0;
    std::size_t branch = 0;  ///< from here to branches_end: the branch itself and those below it
    std::size_t branches_end = 0;
  };

  /// The state must outlive this. @throws Error kCorrupt if the state makes no sense.
  explicit BlockPlaces(const TermlistState& state);

  std::optional<Place> find(std::uint32_t number) const;

 private:
  void set(std::uint32_t number, std::size_t place);

  const TermlistState& state_;
  std::vector<std::uint32_t> places_;  ///< 0: none; 2 * leaf + 1; 2 * branch + 2
};

}  // namespace kindred
