#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kindred {

class FrozenWeights;

/// Term weights for related documents, learned from the index alone: which terms does a document
/// share with its nearest neighbors more often than chance has it? docs/related.md says what they
/// are for, docs/scoring.md what they are. They do not follow the index, so a document that comes
/// later changes nothing for the others.
struct NeighborLift {
  std::string uuid;                   ///< of the index
  std::uint64_t revision = 0;         ///< of the index when they were learned
  std::uint64_t documents = 0;        ///< of the index at that time
  std::string smart;                  ///< weighting.smart at that time
  std::vector<std::string> prefixes;  ///< of the feature terms
  bool by_idf = false;                ///< `weights` are the roots of idf, which were clearly better
  std::shared_ptr<const FrozenWeights> weights;  ///< never null in what is learned or read
  std::string stamp;  ///< lift_stamp() of the file that it was read from; "" = no file
};

/// Where the weights of a database are kept, as tuning_path() says for the tuning.
std::string lift_path(const std::string& database);

/// The weights of a database, if it has some.
/// @throws Error that names the file and says what was expected: kCorrupt if it is damaged,
/// kUnsupported if its format is not the one that this version of Kindred reads, kNotFound if it
/// cannot be read, kInvalidArgument if it is not a regular file.
std::optional<NeighborLift> read_lift(const std::string& database);

/// Stores them on disk. A reader finds either the old weights or the new ones.
/// @throws Error as SectionWriter::write(); what was there is then unchanged.
void write_lift(const std::string& database, const NeighborLift& lift);

/// The NeighborLift::stamp of what a database has now; "" if it has none.
std::string lift_stamp(const std::string& database);

}  // namespace kindred
