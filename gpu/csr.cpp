#include "gpu/csr.h"

#include <string>

#include "config/error.h"
#include "gpu/workers.h"

namespace kindred {
namespace {

[[noreturn]] void refuse(std::uint32_t row, const std::string& fault) {
  throw Error(Errc::kInvalidArgument, "row " + std::to_string(row) + " of the matrix: " + fault);
}

constexpr std::uint32_t kRowsCheckedAtOnce = 8192;  // one item of parallel work

/// Whether a row's entries are as they should be; without a branch for each.
bool has_valid_entries(CsrView matrix, std::uint32_t row) {
  const std::uint64_t begin = matrix.row_begin[row];
  const std::uint64_t end = matrix.row_begin[row + 1];
  if (begin == end) return true;

  // Faults are gathered with | instead of a return at the first one, so that the loop becomes
  // vector code. The first entry has none before it to compare with.
  bool fault = matrix.count[begin] == 0;
  for (std::uint64_t i = begin + 1; i < end; ++i) {
    fault |= matrix.column[i] <= matrix.column[i - 1];
    fault |= matrix.count[i] == 0;
  }

  // Columns ascend here, so the last one bounds them all.
  return !fault && matrix.column[end - 1] < matrix.columns;
}

/// Refuses a row whose entries are not.
void refuse_entries(CsrView matrix, std::uint32_t row) {
  const std::uint64_t begin = matrix.row_begin[row];
  const std::uint64_t end = matrix.row_begin[row + 1];

  // One of these holds: has_valid_entries() has found a fault without saying which.
  for (std::uint64_t i = begin; i < end; ++i) {
    if (matrix.column[i] >= matrix.columns)
      refuse(row, "column " + std::to_string(matrix.column[i]) + " is not below " +
                      std::to_string(matrix.columns));
    if (i > begin && matrix.column[i] <= matrix.column[i - 1])
      refuse(row, "column " + std::to_string(matrix.column[i]) + " follows column " +
                      std::to_string(matrix.column[i - 1]) + ", they must ascend");
    if (matrix.count[i] == 0)
      refuse(row, "the count of column " + std::to_string(matrix.column[i]) + " is 0");
  }
}

/// What is wrong with the offsets of a row, "" if nothing is.
const char* fault_of_offsets(CsrView matrix, std::uint32_t row) {
  const std::uint64_t begin = matrix.row_begin[row];
  const std::uint64_t end = matrix.row_begin[row + 1];
  if (end < begin) return "it ends before it begins";
  if (end - begin > matrix.columns) return "it has more entries than there are columns";
  if (end > begin && (matrix.column == nullptr || matrix.count == nullptr))
    return "there are no columns or counts";
  return "";
}

}  // namespace

void check_csr(CsrView matrix, std::size_t threads) {
  if (matrix.rows == 0) return;
  if (matrix.row_begin == nullptr) refuse(0, "there are no row offsets");
  if (matrix.row_begin[0] != 0) refuse(0, "the first offset is not 0");

  // Offsets are checked first: the entries of a row can be read only where these are valid. The
  // first row whose offsets are not ends the search, but a row before it may have invalid entries,
  // and then that is the row to name.
  std::uint32_t sound = 0;  // rows of valid offsets
  while (sound < matrix.rows && *fault_of_offsets(matrix, sound) == '\0') ++sound;

  const std::uint32_t invalid =
      first_wrong(sound, kRowsCheckedAtOnce, threads, [&](std::uint32_t row) {
        return !has_valid_entries(matrix, row);
      });
  if (invalid < sound) refuse_entries(matrix, invalid);
  if (sound < matrix.rows) refuse(sound, fault_of_offsets(matrix, sound));
}

Csr transpose(CsrView matrix) {
  // A CsrView's row and column numbers have 32 bits, so neither can exceed 2^32 - 1 here.
  Csr result;
  result.columns = matrix.rows;
  result.row_begin.assign(std::size_t{matrix.columns} + 1, 0);

  // Counts how many entries each term has, one place further on, so that the running sum below
  // turns the counts into the offsets where terms begin.
  const std::uint64_t nonzeros = matrix.nonzeros();
  for (std::uint64_t i = 0; i < nonzeros; ++i)
    ++result.row_begin[matrix.column[i] + std::size_t{1}];
  for (std::size_t t = 0; t < matrix.columns; ++t) result.row_begin[t + 1] += result.row_begin[t];

  // next[t] is where the next entry of term t goes. Rows are taken in order, so each list ascends.
  result.column.resize(nonzeros);
  result.count.resize(nonzeros);
  std::vector<std::uint64_t> next(result.row_begin.begin(), result.row_begin.end() - 1);
  for (std::uint32_t row = 0; row < matrix.rows; ++row) {
    for (std::uint64_t i = matrix.row_begin[row]; i < matrix.row_begin[row + 1]; ++i) {
      const std::uint64_t place = next[matrix.column[i]]++;
      result.column[place] = row;
      result.count[place] = matrix.count[i];
    }
  }
  return result;
}

}  // namespace kindred
