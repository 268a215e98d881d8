//! The layout of a story.

use std::sync::Arc;

use super::{Row, WIDTH};

/// Actors that get a column each; with more, one column says who.
const COLUMNS: usize = 3;

const STEP: usize = 4;
const SLOT: usize = 10;
const PHASE: usize = 8;
const WAITS: usize = 14;
/// The mark of a row at which something breaks.
const MARK: usize = 3;

/// Draws `rows` in at most `lines` lines, its head included.
pub(super) fn draw(
    rows: &[Row],
    actors: &[Arc<str>],
    lines: usize,
    with_places: bool,
) -> Vec<String> {
    let loud: Vec<&Row> = rows.iter().filter(|row| row.is_loud).collect();
    let mut acting: Vec<usize> = Vec::new();
    for row in &loud {
        if !acting.contains(&row.actor) {
            acting.push(row.actor);
        }
    }
    // A place is whole only in a wide column.
    let in_columns = acting.len() <= COLUMNS && !with_places;
    let mut layout = Layout { acting, actors, with_places, in_columns };
    let mut blocks = layout.blocks(&loud);
    let fits = |blocks: &[Vec<String>]| blocks.iter().map(Vec::len).sum::<usize>() < lines;
    if !fits(&blocks) && layout.acting.len() > 1 {
        // One wide column needs fewer lines.
        layout.in_columns = false;
        blocks = layout.blocks(&loud);
    }
    let mut drawn = vec![layout.head()];
    if fits(&blocks) {
        drawn.extend(blocks.into_iter().flatten());
    } else {
        let broken = loud.iter().position(|row| row.breaks.is_some());
        drawn.extend(shortened(&blocks, broken, lines.saturating_sub(2)));
    }
    drawn
}

/// The beginning and, twice as long, the end; or, if something breaks between the two, what is
/// around that instead of the end.
fn shortened(blocks: &[Vec<String>], broken: Option<usize>, lines: usize) -> Vec<String> {
    let fitting = |blocks: &mut dyn Iterator<Item = &Vec<String>>, limit: usize| {
        let (mut count, mut length) = (0, 0);
        for block in blocks {
            if length + block.len() > limit {
                break;
            }
            length += block.len();
            count += 1;
        }
        count
    };
    let first = fitting(&mut blocks.iter(), lines / 3);
    let room = lines - lines / 3;
    let last = fitting(&mut blocks[first..].iter().rev(), room);
    let hidden = broken.filter(|at| (first..blocks.len() - last).contains(at));
    let (from, to) = match hidden {
        None => (blocks.len() - last, blocks.len()),
        Some(at) => {
            let from = at - fitting(&mut blocks[first..at].iter().rev(), room / 3);
            (from, from + fitting(&mut blocks[from..].iter(), room.saturating_sub(1)))
        }
    };
    let mut drawn: Vec<String> = blocks[..first].iter().flatten().cloned().collect();
    let leave_out = |drawn: &mut Vec<String>, steps: usize| {
        if steps > 0 {
            drawn.push(format!("{:>STEP$} ({steps} steps are left out here)", "..."));
        }
    };
    leave_out(&mut drawn, from - first);
    drawn.extend(blocks[from..to].iter().flatten().cloned());
    leave_out(&mut drawn, blocks.len() - to);
    drawn
}

struct Layout<'a> {
    acting: Vec<usize>,
    actors: &'a [Arc<str>],
    with_places: bool,
    in_columns: bool,
}

impl Layout<'_> {
    fn columns(&self) -> usize {
        if self.in_columns { self.acting.len().max(1) } else { 1 }
    }

    fn column_width(&self) -> usize {
        (WIDTH - STEP - 1 - SLOT - PHASE - WAITS - MARK) / self.columns()
    }

    fn head(&self) -> String {
        let width = self.column_width();
        let mut head = format!("{:>STEP$} ", "#");
        if self.in_columns {
            for actor in &self.acting {
                head.push_str(&pad(&self.actors[*actor], width));
            }
        } else {
            head.push_str(&pad("who: what", width));
        }
        head.push_str(&pad("slot", SLOT));
        head.push_str(&pad("phase", PHASE));
        head.push_str("waits [mail]");
        head
    }

    fn blocks(&self, rows: &[&Row]) -> Vec<Vec<String>> {
        rows.iter().map(|row| self.block(row)).collect()
    }

    /// The lines of one row.
    fn block(&self, row: &Row) -> Vec<String> {
        let width = self.column_width();
        let mut texts = Vec::new();
        let mut title = row.sites.first().cloned().unwrap_or_default();
        if !self.in_columns {
            title = format!("{}: {title}", self.actors[row.actor]);
        }
        wrap(&title, width - 1, "", &mut texts);
        if self.with_places && !row.place.is_empty() {
            wrap(&row.place, width - 1, "  at ", &mut texts);
        }
        if self.in_columns {
            for said in &row.says {
                wrap(said, width - 1, "  ", &mut texts);
            }
        } else if !row.says.is_empty() {
            wrap(&row.says.join(", "), width - 1, "  ", &mut texts);
        }
        let column = self.acting.iter().position(|actor| *actor == row.actor).unwrap_or(0);
        let column = if self.in_columns { column } else { 0 };
        let last = texts.len() - 1;
        let mut lines = Vec::new();
        for (position, text) in texts.iter().enumerate() {
            let step = if position == 0 { row.step.to_string() } else { String::new() };
            let mut line = format!("{step:>STEP$} {}", pad("", column * width));
            line.push_str(&pad(text, width * (self.columns() - column)));
            if position == 0 {
                line.push_str(&pad(row.slot, SLOT));
                line.push_str(&pad(row.phase, PHASE));
                line.push_str(&cut(&row.waits, WAITS));
            }
            if position == last && row.breaks.is_some() {
                line = format!("{} <-", line.trim_end());
            }
            lines.push(line.trim_end().to_owned());
        }
        lines
    }
}

fn pad(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let missing = width.saturating_sub(text.chars().count());
    text + &" ".repeat(missing)
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    kept + "~"
}

/// Breaks `text` at spaces into lines of at most `width`, each behind `indent`.
pub(super) fn wrap(text: &str, width: usize, indent: &str, lines: &mut Vec<String>) {
    let mut line = indent.to_owned();
    let mut is_empty = true;
    for word in text.split(' ') {
        let length = line.chars().count() + usize::from(!is_empty) + word.chars().count();
        if !is_empty && length > width {
            lines.push(std::mem::replace(&mut line, format!("{}  ", " ".repeat(indent.len()))));
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines.push(line);
}
