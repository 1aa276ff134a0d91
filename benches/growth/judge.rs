//! Judges growth: a line for each shape, and whether all of them are fine.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use rayon::prelude::*;

use super::cases::Case;
use super::measure::{self, Cost, STAND_IN};

/// Ten times the input takes at most so many times the instructions, or the time.
const LIMIT: f64 = 11.0;

/// Instructions are counted at these two sizes: a step for each pair of bytes, even one of eight
/// bytes at a time, is most of the work of the larger one.
const COUNTED_SIZES: [usize; 2] = [10_000, 100_000];

/// How often what takes too long is measured again: a busy machine makes single runs slower, and
/// never faster.
const TRIES: usize = 3;

/// What a unit may need: so much, and so many times what it is large.
const MEMORY: (u64, u64) = (100 << 20, 3);

/// Memory is measured between these two sizes of a shape: what the program itself needs is no part
/// of it.
const MEMORY_SIZES: [usize; 2] = [100_000, 8_000_000];

/// So many bytes are used for each byte of the input at most.
const MEMORY_RATIO: f64 = 16.0;

/// What one shape takes.
struct Grown {
    costs: Vec<Cost>,
    ratios: Vec<f64>,
    /// The ratios of instructions, where times left a doubt.
    counted: Vec<f64>,
}

impl Grown {
    fn is_fine(&self) -> bool {
        let is_small = |ratios: &[f64]| ratios.iter().all(|ratio| *ratio <= LIMIT);
        is_small(&self.ratios) || (!self.counted.is_empty() && is_small(&self.counted))
    }
}

/// Measures one shape. `make` writes the input of a size, and returns the arguments.
fn grown(sizes: &[usize], make: impl Fn(usize, &Path, &Path) -> Vec<OsString>) -> Grown {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let rounds = |size: usize| match size {
        ..2_000_000 => 3,
        2_000_000..20_000_000 => 2,
        _ => 1,
    };
    let cost = |size: usize| measure::cost(&make(size, folder.path(), &out), &out, rounds(size));
    let mut costs: Vec<Cost> = sizes.iter().map(|size| cost(*size)).collect();
    let ratio = |costs: &[Cost], idx: usize| {
        costs[idx + 1].time.as_secs_f64() / costs[idx].time.as_secs_f64()
    };
    for idx in 0..sizes.len() - 1 {
        for _ in 0..TRIES {
            if ratio(&costs, idx) > LIMIT {
                costs[idx + 1].time = costs[idx + 1].time.min(cost(sizes[idx + 1]).time);
            }
        }
    }
    let ratios: Vec<f64> = (0..sizes.len() - 1).map(|idx| ratio(&costs, idx)).collect();
    let mut counted = Vec::new();
    if ratios.iter().any(|ratio| *ratio > LIMIT) {
        let count = |size: &usize| measure::instructions(&make(*size, folder.path(), &out), &out);
        if let Some(counts) = sizes.iter().map(count).collect::<Option<Vec<f64>>>() {
            counted = counts.windows(2).map(|pair| pair[1] / pair[0]).collect();
        }
    }
    Grown { costs, ratios, counted }
}

/// Prints the instructions of each case at two sizes, counted once: they are the same however busy
/// the machine is. Fails if one of them grows too much.
pub(crate) fn instructions(cases: impl Iterator<Item = Case>) -> ExitCode {
    if !measure::can_count() {
        println!("skipped: valgrind is not installed");
        return ExitCode::SUCCESS;
    }
    if let Err(reason) = check(|make| counted(make).map(|[_, _, ratio]| ratio <= LIMIT)) {
        println!("the judge is not just: {reason}");
        return ExitCode::FAILURE;
    }
    let cases: Vec<Case> = cases.collect();
    let lines: Vec<Result<String, String>> = (cases.par_iter())
        .map(|case| {
            let name = case.name.replace('|', "\\|");
            let [small, large, ratio] =
                counted(|size, folder, out| case.make(size, folder, out))
                    .ok_or_else(|| format!("| {name} | valgrind counts nothing |"))?;
            let line = format!("| {name} | {small} | {large} | {ratio:.1} |");
            if ratio <= LIMIT { Ok(line) } else { Err(line) }
        })
        .collect();
    println!("| shape | instructions for 10 KB | for 100 KB | ratio |\n|---|---|---|---|");
    lines.iter().for_each(|(Ok(line) | Err(line))| println!("{line}"));
    let faults: Vec<&str> =
        lines.iter().filter_map(|line| line.as_ref().err().map(String::as_str)).collect();
    if faults.is_empty() {
        println!(
            "\n{} shapes: ten times the input takes at most {LIMIT} times the instructions",
            lines.len()
        );
        return ExitCode::SUCCESS;
    }
    println!(
        "\nmore than {LIMIT} times the instructions for ten times the input:\n{}",
        faults.join("\n")
    );
    ExitCode::FAILURE
}

