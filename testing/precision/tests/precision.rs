//! Neither samples nor cases are worse than what `docs/precision` says.

use pyro_oracle::Runner;
use pyro_precision::operations::OPERATIONS;
use pyro_precision::results::Results;
use pyro_precision::{Extent, Worst, exact, measure, table};

fn open() -> Result<Runner, String> {
    Runner::plain(pyro_digests::entry())
}

#[test]
fn samples_are_no_worse_than_the_table() {
    let (own, _) = Results::kept().expect("the results");
    for operation in OPERATIONS {
        let known = own.errors.get(operation.name);
        let known = known.unwrap_or_else(|| panic!("{} was not measured", operation.name));
        assert!(operation.arity > 1 || known.count.is_power_of_two(), "{}: {}", operation.name, known.count);
        // The first batches of those that the table is of, so that they are no worse.
        let stride = if operation.arity == 1 { (1 << 32) / known.count } else { 1 };
        let extent = Extent { stride, samples: known.count, batches_max: 2, part: (0, 1), end: None };
        let worst = &measure(&open, &[operation], &extent, 2, &|| ()).expect("it runs")[0];
        assert!(worst.distance <= known.distance, "{}: {worst:?}, and {known:?} is known", operation.name);
        assert!(worst.distance > 0.0 || known.distance == 0.0, "{}: nothing was measured", operation.name);
    }
}

/// Parts of the whole, on any number of threads, make the same figures as the whole.
#[test]
fn parts_are_joined() {
    let operations: Vec<_> = OPERATIONS.iter().filter(|of| ["Exp2", "OpFDiv"].contains(&of.name)).collect();
    let results = |part, threads| {
        let extent = Extent { stride: 1 << 10, samples: 1 << 20, batches_max: 4, part, end: None };
        let found = measure(&open, &operations, &extent, threads, &|| ()).expect("it runs");
        let errors = operations.iter().map(|of| of.name.to_owned()).zip(found).collect();
        Results { device: "a device".to_owned(), parts: vec![part], errors }
    };
    let whole = results((0, 1), 3);
    let parts = [results((0, 3), 1), results((1, 3), 2), results((2, 3), 1)];
    let mut joined = Results::default();
    for part in &parts {
        let again = Results::parse(&part.text()).expect("its own text");
        assert_eq!(&again, part);
        joined.join(&again).expect("another part");
    }
    assert_eq!(joined.errors, whole.errors);
    assert!(joined.errors.values().all(|worst: &Worst| worst.count == 4 << 18 && worst.distance > 0.4));
    assert!(joined.join(&parts[1]).is_err_and(|why| why.contains("twice")));
    let other = Results { device: "another".to_owned(), ..parts[0].clone() };
    assert!(joined.join(&other).is_err_and(|why| why.contains("not of one device")));
    assert!(Results::parse("error\tExp2\tmany").is_err());
}

/// The pages are of the results.
#[test]
fn pages_are_of_the_results() {
    let (own, others) = Results::kept().expect("the results");
    let exact = exact::Results::kept().expect("the results");
    let wanted = "`pyro-precision page` writes it anew";
    assert_eq!(table::page(&own, &others), include_str!("../../../docs/precision/measured.md"), "{wanted}");
    assert_eq!(exact::page::page(&exact), include_str!("../../../docs/precision/exact.md"), "{wanted}");
}

/// Fixed functions are no worse than the page, with the same cases, on every level.
#[test]
fn fixed_functions_are_no_worse_than_the_page() {
    let known = exact::Results::kept().expect("the results");
    let found = exact::measure(pyro_digests::entry(), 1).expect("it runs");
    assert_eq!(found.rows.len(), exact::page::ROWS.len());
    for (name, ..) in exact::page::ROWS {
        let (row, known) = (found.error(name).expect("measured"), known[0].error(name).expect("kept"));
        assert!(row.error <= known.error * 1.000_001, "{row:?}, and {known:?} is kept");
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
