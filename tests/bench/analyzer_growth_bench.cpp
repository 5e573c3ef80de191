// How the time of an analysis grows with the text, for texts that are meant to be hard: nanoseconds
// for each byte, at doubling sizes. Time that is linear keeps them level. All joined features are
// on.
//
// usage: analyzer_growth_bench [LARGEST_KIB]   (1024 by default)

#include <chrono>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "analyzer/analyzer.h"

using namespace kindred;

namespace {

constexpr std::size_t kSmallest = std::size_t{64} << 10;

constexpr std::pair<const char*, std::string_view> kParts[] = {
    {"one Latin word", "x"},
    {"one Cyrillic word", "ж"},
    {"one token of many words", "a-"},
    {"one letter with many marks", "\u0301"},
    {"Chinese without a space", "東京都市大学"},
    {"Thai without a space", "ภาษาไทย"},
    {"mixed scripts", "abcдефกขคあいう한글"},
    {"bidirectional marks", "\u202Eabc\u202C שלום \u2067x\u2069"},
    {"surrogates", "\xED\xA0\x80g"},
    {"stray bytes", "\xFF\x61"},
    {"numbers with units", "5 km "},
    {"punctuation", "-:/.@"},
};

double nanoseconds_per_byte(std::string_view part, std::size_t bytes) {
  AnalyzerSettings settings;
  settings.ngrams = 2;
  Analyzer analyzer(settings);
  std::string text;
  while (text.size() < bytes) text += part;
  const auto start = std::chrono::steady_clock::now();
  analyzer.analyze(text);
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / static_cast<double>(text.size());
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t largest = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1024) << 10;
  std::cout << std::left << std::setw(28) << "ns per byte at KiB" << std::right;
  for (std::size_t bytes = kSmallest; bytes <= largest; bytes *= 2)
    std::cout << std::setw(8) << (bytes >> 10);
  std::cout << '\n' << std::fixed << std::setprecision(1);
  for (const auto& [name, part] : kParts) {
    std::cout << std::left << std::setw(28) << name << std::right;
    for (std::size_t bytes = kSmallest; bytes <= largest; bytes *= 2)
      std::cout << std::setw(8) << nanoseconds_per_byte(part, bytes) << std::flush;
    std::cout << '\n';
  }
}
