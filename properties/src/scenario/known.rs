//! What the command knows, against which the names in a file are checked.

/// The names that a scenario may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// The designs.
    pub designs: &'a [KnownDesign<'a>],
    /// The properties.
    pub properties: &'a [&'a str],
}

/// One design.
#[derive(Clone, Copy, Debug)]
pub struct KnownDesign<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its policies, aliases included.
    pub policies: &'a [&'a str],
    /// Its planted faults.
    pub faults: &'a [&'a str],
}
