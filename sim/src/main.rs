//! The command `midturn`.

fn main() {
    midturn::cli::main();
}
