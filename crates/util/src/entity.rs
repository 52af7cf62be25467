//! Typed indices: a number that can only index the table it belongs to.
//!
//! [`entity!`](crate::entity!) makes an index type, [`PrimaryMap`] owns the things, [`SecondaryMap`] attaches
//! more to each of them, [`PackedOption`] is an optional index in the space of one.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index.
pub trait EntityRef: Copy + Eq {
    /// The index with this number. The greatest `u32` is reserved.
    fn new(index: usize) -> Self;
    /// Its number.
    fn index(self) -> usize;
}

/// Declares an index type that prints as its prefix and number.
#[macro_export]
macro_rules! entity {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        #[allow(dead_code, unreachable_pub, reason = "tables differ in what they use")]
        impl $name {
            /// The index with this number.
            #[inline]
            pub const fn from_u32(index: u32) -> Self {
                Self(index)
            }

            /// Its number.
            #[inline]
            pub const fn as_u32(self) -> u32 {
                self.0
            }

            /// An index that stands for none.
            pub const RESERVED: Self = Self(u32::MAX);
        }

        impl $crate::EntityRef for $name {
            #[inline]
            fn new(index: usize) -> Self {
                assert!(index < u32::MAX as usize, "too many entities");
                Self(index as u32)
            }

            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    };
}

/// An optional index, as large as the index.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct PackedOption<K>(u32, PhantomData<K>);

impl<K: EntityRef> PackedOption<K> {
    /// No index.
    pub const NONE: PackedOption<K> = PackedOption(u32::MAX, PhantomData);

    /// As an ordinary option.
    pub fn expand(self) -> Option<K> {
        (self.0 != u32::MAX).then(|| K::new(self.0 as usize))
    }

    /// Whether there is one.
    pub fn is_some(self) -> bool {
        self.0 != u32::MAX
    }

    /// The index.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    pub fn unwrap(self) -> K {
        self.expand().expect("an entity")
    }
}

impl<K: EntityRef> Default for PackedOption<K> {
    fn default() -> Self {
        PackedOption::NONE
    }
}

impl<K: EntityRef> From<K> for PackedOption<K> {
    fn from(key: K) -> Self {
        PackedOption(key.index() as u32, PhantomData)
    }
}

impl<K: EntityRef> From<Option<K>> for PackedOption<K> {
    fn from(key: Option<K>) -> Self {
        key.map_or(PackedOption::NONE, PackedOption::from)
    }
}

impl<K: EntityRef + fmt::Debug> fmt::Debug for PackedOption<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.expand().fmt(f)
    }
}

/// The table that owns the entities and gives out their indices.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PrimaryMap<K, V> {
    items: Vec<V>,
    key: PhantomData<K>,
}

impl<K: EntityRef, V> PrimaryMap<K, V> {
    /// An empty table.
    pub const fn new() -> Self {
        PrimaryMap { items: Vec::new(), key: PhantomData }
    }

    /// Adds an entity.
    pub fn push(&mut self, value: V) -> K {
        let key = K::new(self.items.len());
        self.items.push(value);
        key
    }

    /// The index that the next [`PrimaryMap::push`] gives.
    pub fn next_key(&self) -> K {
        K::new(self.items.len())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The entity, if the index is in range.
    pub fn get(&self, key: K) -> Option<&V> {
        self.items.get(key.index())
    }

    /// Whether the index is in range.
    pub fn is_valid(&self, key: K) -> bool {
        key.index() < self.items.len()
    }

    /// All indices in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + ExactSizeIterator + use<K, V> {
        (0..self.items.len()).map(K::new)
    }

    /// All entities in order.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.items.iter()
    }

    /// All entities in order, to change.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.items.iter_mut()
    }

    /// All indices with their entities in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(index, value)| (K::new(index), value))
    }
}

impl<K: EntityRef, V> Default for PrimaryMap<K, V> {
    fn default() -> Self {
        PrimaryMap::new()
    }
}

impl<K: EntityRef, V> Index<K> for PrimaryMap<K, V> {
    type Output = V;

    #[track_caller]
    fn index(&self, key: K) -> &V {
        &self.items[key.index()]
    }
}

impl<K: EntityRef, V> IndexMut<K> for PrimaryMap<K, V> {
    #[track_caller]
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.items[key.index()]
    }
}

impl<K: EntityRef, V> FromIterator<V> for PrimaryMap<K, V> {
    fn from_iter<I: IntoIterator<Item = V>>(items: I) -> Self {
        PrimaryMap { items: items.into_iter().collect(), key: PhantomData }
    }
}

impl<K: EntityRef + fmt::Debug, V: fmt::Debug> fmt::Debug for PrimaryMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// A value for every entity of some primary map; those never written have the default.
#[derive(Clone)]
pub struct SecondaryMap<K, V> {
    items: Vec<V>,
    default: V,
    key: PhantomData<K>,
}

impl<K: EntityRef, V: Clone> SecondaryMap<K, V> {
    /// A map in which every entity has `default`.
    pub fn with_default(default: V) -> Self {
        SecondaryMap { items: Vec::new(), default, key: PhantomData }
    }

    /// The same with room for `count` entities.
    pub fn with_capacity(default: V, count: usize) -> Self {
        SecondaryMap { items: vec![default.clone(); count], default, key: PhantomData }
    }
}

impl<K: EntityRef, V: Clone> SecondaryMap<K, V> {
    #[cold]
    #[inline(never)]
    fn grow(&mut self, key: K) {
        self.items.resize(key.index() + 1, self.default.clone());
    }
}

impl<K: EntityRef, V: Clone + Default> SecondaryMap<K, V> {
    /// A map in which every entity has its type's default.
    pub fn new() -> Self {
        SecondaryMap::with_default(V::default())
    }
}

impl<K: EntityRef, V: Clone + Default> Default for SecondaryMap<K, V> {
    fn default() -> Self {
        SecondaryMap::new()
    }
}

impl<K: EntityRef, V: Clone> Index<K> for SecondaryMap<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        self.items.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: EntityRef, V: Clone> IndexMut<K> for SecondaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        if key.index() >= self.items.len() {
            self.grow(key);
        }
        &mut self.items[key.index()]
    }
}

#[cfg(test)]
#[allow(unreachable_pub, reason = "the macro makes public types")]
mod tests {
    use super::*;

    crate::entity! {
        /// A thing.
        Thing, "thing"
    }

    #[test]
    fn maps_and_options() {
        let mut things = PrimaryMap::<Thing, &str>::new();
        let (a, b) = (things.push("a"), things.push("b"));
        assert_eq!((things[a], things[b], things.len()), ("a", "b", 2));
        assert_eq!(format!("{b}"), "thing1");
        let mut sizes = SecondaryMap::<Thing, u32>::with_default(7);
        sizes[b] = 9;
        assert_eq!((sizes[a], sizes[b], sizes[Thing::from_u32(40)]), (7, 9, 7));
        let mut option = PackedOption::<Thing>::default();
        assert_eq!(option.expand(), None);
        option = b.into();
        assert_eq!(option.unwrap(), b);
        assert_eq!(size_of::<PackedOption<Thing>>(), 4);
    }
}
