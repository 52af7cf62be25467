//! `pyroclast manifest`.

use crate::library;

/// Prints the manifest of the library beside this program.
pub(crate) fn run() -> anyhow::Result<()> {
    print!("{}", library::manifest(&library::find()?));
    Ok(())
}
