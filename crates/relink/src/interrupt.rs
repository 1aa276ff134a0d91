//! Graceful shutdown: Ctrl-C finishes the files in progress and starts no new ones. A second signal
//! ends the program at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// True if the run is to end.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// Handles the signals that ask a program to end.
    ///
    /// # Errors
    ///
    /// If the system does not permit it.
    pub fn hold() -> io::Result<Self> {
        let interrupt = Interrupt::default();
        let is_second = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // The order matters: the first signal finds the switch off, and turns it on.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&is_second))?;
            flag::register(signal, Arc::clone(&is_second))?;
            let number = usize::try_from(signal).unwrap_or_default();
            flag::register_usize(signal, Arc::clone(&interrupt.0), number)?;
        }
        // A file that exceeds the size limit of the shell makes the write fail, and does not end
        // the program.
        #[cfg(unix)]
        flag::register(rustix::process::Signal::XFSZ.as_raw(), Arc::default())?;
        Ok(interrupt)
    }

    /// Returns the signal that asks the run to end, if there was one.
    pub fn signal(&self) -> Option<u8> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => u8::try_from(signal).ok(),
        }
    }

    /// Returns true if there was a signal.
    pub fn is_set(&self) -> bool {
        self.signal().is_some()
    }
}
