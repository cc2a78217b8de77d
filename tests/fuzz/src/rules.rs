//! Rules and commands.

use std::path::Path;
use std::sync::Arc;

use toolbay::policy::{
    Access, Address, Anchors, Command, List, Location, Policy, Request, Rule, Rules, Source, Verdict, Written, decide,
};

fn plain(path: &str) -> Location {
    Location::plain(Path::new(path))
}

fn run(program: &str, arguments: &[&str]) -> Access {
    let arguments = arguments.iter().map(|word| (*word).to_owned()).collect();
    let resolve = |path: &str| Some(Location::plain(&Path::new("/w").join(path)));
    Access::Run(Box::new(Command::new(program.to_owned(), arguments, plain("/w"), resolve)))
}

fn accesses() -> Vec<Access> {
    vec![
        Access::Read(plain("/w/a/b.txt")),
        Access::Read(Location::new(Path::new("/w/link"), Path::new("/etc/passwd"))),
        Access::Write(plain("/w/src/main.rs")),
        Access::Write(plain("/w/.git/config").folding_case(true)),
        run("git", &["push", "origin"]),
        run("sh", &["-c", "ls; rm -rf x > y"]),
        Access::Fetch(Address::parse("https://a.example.com/x").unwrap()),
        Access::Variable("LC_ALL".to_owned()),
        Access::UseTool("Deploy".to_owned()),
    ]
}

fn policy(written: Vec<Written>) -> Option<Arc<Policy>> {
    let anchors = Anchors { roots: vec![plain("/w")], home: Some(plain("/home/ada")) };
    let rules = Rules::compile(written, &anchors, &|_| None).ok()?;
    Some(Arc::new(Policy { roots: anchors.roots, rules: Arc::new(rules), ..Policy::default() }))
}

fn verdicts(policy: &Arc<Policy>) -> Vec<Verdict> {
    let request = |access| Request { tool: "Tester".to_owned(), access: vec![access], ..Request::default() };
    accesses().into_iter().map(|access| decide(policy, request(access)).verdict).collect()
}

/// Text is a rule or it isn't; one that is displays as itself, can be asked in every list, and as a deny only tightens.
pub(crate) fn rule(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(rule) = text.parse::<Rule>() else { return };
    assert_eq!(rule.to_string().parse::<Rule>().as_ref(), Ok(&rule));
    let free = verdicts(&policy(Vec::new()).unwrap());
    for list in List::ALL {
        let Some(policy) = policy(vec![Written::new(list, rule.clone(), Source::User)]) else { continue };
        let with = verdicts(&policy);
        for (one, two) in free.iter().zip(&with) {
            assert!(list != List::Deny || one <= two, "{rule} loosens");
            assert!(list != List::Ask || *two != Verdict::Allow || *one == Verdict::Allow, "{rule} lets pass");
        }
        // A rule that allows covers no access that its twin as a deny doesn't cover, but for reading, which writing includes.
        if list == List::Allow {
            let denied = policy_of(List::Deny, &rule).map(|policy| verdicts(&policy));
            let accesses = accesses();
            for (place, (one, two)) in free.iter().zip(&with).enumerate() {
                let included = rule.to_string().starts_with("Edit") && matches!(accesses[place], Access::Read(_));
                let lifted = *two == Verdict::Allow && *one != Verdict::Allow && !included;
                assert!(!lifted || denied.as_ref().is_some_and(|denied| denied[place] == Verdict::Deny), "{rule}");
            }
        }
    }
    // A path without wildcards means what the standard library says.
    let Some(path) = text.strip_prefix("Read(//").and_then(|rest| rest.strip_suffix(')')) else { return };
    if path.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '/') && !path.is_empty() {
        let named = Path::new("/").join(path.trim_start_matches('/'));
        let policy = policy_of(List::Deny, &rule).unwrap();
        for candidate in [named.clone(), named.join("x"), named.with_extension("y"), "/w/a".into()] {
            let access = Access::Read(Location::plain(&candidate));
            assert_eq!(
                policy.rule_for(&access, "").is_some(),
                candidate.starts_with(&named),
                "{rule} {}",
                candidate.display()
            );
        }
    }
}

fn policy_of(list: List, rule: &Rule) -> Option<Arc<Policy>> {
    policy(vec![Written::new(list, rule.clone(), Source::User)])
}

/// Any text can be given to a shell. What is understood completely stays so when a command is put behind it, and that
/// command is seen; what isn't is never allowed by a wildcard.
pub(crate) fn command(data: &[u8]) {
    let text = String::from_utf8_lossy(data).replace('\0', "");
    let allowed = policy(vec![Written::new(List::Allow, "Bash".parse().unwrap(), Source::User)]).unwrap();
    let verdict = |policy: &Arc<Policy>, line: &str| {
        let access = vec![run("sh", &["-c", line])];
        decide(policy, Request { tool: "Tester".to_owned(), access, ..Request::default() }).verdict
    };
    let understood = verdict(&allowed, &text) == Verdict::Allow;
    let denied = policy(vec![
        Written::new(List::Allow, "Bash".parse().unwrap(), Source::User),
        Written::new(List::Deny, "Bash(forbidden *)".parse().unwrap(), Source::User),
    ])
    .unwrap();
    if understood {
        assert_eq!(verdict(&denied, &format!("{text}\nforbidden x")), Verdict::Deny, "{text:?}");
    }
    for line in [format!("forbidden x\n{text}"), format!("forbidden x; {text}"), format!("A=1 forbidden {text}")] {
        assert_ne!(verdict(&denied, &line), Verdict::Allow, "{line:?}");
    }
    // The words of one argument vector, whatever they are.
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    if let Some((program, arguments)) = words.split_first() {
        let access = vec![run(program, arguments)];
        let decision = decide(&policy(Vec::new()).unwrap(), Request { access, ..Request::default() });
        if let Some(rules) = decision.remedy() {
            let written = |rule: &String| Written::new(List::Allow, rule.parse().unwrap(), Source::User);
            let allowed = policy(rules.iter().map(written).collect()).unwrap();
            let again = decide(&allowed, Request { access: vec![run(program, arguments)], ..Request::default() });
            assert_eq!(again.verdict, Verdict::Allow, "{rules:?}");
        }
    }
}
