//! JSON Schemas of types by those of their serialized form.

/// Gives a type the JSON Schema of another one, which is its serialized form.
///
/// The calling crate needs `schemars`.
#[macro_export]
macro_rules! schema_of {
    ($name:ty, $form:ty) => {
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                <$form as schemars::JsonSchema>::inline_schema()
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                <$form as schemars::JsonSchema>::schema_name()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                <$form as schemars::JsonSchema>::schema_id()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <$form as schemars::JsonSchema>::json_schema(generator)
            }
        }
    };
}
