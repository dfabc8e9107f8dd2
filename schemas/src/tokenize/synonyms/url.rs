//! Forms of URLs.

use super::Collector;
use crate::java_case::append_lower;
use crate::java_number::parse_int;

/// How often a URL is decoded: its forms are taken as it stands, and again after each time.
const MAX_DECODES: usize = 2;

/// How deep URLs may stand in parameters of one another. DataWave has no such limit; its own limit on the length of tokens leaves room
/// for fewer, and without one a long URL could take for ever.
const MAX_NESTING: usize = 6;

impl Collector<'_> {
    /// The URL and its parts, encoded and decoded.
    pub(super) fn url(&mut self, term: &str) {
        let mut url = term.to_owned();
        append_lower(&mut url, 0..term.len());
        url.drain(..term.len());
        for _ in 0..=MAX_DECODES {
            self.url_forms(&url);
            match decode(&url) {
                Some(decoded) if decoded != url => url = decoded,
                _ => return,
            }
        }
    }

    fn url_forms(&mut self, url: &str) {
        let query = url.find('?');
        let fragment = url.find('#');
        let scheme = url.find("://");
        self.add(url);
        if let Some(scheme) = scheme {
            self.behind_scheme(url, scheme, query, fragment);
        }
        if let Some(fragment) = fragment {
            self.add(&url[..fragment]);
            if fragment + 1 < url.len() {
                self.add(&url[fragment + 1..]);
            }
        }
        if let Some(query) = query.filter(|&query| query + 1 < url.len()) {
            self.add(&url[..query]);
            let end = fragment.filter(|&at| at > query).unwrap_or(url.len());
            for parameter in url[query + 1..end].split('&') {
                self.parameter(parameter);
            }
        }
        self.tails(url, scheme, query, fragment);
        if self.switches.url {
            self.words(url);
        }
    }

    /// Without the scheme; from the path on, with and without what follows it; the host without its port.
    fn behind_scheme(
        &mut self,
        url: &str,
        scheme: usize,
        query: Option<usize>,
        fragment: Option<usize>,
    ) {
        let host = scheme + 3;
        let Some(first) = url[host..].chars().next() else {
            return;
        };
        // The first character of the host is not looked at: `file:///x` has its path there.
        let behind = host + first.len_utf8();
        if behind == url.len() && first.len_utf16() == 1 {
            return;
        }
        self.add(&url[host..]);
        let Some(path) = url[behind..].find('/').map(|at| behind + at) else {
            return;
        };
        self.add(&url[path..]);
        for end in [fragment, query].into_iter().flatten() {
            if end > path {
                self.add(&url[path..end]);
            }
        }
        let port = url[behind..path].find(':').map(|at| behind + at);
        self.add(&url[host..port.unwrap_or(path)]);
    }

    /// A parameter, decoded, and the URL or e-mail address that is its value.
    fn parameter(&mut self, parameter: &str) {
        if parameter.is_empty() {
            return;
        }
        let Some(decoded) = decode(parameter) else {
            self.add(parameter);
            return;
        };
        self.add(&decoded);
        if parameter.find('=').is_none_or(|at| at == 0) {
            return;
        }
        let Some((_, value)) = decoded.split_once('=') else {
            return;
        };
        if value.encode_utf16().count() <= 4 {
            return;
        }
        if value.starts_with("http://") || value.starts_with("https://") {
            if self.nesting < MAX_NESTING {
                self.nesting += 1;
                self.url(value);
                self.nesting -= 1;
            }
        } else if let Some(at) = value.find('@').filter(|&at| at > 0) {
            self.add(value);
            if at + 1 < value.len() {
                self.add(&value[at..]);
            }
        }
    }

    /// What stands behind each slash, without scheme, query and fragment: at last the name of the file.
    fn tails(
        &mut self,
        url: &str,
        scheme: Option<usize>,
        query: Option<usize>,
        fragment: Option<usize>,
    ) {
        let end = query
            .filter(|&query| fragment.is_none_or(|fragment| query <= fragment))
            .or(fragment)
            .unwrap_or(url.len());
        let start = scheme.map_or(0, |scheme| scheme + 3);
        let path = &url[if start < end { start } else { 0 }..end];
        let mut single = String::with_capacity(path.len());
        for c in path.chars() {
            if c != '/' || !single.ends_with('/') {
                single.push(c);
            }
        }
        let mut rest = single.strip_suffix('/').unwrap_or(&single);
        while let Some((_, tail)) = rest.split_once('/') {
            if !tail.is_empty() {
                self.add(tail);
            }
            rest = tail;
        }
    }
}

/// Decodes `%XX` and `+` as Java's `URLDecoder` does with UTF-8, after dropping an escape that is cut off at the end. `None`: an escape
/// that is none.
fn decode(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let tail = bytes.len().saturating_sub(2);
    let cut = bytes[tail..].iter().rposition(|&byte| byte == b'%');
    let bytes = &bytes[..cut.map_or(bytes.len(), |at| tail + at)];
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match byte {
            b'+' => out.push(b' '),
            b'%' => {
                let (digits, tail) = rest.split_at_checked(2)?;
                let value = parse_int(std::str::from_utf8(digits).ok()?, 16)?;
                out.push(u8::try_from(value).ok()?);
                rest = tail;
            }
            _ => out.push(byte),
        }
    }
    Some(match String::from_utf8(out) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}
