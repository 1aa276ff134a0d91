//! Reading and rewriting HTML in memory, compared with html5ever with a tree, lol_html and
//! html5gum: `cargo bench -p relink-rewrite`.
//!
//! `cargo bench -p relink-rewrite -- relink` measures only the subjects whose names contain that
//! word.
//!
//! The results are ratios. All subjects take turns on the same documents in one run, and the least
//! time of each counts, because other load on the machine makes single runs slower and never
//! faster.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints, and stops where it cannot go on"
)]

mod corpus;
mod soup;
mod subjects;

use std::time::{Duration, Instant};

use corpus::Corpus;
use subjects::Subject;

/// The number of times that each subject reads all documents.
const N_ROUNDS: usize = 7;

fn main() {
    let corpora = corpus::all();
    let mut finding = Table::new("find every reference", subjects::FINDING);
    let mut rewriting = Table::new("make every reference absolute", subjects::REWRITING);
    for corpus in &corpora {
        let (n_declined, n_documents) = subjects::declined(&corpus.documents);
        println!(
            "{}: {} documents, {:.1} MB; {n_declined} of {n_documents} declined by the fast engine",
            corpus.name,
            corpus.documents.len(),
            corpus.n_bytes() as f64 / 1e6,
        );
        finding.measure(corpus);
        rewriting.measure(corpus);
    }
    finding.print();
    rewriting.print();
}

/// The megabytes per second of some subjects on some corpora; the others are compared with the
/// first subject.
struct Table {
    title: &'static str,
    subjects: Vec<&'static Subject>,
    rows: Vec<(&'static str, Vec<f64>)>,
}

impl Table {
    fn new(title: &'static str, subjects: &'static [Subject]) -> Self {
        let word = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
        let subjects = subjects.iter().filter(|subject| subject.name.contains(&word)).collect();
        Table { title, subjects, rows: Vec::new() }
    }

    fn measure(&mut self, corpus: &Corpus) {
        let mut least = vec![Duration::MAX; self.subjects.len()];
        for _ in 0..N_ROUNDS {
            for (least, subject) in least.iter_mut().zip(&self.subjects) {
                let started = Instant::now();
                for document in &corpus.documents {
                    std::hint::black_box((subject.run)(document));
                }
                *least = started.elapsed().min(*least);
            }
        }
        let speeds =
            least.iter().map(|time| corpus.n_bytes() as f64 / 1e6 / time.as_secs_f64()).collect();
        self.rows.push((corpus.name, speeds));
    }

    fn print(&self) {
        println!("\n{} (MB/s, and how many times as fast the first is)", self.title);
        print!("{:<44}", "");
        self.rows.iter().for_each(|(name, _)| print!("{name:>20}"));
        println!("{:>12}", "mean");
        for (idx, subject) in self.subjects.iter().enumerate() {
            print!("{:<44}", subject.name);
            let mut product = 1.0;
            for (_, speeds) in &self.rows {
                let ratio = speeds[0] / speeds[idx];
                product *= ratio;
                print!("{:>12.0}{ratio:>7.1}x", speeds[idx]);
            }
            println!("{:>11.1}x", product.powf(1.0 / self.rows.len() as f64));
        }
    }
}
