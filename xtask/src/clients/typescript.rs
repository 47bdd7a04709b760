//! The types of the API in TypeScript, and the table by which a client finds an operation.

use sha2::{Digest, Sha256};

use super::operation::Operation;

const HEAD: &str = "// The types and operations of the API, made from its description by `cargo xtask clients`: do not change this file.
";

const TABLE: &str = "
/** The method and path of an operation; where a list with pages has its records (\"\": it is the answer itself). */
export interface Operation {
    readonly method: string;
    readonly path: string;
    readonly records?: string;
    readonly takesToken?: false;
}

/** Every operation by its id. */
export const OPERATIONS = {
";

/// The whole file, of a description with this text.
pub(super) fn render(description: &str, types: &str, operations: &[Operation<'_>]) -> String {
    let (made_of, rows) = (made_of(description), operations.iter().map(row).collect::<String>());
    format!("{HEAD}{made_of}{types}{TABLE}{rows}}} as const satisfies Partial<Record<keyof operations, Operation>>;\n")
}

/// The line that names the description of which a file was made.
pub(super) fn made_of(description: &str) -> String {
    let digest = Sha256::digest(description).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("// SHA-256 of the description: {digest}\n")
}

fn row(operation: &Operation<'_>) -> String {
    let records = operation.records.map(|records| format!(", records: \"{records}\"")).unwrap_or_default();
    let takes_token = if operation.takes_token { "" } else { ", takesToken: false" };
    let (id, method, path) = (operation.id, &operation.method, operation.path);
    format!("    {id}: {{ method: \"{method}\", path: \"{path}\"{records}{takes_token} }},\n")
}
