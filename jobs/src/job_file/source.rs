//! The text of a job file: its sections, and the places of what is wrong in them.

use super::Error;
use super::sections::Sections;
use serde::Deserialize;
use shardmill_schemas::layout::{self, LayoutDef};
use std::ops::Range;
use std::path::PathBuf;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

#[derive(Debug)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) layout: String,
}

impl Source {
    pub(super) fn sections(
        &self,
        text: &str,
    ) -> Result<(Sections, &'static LayoutDef, serde_json::Value), Error> {
        let mut table = DeTable::parse(text).map_err(|error| self.toml(&error))?;
        let def = self.layout_of(table.get_ref())?;
        table.get_mut().remove("layout");
        for other in layout::LAYOUTS
            .iter()
            .filter(|other| other.name != def.name)
        {
            if let Some((key, _)) = table.get_ref().get_key_value(other.name) {
                let message = format!(
                    "this section belongs to the layout {:?}, the job's layout is {:?}",
                    other.name, def.name
                );
                return Err(self.message(Some(key.span()), other.name, &message));
            }
        }
        let end = text.len()..text.len();
        let section = table
            .get_mut()
            .remove(def.name)
            .unwrap_or_else(|| Spanned::new(end, DeValue::Table(DeTable::new())));
        let config =
            (def.configure)(ValueDeserializer::from(section)).map_err(|error| self.toml(&error))?;
        let rest = toml::de::Deserializer::from(table);
        let sections = Sections::deserialize(rest).map_err(|error| self.toml(&error))?;
        Ok((sections, def, config))
    }

    pub(super) fn layout_of(&self, table: &DeTable<'_>) -> Result<&'static LayoutDef, Error> {
        let names = || {
            layout::LAYOUTS
                .iter()
                .map(|def| def.name)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let Some(value) = table.get("layout") else {
            return Err(format!(
                "{}: layout is missing; the layouts are {}",
                self.path.display(),
                names()
            ));
        };
        let name = value.get_ref().as_str().unwrap_or_default();
        layout::find(name).ok_or_else(|| {
            self.message(
                Some(value.span()),
                "layout",
                &format!("there is no layout {name:?}; the layouts are {}", names()),
            )
        })
    }

    pub(super) fn toml(&self, error: &toml::de::Error) -> Error {
        let place = error
            .span()
            .map(|span| format!(":{}", self.line(span.start)))
            .unwrap_or_default();
        format!("{}{place}: {}", self.path.display(), error.message().trim())
    }

    pub(super) fn message(&self, span: Option<Range<usize>>, key: &str, message: &str) -> Error {
        let place = span
            .map(|span| format!(":{}", self.line(span.start)))
            .unwrap_or_default();
        format!("{}{place}: {key}: {message}", self.path.display())
    }

    pub(super) fn line(&self, at: usize) -> usize {
        self.text
            .as_bytes()
            .iter()
            .take(at)
            .filter(|&&byte| byte == b'\n')
            .count()
            + 1
    }

    /// Where a dotted key stands; the nearest table above it when it is not there.
    pub(super) fn find(&self, key: &str) -> Option<Range<usize>> {
        let table = DeTable::parse(&self.text).ok()?;
        let mut value = DeValue::Table(table.into_inner());
        let mut span = None;
        for part in key.split('.') {
            let next = match &value {
                DeValue::Table(table) => {
                    let (name, value) = table.get_key_value(part)?;
                    span = Some(name.span());
                    value.get_ref().clone()
                }
                DeValue::Array(list) => {
                    let value = list.get(part.parse::<usize>().ok()?)?;
                    span = Some(value.span());
                    value.get_ref().clone()
                }
                _ => return span,
            };
            value = next;
        }
        span
    }
}
