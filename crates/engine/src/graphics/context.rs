//! Draw contexts: records of more than a kilobyte, one for each draw, in memory that is used again.

use pyro_abi::DrawContext;
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// Contexts that a thread keeps for draws to come.
const MAX_SPARE: usize = 4096;

type Spare = Vec<Box<DrawContext>>;

thread_local! {
    static SPARE: RefCell<Spare> = const { RefCell::new(Vec::new()) };
}

/// A [`DrawContext`] at an address that stays.
#[derive(Debug)]
pub struct Context(Option<Box<DrawContext>>);

impl Context {
    /// A context that begins as a copy.
    pub fn new(context: &DrawContext) -> Context {
        // While a thread ends there is no list any more.
        let spare = SPARE.try_with(|spare| spare.try_borrow_mut().ok()?.pop()).ok().flatten();
        Context(Some(match spare {
            Some(mut spare) => {
                *spare = context.clone();
                spare
            }
            None => Box::new(context.clone()),
        }))
    }
}

impl From<DrawContext> for Context {
    fn from(context: DrawContext) -> Context {
        Context::new(&context)
    }
}

impl Clone for Context {
    fn clone(&self) -> Context {
        Context::new(self)
    }
}

impl Deref for Context {
    type Target = DrawContext;

    fn deref(&self) -> &DrawContext {
        self.0.as_ref().expect("there until it is dropped")
    }
}

impl DerefMut for Context {
    fn deref_mut(&mut self) -> &mut DrawContext {
        self.0.as_mut().expect("there until it is dropped")
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let Some(context) = self.0.take() else { return };
        let _ = SPARE.try_with(|spare| {
            if let Ok(mut spare) = spare.try_borrow_mut()
                && spare.len() < MAX_SPARE
            {
                spare.push(context);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_and_holds_what_it_should() {
        let mut first = Context::new(&DrawContext { sample_mask: 5, ..DrawContext::default() });
        first.blend_constants[2] = 0.5;
        let address = &raw const *first;
        let copy = first.clone();
        assert_eq!((copy.sample_mask, copy.blend_constants[2]), (5, 0.5));
        drop(first);
        let second = Context::from(DrawContext::default());
        assert_eq!(&raw const *second, address);
        assert_eq!((second.sample_mask, second.blend_constants[2]), (u32::MAX, 0.0));
    }
}
