//! `RawCanary`: tries every function of `wasi:filesystem` itself, with what no library would pass: absolute paths, paths
//! that climb out of a folder, NUL, every combination of flags.

use toolbay_sdk::{Context, Definition, Environment, Failure, Outcome, Request, Tool, export_tools};
use toolbay_test_guests::{
    canary::{self, Input, tried},
    operations::MARK,
};
use wasi::filesystem::{
    preopens::get_directories,
    types::{Descriptor, DescriptorFlags, ErrorCode, NewTimestamp, OpenFlags, PathFlags},
};

// The SDK brings the contract's world, this brings the file functions as they are.
wit_bindgen::generate!({
    inline: "
        package canary:raw@1.0.0;

        world raw {
            import wasi:filesystem/preopens@0.2.12;
            import wasi:filesystem/types@0.2.12;
        }
    ",
    path: "../../wit",
    world: "canary:raw/raw",
    generate_all,
});

struct RawCanary;

/// Enough to climb out of any folder.
const UP: &str = "../../../../../../../../../../../../";
const RIGHTS: [DescriptorFlags; 5] = [
    DescriptorFlags::empty(),
    DescriptorFlags::READ,
    DescriptorFlags::WRITE,
    DescriptorFlags::READ.union(DescriptorFlags::WRITE),
    DescriptorFlags::all(),
];
const FOLLOWING: [PathFlags; 2] = [PathFlags::empty(), PathFlags::SYMLINK_FOLLOW];

/// A path, seen from a folder that the guest holds.
struct Place<'a> {
    folder: &'a Descriptor,
    path: String,
}

impl Place<'_> {
    /// The operations that only look, and opening in every way.
    fn look(&self, mut note: impl FnMut(&str, Result<String, ErrorCode>)) {
        let Self { folder, path } = self;
        note("readlink-at", folder.readlink_at(path));
        for following in FOLLOWING {
            note(
                &format!("stat-at {following:?}"),
                folder.stat_at(following, path).map(|stat| format!("{:?}", stat.type_)),
            );
            note(
                &format!("metadata-hash-at {following:?}"),
                folder.metadata_hash_at(following, path).map(|_| String::new()),
            );
        }
        for following in FOLLOWING {
            for open in (0..1 << 4).map(OpenFlags::from_bits_truncate) {
                for rights in RIGHTS {
                    let opened = folder.open_at(following, path, open, rights);
                    note(&format!("open-at {following:?} {open:?} {rights:?}"), opened.map(|opened| use_all(&opened)));
                }
            }
        }
        // Once: the disk is slow.
        let opened = folder.open_at(PathFlags::SYMLINK_FOLLOW, path, OpenFlags::empty(), DescriptorFlags::READ);
        note("sync", opened.and_then(|opened| done(opened.sync().and(opened.sync_data()))));
    }

    /// The operations that change what is there, or make something.
    fn change(&self, mut note: impl FnMut(&str, Result<String, ErrorCode>)) {
        let Self { folder, path } = self;
        for following in FOLLOWING {
            let now = (NewTimestamp::Now, NewTimestamp::Now);
            note(&format!("set-times-at {following:?}"), done(folder.set_times_at(following, path, now.0, now.1)));
        }
        note("create-directory-at", done(folder.create_directory_at(path)));
    }

    /// The operations on two places, in both directions.
    fn between(&self, other: &Place<'_>, mut note: impl FnMut(&str, Result<String, ErrorCode>)) {
        for (one, two, way) in [(self, other, "to"), (other, self, "from")] {
            for following in FOLLOWING {
                let linked = one.folder.link_at(following, &one.path, two.folder, &two.path);
                note(&format!("link-at {way} {following:?}"), done(linked));
            }
            note(&format!("symlink-at {way}"), done(one.folder.symlink_at(&two.path, &one.path)));
            note(&format!("rename-at {way}"), done(one.folder.rename_at(&one.path, two.folder, &two.path)));
        }
    }

    /// Those after which nothing is left.
    fn remove(&self, mut note: impl FnMut(&str, Result<String, ErrorCode>)) {
        note("unlink-file-at", done(self.folder.unlink_file_at(&self.path)));
        note("remove-directory-at", done(self.folder.remove_directory_at(&self.path)));
    }
}

