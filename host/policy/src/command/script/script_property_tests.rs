//! What holds for every text.

use proptest::prelude::*;

use super::*;

/// Mostly what shells treat in a special way.
const SHELL_TEXT: &str = "([;&|()<>{}$`\"'\\\\#!*?~=\n\t \\[\\]a-c0-2-]|if |then |case |in |esac|do |for |<<E\n|\nE\n|\\$\\(|\\$\\{|\\$\\(\\(|\\$'|\\[\\[ ){0,60}";
const PLAIN_WORD: &str = "w[a-zA-Z0-9_./:@%+,-]{0,12}";

fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn texts(command: &Simple) -> Vec<&str> {
    command.words.iter().map(|word| word.text.as_str()).collect()
}

fn holds(script: &Script, words: &[&str]) -> bool {
    script.commands.iter().any(|command| texts(command) == words)
}

/// What a complete script promises about each of its words.
fn is_literal(command: &Simple) -> bool {
    let values = command.assignments.iter().map(|(_, value)| value);
    let targets = command.redirects.iter().map(|redirect| &redirect.target);
    values.chain(targets).chain(&command.words).all(|word| word.literal)
}

proptest! {
    #[test]
    fn any_text_is_read(text in "\\PC{0,80}|(?s).{0,80}") {
        let _ = split(&text);
    }

    #[test]
    fn any_shell_text_is_read_and_a_complete_one_is_literal(text in SHELL_TEXT) {
        let script = split(&text).unwrap();
        prop_assert!(!script.complete || script.commands.iter().all(is_literal));
    }

    #[test]
    fn both_sides_of_a_separator_are_found(
        left in PLAIN_WORD, right in PLAIN_WORD, separator in "; | && | \\|\\| | \\| |\n|&",
    ) {
        let script = split(&format!("{left} x{separator}{right} y")).unwrap();
        prop_assert!(script.complete && holds(&script, &[&left, "x"]) && holds(&script, &[&right, "y"]));
    }

    #[test]
    fn a_command_in_front_of_anything_is_found(rest in SHELL_TEXT) {
        let script = split(&format!("rm x;{rest}")).unwrap();
        prop_assert!(holds(&script, &["rm", "x"]));
    }

    #[test]
    fn nothing_around_it_hides_a_command_in_a_substitution(before in PLAIN_WORD, after in PLAIN_WORD, depth in 1..10_usize) {
        let inner = (0..depth).fold("rm x".to_owned(), |inner, _| format!("{before} \"{after}$({inner})\""));
        let script = split(&inner).unwrap();
        prop_assert!(!script.complete && holds(&script, &["rm", "x"]));
    }

    #[test]
    fn plain_words_come_back(
        commands in prop::collection::vec(prop::collection::vec(PLAIN_WORD, 1..5), 1..8),
        separator in "; |;| && | \\|\\| |\\| | & |\n",
    ) {
        let text = commands.iter().map(|words| words.join(" ")).collect::<Vec<_>>().join(&separator);
        let script = split(&text).unwrap();
        prop_assert!(script.complete);
        let found: Vec<Vec<&str>> = script.commands.iter().map(texts).collect();
        prop_assert_eq!(found, commands);
    }

    #[test]
    fn quoted_words_come_back(words in prop::collection::vec("[^\\pC\\pZ]{0,8}|[ -~\n\t]{0,12}", 1..6)) {
        let text = words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
        let script = split(&text).unwrap();
        prop_assert!(script.complete, "{}", text);
        prop_assert_eq!(script.commands.iter().map(texts).collect::<Vec<_>>(), vec![words]);
    }
}
