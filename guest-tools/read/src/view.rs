//! The answer for programs: what was shown of which file, without its text.

use schemars::{JsonSchema, schema_for};
use serde::Serialize;

use crate::page::{Page, Range};

/// Which lines of which file were shown.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// The path of the file: absolute, or starting with `~/`.
    pub path: String,
    /// The number of the first line that is shown, counted from 1. Past the end, the offset that was asked for.
    pub first_line: u32,
    /// How many lines are shown.
    pub lines: u32,
    /// How many lines the file has.
    pub total_lines: u32,
    /// Whether lines of the file, or parts of lines, are not shown.
    pub truncated: bool,
}

impl View {
    pub(crate) fn of(path: &str, range: Range, page: &Page) -> Self {
        Self {
            path: path.to_owned(),
            // An empty file has no line at all, so it is seen from its start, whatever the offset.
            first_line: if page.total == 0 { 1 } else { range.first },
            lines: page.lines,
            total_lines: page.total,
            truncated: page.is_partial(),
        }
    }

    /// The JSON Schema of a view.
    #[must_use]
    pub fn schema() -> String {
        let mut schema = schema_for!(Self);
        // As in input schemas: the dialect is the contract's, the title would be the name of a Rust type.
        schema.remove("$schema");
        schema.remove("title");
        schema.to_value().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_names_every_field() {
        let schema: serde_json::Value = serde_json::from_str(&View::schema()).unwrap();
        let fields = ["path", "firstLine", "lines", "totalLines", "truncated"];
        assert_eq!(schema["required"], serde_json::json!(fields));
        assert_eq!(schema["properties"].as_object().unwrap().keys().collect::<Vec<_>>(), fields);
        assert_eq!(schema.get("title").or(schema.get("$schema")), None);
    }

    #[test]
    fn an_empty_file_is_seen_from_its_start_and_whole() {
        let view = View::of("/a", Range::new(Some(100), None), &Page::default());
        assert_eq!((view.first_line, view.lines, view.total_lines, view.truncated), (1, 0, 0, false));
    }
}
