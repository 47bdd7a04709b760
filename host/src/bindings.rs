//! Rust faces of the interfaces that Spin gives to a component, generated from `wit/`.

mod generated {
    wasmtime::component::bindgen!({
        path: "wit",
        world: "lectern:host/imports",
        imports: {
            "spin:sqlite/sqlite.[static]connection.open": async | trappable,
            "spin:sqlite/sqlite.[method]connection.execute": async | trappable,
            "spin:sqlite/sqlite.[method]connection.last-insert-rowid": async | trappable,
            "spin:sqlite/sqlite.[method]connection.changes": async | trappable,
            "spin:sqlite/sqlite.[drop]connection": trappable,
            "spin:key-value/key-value.[drop]store": trappable,
            default: async | store | trappable,
        },
        with: {
            "spin:sqlite/sqlite.connection": crate::sqlite::Connection,
            "spin:key-value/key-value.store": crate::key_value::Store,
        },
    });
}

pub(crate) use generated::spin::{key_value::key_value, sqlite::sqlite, variables::variables};
