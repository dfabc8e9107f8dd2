//! What a cluster must have to read a codec.

/// The precondition of a block codec, to be shown whenever it is chosen; `None` where every Accumulo reads it.
#[must_use]
pub fn codec_notice(codec: &str) -> Option<&'static str> {
    match codec {
        "zstd" => Some(
            "zstd: up to Hadoop 3.5 only Hadoop's native library reads it; without libhadoop built with zstd in every server \
             (`hadoop checknative` shows it) the files cannot be opened at all",
        ),
        "snappy" => Some(
            "snappy: since Hadoop 3.3.1 the jar snappy-java must be on the class path of every server, before that the native \
             libhadoop with snappy; without it the files cannot be opened at all",
        ),
        "lz4" => Some(
            "lz4: since Hadoop 3.3.1 the jar lz4-java must be on the class path of every server (Hadoop does not bring it), before \
             that the native libhadoop; without it the files cannot be opened at all",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::codec_notice;

    #[test]
    fn only_codecs_with_a_precondition_have_a_notice() {
        for codec in ["zstd", "snappy", "lz4"] {
            let notice = codec_notice(codec).unwrap();
            assert!(notice.starts_with(codec), "{notice}");
        }
        assert_eq!(codec_notice("gz"), None);
        assert_eq!(codec_notice("none"), None);
    }
}
