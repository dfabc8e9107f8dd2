//! The grammar: rules as regular expressions.
//!
//! The longest match counts; of two equally long ones, that of the rule that stands first. A character that begins no token is passed
//! over. Letters are those of the Basic Multilingual Plane up to U+1FFF, so ideographs, kana and emoji make no tokens.
//!
//! `<NAME>` stands for the definition of that name, which comes before its use. Expressions are about *classes*, one byte for each
//! character (see [`class_of`]): ASCII stands for itself, and all other characters are of four kinds. That keeps the automaton small.

/// The kind of a token: which rule found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenType {
    /// Letters and digits.
    AlphaNum,
    /// Words joined by apostrophes: `don't`.
    Apostrophe,
    /// Letters with a period behind each: `u.s.a.`.
    Acronym,
    /// An e-mail address.
    Email,
    /// A host name: `www.example.com`.
    Host,
    /// An IPv4 or IPv6 address.
    IpAddr,
    /// Parts with a digit in every other: `1,234.50`, `x86-64`, `-42`.
    Num,
    /// Words joined by single underscores.
    Underscore,
    /// Letter-like symbols: `℃`, `™`.
    Symbol,
    /// A path of a file, single blanks in names included.
    File,
    /// A URL, with or without a scheme.
    Url,
    /// A date and time as ISO 8601 has it.
    Timestamp,
    /// The first line of an HTTP request.
    HttpRequest,
}

impl TokenType {
    /// The name that a configuration uses, without angle brackets.
    #[must_use]
    pub fn name(self) -> &'static str {
        RULES[self as usize].name
    }

    /// The type of this name, with or without angle brackets.
    #[must_use]
    pub fn from_name(name: &str) -> Option<TokenType> {
        let bare = name
            .strip_prefix('<')
            .and_then(|name| name.strip_suffix('>'));
        let name = bare.unwrap_or(name);
        let rule = RULES.iter().find(|rule| rule.name == name)?;
        Some(rule.token_type)
    }
}

const LETTER: u8 = 0x80;
const DIGIT: u8 = 0x81;
const SYMBOL: u8 = 0x82;
const OTHER: u8 = 0x83;

/// The class of a character. ASCII stands for itself; others are letters (`\x80`), digits of other scripts, which are letters too
/// (`\x81`), letter-like symbols (`\x82`) or none of them.
#[inline]
pub(super) fn class_of(c: char) -> u8 {
    match c {
        '\0'..='\x7f' => c as u8,
        '\u{660}'..='\u{669}'
        | '\u{6f0}'..='\u{6f9}'
        | '\u{966}'..='\u{96f}'
        | '\u{9e6}'..='\u{9ef}'
        | '\u{a66}'..='\u{a6f}'
        | '\u{ae6}'..='\u{aef}'
        | '\u{b66}'..='\u{b6f}'
        | '\u{be7}'..='\u{bef}'
        | '\u{c66}'..='\u{c6f}'
        | '\u{ce6}'..='\u{cef}'
        | '\u{d66}'..='\u{d6f}'
        | '\u{e50}'..='\u{e59}'
        | '\u{ed0}'..='\u{ed9}'
        | '\u{1040}'..='\u{1049}' => DIGIT,
        '\u{c0}'..='\u{d6}'
        | '\u{d8}'..='\u{f6}'
        | '\u{f8}'..='\u{1fff}'
        | '\u{ffa0}'..='\u{ffdc}' => LETTER,
        '\u{2100}'..='\u{214f}' => SYMBOL,
        _ => OTHER,
    }
}

/// A rule of the grammar.
pub(super) struct Rule {
    /// The type of what it finds; rules stand in the order of types.
    pub(super) token_type: TokenType,
    name: &'static str,
    pattern: &'static str,
}

impl Rule {
    /// The regular expression, definitions put in.
    pub(super) fn regex(&self) -> String {
        let mut regex = self.pattern.to_owned();
        // A definition uses only those before it.
        for (name, definition) in DEFINITIONS.iter().rev() {
            regex = regex.replace(&format!("<{name}>"), definition);
        }
        regex
    }
}

