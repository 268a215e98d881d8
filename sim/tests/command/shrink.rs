//! Makes a generated program that fails small enough to read.
//!
//! Promises: what is returned still fails, and no single edit known here would keep it failing.

/// Cuts of a line that leave a command or item simpler than it was.
const CUTS: [(&str, &str); 6] = [
    (", drop = true", ""),
    (", when = ", "\""),
    (", expected = ", "\""),
    (", overrides = { effort = \"max\" }", ""),
    ("start_or_steer = \"\"", "start_or_steer = \"x\""),
    ("start_if_idle = \"\"", "start_if_idle = \"x\""),
];

/// The smallest text that still `fails`.
pub fn shrink(text: &str, fails: &dyn Fn(&str) -> bool) -> String {
    let mut smallest = text.to_owned();
    loop {
        let smaller = edits(&smallest).into_iter().find(|edited| fails(edited));
        match smaller {
            Some(smaller) => smallest = smaller,
            None => return smallest,
        }
    }
}

/// Every text that is one edit smaller, the boldest first.
fn edits(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut edited = Vec::new();
    let without = |range: std::ops::Range<usize>, instead: Option<String>| {
        let mut kept: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        kept.splice(range, instead);
        kept.join("\n") + "\n"
    };
    for (at, line) in lines.iter().enumerate() {
        if *line == "[[actor]]"
            && let Some(length) = lines[at..].iter().position(|line| *line == "]")
        {
            edited.push(without(at..at + length + 1, None));
        }
    }
    for (at, line) in lines.iter().enumerate() {
        let known = ["  { id", "mailbox", "hooks", "forbid", "front", "time", "parked"];
        if known.iter().any(|known| line.starts_with(known)) {
            edited.push(without(at..at + 1, None));
        }
    }
    for (at, line) in lines.iter().enumerate() {
        let plain = "  [{ final = \"done\" }],";
        if line.starts_with("  [") && *line != plain {
            edited.push(without(at..at + 1, Some(plain.to_owned())));
        }
        for simpler in simpler(line) {
            edited.push(without(at..at + 1, Some(simpler)));
        }
    }
    edited
}

fn simpler(line: &str) -> Vec<String> {
    let mut simpler = Vec::new();
    for (cut, instead) in CUTS {
        let Some(at) = line.find(cut) else { continue };
        let end = at + cut.len();
        let (instead, end) = match instead {
            // A quoted value goes with its key.
            "\"" => {
                let quoted = line[end + 1..].find('"').map(|length| end + length + 2);
                ("", quoted.unwrap_or(end))
            }
            other => (other, end),
        };
        simpler.push(format!("{}{instead}{}", &line[..at], &line[end..]));
    }
    // One of several in a list.
    let items: Vec<(usize, &str)> = line.match_indices("{ ").collect();
    if !line.starts_with("  {") && items.len() > 1 {
        for (at, _) in items {
            let Some(length) = line[at..].find('}') else { continue };
            let rest = line[at + length + 1..].trim_start_matches(", ");
            let kept = format!("{}{rest}", &line[..at]);
            simpler.push(kept.replace(", ]", "]"));
        }
    }
    simpler
}
