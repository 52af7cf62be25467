//! No sample is worse than what `docs/precision/measured.md` says.

use pyro_oracle::Runner;
use pyro_precision::operations::OPERATIONS;
use pyro_precision::{Extent, measure, table};

#[test]
fn samples_are_no_worse_than_the_table() {
    let page = include_str!("../../../docs/precision/measured.md");
    let runner = Runner::open(pyro_digests::entry()).expect("a device");
    for operation in OPERATIONS {
        let figures = table::figures(page, operation.name);
        let (count, bound) = figures.unwrap_or_else(|| panic!("{} is not in the table", operation.name));
        // The first batches of those that the table is of, so that they are no worse.
        let extent = Extent { stride: (1 << 32) / count, samples: count, batches_max: 2 };
        let worst = measure(&runner, operation, extent, &mut || ()).expect("it runs");
        assert!(worst.distance <= bound, "{}: {worst:?}, and {bound} in the table", operation.name);
        assert!(worst.distance > 0.0 || bound == 0.0, "{}: nothing was measured", operation.name);
    }
}

#[test]
fn distances_are_in_units_of_the_true_result() {
    assert_eq!(pyro_ulp::distance(1.0, 1.0), 0.0);
    assert_eq!(pyro_ulp::distance(1.0, 1.0 + 2f64.powi(-24)), 0.5);
    assert_eq!(pyro_ulp::distance(f32::INFINITY, 2f64.powi(128) - 2f64.powi(104)), 1.0);
    assert_eq!(pyro_ulp::distance(f32::from_bits(3), 2f64.powi(-149)), 2.0);
    assert_eq!(pyro_ulp::distance(f32::NAN, 1.0), f64::INFINITY);
    assert_eq!(pyro_ulp::distance(f32::NAN, f64::NAN), 0.0);
}