/// Names for parts of the rules.
#[rustfmt::skip]
const DEFINITIONS: &[(&str, &str)] = &[
    // Characters.
    ("AN", "[A-Za-z0-9]"),
    ("H", "[0-9A-Fa-f]"),
    ("D", r"[0-9\x81]"),
    ("L", r"[A-Za-z\x80\x81]"),
    ("W", "[0-9<L>]"),
    // Numbers: every other part has a digit.
    ("P", r"[_\-/.,]"),
    ("A", "<W>+"),
    ("HASD", "<W>*<D><W>*"),
    ("NUM0", "(<A><P><HASD>|<HASD><P><A>|<A>(<P><HASD><P><A>)+|<HASD>(<P><A><P><HASD>)+|<A><P><HASD>(<P><A><P><HASD>)+|<HASD><P><A>(<P><HASD><P><A>)+)"),
    // Addresses.
    ("OCT", "([0-9]|[0-9][0-9]|[01][0-9][0-9]|2[0-4][0-9]|25[0-5])"),
    ("IP4", r"(<OCT>(\.<OCT>){3})"),
    ("H16", "<H>{1,4}"),
    ("LS32", "(<H16>:<H16>|<IP4>)"),
    ("IP6", "((<H16>:){6}<LS32>|::(<H16>:){5}<LS32>|(<H16>)?::(<H16>:){4}<LS32>|((<H16>:){0,1}<H16>)?::(<H16>:){3}<LS32>|((<H16>:){0,2}<H16>)?::(<H16>:){2}<LS32>|((<H16>:){0,3}<H16>)?::<H16>:<LS32>|((<H16>:){0,4}<H16>)?::<LS32>|((<H16>:){0,5}<H16>)?::<H16>|((<H16>:){0,6}<H16>)?::)"),
    // Labels of domain names; those of hosts are laxer.
    ("DL", "<AN>([-_]*<AN>)*"),
    ("R", "(-*<AN>)*"),
    // Paths of files.
    ("FC", r"[()+\-.@\[\]_{}~<W>]"),
    ("SEG", "(<FC>+( <FC>+)*)"),
    ("UNIX", "<SEG>/(<SEG>/)*<SEG>?"),
    ("WIN", r"<SEG>(\\<SEG>)*\\?"),
    // Parts of URLs (RFC 3986).
    ("PCT", "%<H><H>"),
    ("UNRES", r"A-Za-z0-9\-._\~"),
    ("SUB", r"!$\&'()*+,;="),
    ("UI", "([<UNRES><SUB>]|<PCT>)*(:([<UNRES><SUB>]|<PCT>)*)?@"),
    ("HOSTU", r"(<DL>(\.<DL>)*|\[<IP6>\])"),
    ("PORT", ":[0-9]{1,5}"),
    ("PATH", "/([<UNRES><SUB>:@/]|<PCT>)*"),
    ("Q", r"\?([<UNRES><SUB>:@/?\[\]]|<PCT>)*"),
    ("FR", r"\#([<UNRES><SUB>:@/?]|<PCT>)*"),
    ("TAIL", "(<PATH>)?(<Q>)?(<FR>)?"),
    ("HTTP", "[Hh][Tt][Tt][Pp][Ss]?://(<UI>)?<HOSTU>(<PORT>)?<TAIL>"),
    ("FPATH", r"/([<UNRES>\&:=@/]|<PCT>)*"),
    ("FQ", r"\?([<UNRES>\&:=@/?]|<PCT>)*"),
    ("FTP", "ftp://(<UI>)?<HOSTU>(<PORT>)?<FPATH>(<FQ>)?(;type=[aidAID])?(<FR>)?"),
    ("LOCAL", "file://(<HOSTU>)?<FPATH>(<FQ>)?(<FR>)?"),
    ("BARE", r"(<DL>(\.<DL>)+|\[<IP6>\])(<PORT>)?<TAIL>"),
    ("PATHS", r"(/([<UNRES>]|<PCT>)+)+(<Q>|\#([<UNRES><SUB>:@/]|<PCT>)*)+"),
    // HTTP requests. One method is misspelt in DataWave.
    ("METHOD", "(OPTIONS|GET|HEAD|POST|PUT|DELETE|TRACE|CONNECT|PROPFIND|PROPPATCH|MKCOL|COPY|MOVE|LOCK|UNLOCK|VERSION-CONTROL|REPORT|CHECKOUT|CHECKIN|UNCHECKOUT|MKWORKSPACE|UPDATE|LABEL|MERGE|MKACTIVITY|ORDERPATCH|ACL|PATCH|BASELINE-COONTROL)"),
    ("URI", r"((\.*/([\&\-./:;=@_\~A-Za-z0-9]|<PCT>)*)(<Q>|\#([<UNRES><SUB>:@/\#]|<PCT>)*)*|<HTTP>|<BARE>)"),
];

