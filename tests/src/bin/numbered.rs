//! A native program that prints a file with line numbers: what the process start of a sandboxed `Read` is compared with.

use std::io::{BufRead, BufReader, BufWriter, Write};

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_default();
    let mut output = BufWriter::new(std::io::stdout().lock());
    for (number, line) in BufReader::new(std::fs::File::open(path)?).lines().enumerate() {
        writeln!(output, "{:6}\t{}", number + 1, line?)?;
    }
    output.flush()
}
