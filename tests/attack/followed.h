#pragma once

namespace kindred::attack {

/// An engine follows a database to which another process commits all the time, while many threads
/// ask it. The options: --seconds (20), --commit-ms (50), --threads (16), --documents (10000).
///
/// - No call fails.
/// - Each answer is of one revision: the documents of the group are alike, and have its label.
/// - An answer is never older than mirror.max_staleness_ms and two refreshes: one that is running
///   when somebody commits, and the one that comes after it. A refresh is measured on a second
///   engine. Other programs take processor time, too: a look counts as late if it is late by the
///   clock and also without the waits for a processor, of both the follower and the refreshes. Of
///   1000 looks one may be late.
/// - Memory stays flat: its peak in the last third of the time is at most 1.2 times that in the
///   first. A mirror grows until it is made compact, so this is judged only after 300 commits.
///
/// Prints what was measured. Returns 0, or 1 if something did not hold.
int follow_a_writer(int argc, char* argv[]);

}  // namespace kindred::attack
