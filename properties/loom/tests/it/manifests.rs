//! One source, two manifests: what Cargo does not keep equal, this does.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

fn house() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(house().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn manifest(folder: &str) -> Table {
    read(&format!("{folder}/Cargo.toml")).parse().expect("a manifest is TOML")
}

fn table(manifest: &Table, name: &str) -> Table {
    manifest.get(name).and_then(Value::as_table).cloned().unwrap_or_default()
}

/// `twin` is `original` on another lock: the same features, and the same dependencies, of which
/// `replaced` comes from `package` in the folder `path`.
#[track_caller]
fn is_twin(twin: &str, original: &str, replaced: &str, package: &str, path: &str) {
    let (twin_manifest, manifest) = (manifest(twin), manifest(original));
    assert_eq!(table(&twin_manifest, "features"), table(&manifest, "features"));
    let mut expected = table(&manifest, "dependencies");
    let replacement = Table::from_iter([
        ("package".to_owned(), Value::from(package)),
        ("path".to_owned(), Value::from(path)),
    ]);
    let before = expected.insert(replaced.to_owned(), Value::from(replacement));
    assert!(before.is_some(), "{original} depends on {replaced}");
    assert_eq!(table(&twin_manifest, "dependencies"), expected);

    let library = table(&twin_manifest, "lib");
    let source = library.get("path").and_then(Value::as_str).expect("a twin has a path");
    let source = fs::canonicalize(house().join(twin).join(source)).expect("the source is there");
    let original = fs::canonicalize(house().join(original).join("src/lib.rs"));
    assert_eq!(source, original.expect("the original is there"));
    stays_inside(&twin_manifest);
}

/// Not published, and neither tested nor documented as a library: that is done at the original.
#[track_caller]
fn stays_inside(manifest: &Table) {
    let no = Some(&Value::from(false));
    assert_eq!(table(manifest, "package").get("publish"), no);
    let library = table(manifest, "lib");
    assert_eq!(["test", "doctest", "doc"].map(|key| library.get(key)), [no; 3]);
}

#[test]
fn the_engine_has_a_twin() {
    is_twin("properties/loom", "engine", "midturn-sync", "midturn-sync-loom", "sync");
}

#[test]
fn what_plays_a_scenario_has_a_twin() {
    let twin = "properties/loom/stage";
    is_twin(twin, "properties/stage", "midturn-sync", "midturn-sync-loom", "../sync");
}

#[test]
fn its_primitives_have_a_twin() {
    let twin = "properties/loom/sync";
    is_twin(twin, "engine/sync", "midturn-lock", "midturn-lock-loom", "lock");
}

/// The one source that is there twice.
#[test]
fn both_locks_have_the_same_names() {
    let names = |folder: &str| -> BTreeSet<String> {
        let source = read(&format!("{folder}/src/lib.rs"));
        let lines = source.lines().map(str::trim);
        let public = lines.filter(|line| line.starts_with("pub ") || line.starts_with("#[derive"));
        public.map(|line| line.split("std::sync::").collect()).collect()
    };
    let names_of_twin = names("properties/loom/sync/lock");
    assert!(names_of_twin.len() > 3, "{names_of_twin:?}");
    assert_eq!(names_of_twin, names("engine/sync/lock"));
    let (twin, original) = (manifest("properties/loom/sync/lock"), manifest("engine/sync/lock"));
    assert_eq!(table(&twin, "features"), table(&original, "features"));
    stays_inside(&twin);
}

#[test]
fn no_part_of_the_engine_asks_whether_it_is_under_loom() {
    let mut folders = vec![house().join("engine"), house().join("properties/stage")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the engine") {
            let path = entry.expect("an entry of that folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "toml") {
                seen += 1;
                let text = fs::read_to_string(&path).expect("a source file");
                let asks = text.lines().find(|line| {
                    let line = line.replace(' ', "");
                    line.contains("cfg") && line.contains("loom") || line.starts_with("loom=")
                });
                assert_eq!(asks, None, "{}", path.display());
            }
        }
    }
    assert!(seen > 20, "only {seen} files in the engine");
}
