//! URLs as they are asked for, and the host that they really name.

use std::fmt;
use std::net::Ipv6Addr;

use url::{Host, Url};

/// A URL to fetch, with the host in its one canonical spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    text: String,
    host: String,
    /// The IPv4 address that an IPv6 address stands for.
    embedded: Option<String>,
}

/// Why a URL can't be decided on. A person wouldn't write these, and programs disagree about what they mean.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// No URL, or one without a host.
    #[error("`{0}` is no URL with a host")]
    Unreadable(String),
    /// A scheme that isn't fetched.
    #[error("`{0}` has another scheme than http or https")]
    Scheme(String),
    /// A name and password, a backslash, a control character, port 0, or more than one final dot.
    #[error(
        "`{0}` has a part that no person would write: a user name, a backslash, a control character, port 0 or two final dots"
    )]
    Odd(String),
}

impl Address {
    /// Reads a URL. The host is normalized: lower case, ASCII, addresses in their usual form, without the final dot.
    ///
    /// # Errors
    /// For what isn't `http` or `https` with a host, and for spellings that hide the host.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let shown = || text.chars().take(200).collect::<String>();
        if text.contains(|character: char| character == '\\' || character.is_control() || character.is_whitespace()) {
            return Err(AddressError::Odd(shown()));
        }
        let url = Url::parse(text).map_err(|_| AddressError::Unreadable(shown()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(AddressError::Scheme(shown()));
        }
        let host = url.host().ok_or_else(|| AddressError::Unreadable(shown()))?;
        let (host, embedded) = canonical(&host);
        if !url.username().is_empty() || url.password().is_some() || url.port() == Some(0) || host.ends_with('.') {
            return Err(AddressError::Odd(shown()));
        }
        Ok(Self { text: url.into(), host, embedded })
    }

    /// The host, as rules compare it.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Every spelling of the host that a rule could mean.
    pub(crate) fn hosts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.host).chain(self.embedded.as_deref())
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

fn canonical(host: &Host<&str>) -> (String, Option<String>) {
    match host {
        Host::Domain(name) => (name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase(), None),
        Host::Ipv4(address) => (address.to_string(), None),
        Host::Ipv6(address) => (format!("[{address}]"), embedded(*address)),
    }
}

/// The IPv4 address in a mapped, compatible, translated (RFC 6052) or 6to4 (RFC 3056) IPv6 address.
fn embedded(address: Ipv6Addr) -> Option<String> {
    let pair = match address.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] if (high, low) > (0, 1) => (high, low),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => (high, low),
        _ => return None,
    };
    let ([one, two], [three, four]) = (pair.0.to_be_bytes(), pair.1.to_be_bytes());
    Some(format!("{one}.{two}.{three}.{four}"))
}

/// Which hosts a `WebFetch` rule means.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum HostPattern {
    All,
    /// `example.com`: this one, not those below it.
    Exactly(String),
    /// `*.example.com`: any depth below, not itself. Begins with a dot.
    Below(String),
    /// A star within a label.
    Labels(String),
}

impl HostPattern {
    /// Reads what stands behind `domain:`. None: no host could ever match it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let text = text.strip_suffix('.').unwrap_or(&text);
        if text == "*" {
            return Some(Self::All);
        }
        let name = text.strip_prefix("*.").unwrap_or(text);
        if !name.contains('*') {
            let host = Host::parse(name).ok()?;
            let (host, _) = canonical(&match &host {
                Host::Domain(name) => Host::Domain(name.as_str()),
                Host::Ipv4(address) => Host::Ipv4(*address),
                Host::Ipv6(address) => Host::Ipv6(*address),
            });
            return Some(if name == text { Self::Exactly(host) } else { Self::Below(format!(".{host}")) });
        }
        let usual = |letter: char| letter.is_ascii_alphanumeric() || "-_.*".contains(letter);
        (text.chars().all(usual) && !text.split('.').any(str::is_empty)).then(|| Self::Labels(text.to_owned()))
    }

    pub(crate) fn matches(&self, host: &str) -> bool {
        match self {
            Self::All => true,
            Self::Exactly(name) => host == name,
            Self::Below(ending) => host.len() > ending.len() && host.ends_with(ending.as_str()),
            Self::Labels(pattern) => labels_match(pattern, host),
        }
    }
}

fn labels_match(pattern: &str, host: &str) -> bool {
    let (below, pattern) = match pattern.strip_prefix("*.") {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let mut hosts = host.rsplit('.');
    let all =
        pattern.rsplit('.').all(|label| hosts.next().is_some_and(|host| crate::Wildcard::new(label).matches(host)));
    all && hosts.next().is_some() == below
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_address_is_one_host() {
        for text in
            ["http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/", "http://127.0.0.1/x"]
        {
            assert_eq!(Address::parse(text).unwrap().host(), "127.0.0.1", "{text}");
        }
        for text in [
            "http://[::ffff:127.0.0.1]/",
            "http://[::127.0.0.1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[2002:7f00:1::]/",
        ] {
            assert!(Address::parse(text).unwrap().hosts().any(|host| host == "127.0.0.1"), "{text}");
        }
        assert_eq!(Address::parse("https://EXAMPLE.com./a").unwrap().host(), "example.com");
        assert!(Address::parse("http://[::1]/").unwrap().hosts().all(|host| host == "[::1]"));
    }

    #[test]
    fn what_hides_its_host_is_refused() {
        for text in [
            "http://example.com@evil.test/",
            "http:\\\\evil.test\\x",
            "http://exa\tmple.com/",
            "http://a:0/",
            "http://a../",
            "ftp://a/",
            "file:///etc/passwd",
            "data:,x",
            "nonsense",
            "",
            "http://",
        ] {
            assert!(Address::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_domain_is_itself_and_a_star_is_what_lies_below() {
        for (pattern, yes, no) in [
            ("example.com", &["example.com"][..], &["www.example.com", "badexample.com"][..]),
            ("EXAMPLE.com.", &["example.com"], &[]),
            ("*.example.com", &["a.example.com", "a.b.example.com"], &["example.com", "badexample.com"]),
            ("*", &["a", "a.b"], &[]),
            ("api-*.example.com", &["api-1.example.com"], &["api-1.x.example.com", "a.api-1.example.com"]),
            ("*.api-*.example.com", &["x.api-1.example.com", "y.x.api-1.example.com"], &["api-1.example.com"]),
            ("0x7f.1", &["127.0.0.1"], &[]),
        ] {
            let parsed = HostPattern::parse(pattern).unwrap();
            yes.iter().for_each(|host| assert!(parsed.matches(host), "{pattern} {host}"));
            no.iter().for_each(|host| assert!(!parsed.matches(host), "{pattern} {host}"));
        }
        for text in ["", "https://a", "a/b", "a b", "a..*", "*.*/"] {
            assert_eq!(HostPattern::parse(text), None, "{text}");
        }
    }
}
