//! Between the system's words and WASI's.

use rustix::fs::{FileType, Stat, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};
use rustix::io::Errno;
use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;

use crate::bindings::filesystem::types::{DescriptorStat, DescriptorType, ErrorCode, MetadataHashValue, NewTimestamp};

/// The WASI code of a system error.
pub(super) fn code(error: Errno) -> ErrorCode {
    match error {
        Errno::ACCESS => ErrorCode::Access,
        Errno::AGAIN => ErrorCode::WouldBlock,
        Errno::BADF => ErrorCode::BadDescriptor,
        Errno::BUSY => ErrorCode::Busy,
        Errno::DQUOT | Errno::MFILE | Errno::NFILE => ErrorCode::Quota,
        Errno::EXIST => ErrorCode::Exist,
        Errno::FBIG => ErrorCode::FileTooLarge,
        Errno::ILSEQ => ErrorCode::IllegalByteSequence,
        Errno::INTR => ErrorCode::Interrupted,
        Errno::INVAL => ErrorCode::Invalid,
        Errno::ISDIR => ErrorCode::IsDirectory,
        Errno::LOOP => ErrorCode::Loop,
        Errno::MLINK => ErrorCode::TooManyLinks,
        Errno::NAMETOOLONG => ErrorCode::NameTooLong,
        Errno::NODEV | Errno::NXIO => ErrorCode::NoSuchDevice,
        Errno::NOENT => ErrorCode::NoEntry,
        Errno::NOMEM => ErrorCode::InsufficientMemory,
        Errno::NOSPC => ErrorCode::InsufficientSpace,
        Errno::NOTDIR => ErrorCode::NotDirectory,
        Errno::NOTEMPTY => ErrorCode::NotEmpty,
        Errno::NOTSUP | Errno::NOSYS => ErrorCode::Unsupported,
        Errno::OVERFLOW => ErrorCode::Overflow,
        Errno::PERM => ErrorCode::NotPermitted,
        Errno::ROFS => ErrorCode::ReadOnly,
        Errno::SPIPE => ErrorCode::InvalidSeek,
        Errno::TXTBSY => ErrorCode::TextFileBusy,
        Errno::XDEV => ErrorCode::CrossDevice,
        _ => ErrorCode::Io,
    }
}

/// The WASI code of an error of Rust's library.
pub(super) fn code_of(error: &std::io::Error) -> ErrorCode {
    Errno::from_io_error(error).map_or(ErrorCode::Io, code)
}

/// A file's kind.
pub(super) fn kind(kind: FileType) -> DescriptorType {
    match kind {
        FileType::RegularFile => DescriptorType::RegularFile,
        FileType::Directory => DescriptorType::Directory,
        FileType::Symlink => DescriptorType::SymbolicLink,
        FileType::Fifo => DescriptorType::Fifo,
        FileType::Socket => DescriptorType::Socket,
        FileType::CharacterDevice => DescriptorType::CharacterDevice,
        FileType::BlockDevice => DescriptorType::BlockDevice,
        FileType::Unknown => DescriptorType::Unknown,
    }
}

/// What is known of a file.
#[expect(clippy::cast_sign_loss, reason = "the kernel gives sizes and nanoseconds that aren't negative")]
pub(super) fn stat(stat: &Stat) -> DescriptorStat {
    let time = |seconds: i64, nanoseconds: u64| {
        let nanoseconds = u32::try_from(nanoseconds).unwrap_or(0);
        u64::try_from(seconds).ok().map(|seconds| Datetime { seconds, nanoseconds })
    };
    DescriptorStat {
        type_: kind(FileType::from_raw_mode(stat.st_mode)),
        link_count: links(stat),
        size: stat.st_size as u64,
        data_access_timestamp: time(stat.st_atime, stat.st_atime_nsec),
        data_modification_timestamp: time(stat.st_mtime, stat.st_mtime_nsec),
        status_change_timestamp: time(stat.st_ctime, stat.st_ctime_nsec),
    }
}

#[allow(clippy::useless_conversion, reason = "narrower on other processors")]
fn links(stat: &Stat) -> u64 {
    stat.st_nlink.into()
}

/// What tells two files apart.
pub(super) fn identity(stat: &Stat) -> MetadataHashValue {
    MetadataHashValue { lower: stat.st_ino, upper: stat.st_dev }
}

/// New times of a file.
pub(super) fn times(access: NewTimestamp, modification: NewTimestamp) -> Timestamps {
    let time = |time| match time {
        NewTimestamp::NoChange => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
        NewTimestamp::Now => Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        NewTimestamp::Timestamp(time) => Timespec {
            tv_sec: i64::try_from(time.seconds).unwrap_or(i64::MAX),
            tv_nsec: i64::from(time.nanoseconds.min(999_999_999)),
        },
    };
    Timestamps { last_access: time(access), last_modification: time(modification) }
}
