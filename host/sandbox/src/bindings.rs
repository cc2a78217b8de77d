//! Generated code only: the host's side of the contract in `wit/`, and WASI's file interfaces, which we implement
//! ourselves so that every operation is decided on the handle that was really opened.

#![allow(missing_docs, unreachable_pub, clippy::pedantic, clippy::indexing_slicing, reason = "generated")]

pub(crate) mod tool {
    wasmtime::component::bindgen!({
        path: "../../wit",
        world: "toolbay:tool/full-tool",
        imports: { "toolbay:tool/permissions.request": async },
        exports: { default: async },
        additional_derives: [PartialEq, serde::Serialize, serde::Deserialize],
        require_store_data_send: true,
    });
}

pub(crate) mod filesystem {
    wasmtime::component::bindgen!({
        path: "../../wit",
        inline: "
            package toolbay:host;
            world filesystem {
                import wasi:filesystem/types@0.2.12;
                import wasi:filesystem/preopens@0.2.12;
            }
        ",
        imports: {
            "wasi:filesystem/types.[method]descriptor.sync": async,
            "wasi:filesystem/types.[method]descriptor.sync-data": async,
        },
        with: {
            "wasi:io": wasmtime_wasi_io::bindings::wasi::io,
            "wasi:clocks": wasmtime_wasi::p2::bindings::clocks,
            "wasi:filesystem/types.descriptor": crate::capability::filesystem::Descriptor,
            "wasi:filesystem/types.directory-entry-stream": crate::capability::filesystem::Listing,
        },
        require_store_data_send: true,
    });
    pub(crate) use self::wasi::filesystem::{preopens, types};
}
