//! The command `midturn`.

fn main() -> std::process::ExitCode {
    midturn::cli::main()
}
