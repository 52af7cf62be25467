//! Items: their names and the values of their placeholders.

use super::template::Values;
use super::{Kind, Section};

/// One item of a section.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its place in the section.
    pub index: usize,
    /// Its name, unique in the section.
    pub name: String,
}

impl Section {
    /// How many items it has.
    #[must_use]
    pub fn item_count(&self) -> usize {
        match &self.kind {
            Kind::Cases(cases) => cases.names.len(),
            Kind::Numbers(numbers) => numbers.count as usize,
            Kind::Tiles(tiles) => tiles.grid().map(|count| count as usize).iter().product(),
            Kind::Dispatch(dispatch) => dispatch.slab_count(),
        }
    }

    /// The item at a place.
    #[must_use]
    pub fn item(&self, index: usize) -> Item {
        let name = match &self.kind {
            Kind::Cases(cases) => cases.names[index].clone(),
            Kind::Numbers(numbers) => {
                format!("{}-{}", numbers.counted.placeholder(), numbers.first + index as u64)
            }
            Kind::Tiles(_) => format!("tile-{index}"),
            Kind::Dispatch(_) => format!("slab-{index}"),
        };
        Item { index, name }
    }

    /// What an item's times are recorded under.
    #[must_use]
    pub fn time_key(&self, index: usize) -> String {
        format!("{}/{}", self.name, self.item(index).name)
    }

    /// The values of an item's placeholders, but for paths.
    pub(crate) fn values(&self, index: usize) -> Values {
        let mut values = Values::new();
        match &self.kind {
            Kind::Cases(cases) => {
                values.insert("case", cases.names[index].clone());
            }
            Kind::Numbers(numbers) => {
                let number = numbers.first + index as u64;
                values.insert(numbers.counted.placeholder(), number.to_string());
            }
            Kind::Tiles(tiles) => {
                let ([x, y], [width, height]) = tiles.rectangle(index);
                let pairs = [("x", x), ("y", y), ("width", width), ("height", height)];
                values.extend(pairs.map(|(name, value)| (name, value.to_string())));
                values.insert("tile", index.to_string());
            }
            Kind::Dispatch(_) => {}
        }
        values
    }
}
