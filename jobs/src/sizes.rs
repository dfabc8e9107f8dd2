//! Sizes as people write them: `64MiB`, `100K`, `1.5 GiB`, `1048576`. Powers of 1024, whichever way they are spelled.

/// Reads a size in bytes.
pub(crate) fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = (&text[..end], text[end..].trim());
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kb" | "kib" => 10,
        "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "t" | "tb" | "tib" => 40,
        _ => {
            return Err(format!(
                "{text:?} is no size: write a number and K, M, G or T, like 256MiB"
            ));
        }
    };
    let number: f64 = number.parse().map_err(|_| {
        format!("{text:?} is no size: write a number and K, M, G or T, like 256MiB")
    })?;
    let bytes = number * (1_u64 << shift) as f64;
    if bytes >= 9e18 {
        Err(format!("{text:?} is too large"))
    } else {
        Ok(bytes as u64)
    }
}

/// A size for people.
pub(crate) fn show(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = "B";
    for next in UNITS {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    if unit == "B" {
        format!("{bytes} B")
    } else {
        format!("{value:.1} {unit}")
    }
}

/// A number for people: thousands apart.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_and_show() {
        assert_eq!(parse("1048576"), Ok(1 << 20));
        assert_eq!(parse("256MiB"), Ok(256 << 20));
        assert_eq!(parse("1.5 g"), Ok(3 << 29));
        assert_eq!(parse("100K"), Ok(102_400));
        for bad in ["", "x", "1X", "-1", "1.2.3", "99999999T"] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
        assert_eq!(
            (show(999), show(1536), show(5 << 40)),
            ("999 B".into(), "1.5 KiB".into(), "5.0 TiB".into())
        );
        assert_eq!(
            (count(7), count(1234), count(1_234_567)),
            ("7".into(), "1,234".into(), "1,234,567".into())
        );
    }
}
