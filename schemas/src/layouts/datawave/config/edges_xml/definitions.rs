//! From beans to edges.

use super::super::super::jexl;
use super::super::problem::{ConfigProblem, Origin, ProblemKind};
use super::beans::{Bean, Value};
use super::{Duration, EdgeDefinition, EdgeFile, EdgeNode, EdgeType};
use std::collections::{BTreeMap, BTreeSet};

const RELATIONSHIPS: &str = "protobufedge.table.relationships";
const COLLECTIONS: &str = "protobufedge.table.collections";
const DISALLOWED_VALUES: &str = ".protobufedge.table.disallowlist.values";
const DISALLOWED_FIELDS: &str = ".protobufedge.table.disallowlist.fields";
/// The type whose disallow lists hold where a type has none.
const DEFAULT: &str = "default";

/// Makes edges of a file's beans.
pub(super) fn read(beans: &BTreeMap<String, Bean>) -> Result<EdgeFile, Vec<ConfigProblem>> {
    let mut reader = Reader::default();
    reader.relationships = reader.set_of(beans, RELATIONSHIPS);
    reader.collections = reader.set_of(beans, COLLECTIONS);
    let mut types = BTreeMap::new();
    for (id, bean) in beans.iter().filter(|(_, bean)| !bean.is_abstract) {
        if bean.class == "EdgeDefinitionConfigurationHelper" {
            if let Some(mut edges) = reader.edge_type(bean) {
                edges.disallowed_values = reader.disallowed(beans, id, DISALLOWED_VALUES);
                edges.disallowed_fields = reader.disallowed(beans, id, DISALLOWED_FIELDS);
                types.insert(id.clone(), edges);
            }
        } else if bean.content.is_none() && !is_known(id) {
            let class = &bean.class;
            reader.fault(
                &bean.origin,
                format!("bean {id:?}: the class {class:?} is not known"),
            );
        }
    }
    reader.problems.dedup();
    if reader.problems.is_empty() {
        Ok(EdgeFile {
            types,
            warnings: reader.warnings,
        })
    } else {
        Err(reader.problems)
    }
}

fn is_known(id: &str) -> bool {
    id == RELATIONSHIPS
        || id == COLLECTIONS
        || id.ends_with(DISALLOWED_VALUES)
        || id.ends_with(DISALLOWED_FIELDS)
}

#[derive(Default)]
pub(super) struct Reader {
    relationships: BTreeSet<String>,
    collections: BTreeSet<String>,
    problems: Vec<ConfigProblem>,
    warnings: Vec<ConfigProblem>,
}

/// The properties of a bean, each taken once.
pub(super) struct Taken<'a> {
    pub(super) bean: &'a Bean,
    left: BTreeMap<&'a str, &'a (Value, Origin)>,
}

impl<'a> Taken<'a> {
    pub(super) fn new(bean: &'a Bean) -> Self {
        let left = bean
            .properties
            .iter()
            .map(|(name, value)| (name.as_str(), value));
        Taken {
            bean,
            left: left.collect(),
        }
    }

    pub(super) fn take(&mut self, name: &str) -> Option<&'a (Value, Origin)> {
        self.left.remove(name)
    }
}

impl Reader {
    pub(super) fn fault(&mut self, origin: &Origin, message: impl Into<String>) {
        let problem = ConfigProblem::new(ProblemKind::Invalid, origin.clone(), message);
        self.problems.push(problem);
    }

    /// What is left was not asked for.
    pub(super) fn finish(&mut self, taken: &Taken<'_>) {
        for (name, (_, origin)) in &taken.left {
            let class = &taken.bean.class;
            self.fault(origin, format!("property {name:?} is not known of {class}"));
        }
    }

    pub(super) fn text(&mut self, taken: &mut Taken<'_>, name: &str) -> Option<String> {
        match taken.take(name)? {
            (Value::Text(text), _) => Some(text.clone()),
            (_, origin) => {
                self.fault(origin, format!("property {name:?} is a text"));
                None
            }
        }
    }

    pub(super) fn needed(&mut self, taken: &mut Taken<'_>, name: &str) -> Option<String> {
        if !taken.left.contains_key(name) {
            let origin = taken.bean.origin.clone();
            self.fault(
                &origin,
                format!("{} needs the property {name:?}", taken.bean.class),
            );
        }
        self.text(taken, name)
    }

    fn texts(&mut self, origin: &Origin, value: &Value) -> Vec<String> {
        let Value::List(members) = value else {
            self.fault(origin, "a list or a set is needed");
            return Vec::new();
        };
        let mut texts = Vec::new();
        for (member, origin) in members {
            match member {
                Value::Text(text) => texts.push(text.clone()),
                _ => self.fault(origin, "a text is needed"),
            }
        }
        texts
    }

    /// The members of a bean that is a set: a collection, or one of Spring's factories for them.
    fn set_of(&mut self, beans: &BTreeMap<String, Bean>, id: &str) -> BTreeSet<String> {
        let Some(bean) = beans.get(id) else {
            return BTreeSet::new();
        };
        let source = match bean.class.as_str() {
            "SetFactoryBean" => bean.properties.get("sourceSet").map(|(value, _)| value),
            "ListFactoryBean" => bean.properties.get("sourceList").map(|(value, _)| value),
            _ => bean.content.as_ref(),
        };
        match source {
            Some(value) => self.texts(&bean.origin, value).into_iter().collect(),
            None => {
                self.problems
                    .push(bean.problem(format!("{id:?} is no set")));
                BTreeSet::new()
            }
        }
    }

