//! The processor time and the memory of the server, as Linux tells them; other systems tell nothing, and the columns stay empty.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The unit of times in `/proc/<pid>/stat`: a hundredth of a second, on every Linux that programs of ours run on.
const TICKS_PER_SECOND: f64 = 100.0;

/// The part of one processor below which a server rests, the time for which it does, and the longest for which that is waited.
const AT_REST: f64 = 0.04;
const REST: Duration = Duration::from_millis(500);
const MAX_WORK: Duration = Duration::from_secs(60);

/// A process and those that it has started.
#[derive(Clone, Copy)]
pub(super) struct Server(pub(super) u32);

impl Server {
    /// The seconds of processor time that they have taken, in all their threads.
    pub(super) fn cpu_seconds(self) -> Option<f64> {
        self.sum(|folder| {
            let ticks = cpu_ticks(&fs::read_to_string(folder.join("stat")).ok()?)?;
            Some(f64::from(u32::try_from(ticks).ok()?) / TICKS_PER_SECOND)
        })
    }

    /// Waits until they have done what requests have left to be done after them: messages, deliveries, sums. Otherwise the next
    /// requests would be measured beside it.
    pub(super) async fn rested(self) {
        let began = Instant::now();
        let mut before = self.cpu_seconds();
        while began.elapsed() < MAX_WORK {
            tokio::time::sleep(REST).await;
            let now = self.cpu_seconds();
            let Some(taken) = now.zip(before).map(|(now, before)| now - before) else { return };
            if taken <= AT_REST * REST.as_secs_f64() {
                return;
            }
            before = now;
        }
        eprintln!("The server is still at work, {} s after the last request", MAX_WORK.as_secs());
    }

    /// The megabytes of memory that they have held at most since [`Server::forget_peak`].
    pub(super) fn peak_megabytes(self) -> Option<f64> {
        self.sum(|folder| megabytes(&fs::read_to_string(folder.join("status")).ok()?, "VmHWM:"))
    }

    /// The megabytes of memory that they hold.
    pub(super) fn megabytes(self) -> Option<f64> {
        self.sum(|folder| megabytes(&fs::read_to_string(folder.join("status")).ok()?, "VmRSS:"))
    }

    /// Lets the count of the most memory begin anew. Where the system does not let us, the peak is that since the start.
    pub(super) fn forget_peak(self) {
        for folder in self.folders() {
            drop(fs::write(folder.join("clear_refs"), "5"));
        }
    }

    fn sum(self, of_one: impl Fn(&Path) -> Option<f64>) -> Option<f64> {
        // A child that ends in between no longer counts; the process itself must be there.
        let mut folders = self.folders().into_iter();
        let own = of_one(&folders.next()?)?;
        Some(own + folders.filter_map(|folder| of_one(&folder)).sum::<f64>())
    }

    /// The folders of the process and its descendants.
    fn folders(self) -> Vec<PathBuf> {
        let (mut folders, mut waiting) = (Vec::new(), vec![self.0]);
        while let Some(pid) = waiting.pop() {
            let folder = PathBuf::from(format!("/proc/{pid}"));
            for task in fs::read_dir(folder.join("task")).into_iter().flatten().flatten() {
                let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
                waiting.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
            }
            folders.push(folder);
        }
        folders
    }
}

/// Its own time in user and kernel mode, and that of children that have ended. The name of the program, in parentheses, may
/// have any characters.
fn cpu_ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let times: Vec<u64> = after_name.split_whitespace().skip(11).take(4).map_while(|time| time.parse().ok()).collect();
    (times.len() == 4).then(|| times.iter().sum())
}

fn megabytes(status: &str, field: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: u32 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(f64::from(kilobytes) / 1_024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_stand_behind_the_name_whatever_it_is() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 3 1 20 0 9 0 12345 1000 200";
        assert_eq!(cpu_ticks(stat), Some(304));
        assert_eq!(cpu_ticks("7 (cut off) S 1 7"), None);
    }

    #[test]
    fn memory_is_told_in_megabytes() {
        let status = "Name:\thost\nVmHWM:\t  322560 kB\nVmRSS:\t  1024 kB\n";
        assert_eq!(megabytes(status, "VmHWM:"), Some(315.0));
        assert_eq!(megabytes(status, "VmRSS:"), Some(1.0));
        assert_eq!(megabytes("", "VmRSS:"), None);
    }
}
