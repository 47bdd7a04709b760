//! Passwords of logins: people choose them, so they are kept as Argon2id only, which is slow to guess.

use argon2::Argon2;
use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use uuid::Uuid;
use web::error::{Error, Result};

/// The least length of a new password, in characters.
pub const MIN_CHARS: usize = 8;

/// The stored form of a password: its hash in the PHC format, with the salt and the cost in it.
pub fn hash(password: &str) -> Result<String> {
    let salt = SaltString::encode_b64(Uuid::new_v4().as_bytes()).map_err(fault)?;
    Ok(Argon2::default().hash_password(password.as_bytes(), &salt).map_err(fault)?.to_string())
}

/// True if that is the password whose hash was stored.
pub fn verify(password: &str, phc: &str) -> bool {
    PasswordHash::new(phc).is_ok_and(|hash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

fn fault(error: argon2::password_hash::Error) -> Error {
    Error::internal(anyhow::anyhow!("the password cannot be hashed: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_known_again_and_its_hash_differs_each_time() {
        let (one, other) = (hash("Ünïcode").unwrap(), hash("Ünïcode").unwrap());
        assert_ne!(one, other);
        assert!(verify("Ünïcode", &one) && !verify("unicode", &one));
        assert!(!verify("Ünïcode", "no hash"));
    }
}
