//! In parallel, but told in order, from a bounded window.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::mpsc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::exit::Error;

/// Results that wait for an earlier one are at most this many for each thread.
const WINDOW: usize = 64;

/// A pool of `jobs` threads, one per core if not told.
///
/// # Errors
///
/// [`Error::Usage`] if the system does not give them.
pub fn pool(jobs: Option<u16>) -> Result<ThreadPool, Error> {
    let n_threads = match jobs {
        Some(jobs) => usize::from(jobs),
        None => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
    };
    ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .map_err(|_| Error::Usage(format!("the system does not give {n_threads} threads")))
}

/// Does `work` on each item in parallel and tells the results to `tell` in the order of the items.
///
/// Items are taken as they are needed: at most 64 for each thread are being worked on or wait to be told.
///
/// # Errors
///
/// The first error of `tell`; what was begun by then is still finished.
pub fn for_each<T: Send, R: Send, E>(
    pool: &ThreadPool,
    items: impl Iterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
    mut tell: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let window = WINDOW * pool.current_num_threads();
    let mut items = items.fuse();
    let work = &work;
    pool.in_place_scope_fifo(|scope| {
        let (sender, results) = mpsc::channel();
        let mut waiting = BTreeMap::new();
        let (mut n_begun, mut n_told) = (0, 0);
        loop {
            while n_begun - n_told < window {
                let Some(item) = items.next() else { break };
                let (idx, sender) = (n_begun, sender.clone());
                scope.spawn_fifo(move |_| drop(sender.send((idx, work(item)))));
                n_begun += 1;
            }
            if n_begun == n_told {
                return Ok(());
            }
            let Ok((idx, result)) = results.recv() else { return Ok(()) };
            waiting.insert(idx, result);
            while let Some(result) = waiting.remove(&n_told) {
                n_told += 1;
                tell(result)?;
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_and_an_error_stops() {
        let pool = pool(Some(3)).unwrap();
        let mut told = Vec::new();
        let work = |n: u64| {
            std::thread::sleep(std::time::Duration::from_micros((n * 7919) % 300));
            n * n
        };
        let result: Result<(), ()> = for_each(&pool, 0..1000, work, |square| {
            told.push(square);
            Ok(())
        });
        assert_eq!(result, Ok(()));
        assert!(told.iter().copied().eq((0..1000).map(|n| n * n)));

        let stopped = for_each(&pool, 0.., |n: u64| n, |n| if n == 500 { Err(n) } else { Ok(()) });
        assert_eq!(stopped, Err(500));
    }
}
