use super::{NormalizeError, Normalizer};
use crate::java_number::{decode_long, parse_int, parse_long};
use std::fmt::Write as _;

/// IP addresses with all their zeros: `1.2.3.4` → `001.002.003.004`, `::1` → `0000:…:0001`.
///
/// An IPv4 address may have wildcards (`1.2.*`), empty octets (zero), another base (`0x1.2.3.4`, or hexadecimal digits where decimal ones
/// do not fit), or be one number. What DataWave makes of odd forms is kept, since its queries make the same of them.
#[derive(Clone, Copy, Debug)]
pub struct IpAddress;

impl Normalizer for IpAddress {
    fn normalize(
        &self,
        text: &str,
        buffer: &mut String,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), NormalizeError> {
        let spaceless: String;
        let text = if text.contains(' ') {
            spaceless = text.replace(' ', "");
            &spaceless
        } else {
            text
        };
        buffer.clear();
        if let Some(address) = V4::parse(text) {
            address.write(buffer);
        } else {
            let groups = parse_v6(text).ok_or(NormalizeError::NotAnIpAddress)?;
            for (index, group) in groups.iter().enumerate() {
                let colon = if index == 0 { "" } else { ":" };
                // Writing to a String cannot fail.
                let _ = write!(buffer, "{colon}{group:04x}");
            }
        }
        each(buffer);
        Ok(())
    }
}

/// The base of the numbers in an address.
#[derive(Clone, Copy)]
enum Base {
    /// 8, 10 or 16.
    Fixed(u8),
    /// As each number's prefix says.
    ByPrefix,
}

/// In this order they are tried, and the first that fits counts: `256.1.1.1` is octal.
const BASES: [Base; 4] = [
    Base::Fixed(10),
    Base::Fixed(16),
    Base::Fixed(8),
    Base::ByPrefix,
];

impl Base {
    fn number(self, text: &str) -> Option<i64> {
        match self {
            Base::Fixed(radix) => parse_long(text, radix),
            Base::ByPrefix => decode_long(text),
        }
    }

    fn octet(self, text: &str) -> Option<u8> {
        if text.is_empty() {
            return Some(0);
        }
        u8::try_from(self.number(text)?).ok()
    }

    /// The most characters that an octet may have.
    fn width(self) -> usize {
        match self {
            Base::Fixed(16) => 2,
            Base::Fixed(10) => 3,
            Base::Fixed(_) | Base::ByPrefix => 4,
        }
    }
}

struct V4 {
    octets: [u8; 4],
    wildcard: Option<Wildcard>,
}

/// Where an address with a `*` has its first wildcard, and of how many parts it is.
struct Wildcard {
    at: usize,
    parts: usize,
}

impl V4 {
    fn parse(text: &str) -> Option<V4> {
        BASES.iter().find_map(|&base| {
            V4::dotted(text, base).or_else(|| {
                let number = u32::try_from(base.number(text)?).ok()?;
                Some(V4 {
                    octets: number.to_be_bytes(),
                    wildcard: None,
                })
            })
        })
    }

    fn dotted(text: &str, base: Base) -> Option<V4> {
        let parts = text.split('.').count();
        let wild = text.contains('*');
        if parts != 4 && !wild {
            return None;
        }
        let mut octets = [0; 4];
        let mut first = None;
        for (index, part) in text.split('.').take(4).enumerate() {
            if wild && matches!(part, "" | "*") {
                first = first.or(Some(index));
            } else if !wild && part.encode_utf16().count() > base.width() {
                return None;
            } else {
                octets[index] = base.octet(part)?;
            }
        }
        // A wildcard that is cut off, behind the fourth part, is taken for one at the first.
        let at = first.unwrap_or(if parts < 4 { parts } else { 0 });
        Some(V4 {
            octets,
            wildcard: wild.then_some(Wildcard { at, parts }),
        })
    }

    /// Nothing follows a wildcard, unless it comes first: then the other octets are written as they are.
    fn write(&self, out: &mut String) {
        let parts = self.wildcard.as_ref().map_or(4, |wild| wild.parts);
        for (index, octet) in self.octets.iter().enumerate().take(parts) {
            if index > 0 {
                out.push('.');
            }
            if self.wildcard.as_ref().is_some_and(|wild| wild.at == index) {
                out.push('*');
                if index > 0 {
                    return;
                }
            } else {
                // Writing to a String cannot fail.
                let _ = write!(out, "{octet:03}");
            }
        }
    }
}

/// Eight groups. The first empty one stands for as many as are missing, if there is a `::` anywhere; other empty ones are zero. An IPv4
/// address may be the last two.
fn parse_v6(text: &str) -> Option<[u16; 8]> {
    let count = text.split(':').count();
    let mut filler = text.contains("::");
    let v4 = text.contains('.');
    if count > 8 || (v4 && (count > 7 || (!filler && count != 7))) {
        return None;
    }
    let mut groups = [0; 8];
    let mut parts = text.split(':');
    let mut at = 0;
    while at < 8 {
        let part = parts.next()?;
        if at == 6 && v4 {
            let [a, b, c, d] = V4::parse(part)?.octets;
            groups[6] = u16::from_be_bytes([a, b]);
            groups[7] = u16::from_be_bytes([c, d]);
            at = 8;
        } else if part.is_empty() && filler {
            // A group of an IPv4 address counts for two.
            at += 8 - count + 1 - usize::from(v4);
            filler = false;
        } else {
            if !part.is_empty() {
                groups[at] = u16::try_from(parse_int(part, 16)?).ok()?;
            }
            at += 1;
        }
    }
    Some(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(text: &str) -> Option<String> {
        let (mut buffer, mut found) = (String::new(), None);
        IpAddress
            .normalize(text, &mut buffer, &mut |text| found = Some(text.to_owned()))
            .ok()?;
        found
    }

    #[test]
    fn odd_forms() {
        for (text, expected) in [
            ("1.2.*", "001.002.*"),
            ("*.2", "*.002"),
            ("1.2.3.4.*", "*.002.003.004"),
            ("256.1.1.1", "174.001.001.001"),
            ("777", "000.000.003.009"),
            ("::ffff:1.2.3.4", "0000:0000:0000:0000:0000:ffff:0102:0304"),
            ("1:2:3:4:5:6:7:", "0001:0002:0003:0004:0005:0006:0007:0000"),
        ] {
            assert_eq!(normal(text).as_deref(), Some(expected), "{text}");
        }
        for text in [
            "",
            "1.2.3",
            "1:2",
            "1.2.3.4.5",
            "1.2.3.4:1",
            "fe80::1%eth0",
            "::1.2.3",
        ] {
            assert_eq!(normal(text), None, "{text}");
        }
    }
}
