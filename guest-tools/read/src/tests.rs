//! `Read` as a model meets it, on real files.

use std::{fs, process::Command};

use tempfile::TempDir;

use super::*;

/// A working directory with one file, `file`.
struct Bench {
    folder: TempDir,
    context: Context,
}

impl Bench {
    fn new(content: impl AsRef<[u8]>) -> Self {
        let folder = TempDir::new().unwrap();
        let context = Context::mock(folder.path().to_str().unwrap());
        fs::write(folder.path().join("file"), content).unwrap();
        Self { folder, context }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn call(&self, offset: Option<u32>, limit: Option<u32>) -> Result<Outcome, Failure> {
        let input = Input { file_path: "file".into(), offset, limit: limit.and_then(NonZeroU32::new) };
        Read::call(input, &self.context)
    }

    fn call_on(&self, name: &str) -> Result<Outcome, Failure> {
        Read::call(Input { file_path: name.into(), offset: None, limit: None }, &self.context)
    }

    fn shown(&self, offset: Option<u32>, limit: Option<u32>) -> String {
        self.call(offset, limit).unwrap().as_text()
    }

    fn recorded(&self) -> Option<ReadEntry> {
        self.context.read_of(&self.path("file"))
    }
}

/// What the first form shows of a whole file.
fn shown(content: impl AsRef<[u8]>) -> String {
    Bench::new(content).shown(None, None)
}

fn refused(content: impl AsRef<[u8]>) -> Failure {
    Bench::new(content).call(None, None).unwrap_err()
}

#[test]
fn lines_are_numbered_and_tabs_kept() {
    assert_eq!(shown("fn x() {\n\ty()\n}\n"), "     1\tfn x() {\n     2\t\ty()\n     3\t}");
}

#[test]
fn relative_and_absolute_paths_are_one_file() {
    let bench = Bench::new("a\n");
    for path in ["file".to_owned(), "./x/../file".to_owned(), bench.path("file")] {
        assert_eq!(bench.call_on(&path).unwrap().as_text(), "     1\ta");
    }
}

#[test]
fn b037_an_offset_past_the_end_is_told_with_the_line_count() {
    let bench = Bench::new("1\n2\n3\n4\n5\n");
    let shown = bench.shown(Some(100), None);
    assert_eq!(shown, "[The file has 5 lines, offset 100 is past its end. Nothing is shown.]");
    assert!(bench.recorded().is_none());
}

#[test]
fn b038_an_empty_file_is_a_notice_and_no_line() {
    let bench = Bench::new("");
    assert_eq!(bench.shown(None, None), "[The file exists and is empty.]");
    assert_eq!(bench.shown(Some(9), None), "[The file exists and is empty.]");
    assert!(!bench.recorded().unwrap().partial);
}

#[test]
fn a_file_of_nothing_but_a_mark_is_empty() {
    assert_eq!(shown("\u{feff}"), "[The file exists and is empty but for a byte order mark.]");
}

#[test]
fn b040_a_huge_line_is_cut_with_a_mark() {
    let line = format!("     1\t{} [... 598000 more characters]", "x".repeat(2000));
    assert_eq!(shown("x".repeat(600_000)), format!("{line}\n\n[1 long line cut at 2000 characters.]"));
}

#[test]
fn b041_a_long_file_gives_its_first_page_and_the_way_on() {
    let file: String = (1..=20_010).map(|number| format!("line {number}\n")).collect();
    let bench = Bench::new(file);
    let shown = bench.shown(None, None);
    assert!(shown.contains("\n  2000\tline 2000\n\n[Partial view: lines 1 to 2000 of 20010. Go on with offset 2001.]"));
    assert!(bench.shown(Some(2001), None).starts_with("  2001\tline 2001\n"));
}

#[test]
fn b043_a_file_of_305_kilobytes_gives_a_first_page_that_fits() {
    let line = format!("{}\n", "x".repeat(304));
    let shown = shown(line.repeat(1000));
    let (lines, notice) = shown.split_once("\n\n").unwrap();
    assert!(lines.chars().count() <= 200_000);
    assert!(lines.ends_with('x') && lines.contains("\n   641\t"), "{notice}");
    assert!(notice.contains("lines 1 to 641 of 1000.") && notice.contains("offset 642 and limit 641"), "{notice}");
}

#[test]
fn b043_an_explicit_range_over_the_cap_is_refused_with_a_way_on() {
    let bench = Bench::new(format!("{}\n", "x".repeat(304)).repeat(1000));
    let failure = bench.call(Some(1), Some(1000)).unwrap_err();
    assert_eq!(failure.code, code::RANGE_TOO_LONG);
    for part in [bench.path("file").as_str(), "(305000 bytes)", "311999 characters", "offset 1 and limit 641"] {
        assert!(failure.message.contains(part), "{part}: {}", failure.message);
    }
    assert!(bench.call(Some(1), Some(641)).is_ok());
}

#[test]
fn b053_a_pipe_is_refused_before_it_is_opened() {
    let bench = Bench::new("");
    assert!(Command::new("mkfifo").arg(bench.path("pipe")).status().unwrap().success());
    let failure = bench.call_on("pipe").unwrap_err();
    assert_eq!(failure.code, code::NOT_A_FILE);
    assert!(failure.message.contains("is a pipe, socket or device"));
}

#[test]
fn a_folder_is_refused() {
    let failure = Bench::new("").call_on(".").unwrap_err();
    assert_eq!(failure.code, code::NOT_A_FILE);
    assert!(failure.message.contains("is a folder"));
}

#[test]
fn a_missing_file_is_named() {
    let bench = Bench::new("");
    let failure = bench.call_on("missing").unwrap_err();
    assert_eq!(failure.code, code::NOT_FOUND);
    assert!(failure.message.contains(&bench.path("missing")), "{}", failure.message);
}

#[test]
fn links_are_followed() {
    let bench = Bench::new("a\n");
    std::os::unix::fs::symlink("file", bench.path("link")).unwrap();
    assert_eq!(bench.call_on("link").unwrap().as_text(), "     1\ta");
}

#[test]
fn b055_a_renamed_archive_is_refused_by_its_bytes() {
    let failure = refused(b"PK\x03\x04\x14\0\0\x08\0\0secret");
    assert_eq!(failure.code, code::NOT_TEXT);
    assert!(failure.message.contains("a zip archive") && failure.message.contains("(16 bytes)"), "{}", failure.message);
    assert!(!failure.message.contains("secret") && !failure.message.contains('\0'));
}

#[test]
fn b055_a_nul_in_the_first_block_is_binary_and_a_later_one_text() {
    assert!(refused("a\0b").message.contains("binary data"));
    let bench = Bench::new(format!("{}\0b\n", "a\n".repeat(4096)));
    assert!(bench.shown(Some(4097), None).starts_with("  4097\t\0b"));
}

#[test]
fn images_and_pdf_documents_are_refused_by_type() {
    assert!(refused(b"\xff\xd8\xff").message.contains("a JPEG image (3 bytes)"));
    assert!(refused("%PDF-1.7\n").message.contains("a PDF document"));
}

#[test]
fn b056_utf16_is_decoded_and_said() {
    assert_eq!(shown(b"\xff\xfeh\0i\0\n\0"), "     1\thi\n\n[The file is UTF-16LE, shown decoded.]");
    assert_eq!(shown(b"\xfe\xff\0h\0i\0\r\0\n"), "     1\thi\n\n[The file is UTF-16BE, shown decoded.]");
}

#[test]
fn the_mark_of_utf8_is_not_shown() {
    assert_eq!(shown("\u{feff}a\n"), "     1\ta");
}

#[test]
fn invalid_bytes_are_shown_as_such_and_counted() {
    let notice = "[1 line with bytes that are not valid UTF-8, shown as U+FFFD.]";
    assert_eq!(shown(b"a\nb\xff\xffc\n"), format!("     1\ta\n     2\tb\u{fffd}\u{fffd}c\n\n{notice}"));
}

#[test]
fn characters_on_the_border_of_two_pieces_stay_whole() {
    for shift in 0..4 {
        let text = format!("{}{}\n", "a".repeat(shift), "\u{1f600}\n".repeat(20_000));
        let shown = Bench::new(text).shown(Some(13_000), Some(400));
        assert_eq!(shown.matches('\u{1f600}').count(), 400);
        assert!(!shown.contains('\u{fffd}'));
    }
}

#[test]
fn a_file_over_a_gibibyte_is_refused_by_its_size() {
    let bench = Bench::new("");
    fs::File::create(bench.path("file")).unwrap().set_len((1 << 30) + 1).unwrap();
    let failure = bench.call(None, None).unwrap_err();
    assert_eq!(failure.code, code::TOO_LARGE);
    assert!(failure.message.contains("1073741825 bytes"));
}

#[test]
fn content_counts_even_when_the_size_says_zero() {
    let bench = Bench::new("");
    assert!(bench.call_on("/proc/self/status").unwrap().as_text().starts_with("     1\tName:"));
}

#[test]
fn what_was_read_is_remembered_with_its_digest() {
    let bench = Bench::new("abc");
    bench.call(None, None).unwrap();
    let entry = bench.recorded().unwrap();
    assert_eq!(entry.digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!((entry.first_line, entry.lines, entry.partial), (1, 1, false));
}

#[test]
fn a_part_is_remembered_as_a_part() {
    let bench = Bench::new("a\nb\nc\n");
    bench.call(Some(2), Some(1)).unwrap();
    let entry = bench.recorded().unwrap();
    assert_eq!((entry.first_line, entry.lines, entry.partial), (2, 1, true));
    let bench = Bench::new("x".repeat(2001));
    bench.call(None, None).unwrap();
    assert!(bench.recorded().unwrap().partial);
}

#[test]
fn the_structured_answer_counts_lines() {
    let bench = Bench::new("a\nb\nc\n");
    let view = bench.call(Some(2), None).unwrap().structured.unwrap();
    let path = bench.path("file");
    assert_eq!(view, format!(r#"{{"path":"{path}","firstLine":2,"lines":2,"totalLines":3,"truncated":true}}"#));
}

#[test]
fn exactly_the_one_path_is_asked_for() {
    let input = Input { file_path: "~/a b".into(), offset: None, limit: None };
    let request = Read::permissions(&input, &Context::mock("/work"));
    assert!(matches!(request.access.as_slice(), [Access::Read(path)] if path == "~/a b"));
    assert_eq!(request.traits, Traits::READ_ONLY | Traits::CONCURRENCY_SAFE | Traits::IDEMPOTENT);
    assert_eq!(request.summary.as_deref(), Some("Read ~/a b"));
}

#[test]
fn an_empty_path_is_no_input() {
    let input = Input { file_path: String::new(), offset: None, limit: None };
    let failure = Read::validate(&input, &Context::mock("/")).unwrap_err();
    assert_eq!(failure.message, "`file_path` is empty. Give the path of a text file.");
}

#[test]
fn the_definition_is_unlimited_and_says_what_numbers_are_allowed() {
    let environment = Environment {
        host_version: String::new(),
        platform: String::new(),
        interactive: false,
        features: Vec::new(),
        region: None,
    };
    let definition = Read::definition(&environment);
    assert!(definition.max_result_chars.is_none() && definition.overflow == Overflow::Guide);
    let schema: serde_json::Value = serde_json::from_str(&definition.input_schema).unwrap();
    assert_eq!(schema["properties"]["limit"]["minimum"], 1);
    assert_eq!(schema["properties"]["offset"]["minimum"], 0);
    assert_eq!(schema["required"], serde_json::json!(["file_path"]));
    assert_eq!(schema["additionalProperties"], false);
}

#[test]
fn a_negative_offset_and_a_limit_of_zero_are_no_input() {
    for wrong in [r#"{"file_path":"a","offset":-1}"#, r#"{"file_path":"a","limit":0}"#, r#"{"file_path":"a","line":1}"#]
    {
        assert!(serde_json::from_str::<Input>(wrong).is_err(), "{wrong}");
    }
}
