//! Threads: an ordered parallel map with a bounded number of items in flight, their number, and
//! graceful shutdown.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::mpsc;
use std::{io, thread};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::os::descriptors;

/// The maximum number of results that wait for an earlier one, per thread.
const WINDOW: usize = 64;

/// The maximum number of items that a thread is given at once: waking one costs as much as a small
/// file. The first are given one by one, so that a few large files are distributed.
const BATCH: usize = 8;

/// No more items are started while the unreported ones hold this number of bytes.
const MOST: usize = 16 << 20;

/// A batch that holds this number of bytes is full.
const HEAVY: usize = 1 << 20;

/// The pool with this number of threads cannot be started.
#[derive(Debug)]
pub struct NoThreads(pub usize);

/// Returns a pool of `jobs` threads, one per core without a number, but no more than the limit of
/// open files allows.
///
/// # Errors
///
/// [`NoThreads`] if the threads cannot be started.
pub fn pool(jobs: Option<u16>) -> Result<ThreadPool, NoThreads> {
    let n_threads = n_threads(jobs);
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build();
    pool.map_err(|_| NoThreads(n_threads))
}

/// Returns the number of threads of [`pool`].
pub fn n_threads(jobs: Option<u16>) -> usize {
    descriptors::threads(match jobs {
        Some(jobs) => usize::from(jobs),
        None => thread::available_parallelism().map_or(1, NonZeroUsize::get),
    })
}

/// Starts a thread of its own, which nobody waits for.
///
/// # Errors
///
/// If it cannot be started.
pub fn start(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

/// Returns the number of the thread that asks among those of its pool; 0 for any other thread.
pub fn thread_number() -> usize {
    rayon::current_thread_index().unwrap_or(0)
}

/// Applies `work` to each item: in parallel, or one after another if no threads can be started.
pub fn map<T: Sync, R: Send>(
    jobs: Option<u16>,
    items: &[T],
    work: impl Fn(&T) -> R + Send + Sync,
) -> Vec<R> {
    match pool(jobs) {
        Ok(pool) => pool.install(|| items.par_iter().map(work).collect()),
        Err(_) => items.iter().map(work).collect(),
    }
}

/// Applies `work` to each item in parallel, and passes the results to `report` in the order of the
/// items.
///
/// Items are taken as they are needed: at most 64 per thread are in progress or wait to be
/// reported, and fewer if they hold many bytes according to `weight`. With one thread on one core,
/// each is reported before the next is taken: its bytes are still in the cache.
///
/// # Errors
///
/// The first error of `report`; items in progress are finished.
pub fn for_each<T: Send, R: Send, E>(
    pool: &ThreadPool,
    items: impl Iterator<Item = T>,
    weight: impl Fn(&T) -> usize,
    work: impl Fn(T) -> R + Sync,
    mut report: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    if pool.current_num_threads() == 1 && is_alone() {
        return items.map(work).try_for_each(report);
    }
    let window = WINDOW * pool.current_num_threads();
    let mut items = items.fuse();
    let work = &work;
    pool.in_place_scope_fifo(|scope| {
        let (sender, results) = mpsc::channel();
        let mut waiting = BTreeMap::new();
        let (mut n_begun, mut n_reported, mut n_bytes) = (0, 0, 0);
        loop {
            while n_begun - n_reported < window && n_bytes < MOST {
                let size = (n_begun / window).clamp(1, BATCH);
                let mut batch: Vec<T> = Vec::with_capacity(size);
                let mut heavy = 0;
                while batch.len() < size && heavy < HEAVY {
                    let Some(item) = items.next() else { break };
                    heavy += weight(&item);
                    batch.push(item);
                }
                if batch.is_empty() {
                    break;
                }
                let (idx, sender) = (n_begun, sender.clone());
                n_begun += batch.len();
                n_bytes += heavy;
                scope.spawn_fifo(move |_| {
                    let done: Vec<R> = batch.into_iter().map(work).collect();
                    drop(sender.send((idx, done, heavy)));
                });
            }
            if n_begun == n_reported {
                return Ok(());
            }
            let Ok((idx, batch, heavy)) = results.recv() else { return Ok(()) };
            waiting.insert(idx, (batch, heavy));
            while let Some((batch, heavy)) = waiting.remove(&n_reported) {
                n_reported += batch.len();
                n_bytes -= heavy;
                batch.into_iter().try_for_each(&mut report)?;
            }
        }
    })
}

/// Returns true if this process has one core: nothing can run beside the thread that asks.
fn is_alone() -> bool {
    thread::available_parallelism().is_ok_and(|n_cores| n_cores == NonZeroUsize::MIN)
}

#[cfg(test)]
mod tests {
    use std::sync::{Condvar, Mutex};

    use super::*;

    #[test]
    fn results_come_in_order_and_an_error_stops() {
        let pool = pool(Some(3)).unwrap();
        let (finished, has_finished) = (Mutex::new(Vec::new()), Condvar::new());
        // Each even number is finished after the next one, which another thread has: items are
        // given out in order, so the thread that waits is not the one that is waited for.
        let work = |n: u64| {
            let is_early = |finished: &mut Vec<u64>| {
                n < PAIRED && n.is_multiple_of(2) && !finished.contains(&(n + 1))
            };
            let mut finished = has_finished.wait_while(finished.lock().unwrap(), is_early).unwrap();
            finished.push(n);
            has_finished.notify_all();
            n * n
        };
        let mut reported = Vec::new();
        let result: Result<(), ()> = for_each(
            &pool,
            0..1000,
            |_| 1 << 19,
            work,
            |square| {
                reported.push(square);
                Ok(())
            },
        );
        assert_eq!(result, Ok(()));
        let finished = finished.into_inner().unwrap();
        assert!(finished.len() == 1000 && !finished.is_sorted());
        assert!(reported.iter().copied().eq((0..1000).map(|n| n * n)));

        let stopped =
            for_each(&pool, 0.., |_| 0, |n: u64| n, |n| if n == 500 { Err(n) } else { Ok(()) });
        assert_eq!(stopped, Err(500));
    }

    /// The items below this number are given to the threads one by one.
    const PAIRED: u64 = 2 * WINDOW as u64;
}
