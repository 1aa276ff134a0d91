//! A run that is met amid its work for certain: it waits there until the test lets it go on.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Output, Stdio};

use crate::tools;

/// Runs a program with one thread, by a low limit of open files.
pub(crate) const ONE_THREAD: [&str; 3] = ["sh", "-c", "ulimit -n 32; exec \"$0\" \"$@\""];

/// More files than a run with one thread begins before it has reported the first one.
pub(crate) const MANY: usize = 80;

/// A run whose first message waits: nobody reads its standard error, which is full. It begins no
/// more than [`MANY`] files meanwhile, if it has [`ONE_THREAD`].
pub(crate) struct Held {
    child: Child,
    messages: UnixStream,
    n_filled: usize,
}

impl Held {
    /// Begins a run that reports something amid its work, such as each document that it changes
    /// (`-v`), and waits until it has begun to do its work.
    #[track_caller]
    pub(crate) fn begin(mut command: Command, mut has_begun: impl FnMut() -> bool) -> Self {
        let (messages, mut standard_error) = UnixStream::pair().unwrap();
        standard_error.set_nonblocking(true).unwrap();
        let mut n_filled = 0;
        loop {
            match standard_error.write(b"\n") {
                Ok(n) => n_filled += n,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => panic!("{error}"),
            }
        }
        standard_error.set_nonblocking(false).unwrap();
        let standard_error = Stdio::from(OwnedFd::from(standard_error));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(standard_error);
        let child = command.spawn().unwrap();
        let mut held = Held { child, messages, n_filled };
        tools::wait_until("the run has begun its work, and waits", || {
            let status = held.child.try_wait().unwrap();
            assert!(status.is_none(), "it has ended: {status:?}");
            has_begun()
        });
        held
    }

    /// Sends a signal while the run waits.
    pub(crate) fn signal(&self, name: &str) {
        assert!(tools::send(name, self.child.id()));
    }

    /// Lets the run go on to its end.
    pub(crate) fn go_on(mut self) -> Output {
        let mut stderr = Vec::new();
        self.messages.read_to_end(&mut stderr).unwrap();
        stderr.drain(..self.n_filled);
        Output { status: self.child.wait().unwrap(), stdout: Vec::new(), stderr }
    }
}

/// Kills the run, if it has not ended.
impl Drop for Held {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
