//! The types of the API in TypeScript, and the table by which a client finds an operation.

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

/// The whole file.
pub(super) fn render(types: &str, operations: &[Operation<'_>]) -> String {
    let rows = operations.iter().map(row).collect::<String>();
    format!("{HEAD}{types}{TABLE}{rows}}} as const satisfies Partial<Record<keyof operations, Operation>>;\n")
}

fn row(operation: &Operation<'_>) -> String {
    let records = operation.records.map(|records| format!(", records: \"{records}\"")).unwrap_or_default();
    let takes_token = if operation.takes_token { "" } else { ", takesToken: false" };
    let (id, method, path) = (operation.id, &operation.method, operation.path);
    format!("    {id}: {{ method: \"{method}\", path: \"{path}\"{records}{takes_token} }},\n")
}
