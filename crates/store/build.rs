//! The migrations are read when the crate is compiled: a new file must compile it again.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
