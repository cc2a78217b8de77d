//! Texts with the commands that are found in them.

use super::*;

/// One line per command, with ` / ` between: `[...]` around words with blanks, `~` behind what isn't literal, `:=` in
/// assignments, `<`, `>` and `&` in front of targets.
fn show(script: &Script) -> String {
    script.commands.iter().map(command).collect::<Vec<_>>().join(" / ")
}

fn command(command: &Simple) -> String {
    let assignments = command.assignments.iter().map(|(name, value)| format!("{name}:={}", word(value)));
    let redirects = command.redirects.iter().map(|redirect| {
        let sign = match redirect.kind {
            RedirectKind::Input => '<',
            RedirectKind::Output => '>',
            RedirectKind::Descriptor => '&',
        };
        format!("{sign}{}", word(&redirect.target))
    });
    assignments.chain(command.words.iter().map(word)).chain(redirects).collect::<Vec<_>>().join(" ")
}

fn word(word: &Word) -> String {
    let text = &word.text;
    match (word.literal, text.is_empty() || text.contains(char::is_whitespace)) {
        (true, false) => text.clone(),
        (true, true) => format!("[{text}]"),
        (false, _) => format!("{text}~"),
    }
}

fn check(complete: bool, table: &[(&str, &str)]) {
    for (text, commands) in table {
        let script = split(text).unwrap();
        assert_eq!((show(&script).as_str(), script.complete), (*commands, complete), "{text}");
    }
}

/// The commands are among those found, and no allow rule may hold.
fn check_found(table: &[(&str, &[&str])]) {
    for (text, commands) in table {
        let script = split(text).unwrap();
        let found: Vec<_> = script.commands.iter().map(command).collect();
        assert!(commands.iter().all(|wanted| found.iter().any(|found| found == wanted)), "{text}: {found:?}");
        assert!(!script.complete, "{text}");
    }
}

#[test]
fn separators() {
    check(
        true,
        &[
            ("", ""),
            (" \n\t\n", ""),
            ("echo hi && ls", "echo hi / ls"),
            ("echo hi || ls", "echo hi / ls"),
            ("echo hi ; ls", "echo hi / ls"),
            ("echo hi | ls", "echo hi / ls"),
            ("echo hi |& ls", "echo hi / ls"),
            ("echo hi & ls", "echo hi / ls"),
            ("echo hi\nls", "echo hi / ls"),
            ("a&&b||c;d|e&f\ng", "a / b / c / d / e / f / g"),
            ("a &&\n\nb |\nc", "a / b / c"),
            ("a;\nb &\n", "a / b"),
            ("git fetch && git pull && git clean -fd", "git fetch / git pull / git clean -fd"),
            ("npm run build; git clean -fd", "npm run build / git clean -fd"),
            ("rm -rf build && ls | wc -l ; echo ok", "rm -rf build / ls / wc -l / echo ok"),
            ("x && gcloud auth list", "x / gcloud auth list"),
            ("a # b; rm x\nc", "a / c"),
            ("# a\nb#c ''#d", "b#c #d"),
            ("a && # why\nb", "a / b"),
            ("a \\\n b\\\nc &\\\n& d", "a bc / d"),
        ],
    );
    check(
        false,
        &[
            ("; ls", "ls"),
            ("ls &&", "ls"),
            ("ls ||\n", "ls"),
            ("ls | # more", "ls"),
            ("a & ; b", "a / b"),
            ("a && ; b", "a / b"),
            ("| a", "a"),
            ("a\r\nb", "[a\r] / b"),
            ("a\0b", "a\0b"),
            ("a\u{a0}b", "[a\u{a0}b]"),
            ("a\u{202e}b", "a\u{202e}b"),
        ],
    );
}

