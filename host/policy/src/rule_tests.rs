//! The language: what is a rule, and what it says when it's none.
