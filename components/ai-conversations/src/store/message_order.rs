//! The order of the messages of a conversation.

/// For messages `m`: an answer stands behind the message that it answers, also where others were sent before it came.
macro_rules! in_order {
    () => {
        "ORDER BY ifnull(m.answers, m.id), m.id"
    };
}

pub(super) use in_order;
