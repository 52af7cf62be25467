//! How elements of an input lie for the elements of an output in their order.

use smallvec::SmallVec;

/// For each element of an output, in order, the place of an element of an input.
#[derive(Clone, Debug)]
pub(crate) struct Strided {
    /// Elements along each dimension of the output, and how far the input's are apart; no dimension of one
    /// element, but for a lone one.
    dims: SmallVec<[(usize, isize); 6]>,
    /// The place of the first.
    base: usize,
}

/// Elements of an output that lie one behind the other, and where theirs of the input are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The first of them, counted from where the walk began.
    pub(crate) to: usize,
    /// The place of the first one's input.
    pub(crate) from: usize,
    /// From one to the next.
    pub(crate) step: isize,
    /// How many.
    pub(crate) count: usize,
}

impl Strided {
    /// These dimensions, the outermost first.
    pub(crate) fn new(dims: impl IntoIterator<Item = (usize, isize)>, base: usize) -> Strided {
        let mut merged: SmallVec<[(usize, isize); 6]> = SmallVec::new();
        for (size, step) in dims {
            match merged.last_mut() {
                _ if size == 1 => {}
                // The dimension outside goes on where this one ends.
                Some((outer, outer_step)) if *outer_step == step * size as isize => {
                    (*outer, *outer_step) = (*outer * size, step);
                }
                _ => merged.push((size, step)),
            }
        }
        if merged.is_empty() {
            merged.push((1, 0));
        }
        Strided { dims: merged, base }
    }

    /// An input of a shape, broadcast to an output's.
    pub(crate) fn broadcast(input: &[u32], output: &[u32]) -> Strided {
        let mut step = 1;
        let mut dims: SmallVec<[(usize, isize); 6]> = SmallVec::new();
        for (&own, &size) in input.iter().zip(output).rev() {
            dims.push((size as usize, if own == 1 { 0 } else { step }));
            step *= own as isize;
        }
        Strided::new(dims.into_iter().rev(), 0)
    }

    /// Whether the input is the output, element by element.
    pub(crate) fn is_identity(&self) -> bool {
        self.base == 0 && matches!(self.dims[..], [(1, _) | (_, 1)])
    }

    /// Calls `run` for all runs among `count` elements of the output from `first` on.
    #[inline(always)]
    pub(crate) fn runs(&self, first: usize, count: usize, mut run: impl FnMut(Run)) {
        let mut index: SmallVec<[usize; 6]> = SmallVec::from_elem(0, self.dims.len());
        let mut place = self.base as isize;
        let mut rest = first;
        for (index, &(size, step)) in index.iter_mut().zip(&self.dims).rev() {
            *index = rest % size;
            rest /= size;
            place += *index as isize * step;
        }
        let last = self.dims.len() - 1;
        let (inner, step) = self.dims[last];
        let mut done = 0;
        while done < count {
            let here = (inner - index[last]).min(count - done);
            run(Run { to: done, from: place as usize, step, count: here });
            done += here;
            place += here as isize * step;
            index[last] += here;
            // To the next run, the innermost dimension first.
            let mut dim = last;
            while index[dim] == self.dims[dim].0 && dim != 0 {
                place -= index[dim] as isize * self.dims[dim].1;
                index[dim] = 0;
                dim -= 1;
                index[dim] += 1;
                place += self.dims[dim].1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(strided: &Strided, first: usize, count: usize) -> Vec<usize> {
        let mut places = vec![usize::MAX; count];
        strided.runs(first, count, |run| {
            for at in 0..run.count {
                places[run.to + at] = (run.from as isize + at as isize * run.step) as usize;
            }
        });
        places
    }

    #[test]
    fn runs_visit_every_element_in_order() {
        // A transposition of 2 × 3 × 4 to 4 × 2 × 3.
        let transposed = Strided::new([(4, 1), (2, 12), (3, 4)], 0);
        let wanted: Vec<usize> = (0..24).map(|at| at / 6 + at / 3 % 2 * 12 + at % 3 * 4).collect();
        for first in 0..24 {
            assert_eq!(places(&transposed, first, 24 - first), wanted[first..]);
        }
        // Backwards.
        assert_eq!(places(&Strided::new([(3, -1)], 2), 0, 3), [2, 1, 0]);
        // Broadcast along the middle.
        let middle = Strided::broadcast(&[2, 1, 2], &[2, 3, 2]);
        assert_eq!(places(&middle, 0, 12), [0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3]);
        assert_eq!(places(&middle, 5, 3), [1, 2, 3]);
        assert!(!middle.is_identity());
        assert!(Strided::broadcast(&[2, 3], &[2, 3]).is_identity());
        assert!(Strided::broadcast(&[], &[]).is_identity());
        assert!(!Strided::broadcast(&[1, 1], &[2, 3]).is_identity());
    }
}
