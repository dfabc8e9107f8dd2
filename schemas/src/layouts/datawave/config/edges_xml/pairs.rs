//! The pairs of ends that a definition makes edges between.

use super::super::problem::Origin;
use super::EdgeNode;
use super::beans::Value;
use super::definitions::{Reader, Taken};

impl Reader {
    /// The pairs of a definition, and whether what they name must be listed.
    pub(super) fn pairs(&mut self, taken: &mut Taken<'_>) -> Vec<(EdgeNode, EdgeNode, bool)> {
        let mut pairs = Vec::new();
        if let Some((value, origin)) = taken.take("AllPairs").or_else(|| taken.take("allPairs")) {
            let nodes = self.nodes(origin, value);
            for (at, source) in nodes.iter().enumerate() {
                let sinks = nodes.iter().skip(at + 1);
                pairs.extend(sinks.map(|sink| (source.clone(), sink.clone(), true)));
            }
        }
        if let Some((value, origin)) = taken.take("groupPairs") {
            let (sources, sinks) = self.groups(origin, value);
            for source in &sources {
                pairs.extend(
                    sinks
                        .iter()
                        .map(|sink| (source.clone(), sink.clone(), true)),
                );
            }
        }
        let source = self.end(taken, "source");
        let sink = self.end(taken, "sink");
        match (source, sink) {
            (Some(source), Some(sink)) => pairs.push((source, sink, false)),
            (None, None) => {}
            _ => {
                let origin = taken.bean.origin.clone();
                self.fault(&origin, "sourceFieldName and sinkFieldName go together");
            }
        }
        pairs
    }

    fn groups(&mut self, origin: &Origin, value: &Value) -> (Vec<EdgeNode>, Vec<EdgeNode>) {
        let Value::Bean(bean) = value else {
            self.fault(origin, "groupPairs is an EdgeGroup");
            return Default::default();
        };
        let mut taken = Taken::new(bean);
        let mut group = |name: &str| match taken.take(name) {
            Some((value, origin)) => self.nodes(origin, value),
            None => {
                self.fault(&bean.origin, format!("an EdgeGroup needs {name}"));
                Vec::new()
            }
        };
        let groups = (group("group1"), group("group2"));
        self.finish(&taken);
        groups
    }

    fn nodes(&mut self, origin: &Origin, value: &Value) -> Vec<EdgeNode> {
        let Value::List(members) = value else {
            self.fault(origin, "a list of EdgeNodes is needed");
            return Vec::new();
        };
        let mut nodes = Vec::new();
        for (member, origin) in members {
            let Value::Bean(bean) = member else {
                self.fault(origin, "an EdgeNode is needed");
                continue;
            };
            let mut taken = Taken::new(bean);
            let field = self.needed(&mut taken, "selector").unwrap_or_default();
            nodes.push(EdgeNode {
                field,
                relationship: self.text(&mut taken, "relationship").unwrap_or_default(),
                collection: self.text(&mut taken, "collection").unwrap_or_default(),
                realm: self.text(&mut taken, "realm"),
            });
            self.finish(&taken);
        }
        nodes
    }

    /// An end in the direct form.
    fn end(&mut self, taken: &mut Taken<'_>, which: &str) -> Option<EdgeNode> {
        let mut part = |name: &str| self.text(taken, &format!("{which}{name}"));
        let relationship = part("Relationship").unwrap_or_default();
        let collection = part("Collection").unwrap_or_default();
        let realm = part("Realm");
        Some(EdgeNode {
            field: part("FieldName")?,
            relationship,
            collection,
            realm,
        })
    }
}
