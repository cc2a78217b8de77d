//! Runs the targets on any toolchain: first their corpus, then changed entries of it, for some seconds each.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program for tests"
)]

use std::panic::catch_unwind;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use toolbay_fuzz::mutate::{Random, mutate};
use toolbay_fuzz::{TARGETS, Target};

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
/// Targets that run beside each other.
const THREADS: usize = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str| {
        let place = arguments.iter().position(|argument| argument == name)?;
        arguments.get(place + 1)?.parse::<u64>().ok()
    };
    let (seconds, seed) = (number("--seconds").unwrap_or(60), number("--seed").unwrap_or(1));
    let named = |target: &&Target| {
        TARGETS.iter().all(|(name, _)| !arguments.contains(&(*name).to_owned()))
            || arguments.contains(&target.0.to_owned())
    };
    let open = Mutex::new(TARGETS.iter().filter(named).collect::<Vec<_>>());
    // A broken promise is told once, with its input.
    std::panic::set_hook(Box::new(|_| ()));
    let failed = std::thread::scope(|scope| {
        let work = || {
            let mut failed = false;
            while let Some(target) = { open.lock().unwrap().pop() } {
                failed |= !fuzz(target, Duration::from_secs(seconds), seed);
            }
            failed
        };
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        let ended: Vec<bool> = threads.into_iter().map(|thread| thread.join().unwrap_or(true)).collect();
        ended.contains(&true)
    });
    ExitCode::from(u8::from(failed))
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(FOLDER).join("corpus").join(name);
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// Whether the target kept its promise all the time.
fn fuzz((name, target): &Target, time: Duration, seed: u64) -> bool {
    let (corpus, mut random, started, mut runs) = (corpus(name), Random(seed), Instant::now(), 0_u64);
    let mut entries = corpus.clone().into_iter();
    loop {
        let input = match entries.next() {
            Some(entry) => entry,
            None if started.elapsed() >= time => break,
            None => mutate(&corpus, &mut random),
        };
        runs += 1;
        if let Err(panic) = catch_unwind(|| target(&input)) {
            let why = panic.downcast_ref::<String>().map_or("", |text| text);
            let folder = Path::new(FOLDER).join("failures").join(name);
            std::fs::create_dir_all(&folder).unwrap();
            let file = folder.join(format!("{seed}-{runs}"));
            std::fs::write(&file, &input).unwrap();
            println!("{name}: broken after {runs} runs ({why}); the input is in {}", file.display());
            return false;
        }
    }
    println!("{name}: {runs} runs in {} s from {} entries, seed {seed}", started.elapsed().as_secs(), corpus.len());
    !corpus.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corpus_keeps_every_promise() {
        for (name, target) in TARGETS {
            let corpus = corpus(name);
            assert!(corpus.len() >= 20, "{name}: {}", corpus.len());
            corpus.iter().for_each(|entry| target(entry));
        }
    }

    #[test]
    fn a_broken_promise_is_noticed() {
        let corpus = vec![b"abc".to_vec(), b"def\"ghi".to_vec()];
        let mut random = Random(7);
        let found = (0..100_000).any(|_| {
            let input = mutate(&corpus, &mut random);
            catch_unwind(|| toolbay_fuzz::broken(&input)).is_err()
        });
        assert!(found);
        let again = |seed| mutate(&corpus, &mut Random(seed));
        assert_eq!(again(3), again(3));
    }
}