    /// A type's disallow list, or the one for all types.
    fn disallowed(&mut self, beans: &BTreeMap<String, Bean>, id: &str, list: &str) -> Vec<String> {
        let own = format!("{id}{list}");
        let name = if beans.contains_key(&own) {
            own
        } else {
            format!("{DEFAULT}{list}")
        };
        self.set_of(beans, &name).into_iter().collect()
    }

    fn edge_type(&mut self, bean: &Bean) -> Option<EdgeType> {
        let mut taken = Taken::new(bean);
        let attribute2 = self.needed(&mut taken, "edgeAttribute2");
        let attribute3 = self.needed(&mut taken, "edgeAttribute3");
        let activity_date = self.needed(&mut taken, "activityDateField");
        let enrichment = self.enrichment(&mut taken);
        let mut definitions = Vec::new();
        match taken.take("edges") {
            Some((Value::List(members), _)) => {
                for (member, origin) in members {
                    match member {
                        Value::Bean(bean) if bean.class == "EdgeDefinition" => {
                            self.definition(bean, &mut definitions);
                        }
                        _ => self.fault(origin, "an EdgeDefinition is needed"),
                    }
                }
            }
            _ => self.fault(&bean.origin, "a list of edges is needed"),
        }
        let enriched = definitions
            .iter()
            .any(|edge| edge.enrichment_field.is_some());
        if enriched && enrichment.is_empty() {
            self.fault(
                &bean.origin,
                "an enrichmentField needs enrichmentTypeMappings",
            );
        }
        self.finish(&taken);
        Some(EdgeType {
            attribute2: attribute2?,
            attribute3: attribute3?,
            activity_date: activity_date?,
            enrichment,
            definitions,
            disallowed_values: Vec::new(),
            disallowed_fields: Vec::new(),
        })
    }

    fn enrichment(&mut self, taken: &mut Taken<'_>) -> BTreeMap<String, String> {
        let mut mappings = BTreeMap::new();
        match taken.take("enrichmentTypeMappings") {
            Some((Value::Map(entries), origin)) => {
                for (key, value) in entries {
                    match value {
                        Value::Text(text) => {
                            mappings.insert(key.clone(), text.clone());
                        }
                        _ => self.fault(origin, format!("entry {key:?}: a text is needed")),
                    }
                }
            }
            Some((_, origin)) => self.fault(origin, "enrichmentTypeMappings is a map"),
            None => {}
        }
        mappings
    }

    fn definition(&mut self, bean: &Bean, out: &mut Vec<EdgeDefinition>) {
        let mut taken = Taken::new(bean);
        let edge_type = self.needed(&mut taken, "edgeType").unwrap_or_default();
        let direction = self.text(&mut taken, "direction");
        if let Some(other) = direction
            .as_deref()
            .filter(|word| !["uni", "bi"].contains(word))
        {
            self.fault(
                &bean.origin,
                format!("direction is uni or bi, not {other:?}"),
            );
        }
        let enrichment_field = self.text(&mut taken, "enrichmentField");
        let duration = self.duration(&mut taken);
        let precondition = self.precondition(&mut taken);
        let group_aware = self.text(&mut taken, "isGroupAware");
        let group_aware = group_aware.is_none_or(|text| text.trim().eq_ignore_ascii_case("true"));
        let pairs = self.pairs(&mut taken);
        if pairs.is_empty() {
            self.fault(
                &bean.origin,
                "AllPairs, groupPairs or a source and a sink are needed",
            );
        }
        self.finish(&taken);
        for (source, sink, checked) in pairs {
            if checked && !self.is_listed(bean, &edge_type, [&source, &sink]) {
                continue;
            }
            out.push(EdgeDefinition {
                edge_type: edge_type.clone(),
                bidirectional: direction.as_deref() == Some("bi"),
                source,
                sink,
                enrichment_field: enrichment_field.clone(),
                duration: duration.clone(),
                precondition: precondition.clone(),
                group_aware,
            });
        }
    }

    fn duration(&mut self, taken: &mut Taken<'_>) -> Option<Duration> {
        let elapsed = self.text(taken, "elapsedTime");
        let up = self.text(taken, "upTime");
        let down = self.text(taken, "downTime");
        match (elapsed, up, down) {
            (None, None, None) => None,
            (Some(field), None, None) => Some(Duration::Elapsed(field)),
            (None, Some(up), Some(down)) => Some(Duration::UpDown { up, down }),
            _ => {
                let origin = taken.bean.origin.clone();
                self.fault(&origin, "a duration is elapsedTime, or upTime and downTime");
                None
            }
        }
    }

    fn precondition(&mut self, taken: &mut Taken<'_>) -> Option<String> {
        let origin = taken
            .left
            .get("jexlPrecondition")
            .map(|(_, origin)| origin.clone());
        let text = self.text(taken, "jexlPrecondition")?;
        if let Err(error) = jexl::Expression::parse(&text) {
            self.fault(
                &origin.unwrap_or_default(),
                format!("jexlPrecondition: {error}"),
            );
        }
        Some(text)
    }

    /// Whether the file lists what a pair names; DataWave leaves out other pairs with no more than a line in its log.
    fn is_listed(&mut self, bean: &Bean, edge_type: &str, ends: [&EdgeNode; 2]) -> bool {
        for end in ends {
            let missing = if !self.relationships.contains(&end.relationship) {
                (&end.relationship, RELATIONSHIPS)
            } else if !self.collections.contains(&end.collection) {
                (&end.collection, COLLECTIONS)
            } else {
                continue;
            };
            let message = format!(
                "edges {edge_type} of {} are left out: {:?} is not in {}",
                end.field, missing.0, missing.1
            );
            let origin = bean.origin.clone();
            self.warnings
                .push(ConfigProblem::new(ProblemKind::Ignored, origin, message));
            return false;
        }
        true
    }
}
