#pragma once

#include <string_view>
#include <vector>

namespace kindred {

/// Replaces the words of Chinese, Japanese and Korean (those that begin with an ideograph, kana or
/// Hangul) by pairs of adjacent characters that overlap: "東京都" gives "東京" and "京都". Words
/// that touch make one run, and a run of one character stays. Marks belong to the character before
/// them. Other words stay.
/// `words`: views into one text of well-formed UTF-8, in its order, as Segmenter::next() gives
/// them; so are the pairs. `room` is scratch space.
void to_cjk_bigrams(std::vector<std::string_view>& words, std::vector<std::string_view>& room);

}  // namespace kindred
