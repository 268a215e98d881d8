//! Names for places in the source and for shared objects.

use std::panic::Location;

/// A visible operation's place: what it is called, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// For example `steer_input: check and push`. Stable: tokens and stories name it.
    pub name: &'static str,
    /// The line that performs the operation.
    pub location: &'static Location<'static>,
}

impl Site {
    /// A site at the caller's line.
    #[track_caller]
    pub fn here(name: &'static str) -> Self {
        Site { name, location: Location::caller() }
    }
}

/// A shared object, as the hook of the thread that created it numbered it. Zero without a hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

/// The step at which something became true. Zero: before exploration began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(pub u32);

/// What a visible operation does to its object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// Enters a section that may write; held until [`Hook::released`](crate::Hook::released).
    Section,
    /// Enters a section that only reads and contains no other operation; held likewise.
    ReadSection,
    /// Changes the object at once (send, notify, cancel).
    Write,
    /// Looks at the object at once (subscribe, is cancelled).
    Read,
}

/// One visible operation, announced before it is performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What it does.
    pub kind: OperationKind,
    /// To which object.
    pub object: ObjectId,
    /// Where it stands.
    pub site: Site,
}
