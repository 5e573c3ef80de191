#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "config/settings.h"
#include "plugin/ask/question.h"
#include "plugin/input/record_reader.h"
#include "plugin/writing/ingest.h"

namespace kindred::cli {

/// What became of the files of folders, beside what an IngestReport counts.
struct FolderReport {
  struct PassedOver {
    std::uint64_t files = 0;
    std::string package;  ///< which would read them; "" if none is known
  };

  std::uint64_t unchanged = 0;                    ///< files that the index has as they are
  std::uint64_t deleted = 0;                      ///< documents
  std::map<std::string, PassedOver> passed_over;  ///< by what they are: ".png", "links"
};

/// Indexes folders: reads what has changed since the index took it in, and deletes what is gone. It
/// waits while another process does so with the same index. For one thread.
///
///     FolderRun run("docs.db", {"manuals"});
///     run.add_all(ingest);
///     ingest.commit();
///     run.prune(settings);
class FolderRun {
 public:
  /// Takes the lock, and reads from the index what it has of the folders.
  /// @throws Error kNotFound if a folder cannot be read or has no file; kDatabase if the index
  /// cannot be.
  FolderRun(const std::string& database, const std::vector<std::string>& folders);
  ~FolderRun();
  FolderRun(const FolderRun&) = delete;
  FolderRun& operator=(const FolderRun&) = delete;

  /// How far add_all() is, in bytes of files that it looks into. For any thread.
  RecordReader::Position position() const;

  /// Hands the records of all files that have changed to `ingest`. A file that cannot be read
  /// counts as failed there. False if a folder has no file that is read.
  /// @throws Error kDatabase from Ingest.
  bool add_all(Ingest& ingest);

  /// Deletes the documents of files that are gone from the folders, and of messages that are gone
  /// from their mailbox. What add_all() handed in must be committed. What lies in
  /// folders that cannot be read stays: it may come back.
  /// @throws Error as delete_documents().
  void prune(const Settings& settings);

  const FolderReport& report() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Says on standard error "kindred: passed over 3 files: 2 .pdf (the package poppler-utils reads
/// them), 1 .png", if there was one.
void tell_passed_over(const FolderReport& report);
Json passed_over_json(const FolderReport& report);

/// Takes the keys that FolderRun writes out of those that nobody reads.
void leave_out_folder_keys(std::map<std::string, std::uint64_t>& keys);

}  // namespace kindred::cli
