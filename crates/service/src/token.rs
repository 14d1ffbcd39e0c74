/// 128 random bits as 32 hexadecimal digits, for links and nonces.
///
/// # Panics
/// Where the system has no random numbers: nothing secret can be made there.
#[must_use]
#[expect(
    clippy::expect_used,
    reason = "without random numbers of the system no secret can be made, and going on would be worse"
)]
pub fn random_token() -> String {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).expect("the system gives random numbers");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
