//! The floor: wasmtime alone, with the same settings, making a fresh instance of the same component and calling it.
//!
//! No schema, no preflight, no decision, no deadline, no limits but the pool's, no record.

use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

wasmtime::component::bindgen!({
    path: "../wit",
    world: "toolbay:tool/pure-tool",
    exports: { default: async },
});

use exports::toolbay::tool::tool::Invocation;

/// A component that's ready to be instantiated.
pub struct Bare {
    engine: Engine,
    pre: PureToolPre<State>,
}

#[derive(Default)]
struct State {
    table: ResourceTable,
    wasi: Option<WasiCtx>,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let ctx = self.wasi.get_or_insert_with(|| WasiCtx::builder().build());
        WasiCtxView { ctx, table: &mut self.table }
    }
}

impl Bare {
    /// The tuned pool that the host uses too.
    pub fn new(path: &str, slots: u32) -> Self {
        let mut pool = PoolingAllocationConfig::new();
        pool.total_component_instances(slots)
            .total_stacks(slots)
            .total_core_instances(slots * 16)
            .total_memories(slots * 2)
            .total_tables(slots * 4)
            .max_memory_size(256 << 20)
            .linear_memory_keep_resident(256 << 10)
            .table_keep_resident(64 << 10)
            .async_stack_keep_resident(64 << 10)
            .decommit_batch_size(32);
        let mut config = Config::new();
        config
            .epoch_interruption(true)
            .concurrency_support(false)
            .async_stack_zeroing(true)
            .allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        let engine = Engine::new(&config).unwrap();
        let component = Component::from_file(&engine, path).unwrap();
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).unwrap();
        let pre = PureToolPre::new(linker.instantiate_pre(&component).unwrap()).unwrap();
        Self { engine, pre }
    }

    /// One fresh instance, one call; gives the bytes of text that came back.
    pub async fn call(&self, tool: &str, input: &str) -> usize {
        let mut store = Store::new(&self.engine, State::default());
        store.set_epoch_deadline(1_000_000);
        let instance = self.pre.instantiate_async(&mut store).await.unwrap();
        let invocation = Invocation { tool: tool.into(), id: "1".into(), input: input.into() };
        let outcome = instance.toolbay_tool_tool().call_call(&mut store, &invocation).await.unwrap().unwrap();
        outcome.content.iter().map(text_bytes).sum()
    }
}

fn text_bytes(content: &toolbay::tool::types::Content) -> usize {
    match content {
        toolbay::tool::types::Content::Text(text) => text.len(),
        _ => 0,
    }
}