/// The rules; where two match equally long, the first counts.
#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    Rule { token_type: TokenType::AlphaNum, name: "ALPHANUM", pattern: "<W>+" },
    Rule { token_type: TokenType::Apostrophe, name: "APOSTROPHE", pattern: "<L>+('<L>+)+" },
    Rule { token_type: TokenType::Acronym, name: "ACRONYM", pattern: r"<L>\.(<L>\.)+|(<L>\. ){2,4}<L>\." },
    Rule { token_type: TokenType::Email, name: "EMAIL", pattern: r"<AN>[A-Za-z0-9!$%\&'+\-.\\_]*@(<DL>(\.<DL>)+|\[(<IP4>|[Ii][Pp][Vv]6:<IP6>)\])" },
    Rule { token_type: TokenType::Host, name: "HOST", pattern: r"[A-Za-z_]<R>(\.[A-Za-z0-9_]<R>)*\.([A-Za-z]{2,}|xn--<AN>+)" },
    Rule { token_type: TokenType::IpAddr, name: "IP_ADDR", pattern: "<IP4>|<IP6>" },
    Rule { token_type: TokenType::Num, name: "NUM", pattern: "-*<NUM0>|-+<HASD>" },
    Rule { token_type: TokenType::Underscore, name: "UNDERSCORE", pattern: "<L>+(_<L>+)+" },
    Rule { token_type: TokenType::Symbol, name: "SYMBOL", pattern: r"\x82+" },
    Rule { token_type: TokenType::File, name: "FILE", pattern: r"(/|\~/?)<UNIX>|[A-Za-z]:/<UNIX>|[A-Za-z]:\\<WIN>|\\\\[A-Za-z0-9.\-_]+\\<WIN>|(HKLM|HKCU|HKEY[A-Z_]+)\\<WIN>" },
    Rule { token_type: TokenType::Url, name: "URL", pattern: "<HTTP>|<FTP>|<LOCAL>|<BARE>|<PATHS>" },
    Rule { token_type: TokenType::Timestamp, name: "TIMESTAMP", pattern: r"[123][0-9]{3}-[01][0-9]-[0-3][0-9][Tt][0-2][0-9]:?[0-5][0-9]:?[0-5][0-9](\.[0-9]{1,10})?([zZ]|[+-]?[0-9][0-9]:?[0-9][0-9])?" },
    Rule { token_type: TokenType::HttpRequest, name: "HTTP_REQUEST", pattern: r"<METHOD> <URI> HTTP/<D>{1,2}\.<D>{1,3}" },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_stand_in_the_order_of_types_and_use_known_names() {
        for (index, rule) in RULES.iter().enumerate() {
            assert_eq!(rule.token_type as usize, index);
            assert_eq!(TokenType::from_name(rule.name), Some(rule.token_type));
            assert!(!rule.regex().contains(['<', '>']), "{}", rule.regex());
        }
        assert_eq!(TokenType::from_name("<IP_ADDR>"), Some(TokenType::IpAddr));
        assert_eq!(TokenType::from_name("COMPANY"), None);
    }
}
