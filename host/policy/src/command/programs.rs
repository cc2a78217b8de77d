//! Programs by what they do with their arguments: run other programs, run code, read, write and remove files.

use std::ops::Range;

/// Run the rest of their arguments as a command; allow rules look through these.
const TRANSPARENT: [&str; 9] = ["timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin", "noglob", "xargs"];
/// Run some of their arguments as a command, with more rights, elsewhere, or in another way. Only deny and ask rules look
/// through these.
const OPAQUE: [&str; 38] = [
    "env",
    "sudo",
    "doas",
    "watch",
    "setsid",
    "ionice",
    "flock",
    "chroot",
    "unshare",
    "nsenter",
    "runuser",
    "su",
    "pkexec",
    "strace",
    "ltrace",
    "gdb",
    "parallel",
    "busybox",
    "toybox",
    "exec",
    "unbuffer",
    "script",
    "taskset",
    "numactl",
    "firejail",
    "bwrap",
    "proxychains",
    "torsocks",
    "faketime",
    "systemd-run",
    "dbus-run-session",
    "valgrind",
    "perf",
    "catchsegv",
    "setarch",
    "chrt",
    "npx",
    "entr",
];
const SHELLS: [&str; 12] = ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "fish", "csh", "tcsh", "yash"];
/// Interpreters, with the beginnings of the arguments behind which code stands.
const INTERPRETERS: [(&str, &[&str]); 14] = [
    ("python", &["-c"]),
    ("pypy", &["-c"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("node", &["-e", "--eval", "-p", "--print"]),
    ("nodejs", &["-e", "--eval", "-p", "--print"]),
    ("bun", &["-e", "--eval", "-p", "--print"]),
    ("deno", &["eval"]),
    ("php", &["-r", "-B", "-R"]),
    ("lua", &["-e"]),
    ("osascript", &["-e"]),
    ("pwsh", &["-c", "-C", "-e", "-E"]),
    ("tclsh", &[]),
    ("expect", &["-c"]),
];
/// Their first argument is a program in a language that can start others.
const AWKS: [&str; 4] = ["awk", "gawk", "mawk", "nawk"];
const READERS: [&str; 45] = [
    "cat",
    "head",
    "tail",
    "less",
    "more",
    "nl",
    "tac",
    "od",
    "xxd",
    "hexdump",
    "strings",
    "base64",
    "base32",
    "cut",
    "sort",
    "uniq",
    "wc",
    "diff",
    "cmp",
    "comm",
    "join",
    "paste",
    "file",
    "stat",
    "ls",
    "tree",
    "du",
    "find",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "cksum",
    "tar",
    "zip",
    "gzip",
    "bzip2",
    "xz",
    "zstd",
    "rsync",
    "scp",
    "jq",
    "yq",
    "dd",
    "bat",
];
/// Their first operand is a pattern.
const SEARCHERS: [&str; 7] = ["grep", "egrep", "fgrep", "rg", "ag", "sed", "awk"];
const REMOVERS: [&str; 4] = ["rm", "rmdir", "unlink", "shred"];
const CHANGERS: [&str; 7] = ["tee", "touch", "truncate", "mkdir", "chmod", "chown", "chgrp"];
/// Read all operands but the last, which they write.
const COPIERS: [&str; 4] = ["cp", "mv", "install", "ln"];

/// The most arguments that a wrapper takes before its command.
const OWN_ARGUMENTS: usize = 3;

/// The most arguments of a shell or wrapper that are read as shell text.
const MOST_SCRIPTS: usize = 16;

/// The most operands of one command that are looked at.
const MOST_OPERANDS: usize = 256;

/// A program's name without its folder.
pub(super) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// What a command does with its arguments.
#[derive(Debug, Default)]
pub(super) struct Nature {
    /// Where the command begins that it runs as its own work, and that may be allowed in its place.
    pub(super) inner: Option<usize>,
    /// Where commands could begin that it runs.
    pub(super) suspects: Range<usize>,
    /// Texts that it may give to a shell.
    pub(super) scripts: Vec<usize>,
    /// Whether the first of them is what a shell runs, and nothing else is.
    pub(super) is_script: bool,
    /// It runs code, or something that can't be seen: no wildcard may allow it.
    pub(super) opaque: bool,
}

pub(super) fn nature(words: &[String]) -> Nature {
    let Some((program, arguments)) = words.split_first() else { return Nature::default() };
    let name = base_name(program);
    let argument = |text: &str| arguments.iter().any(|argument| argument == text);
    if TRANSPARENT.contains(&name) {
        let inner = inner_command(name, words);
        return Nature {
            inner,
            suspects: suspects(words),
            opaque: inner.is_none() && words.len() > 1,
            ..Nature::default()
        };
    }
    if OPAQUE.contains(&name) {
        // Some give an argument to a shell: `su -c`, `env -S`, `watch`.
        let text = |at: &usize| {
            words
                .get(*at)
                .is_some_and(|word| word.contains(|letter: char| letter.is_whitespace() || ";|&".contains(letter)))
        };
        let scripts = (1..words.len()).filter(text).take(MOST_SCRIPTS).collect();
        return Nature { suspects: suspects(words), scripts, opaque: true, ..Nature::default() };
    }
    if SHELLS.contains(&name) {
        return shell(words);
    }
    if matches!(name, "eval" | "source" | "." | "trap") {
        return Nature { scripts: (1..words.len().min(2)).collect(), opaque: true, ..Nature::default() };
    }
    if name == "find" {
        let runs = |word: &String| matches!(word.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
        let begins = words.iter().position(runs).map_or(0..0, |at| at + 1..words.len());
        let writes = |word: &String| word == "-delete" || word.starts_with("-fprint") || word.starts_with("-fls");
        return Nature {
            opaque: !begins.is_empty() || arguments.iter().any(writes),
            suspects: begins,
            ..Nature::default()
        };
    }
    // These start a program that one of their options names.
    let helper = match name {
        "rg" => {
            arguments.iter().any(|argument| argument.starts_with("--pre") || argument.starts_with("--hostname-bin"))
        }
        "tar" => arguments
            .iter()
            .any(|argument| argument.starts_with("--checkpoint-action") || argument.starts_with("--to-command")),
        "git" => {
            argument("-c")
                || arguments
                    .iter()
                    .any(|argument| argument.starts_with("--config-env") || argument.starts_with("--exec-path"))
        }
        _ => AWKS.contains(&name) && !arguments.iter().any(|argument| argument.starts_with("-f")),
    };
    Nature { opaque: helper || runs_inline_code(name, arguments), ..Nature::default() }
}

/// Whether the program runs whatever its arguments say, so that a rule `Bash(program *)` allows everything.
pub(crate) fn runs_anything(program: &str) -> bool {
    let name = base_name(program);
    let versioned = |known: &str| {
        name.strip_prefix(known).is_some_and(|rest| rest.chars().all(|letter| letter.is_ascii_digit() || letter == '.'))
    };
    SHELLS.contains(&name)
        || OPAQUE.contains(&name)
        || TRANSPARENT.contains(&name)
        || AWKS.contains(&name)
        || matches!(name, "eval" | "source" | "." | "find" | "ssh" | "docker" | "podman" | "kubectl" | "make")
        || INTERPRETERS.iter().any(|(known, _)| versioned(known))
}

/// Where the command of a wrapper could begin: at any word up to the first that is no option, no assignment and no option's
/// value, and a few further on, for wrappers with an argument of their own.
fn suspects(words: &[String]) -> Range<usize> {
    let leads = |word: &String| word.starts_with('-') || word.contains('=');
    let sure = words.windows(2).position(|pair| matches!(pair, [before, word] if !leads(before) && !leads(word)));
    let end = sure.map_or(words.len(), |at| at + 2 + OWN_ARGUMENTS);
    1..end.min(words.len())
}

fn runs_inline_code(name: &str, arguments: &[String]) -> bool {
    let named = |known: &str| {
        name.strip_prefix(known).is_some_and(|rest| rest.chars().all(|letter| letter.is_ascii_digit() || letter == '.'))
    };
    INTERPRETERS.iter().filter(|(known, _)| named(known)).any(|(_, flags)| {
        arguments
            .iter()
            .any(|argument| flags.iter().any(|flag| argument.starts_with(flag) || short_flags(argument, flag)))
    })
}

/// `-le` holds `-e`.
fn short_flags(argument: &str, flag: &str) -> bool {
    match flag.strip_prefix('-') {
        Some(letter) if letter.len() == 1 => letter.chars().all(|letter| is_flag(argument, letter)),
        _ => false,
    }
}

fn is_flag(argument: &str, letter: char) -> bool {
    argument.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains(letter))
}

/// A shell: with `-c`, the text behind the options. Where options between leave a doubt, each word could be it.
fn shell(words: &[String]) -> Nature {
    let Some(flag) = words.iter().skip(1).position(|word| is_flag(word, 'c')).map(|at| at + 1) else {
        // Without a text it runs a file, or with `-s` whatever it's fed.
        return Nature { opaque: words.iter().skip(1).any(|word| is_flag(word, 's')), ..Nature::default() };
    };
    let letters = |word: &String| {
        word.strip_prefix('-').is_some_and(|letters| letters.chars().all(|letter| "celxuv".contains(letter)))
    };
    let plain_options = words.get(1..=flag).is_some_and(|options| options.iter().all(letters));
    let plain_text = words.get(flag + 1).is_some_and(|text| !text.starts_with(['-', '+']));
    let is_script = plain_options && plain_text;
    let scripts = (flag + 1..words.len()).take(MOST_SCRIPTS).collect();
    Nature { scripts, is_script, opaque: !is_script, ..Nature::default() }
}

/// Where the command of a transparent wrapper begins, when its options leave no doubt.
fn inner_command(name: &str, words: &[String]) -> Option<usize> {
    let is_option = |at: usize| words.get(at).is_some_and(|word| word.starts_with('-'));
    let mut at = 1;
    match name {
        "nice" if words.get(1).is_some_and(|word| word == "-n") => at = 3,
        "nice" if words.get(1).is_some_and(|word| word.starts_with("-n") || word.starts_with("--adjustment=")) => {
            at = 2;
        }
        "time" if words.get(1).is_some_and(|word| word == "-p") => at = 2,
        "timeout" => {
            while let Some(option) = words.get(at).filter(|word| word.starts_with('-')) {
                at += match option.as_str() {
                    "-k" | "-s" => 2,
                    "--foreground" | "--preserve-status" | "-v" | "--verbose" => 1,
                    _ if option.starts_with("--kill-after=") || option.starts_with("--signal=") => 1,
                    _ => return None,
                };
            }
            at += 1;
        }
        "stdbuf" => {
            let setting =
                |word: &String| word.len() > 2 && ["-i", "-o", "-e"].iter().any(|flag| word.starts_with(flag));
            while words.get(at).is_some_and(setting) {
                at += 1;
            }
        }
        _ => {}
    }
    (at < words.len() && !is_option(at)).then_some(at)
}

/// The files that a command names in its arguments, by what it does to them. As good as can be: a program's arguments can
/// mean anything, so this serves rules that deny and ask, never those that allow.
#[derive(Debug, Default)]
pub(super) struct Operands<'a> {
    pub(super) reads: Vec<&'a str>,
    pub(super) writes: Vec<&'a str>,
    pub(super) removes: Vec<&'a str>,
}

pub(super) fn operands(words: &[String]) -> Operands<'_> {
    let mut found = Operands::default();
    let Some((program, arguments)) = words.split_first() else { return found };
    let name = base_name(program);
    let operands = || arguments.iter().map(String::as_str).filter(|word| !word.starts_with('-')).take(MOST_OPERANDS);
    if name == "find" && arguments.iter().any(|word| word == "-delete") {
        found.removes = operands().take(1).collect();
    } else if name == "dd" {
        found.writes = operands().filter_map(|word| word.strip_prefix("of=")).collect();
        found.reads = operands().filter_map(|word| word.strip_prefix("if=")).collect();
    } else if READERS.contains(&name) {
        found.reads = operands().collect();
    } else if SEARCHERS.contains(&name) {
        let in_place =
            name == "sed" && arguments.iter().any(|word| word.starts_with("-i") || word.starts_with("--in-place"));
        let files = operands().skip(1);
        if in_place { found.writes = files.collect() } else { found.reads = files.collect() }
    } else if REMOVERS.contains(&name) {
        // `rm -rf x/*` leaves nothing of `x`.
        found.removes = operands()
            .map(|word| word.strip_suffix("/*").map_or(word, |folder| if folder.is_empty() { "/" } else { folder }))
            .collect();
    } else if CHANGERS.contains(&name) {
        found.writes = operands().collect();
    } else if COPIERS.contains(&name) {
        found.reads = operands().collect();
        found.writes = found.reads.pop().into_iter().collect();
        if name == "mv" {
            found.writes.extend(&found.reads);
        }
    }
    found
}
