//! The values of a statement's `?1`, `?2`, …: a tuple of things that a column can hold.

use types::Timestamp;

use super::Value;

/// The values of a statement, in the order of their numbers.
pub trait Binds {
    /// The values as the binding takes them.
    fn values(self) -> Vec<Value>;
}

impl Binds for Vec<Value> {
    fn values(self) -> Vec<Value> {
        self
    }
}

impl Binds for () {
    fn values(self) -> Vec<Value> {
        Vec::new()
    }
}

/// One value.
pub trait Bind {
    /// The value as the binding takes it.
    fn value(self) -> Value;
}

impl Bind for i64 {
    fn value(self) -> Value {
        Value::Integer(self)
    }
}

impl Bind for bool {
    fn value(self) -> Value {
        Value::Integer(self.into())
    }
}

impl Bind for f64 {
    fn value(self) -> Value {
        Value::Real(self)
    }
}

impl Bind for String {
    fn value(self) -> Value {
        Value::Text(self)
    }
}

impl Bind for &str {
    fn value(self) -> Value {
        Value::Text(self.to_owned())
    }
}

impl Bind for &String {
    fn value(self) -> Value {
        Value::Text(self.clone())
    }
}

impl Bind for Timestamp {
    fn value(self) -> Value {
        Value::Text(self.to_string())
    }
}

macro_rules! bind_ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        impl Bind for types::ids::$name {
            fn value(self) -> Value {
                Value::Integer(self.0)
            }
        }
    )*};
}

types::for_each_id!(bind_ids);

impl<T: Bind> Bind for Option<T> {
    fn value(self) -> Value {
        self.map_or(Value::Null, Bind::value)
    }
}

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<$($name: Bind),+> Binds for ($($name,)+) {
            fn values(self) -> Vec<Value> {
                #[expect(non_snake_case, reason = "the types' names serve as the values' names")]
                let ($($name,)+) = self;
                vec![$($name.value()),+]
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
tuples!(A B C D E F G);
tuples!(A B C D E F G H);
tuples!(A B C D E F G H I);
tuples!(A B C D E F G H I J);
tuples!(A B C D E F G H I J K);
tuples!(A B C D E F G H I J K L);
tuples!(A B C D E F G H I J K L M);
tuples!(A B C D E F G H I J K L M N);
tuples!(A B C D E F G H I J K L M N O);
tuples!(A B C D E F G H I J K L M N O P);
