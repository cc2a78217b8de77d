//! Every operation of `std::fs`. Ordinary Rust: a test also tries them outside the sandbox, to hear what the kernel says.

use std::{
    fs::{self, File, FileTimes, Metadata},
    io::{self, Read as _, Write as _},
    time::{Duration, SystemTime},
};

use crate::{canary::tried, names, soft_link};

/// What is written wherever it can be.
pub const MARK: &str = "the canary was here";

/// Something of what an operation saw, or the error.
type Seen = io::Result<String>;
type Alone = (&'static str, fn(&str) -> Seen);
type Between = (&'static str, fn(&str, &str) -> Seen);

/// The operations on one path, with their names. Those that only look come first, those that remove last.
const ALONE: &[Alone] = &[
    ("metadata", |path| fs::metadata(path).map(about)),
    ("symlink-metadata", |path| fs::symlink_metadata(path).map(about)),
    ("exists", |path| fs::exists(path).map(|exists| exists.to_string())),
    ("read-link", |path| fs::read_link(path).map(|target| target.display().to_string())),
    ("canonicalize", |path| fs::canonicalize(path).map(|real| real.display().to_string())),
    ("read-dir", |path| names(path)),
    ("open", |path| File::open(path)?.metadata().map(about)),
    ("read", |path| start_of(File::open(path)?)),
    ("sync", |path| done(File::open(path)?.sync_all())),
    ("sync-data", |path| done(File::open(path)?.sync_data())),
    ("write-to-reader", |path| done(File::open(path)?.write_all(MARK.as_bytes()))),
    ("set-len-of-reader", |path| done(File::open(path)?.set_len(1))),
    ("open-to-write", |path| File::options().write(true).open(path)?.metadata().map(about)),
    ("write-at-start", |path| done(File::options().write(true).open(path)?.write_all(MARK.as_bytes()))),
    ("append", |path| done(File::options().append(true).open(path)?.write_all(MARK.as_bytes()))),
    ("read-and-append", |path| start_of(File::options().read(true).append(true).open(path)?)),
    ("set-times", |path| done(File::options().write(true).open(path)?.set_times(long_ago()))),
    ("set-permissions", |path| {
        done(fs::metadata(path).and_then(|about| fs::set_permissions(path, about.permissions())))
    }),
    ("set-len", |path| done(File::options().write(true).open(path)?.set_len(3))),
    ("truncate", |path| done(File::options().write(true).truncate(true).open(path).map(drop))),
    ("create-new", |path| done(File::create_new(path)?.write_all(MARK.as_bytes()))),
    ("create", |path| done(File::create(path)?.write_all(MARK.as_bytes()))),
    ("create-to-append", |path| done(File::options().append(true).create(true).open(path)?.write_all(MARK.as_bytes()))),
    ("write", |path| done(fs::write(path, MARK))),
    ("create-dir", |path| done(fs::create_dir(path))),
    ("create-dir-all", |path| done(fs::create_dir_all(format!("{path}/new/er")))),
];

/// The operations on a path and another one.
const BETWEEN: &[Between] = &[
    ("copy-to", |path, other| fs::copy(path, other).map(|size| size.to_string())),
    ("copy-from", |path, other| fs::copy(other, path).map(|size| size.to_string())),
    ("rename-to", |path, other| done(fs::rename(path, other))),
    ("rename-from", |path, other| done(fs::rename(other, path))),
];

/// Those that make links, which no grant allows.
const LINKING: &[Between] = &[
    ("hard-link-at", |path, other| done(fs::hard_link(other, path))),
    ("hard-link-of", |path, other| done(fs::hard_link(path, other))),
    ("soft-link-at", |path, other| done(soft_link(other, path))),
    ("soft-link-of", |path, other| done(soft_link(path, other))),
];

/// Those after which nothing is left, and what can be made in its place.
const LAST: &[Alone] = &[
    ("remove-file", |path| done(fs::remove_file(path))),
    ("remove-dir", |path| done(fs::remove_dir(path))),
    ("remove-dir-all", |path| done(fs::remove_dir_all(path))),
    ("create-dir-again", |path| done(fs::create_dir(path))),
    ("remove-dir-again", |path| done(fs::remove_dir(path))),
    ("create-again", |path| done(fs::write(path, MARK))),
];

/// Tries every operation on this path, and between it and each of the others; one line each. The order leaves what is there
/// as long as it can. Without `linking`, none that makes a link.
pub fn try_all(path: &str, others: &[String], linking: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let mut note = |operation: &str, seen: Seen| {
        lines.push(tried(path, operation, seen.map_err(|error| format!("{:?}", error.kind()))));
    };
    for (name, operation) in ALONE {
        note(name, operation(path));
    }
    let links = if linking { LINKING } else { &[] };
    for other in others {
        for (name, operation) in links.iter().chain(BETWEEN) {
            note(&format!("{name} {other:?}"), operation(path, other));
        }
    }
    for (name, operation) in LAST {
        note(name, operation(path));
    }
    lines
}

fn done(result: io::Result<()>) -> Seen {
    result.map(|()| "done".to_owned())
}

/// The start of what can be read; devices never end.
fn start_of(file: File) -> Seen {
    let mut bytes = Vec::new();
    file.take(4_096).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn about(metadata: Metadata) -> String {
    let kind = metadata.file_type();
    match (kind.is_file(), kind.is_dir(), kind.is_symlink()) {
        (true, ..) => format!("file of {}", metadata.len()),
        (_, true, _) => "folder".to_owned(),
        (.., true) => format!("link of {}", metadata.len()),
        _ => "other".to_owned(),
    }
}

fn long_ago() -> FileTimes {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    FileTimes::new().set_accessed(time).set_modified(time)
}
