//! Waits for the Enter key.

use std::io::IsTerminal;
use std::thread;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::getpgrp;
use rustix::termios::tcgetpgrp;
use tokio::sync::mpsc::{Receiver, channel};

/// The time between two looks at whether this is still the job that the terminal's keys are for.
const PAUSE: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

/// Gets a message for each line that the person types.
///
/// A thread of its own reads: nothing waits for it when the program ends. It reads only where a line is there and the
/// terminal is ours, because a job in the background is stopped when it reads.
pub(super) fn presses() -> Receiver<()> {
    let (sender, receiver) = channel(1);
    if std::io::stdin().is_terminal() {
        thread::spawn(move || {
            while !sender.is_closed() {
                match is_typed() {
                    Some(true) => match std::io::stdin().read_line(&mut String::new()) {
                        Ok(1..) => drop(sender.try_send(())),
                        Ok(0) | Err(_) => return,
                    },
                    Some(false) => {}
                    None => return,
                }
            }
        });
    }
    receiver
}

/// True if a line is there for us. `None`: the terminal is gone.
fn is_typed() -> Option<bool> {
    let stdin = std::io::stdin();
    let mut waiting = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut waiting, Some(&PAUSE)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => return Some(false),
        Ok(_) => {}
        Err(_) => return None,
    }
    let is_ours = tcgetpgrp(&stdin).ok()? == getpgrp();
    if !is_ours {
        thread::sleep(std::time::Duration::from_secs(1));
    }
    Some(is_ours)
}