#[test]
fn quotes() {
    check(
        true,
        &[
            (r#"rg "--pre" ./x n ."#, "rg --pre ./x n ."),
            (r"rg --p\re ./x n .", "rg --pre ./x n ."),
            ("r'm' \"-r\"f '' \"\"", "rm -rf [] []"),
            (r#"eval "rm -rf x""#, "eval [rm -rf x]"),
            (r#"echo "a;b" 'c && d' e\;f"#, "echo a;b [c && d] e;f"),
            (r#"echo "\$x \`y\` \\ \" \a""#, r#"echo [$x `y` \ " \a]"#),
            ("echo '$x `y` \\'", "echo [$x `y` \\]"),
            ("echo \"a\\\nb\" 'c\\\nd'", "echo ab [c\\\nd]"),
            ("grep \"a$\" b$ $", "grep a$ b$ $"),
            (r"find . -exec ls {} \;", "find . -exec ls {} ;"),
            ("git show HEAD@{1} a~ b~1", "git show HEAD@{1} a~ b~1"),
            ("[ -f x ] && echo } fi '!'", "[ -f x ] / echo } fi !"),
            (r"'if' \! \*", "if ! *"),
            ("'a b' ü", "[a b] ü"),
        ],
    );
    check(
        false,
        &[
            (r"echo $'a\n\t\\\x41\101\u00e9\?'", "echo [a\n\t\\AAé?]"),
            (r"echo $'r\155' $'a\0b'c $'\q\xz'", r"echo rm ac \q\xz"),
            ("echo $\"a b\"", "echo [a b]"),
            ("echo 'abc", "echo abc"),
            ("echo \"abc", "echo abc"),
            ("echo a\\", "echo a"),
        ],
    );
    // A shell without this quote ends it at the second one.
    check_found(&[(r"echo $'\'; rm x; echo '\''", &["rm x"]), (r"echo $'it\'s' && rm x", &["echo it's", "rm x"])]);
    check_found(&[("echo 'a; rm x", &["echo [a; rm x]"]), ("echo \"a; rm x", &["echo [a; rm x]"])]);
}

#[test]
fn words_that_are_not_literal() {
    check(
        false,
        &[
            ("rm $x ${y} \"$z\" $1 $@ $?", "rm $x~ ${y}~ $z~ $1~ $@~ $?~"),
            ("rm *.c a? [ab] ~ ~/x y=~ a:~b", "rm *.c~ a?~ [ab]~ ~~ ~/x~ y=~~ a:~b~"),
            ("r{m,x} a{1..3}", "r{m,x}~ a{1..3}~"),
            ("echo $x/'*'", "echo $x/*~"),
            ("$x y", "$x~ y"),
            ("echo \"a$'b'\"", "echo a$'b'~"),
        ],
    );
}

#[test]
fn assignments_and_redirects() {
    check(
        true,
        &[
            ("FOO=bar rm -rf tmp", "FOO:=bar rm -rf tmp"),
            ("A=1 B=2 rm x", "A:=1 B:=2 rm x"),
            ("A=", "A:=[]"),
            ("A='b c' d=e f g=h", "A:=[b c] d:=e f g=h"),
            ("'A'=b c; 1A=b c", "A=b c / 1A=b c"),
            ("echo x >> foo.txt", "echo x >foo.txt"),
            ("a <b >c >|d <>e 2>f &>g", "a <b >c >d >e >f >g"),
            ("a 2>&1 <&- >&2-; b>&c", "a &1 &- &2- / b >c"),
            (">a b; > c", "b >a / >c"),
            (">a B=1 c", "B:=1 c >a"),
            ("a \\2>b '2'>c", "a 2 2 >b >c"),
            ("a >'b c'\\;", "a >[b c;]"),
            ("a &>>b", "a >b"),
        ],
    );
    check(
        false,
        &[
            ("A+=1 rm x", "A:=1 rm x"),
            ("A[1]=2 rm x", "A:=2~ rm x"),
            ("A=(1 2) rm x", "A:=(1 2)~ rm x / 1 2"),
            ("PATH=/b:$PATH ls", "PATH:=/b:$PATH~ ls"),
            ("a > ; b", "a / b"),
            ("a >$x", "a >$x~"),
            ("a <&b 12>c {d}>e", "a &b >c >e"),
            ("a <<<b c", "a c"),
            ("a >&-b", "a b &-"),
        ],
    );
    // A shell without `&>` sees a command that writes to the file.
    check_found(&[("echo &>f rm x", &["echo rm x >f", "rm x >f"])]);
    // Bash reads a subscript up to its end, and gives up on an array with more than words in it at the end of the line.
    check_found(&[
        ("A[ #]=1; rm x", &["rm x"]),
        ("A=(1 #); ls\n); rm x", &["ls", "rm x"]),
        ("ls <<'E'; A=(1 && 2)\nrm x\nE", &["ls", "rm x"]),
    ]);
}

#[test]
fn substitutions() {
    check(
        false,
        &[
            ("echo $(rm x) b", "echo $(rm x)~ b / rm x"),
            ("echo \"a $(rm \"b c\") d\"", "echo a $(rm \"b c\") d~ / rm [b c]"),
            ("echo $(a $(b \"$(c)\"))", "echo $(a $(b \"$(c)\"))~ / a $(b \"$(c)\")~ / b $(c)~ / c"),
            ("echo `rm x` y", "echo `rm x`~ y / rm x"),
            (r"echo `a \`b\``", r"echo `a \`b\``~ / a `b`~ / b"),
            (r#"echo "`a \"b c\"`""#, r#"echo `a \"b c\"`~ / a [b c]"#),
            ("cat <(ls) foo.txt", "cat <(ls)~ foo.txt / ls"),
            ("echo x >(tee /tmp/m.sh)", "echo x >(tee /tmp/m.sh)~ / tee /tmp/m.sh"),
            ("echo x > >(sh)", "echo x >>(sh)~ / sh"),
            ("echo ${x:-$(rm y)} ${z:-'}'}", "echo ${x:-$(rm y)}~ ${z:-'}'}~ / rm y"),
            ("echo $((1 << $(a))); b", "echo $((1 << $(a)))~ / a / b"),
            ("$(a) b", "$(a)~ b / a"),
            ("A=$(a)", "A:=$(a)~ / a"),
            ("a >$(b)", "a >$(b)~ / b"),
            ("a $( # )\nb)", "a $( # )\nb)~ / b"),
        ],
    );
    check_found(&[
        ("echo $(rm x", &["echo $(rm x~", "rm x"]),
        ("echo `rm x", &["rm x"]),
        ("echo $((rm x); ls)", &["rm x", "ls"]),
        ("echo \"${x:-'}\"; rm y; echo \"'}\"", &["rm y"]),
        ("echo \"${x:-\"}\"; rm y; echo \"}\"}\"", &["rm y"]),
        ("echo ${ rm x; }", &["rm x"]),
        ("echo ${x:-<(rm y)}", &["rm y"]),
        ("echo $[ 1 #]; rm x", &["rm x"]),
        ("((rm x))", &["rm x"]),
    ]);
}

#[test]
fn control_flow() {
    check(
        false,
        &[
            ("( cat foo.txt )", "cat foo.txt"),
            ("{ cat foo.txt; }", "cat foo.txt"),
            ("(a; (b)) >c | d", "a / b / >c / d"),
            ("if rm x; then curl y; elif z; else w; fi", "rm x / curl y / z / w"),
            ("if(a)then(b)fi", "a / b"),
            ("for f in a b; do rm $f; done", "rm $f~"),
            ("for f do rm $f; done", "rm $f~"),
            ("for f\nin $(ls)\ndo rm $f; done", "ls / rm $f~"),
            ("select f in a; do rm b; done", "rm b"),
            ("while read l; do rm $l; done <f", "read l / rm $l~ / <f"),
            ("until a; do b & done", "a / b"),
            ("case x in a) rm y;; esac", "rm y"),
            ("case x in (a|b) rm y;; *) c;& d) e; esac; f", "rm y / c / e / f"),
            ("x=$(case a in a) rm y;; esac); ls", "x:=$(case a in a) rm y;; esac)~ / rm y / ls"),
            ("foo() { rm x; }", "rm x"),
            ("foo () (rm x)", "rm x"),
            ("function foo { rm x; }", "rm x"),
            ("! rm x", "rm x"),
            ("time -p rm x", "rm x"),
            ("time -f %e rm x", "time -f %e rm x"),
            ("coproc rm x", "rm x"),
            ("coproc foo { rm x; }", "foo / rm x"),
            ("[[ -f a && b ]] && rm x", "[[ -f a / b ]] / rm x"),
            ("[[ $a =~ ^(b|c)$ ]]", "[[ $a~ =~~ ^(b|c)$~ ]] / b / c"),
            ("a;;b", "a / b"),
            ("alias a=b", "alias a=b"),
            ("command alias a=b; a", "command alias a=b / a"),
            ("set -k; a", "set -k / a"),
        ],
    );
    check(true, &[("set -euo pipefail; a", "set -euo pipefail / a")]);
    check_found(&[
        ("[[ x =~ ( #) ]]; rm x", &["rm x"]),
        ("for ((i=0; i<3; i++)); do rm $i; done", &["rm $i~"]),
        ("((x << 2)); rm y\n2", &["rm y"]),
        ("a ); rm x", &["a", "rm x"]),
        ("(a; rm x", &["a", "rm x"]),
        ("case x in a) rm y", &["rm y"]),
        ("case x in rm y; esac; rm z", &["rm y", "rm z"]),
    ]);
}

#[test]
fn here_documents() {
    check(
        false,
        &[
            ("cat <<EOF\nrm x\n$(rm y) `rm z`\nEOF\nls", "cat / ls / rm y / rm z"),
            ("cat <<'EOF'\n$(rm y) \"\nEOF\nls", "cat / ls"),
            ("cat <<-E\\OF | sh\n\t'\n\tEOF\nls", "cat / sh / ls"),
            ("cat <<A <<B; c\na\nA\nb\nB\nd", "cat / c / d"),
            ("(cat <<A)\nb\nA\nc", "cat / c"),
            ("PATH=/b:$PATH cat <<'EOF' > /b/x\nrm y; '\nEOF", "PATH:=/b:$PATH~ cat >/b/x"),
            ("a \"$(cat <<'E'\ndon't; rm x\nE\n)\" && b", "a $(cat <<'E'\ndon't; rm x\nE\n)~ / cat / b"),
            ("cat <<E\n\\$(rm x)\nE", "cat"),
            ("cat <<E", "cat"),
        ],
    );
    check_found(&[
        ("cat <<E\na\nrm x", &["cat", "rm x"]),
        ("cat <<E\n\\\nE\nrm x\nE", &["rm x"]),
        ("cat <<E $(\nrm x\n)\nE", &["rm x"]),
        ("$(cat <<E\nE)\nrm x", &["rm x"]),
        ("cat <<E\n$(\nE\nrm x\n)", &["rm x"]),
    ]);
}

#[test]
fn limits() {
    for parts in [51, 200, 5_000, MOST_COMMANDS] {
        let script = split(&vec!["a b"; parts].join(";")).unwrap();
        assert_eq!((script.commands.len(), script.complete), (parts, true));
    }
    let nested = |depth| "$(".repeat(depth) + "rm x" + &")".repeat(depth);
    assert!(split(&nested(DEEPEST_NESTING)).unwrap().commands.iter().any(|found| command(found) == "rm x"));
    let escaped =
        (0..9).fold("a".to_owned(), |inner, _| format!("`{}`", inner.replace('\\', r"\\").replace('`', r"\`")));
    assert!(split(&escaped).unwrap().commands.iter().any(|found| command(found) == "a"));
    let limit = |text: &str| split(text).unwrap_err().limit;
    assert_eq!(limit(&nested(DEEPEST_NESTING + 1)), DEEPEST_NESTING);
    assert_eq!(limit(&"( ".repeat(DEEPEST_NESTING + 1)), DEEPEST_NESTING);
    assert_eq!(limit(&"case a in b) ".repeat(DEEPEST_NESTING + 1)), DEEPEST_NESTING);
    assert_eq!(limit(&"a;".repeat(MOST_COMMANDS + 1)), MOST_COMMANDS);
    assert_eq!(limit(&"a\n".repeat(MOST_COMMANDS + 1)), MOST_COMMANDS);
    assert_eq!(limit(&"a ".repeat(MOST_WORDS + 1)), MOST_WORDS);
    assert_eq!(limit(&">a ".repeat(MOST_WORDS + 1)), MOST_WORDS);
    assert_eq!(limit(&"a".repeat(LONGEST_TEXT + 1)), LONGEST_TEXT);
    assert!(split(&"a".repeat(LONGEST_TEXT)).unwrap().complete);
    assert!(split(&"a".repeat(LONGEST_TEXT + 1)).unwrap_err().to_string().contains("65536 bytes"));
}

#[test]
fn long_hostile_texts_end() {
    for unit in
        ["'", "\"", "`", "$", "${", "$((", "<<a ", "<<a\n", "a(", "\\\n", "$'", "[[ ", "a[", "{", "]=\"'", "#", " #"]
    {
        for end in ["", "\na", " $'\\'"] {
            let _ = split(&(unit.repeat((LONGEST_TEXT - 5) / unit.len()) + end));
        }
    }
}