fn done(result: Result<(), ErrorCode>) -> Result<String, ErrorCode> {
    result.map(|()| "done".to_owned())
}

/// Everything that can be done with an open file or folder, whatever it was opened for. What could be read is in the answer.
fn use_all(opened: &Descriptor) -> String {
    let read = opened.read(4_096, 0).map(|(bytes, _)| String::from_utf8_lossy(&bytes).into_owned());
    let streamed = opened.read_via_stream(0).map(|stream| stream.read(4_096).unwrap_or_default());
    let listed = opened.read_directory().map(|listing| {
        std::iter::from_fn(|| listing.read_directory_entry().ok().flatten()).map(|entry| entry.name).collect::<Vec<_>>()
    });
    let wrote = opened.write(MARK.as_bytes(), 0).is_ok();
    let streams = [opened.write_via_stream(0), opened.append_via_stream()];
    let wrote_more =
        streams.map(|stream| stream.is_ok_and(|stream| stream.blocking_write_and_flush(MARK.as_bytes()).is_ok()));
    let set = [
        opened.set_size(5).is_ok(),
        opened.set_times(NewTimestamp::Now, NewTimestamp::Now).is_ok(),
        opened.advise(0, 1, wasi::filesystem::types::Advice::WillNeed).is_ok(),
    ];
    let known =
        (opened.get_flags().is_ok(), opened.get_type().is_ok(), opened.stat().is_ok(), opened.metadata_hash().is_ok());
    let streamed = streamed.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    format!(
        "{read:?} {streamed:?} {listed:?} {wrote} {wrote_more:?} {set:?} {known:?} {}",
        opened.is_same_object(opened)
    )
}

/// Tries everything on this path: from the top, as an absolute path, and climbing out of each folder among the targets.
fn try_all(path: &str, targets: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    let Some((top, _)) = get_directories().into_iter().next() else { return lines };
    let relative = match path.trim_start_matches('/') {
        "" if path.starts_with('/') => ".".to_owned(),
        relative => relative.to_owned(),
    };
    let folders: Vec<_> = targets
        .iter()
        .filter_map(|target| {
            let target = target.trim_start_matches('/');
            top.open_at(PathFlags::SYMLINK_FOLLOW, target, OpenFlags::DIRECTORY, DescriptorFlags::READ).ok()
        })
        .collect();
    let mut ways = vec![("", Place { folder: &top, path: relative.clone() })];
    if path.starts_with('/') {
        ways.push(("absolute: ", Place { folder: &top, path: path.to_owned() }));
    }
    ways.extend(folders.iter().map(|folder| ("climbing: ", Place { folder, path: format!("{UP}{relative}") })));
    for (way, from) in &ways {
        let mut note = |operation: &str, result: Result<String, ErrorCode>| {
            lines.push(tried(path, &format!("{way}{operation}"), result.map_err(|error| error.name())));
        };
        from.look(&mut note);
        from.change(&mut note);
        for target in targets {
            let to = Place { folder: &top, path: target.trim_start_matches('/').to_owned() };
            from.between(&to, |operation, result| note(&format!("{operation} {target:?}"), result));
        }
        from.remove(&mut note);
    }
    lines
}

impl Tool for RawCanary {
    const NAME: &str = "RawCanary";
    const DESCRIPTION: &str = "Tries everything on files, without a library.";
    type Input = Input;

    fn definition(_environment: &Environment) -> Definition {
        canary::definition::<Self>()
    }

    fn permissions(input: &Input, _context: &Context) -> Request {
        canary::request(&input.declare)
    }

    fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
        Ok(input.outcome(try_all))
    }
}

export_tools!(RawCanary);

fn main() {}
