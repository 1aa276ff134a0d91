//! Graceful shutdown: files in progress are finished, and no new ones are started.

use std::io;
#[cfg(unix)]
use std::io::Read;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
#[cfg(unix)]
use std::thread;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
#[cfg(unix)]
use signal_hook::low_level;

/// True if the first signal does not end the program.
static IS_HELD: AtomicBool = AtomicBool::new(false);

/// Calls `act` before Ctrl-C ends the program, if it does: not in a run that holds the signal.
/// Nothing is called where the system does not permit it.
#[cfg(unix)]
pub fn before_end(act: impl Fn() + Send + 'static) {
    let Ok((mut woken, pipe)) = UnixStream::pair() else { return };
    if low_level::pipe::register(SIGINT, pipe).is_err() {
        return;
    }
    let wait = move || {
        while woken.read_exact(&mut [0]).is_ok() {
            if !IS_HELD.load(Ordering::Relaxed) {
                act();
                drop(low_level::emulate_default_handler(SIGINT));
            }
        }
    };
    // Without the thread nobody would end the program.
    if let Err(_no_thread) = thread::Builder::new().name("signals".to_owned()).spawn(wait) {
        drop(flag::register_conditional_default(SIGINT, Arc::new(AtomicBool::new(true))));
    }
}

/// A switch that ends a run early: files in progress are finished, and no new ones are started.
///
/// Clones share the switch. The caller keeps one and gives the other to the run.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicUsize>);

impl Interrupt {
    /// Creates a switch that the signals turn on that ask a program to end (SIGINT, SIGTERM). A
    /// second signal ends the program at once.
    ///
    /// # Errors
    ///
    /// If the system does not permit it.
    pub fn hold() -> io::Result<Self> {
        IS_HELD.store(true, Ordering::Relaxed);
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

    /// Ends the run, as SIGINT (Ctrl-C) does.
    pub fn stop(&self) {
        self.0.store(usize::try_from(SIGINT).unwrap_or_default(), Ordering::Relaxed);
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
