//! The library, spoken in MCP.
//!
//! This crate will hold the MCP server and client. It turns values of [`toolbay`] into protocol values and back, and never
//! sees the engine. Until the protocol arrives there is nothing in it but this border.
