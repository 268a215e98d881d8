//! `Mutex`: sections exclude each other, also those inside `Drop`, also nested ones.

use std::sync::Arc;

use midturn_sync::Mutex;

use crate::explore::exhaust;
use crate::unseen::Notes;

#[test]
fn three_sections_add_up() {
    let report = exhaust("mutex: three sections", |crew| {
        let (sum, seen) = (Arc::new(Mutex::new("sum", 0)), Notes::<Vec<u32>>::default());
        for _ in 0..3 {
            let (sum, seen) = (sum.clone(), seen.clone());
            crew.spawn(async move {
                sum.section("add", |sum| {
                    *sum += 1;
                    seen.note(|seen| seen.push(*sum));
                });
            });
        }
        seen.teller()
    });
    report.outcomes_are([vec![1, 2, 3]]);
}

#[test]
fn looking_and_adding_apart_loses_an_addition() {
    let report = exhaust("mutex: peek, then section", |crew| {
        let (sum, seen) = (Arc::new(Mutex::new("sum", 0)), Notes::default());
        for _ in 0..2 {
            let (sum, seen) = (sum.clone(), seen.clone());
            crew.spawn(async move {
                let before = sum.peek("look", |sum| *sum);
                sum.section("add", |sum| *sum = before + 1);
                seen.note(|seen: &mut u32| *seen = (*seen).max(before + 1));
            });
        }
        seen.teller()
    });
    report.outcomes_are([1, 2]);
}

struct AddsOnDrop(Arc<Mutex<u32>>, Notes<Vec<u32>>);

impl Drop for AddsOnDrop {
    fn drop(&mut self) {
        let added = self.0.section_on_drop("add on drop", |sum| {
            *sum += 1;
            *sum
        });
        self.1.note(|seen| seen.extend(added));
    }
}

#[test]
fn a_section_inside_drop_is_entered() {
    let report = exhaust("mutex: sections on drop", |crew| {
        let (sum, seen) = (Arc::new(Mutex::new("sum", 0)), Notes::default());
        for _ in 0..2 {
            let guard = AddsOnDrop(sum.clone(), seen.clone());
            crew.spawn(async move { drop(guard) });
        }
        let tell = seen.teller();
        move || {
            let mut seen = tell();
            seen.sort();
            seen
        }
    });
    report.outcomes_are([vec![1, 2]]);
}

#[test]
fn nested_sections_in_one_order_end() {
    let report = exhaust("mutex: nested in one order", |crew| {
        let outer = Arc::new(Mutex::new("outer", ()));
        let (inner, order) = (Arc::new(Mutex::new("inner", ())), Notes::<Vec<u32>>::default());
        for me in 1..=2 {
            let (outer, inner, order) = (outer.clone(), inner.clone(), order.clone());
            crew.spawn(async move {
                outer.section("outer", |()| {
                    inner.section("inner", |()| order.note(|order| order.push(me)));
                });
            });
        }
        let (inner, order) = (inner.clone(), order.clone());
        let tell = order.teller();
        crew.spawn(async move {
            inner.section("inner alone", |()| order.note(|order| order.push(3)));
        });
        tell
    });
    let orders = [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]];
    report.outcomes_are(orders.map(Vec::from));
}
