;; A tool whose start function loops, which is before anything of it can be called.
;;
;; The exports have the names and the flattened types of the canonical ABI for `toolbay:tool/tool@0.1.0`. Records lie in
;; memory as their fields, strings and lists as pointer and length.
(module
  (memory (export "memory") 1)

  (data (i32.const 1024) "Never")
  (data (i32.const 1032) "Never gets so far.")
  (data (i32.const 1052) "{\"type\":\"object\"}")
  (data (i32.const 1072) "never")

  ;; describe: a list of one definition
  (data (i32.const 240) "\00\01\00\00\01\00\00\00")
  (data (i32.const 256)
    "\00\04\00\00\05\00\00\00" ;; name
    "\00\00\00\00\00\00\00\00" ;; aliases
    "\00\00\00\00\00\00\00\00\00\00\00\00" ;; title: none
    "\08\04\00\00\12\00\00\00" ;; description
    "\1c\04\00\00\11\00\00\00" ;; input-schema
    "\00\00\00\00\00\00\00\00\00\00\00\00" ;; output-schema: none
    "\00\00\00\00\00\00\00\00" ;; max-result-chars: none
    "\01\00\00\00" ;; overflow: truncate, loading: normal
    "\00\00\00\00\00\00\00\00" ;; search-terms
    "\00\00\00\00\00\00\00\00\00\00\00\00") ;; disabled: none

  ;; validate: ok
  (data (i32.const 400) "\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")

  ;; permissions: no access, verdict allow, traits read-only and concurrency-safe, no summary
  (data (i32.const 432) "\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\05\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")

  ;; call: ok, one block of text
  (data (i32.const 480) "\00\00\00\00\30\02\00\00\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 560) "\00\00\00\00\30\04\00\00\05\00\00\00")

  ;; The host asks for room for its arguments here; a pointer that only moves up is enough for one call.
  (global $free (mut i32) (i32.const 4096))
  (func (export "cabi_realloc") (param $old i32) (param $old_size i32) (param $align i32) (param $size i32) (result i32)
    (local $place i32)
    (local.set $place (i32.and
      (i32.add (global.get $free) (i32.sub (local.get $align) (i32.const 1)))
      (i32.sub (i32.const 0) (local.get $align))))
    (global.set $free (i32.add (local.get $place) (local.get $size)))
    (local.get $place))

  (func (export "toolbay:tool/tool@0.1.0#describe")
    (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32) (result i32)
    (i32.const 240))
  (func (export "toolbay:tool/tool@0.1.0#validate") (param i32 i32 i32 i32 i32 i32) (result i32)
    (i32.const 400))
  (func (export "toolbay:tool/tool@0.1.0#permissions") (param i32 i32 i32 i32 i32 i32) (result i32)
    (i32.const 432))
  (func (export "toolbay:tool/tool@0.1.0#call") (param i32 i32 i32 i32 i32 i32) (result i32)
    (i32.const 480))

  (func $for_ever (loop $again (br $again)))
  (start $for_ever)
)
