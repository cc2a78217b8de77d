//! What a model must know beyond the lines that it sees.
//!
//! Owns the words of every notice: one line each, in square brackets. It never hides that lines are left out, and says
//! how to get them.

use crate::{
    line,
    page::{Page, Range},
    scan::Scan,
};

/// All notices about this answer, the most important first.
pub fn all(scan: &Scan, range: Range) -> Vec<String> {
    let notices = [extent(scan, range), cut(&scan.page), encoding(scan), damaged(scan)];
    notices.into_iter().flatten().map(|notice| format!("[{notice}]")).collect()
}

/// Which part of the file this is.
fn extent(scan: &Scan, range: Range) -> Option<String> {
    let page = &scan.page;
    let total = page.total;
    if total == 0 {
        return Some(match scan.bytes {
            0 => "The file exists and is empty.".to_owned(),
            _ => "The file exists and is empty but for a byte order mark.".to_owned(),
        });
    }
    if page.is_past_the_end(range) {
        let lines = count(total, "line");
        return Some(format!("The file has {lines}, offset {} is past its end. Nothing is shown.", range.first));
    }
    if page.lines == total {
        return None;
    }
    // The range starts inside the file, and one line always fits.
    let last = range.first + page.lines.saturating_sub(1);
    let shown = match page.lines {
        1 => format!("line {last}"),
        _ => format!("lines {} to {last}", range.first),
    };
    Some(format!("Partial view: {shown} of {total}. {}", onward(page, last)))
}

/// How to see what follows the last line that is shown.
fn onward(page: &Page, last: u32) -> String {
    if last >= page.total {
        return "This is the end of the file.".to_owned();
    }
    let next = last.saturating_add(1);
    // An explicit range over the cap would be refused, so the advice is one that likely isn't.
    match page.is_over_the_cap() {
        true => format!("More is too long for one result. Go on with offset {next} and limit {}.", page.lines),
        false => format!("Go on with offset {next}."),
    }
}

fn cut(page: &Page) -> Option<String> {
    let lines = count(page.cut, "long line");
    (page.cut > 0).then(|| format!("{lines} cut at {} characters.", line::MAX_CHARACTERS))
}

fn encoding(scan: &Scan) -> Option<String> {
    scan.encoding.is_marked().then(|| format!("The file is {}, shown decoded.", scan.encoding.name()))
}

fn damaged(scan: &Scan) -> Option<String> {
    let lines = count(scan.page.damaged, "line");
    let name = scan.encoding.name();
    (scan.page.damaged > 0).then(|| format!("{lines} with bytes that are not valid {name}, shown as U+FFFD."))
}

fn count(number: u32, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Encoding;

    /// A view of `lines` lines from `first`, of a file of 10.
    fn scan(first: u32, lines: u32) -> (Scan, Range) {
        let page = Page { lines, total: 10, ..Page::default() };
        let scan = Scan { page, encoding: Encoding::Utf8, bytes: 100, digest: String::new() };
        (scan, Range { first, limit: 10, explicit: true })
    }

    fn said(first: u32, lines: u32) -> String {
        let (scan, range) = scan(first, lines);
        all(&scan, range).join("\n")
    }

    #[test]
    fn a_whole_file_needs_no_notice() {
        assert_eq!(said(1, 10), "");
    }

    #[test]
    fn a_partial_view_says_how_to_go_on() {
        assert_eq!(said(1, 4), "[Partial view: lines 1 to 4 of 10. Go on with offset 5.]");
        assert_eq!(said(3, 1), "[Partial view: line 3 of 10. Go on with offset 4.]");
    }

    #[test]
    fn the_end_of_a_file_is_said() {
        assert_eq!(said(9, 2), "[Partial view: lines 9 to 10 of 10. This is the end of the file.]");
    }

    #[test]
    fn an_offset_past_the_end_is_no_empty_file() {
        assert_eq!(said(11, 0), "[The file has 10 lines, offset 11 is past its end. Nothing is shown.]");
    }

    #[test]
    fn a_view_that_is_too_long_advises_a_limit() {
        let (mut scan, range) = scan(1, 4);
        scan.page.characters = crate::page::MAX_CHARACTERS + 1;
        let said = all(&scan, range).join("\n");
        assert!(said.ends_with("Go on with offset 5 and limit 4.]"), "{said}");
    }

    #[test]
    fn several_notices_are_one_line_each() {
        let (mut scan, range) = scan(1, 10);
        (scan.page.cut, scan.page.damaged, scan.encoding) = (1, 2, Encoding::Utf16LittleEndian);
        let expected = [
            "[1 long line cut at 2000 characters.]",
            "[The file is UTF-16LE, shown decoded.]",
            "[2 lines with bytes that are not valid UTF-16LE, shown as U+FFFD.]",
        ];
        assert_eq!(all(&scan, range), expected);
    }
}
