//! The scripts that hand a run to Accumulo: `load.jsh`, the same for every run, and `load.shell`, made for this one.

use super::digest::Digest;
use super::names::namespace;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The script for `accumulo jshell`; what it loads stands in the files beside it.
pub const LOAD_JSH: &str = include_str!("load.jsh");

/// What `load.shell` must know of a table.
#[derive(Clone, Copy, Debug)]
pub struct ShellTable<'a> {
    /// Name in Accumulo.
    pub name: &'a str,
    /// Its properties, as [`table_settings`](super::settings::table_settings) gives them.
    pub settings: &'a [(String, String)],
    /// Whether it has splits to add.
    pub has_splits: bool,
    /// Whether it has files to import.
    pub has_files: bool,
}

/// The script for `accumulo shell -f`, a fallback: the shell cannot take load plans.
#[must_use]
pub fn load_shell(run_id: &Digest, tables: &[ShellTable<'_>]) -> String {
    let staging = format!("/tmp/shardmill-{run_id}");
    let mut script = header(&staging);
    let mut namespaces = BTreeSet::new();
    for table in tables {
        script.push('\n');
        if let Some(namespace) = namespace(table.name).filter(|name| namespaces.insert(*name)) {
            let _ = writeln!(script, "createnamespace {namespace}");
        }
        commands(&mut script, table, &staging);
    }
    // Without it the shell would go on with a prompt.
    script.push_str("\nexit\n");
    script
}

fn header(staging: &str) -> String {
    format!(
        "\
# Makes the tables of a published Shardmill run and imports its files with Accumulo's shell. A fallback.
#
# Prefer load.jsh: the shell cannot take load plans (so Accumulo opens every file to find its tablets), cannot tell what
# was loaded before, and goes on after an error. Run this once, for tables that do not exist yet.
#
# 1. An import consumes its folder. Copy the files to the cluster's file system first, from the run folder:
#        hdfs dfs -mkdir -p {staging}
#        hdfs dfs -put tables/* {staging}/
# 2. Run it in the run folder (the files with the splits are named relative to it):
#        accumulo shell -u USER -f load/load.shell
#    Its exit code is the number of commands that failed; an unknown command is not counted: read what it prints.
# 3. Remove the staging folder.
"
    )
}

fn commands(script: &mut String, table: &ShellTable<'_>, staging: &str) {
    let name = table.name;
    // In 2.1.4 -ndi leaves the versioning iterator in place, which would drop cells before a combiner sees them.
    let _ = writeln!(script, "createtable {name} -ndi");
    let _ = writeln!(script, "deleteiter -t {name} -n vers -all");
    for (key, value) in table.settings {
        let _ = match quote(&format!("{key}={value}")) {
            Some(setting) => writeln!(script, "config -t {name} -s {setting}"),
            None => writeln!(script, "# not ASCII, the shell cannot take it: {key}"),
        };
    }
    if table.has_splits {
        let _ = writeln!(script, "addsplits -t {name} -sf load/{name}.splits -b64");
    }
    if table.has_files {
        // false: keep the timestamps of the files. Setting them would change what survives a delete.
        let _ = writeln!(script, "importdirectory -t {name} {staging}/{name} false");
    }
}

/// An argument in the shell's quotes. Its tokenizer counts characters in one array and takes bytes out of another, so nothing but ASCII
/// comes through as it is; `\xNN` gives the character U+00NN. What is beyond that, the shell cannot be told.
fn quote(text: &str) -> Option<String> {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            ' '..='~' => quoted.push(c),
            '\0'..='\u{ff}' => {
                let _ = write!(quoted, "\\x{:02x}", u32::from(c));
            }
            _ => return None,
        }
    }
    quoted.push('"');
    Some(quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn commands_of_each_table_in_the_order_that_works() {
        let shard = settings(&[
            ("table.group.g", "a\\x2Cb,\\\\"),
            ("table.x", "say \"hi\""),
            ("table.custom.text", "é"),
            ("table.custom.sum", "Σ"),
        ]);
        let table = |name, settings, has_splits, has_files| ShellTable {
            name,
            settings,
            has_splits,
            has_files,
        };
        let script = load_shell(
            &Digest([0xab; 32]),
            &[
                table("dw.shard", &shard, true, true),
                table("dw.index", &[], false, true),
                table("empty", &[], false, false),
            ],
        );
        let staging = format!("/tmp/shardmill-{}", "ab".repeat(32));
        let (comment, body) = script.split_once("\n\n").unwrap();
        assert!(comment.lines().all(|line| line.starts_with('#')));
        assert!(
            comment.contains("cannot take load plans") && comment.contains("consumes its folder")
        );
        assert!(comment.contains(&format!("hdfs dfs -put tables/* {staging}/")));
        let expected = format!(
            r#"createnamespace dw
createtable dw.shard -ndi
deleteiter -t dw.shard -n vers -all
config -t dw.shard -s "table.group.g=a\\x2Cb,\\\\"
config -t dw.shard -s "table.x=say \"hi\""
config -t dw.shard -s "table.custom.text=\xe9"
# not ASCII, the shell cannot take it: table.custom.sum
addsplits -t dw.shard -sf load/dw.shard.splits -b64
importdirectory -t dw.shard {staging}/dw.shard false

createtable dw.index -ndi
deleteiter -t dw.index -n vers -all
importdirectory -t dw.index {staging}/dw.index false

createtable empty -ndi
deleteiter -t empty -n vers -all

exit
"#
        );
        assert_eq!(body, expected);
        assert!(script.is_ascii());
    }

    #[test]
    fn the_template_is_whole() {
        assert!(LOAD_JSH.contains("run.properties") && LOAD_JSH.trim_end().ends_with("/exit 1"));
    }

    /// `load.shell.sample` is a script of this form that a real shell has run.
    #[test]
    fn the_script_is_the_one_that_was_tried() {
        let groups = settings(&[
            ("table.group.g1", "f1,\\x00f"),
            ("table.groups.enabled", "g1"),
            ("table.custom.text", "Σ"),
        ]);
        let sum = |kind: &str| {
            let scope = |scope: &str| {
                let key = format!("table.iterator.{scope}.sum");
                let class = "org.apache.accumulo.core.iterators.user.SummingCombiner";
                settings(&[
                    (key.as_str(), &format!("10,{class}")),
                    (&format!("{key}.opt.all"), "true"),
                    (&format!("{key}.opt.type"), kind),
                ])
            };
            ["scan", "minc", "majc"].map(scope).concat()
        };
        let (text, varlen) = (sum("STRING"), sum("VARLEN"));
        let most = settings(&[("table.file.max", "20")]);
        let table = |name, settings, has_splits, has_files| ShellTable {
            name,
            settings,
            has_splits,
            has_files,
        };
        let tables = [
            table("plain", &groups, true, true),
            table("sums.text", &text, false, true),
            table("varlen", &varlen, true, true),
            table("empty", &most, false, false),
        ];
        let id = "0123456789abcdef".repeat(4);
        let script = load_shell(&Digest::parse(&id).unwrap(), &tables);
        assert_eq!(script, include_str!("load.shell.sample"));
    }
}
