//! What tools see of their own, of which the API has another kind elsewhere.

pub(crate) mod deliveries;
