#include "analyzer/smart_weighting.h"

#include <cmath>

#include "config/error.h"
#include "config/settings_check.h"

namespace kindred {
namespace {

std::string listed(std::string_view letters) {
  std::string list;
  if (letters.size() > 1) list = "one of ";
  for (const char letter : letters) list += std::string{letter} + ", ";
  list.resize(list.size() - 2);
  return list;
}

char checked(std::string_view letters, std::size_t index, std::string_view known) {
  const char letter = letters[index];
  if (known.find(letter) != std::string_view::npos) return letter;
  throw Error(Errc::kInvalidArgument, "weighting \"" + std::string(letters) + "\": letter " +
                                          std::to_string(index + 1) + ", '" + letter +
                                          "', is not known; expected " + listed(known));
}

// ln(x), or 0 if that is negative or not a number.
double log_or_zero(double x) { return x > 1.0 ? std::log(x) : 0.0; }

}  // namespace

SmartWeighting::SmartWeighting(std::string_view letters) {
  if (letters.size() != 3)
    throw Error(Errc::kInvalidArgument, "weighting \"" + std::string(letters) +
                                            "\": expected three letters, such as \"ltc\"");
  tf_ = checked(letters, 0, kTfLetters);
  idf_ = checked(letters, 1, kIdfLetters);
  norm_ = checked(letters, 2, kNormLetters);
  if (!go_together(tf_, norm_))
    throw Error(Errc::kInvalidArgument,
                "weighting \"" + std::string(letters) + "\": expected c after L, or l");
}

double SmartWeighting::tf(std::uint32_t count) const {
  if (count == 0) return 0.0;
  const double c = count;
  switch (tf_) {
    case 'n':
      return c;
    case 'b':
      return 1.0;
    case 's':
      return c * c;
    default:
      return 1.0 + std::log(c);
  }
}

double SmartWeighting::idf(std::uint64_t documents, std::uint64_t df) const {
  if (df == 0) return 0.0;
  const double n = static_cast<double>(documents);
  const double d = static_cast<double>(df);
  const double t = log_or_zero(n / d);
  switch (idf_) {
    case 'n':
      return 1.0;
    case 'f':
      return 1.0 / d;
    case 's':
      return t * t;
    case 'r':
      return std::sqrt(t);
    case 'p':
      return log_or_zero((n - d) / d);
    default:
      return t;
  }
}

}  // namespace kindred
