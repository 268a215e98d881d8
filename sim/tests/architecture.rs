//! `ARCHITECTURE.md` is true as far as a machine can tell: every path that it names exists.

use std::path::Path;

#[test]
fn every_path_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace has a root");
    let text = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("it is there");
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let folders = ["engine", "properties", "sim", "snapshots", "docs", "clippy.toml"];
    let paths: Vec<&&str> = quoted
        .iter()
        .filter(|word| !word.contains(' '))
        .filter(|word| {
            let first = word.split('/').next().unwrap_or_default();
            folders.contains(&first)
        })
        .collect();
    assert!(paths.len() > 20, "the code map names {} paths", paths.len());
    for path in paths {
        assert!(root.join(path).exists(), "ARCHITECTURE.md names `{path}`, which does not exist");
    }
}

#[test]
fn no_source_file_is_longer_than_500_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace has a root");
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the project") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if name.ends_with(".rs") {
                let text = std::fs::read_to_string(&path).expect("source is text");
                let lines = text.lines().count();
                assert!(lines <= 500, "{} has {lines} lines", path.display());
            }
        }
    }
}
