//! The names of policies and faults.

use midturn_engine::codex::{Fault, Faults, Policy, Structure};

#[test]
fn every_policy_name_means_a_policy() {
    for name in Policy::NAMES {
        assert!(Policy::named(name).is_some(), "{name}");
    }
    assert_eq!(Policy::named("upstream"), Policy::named("codex_0_149"));
    assert_eq!(Policy::named("hardend"), None);
    assert_eq!(Policy::named(""), None);
}

#[test]
fn faults_are_named_once_and_planted_only_where_they_have_a_place() {
    let names = Fault::ALL.map(Fault::name);
    assert!(names.iter().all(|name| Fault::named(name).is_some()));
    let distinct: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
    for name in names {
        let planted = Policy::named(&format!("hardened+{name}"));
        assert_eq!(planted.is_some(), Faults::AVAILABLE);
        if let Some(policy) = planted {
            assert_eq!(policy.structure(), Structure::Hardened);
            assert_eq!(policy.to_string(), format!("hardened+{name}"));
        }
        assert_eq!(Policy::named(&format!("upstream+{name}")), None);
    }
    assert_eq!(Policy::named("hardened+typo"), None);
    assert_eq!(Policy::named("hardened+"), None);
}

#[test]
fn a_fault_is_committed_only_in_a_build_that_has_them() {
    for fault in Fault::ALL {
        assert_eq!(Faults::none().with(fault).has(fault), Faults::AVAILABLE);
        assert!(!Faults::none().has(fault));
    }
}