/// Returns the instructions for both sizes of a shape, and their ratio.
fn counted(make: impl Fn(usize, &Path, &Path) -> Vec<OsString>) -> Option<[f64; 3]> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let count = |size| measure::instructions(&make(size, folder.path(), &out), &out);
    let [small, large] = COUNTED_SIZES.map(count);
    Some([small?, large?, large? / small?])
}

/// Prints a table of the times of the cases. Fails if one of them grows too much.
pub(crate) fn table(cases: impl Iterator<Item = Case>, sizes: &[usize]) -> ExitCode {
    let size = sizes[0].min(100_000);
    if let Err(reason) = check(|make| Some(grown(&[size, 10 * size], make).is_fine())) {
        println!("the judge is not just: {reason}");
        return ExitCode::FAILURE;
    }
    println!(
        "| shape | {} | ratios | peak |",
        sizes.iter().map(size_name).collect::<Vec<_>>().join(" | ")
    );
    println!("|---|{}---|---|", "---|".repeat(sizes.len()));
    let (mut n_cases, mut faults, mut heavy) = (0, Vec::new(), Vec::new());
    for case in cases {
        n_cases += 1;
        let grown = grown(sizes, |size, folder, out| case.make(size, folder, out));
        let line = line(&case.name, &grown);
        println!("{line}");
        let (peak, size) = (grown.costs.last().map(|cost| cost.peak), sizes.last());
        if let (Some(peak), Some(size)) = (peak, size)
            && peak > MEMORY.0 + MEMORY.1 * *size as u64
        {
            heavy.push(line.clone());
        }
        if !grown.is_fine() {
            faults.push(line);
        }
    }
    if !heavy.is_empty() {
        println!(
            "\nmore memory than 100 MiB and three times the input: {} of {n_cases}",
            heavy.len()
        );
        heavy.iter().for_each(|line| println!("{line}"));
    }
    if faults.is_empty() {
        println!("\n{n_cases} shapes: ten times the input takes at most {LIMIT} times the time");
        return ExitCode::SUCCESS;
    }
    println!("\nmore than {LIMIT} times the time for ten times the input:\n{}", faults.join("\n"));
    ExitCode::FAILURE
}

/// Prints how many bytes of memory each case needs for a byte of its input. Fails if one needs
/// too many.
pub(crate) fn memory(cases: impl Iterator<Item = Case>) -> ExitCode {
    println!("| shape | bytes for each byte of the input |\n|---|---|");
    let (mut n_cases, mut faults) = (0, Vec::new());
    for case in cases {
        n_cases += 1;
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let [small, large] = MEMORY_SIZES.map(|size| {
            let args = case.make(size, folder.path(), &out);
            measure::cost(&args, &out, 1).peak as f64
        });
        let ratio = (large - small) / (MEMORY_SIZES[1] - MEMORY_SIZES[0]) as f64;
        let line = format!("| {} | {ratio:.1} |", case.name.replace('|', "\\|"));
        println!("{line}");
        if ratio > MEMORY_RATIO {
            faults.push(line);
        }
    }
    if faults.is_empty() {
        println!("\n{n_cases} shapes: at most {MEMORY_RATIO} bytes for each byte of the input");
        return ExitCode::SUCCESS;
    }
    println!("\ntoo many bytes: {} of {n_cases}\n{}", faults.len(), faults.join("\n"));
    ExitCode::FAILURE
}

fn line(name: &str, grown: &Grown) -> String {
    let name = name.replace('|', "\\|");
    let times: Vec<String> = (grown.costs.iter())
        .map(|cost| format!("{:.2} ms", cost.time.as_secs_f64() * 1e3))
        .collect();
    let ratios = |ratios: &[f64]| {
        ratios.iter().map(|ratio| format!("{ratio:.1}")).collect::<Vec<_>>().join(", ")
    };
    let mut measured = ratios(&grown.ratios);
    if !grown.counted.is_empty() {
        measured.push_str(&format!(" (instructions: {})", ratios(&grown.counted)));
    }
    let peak = grown.costs.last().map_or(0, |cost| cost.peak) >> 20;
    format!("| {name} | {} | {measured} | {peak} MiB |", times.join(" | "))
}

/// Checks that a judge, which is given how the input of a size is made, finds work that grows with
/// the square of the input, and nothing else.
fn check(
    is_fine: impl Fn(&dyn Fn(usize, &Path, &Path) -> Vec<OsString>) -> Option<bool>,
) -> Result<(), String> {
    for (growth, expected) in [("linear", true), ("quadratic", false)] {
        let found = is_fine(&|size, folder, out| {
            let file = folder.join("x");
            std::fs::write(&file, vec![b'x'; size]).unwrap();
            vec![STAND_IN.into(), growth.into(), file.into(), out.into()]
        });
        if found != Some(expected) {
            return Err(format!("{growth} work is found fine: {found:?}"));
        }
    }
    Ok(())
}

fn size_name(size: &usize) -> String {
    match size / 1_000_000 {
        0 => format!("{} KB", size / 1000),
        megabytes => format!("{megabytes} MB"),
    }
}
