import { type DescField, getOption, hasOption, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { fieldRuleOf } from "@cloud/contract";
import { default_value, FieldKind, field_kind, required } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import type { FieldNotes } from "@cloud/transcoder/openapi";

/** Returns what the options of a field declare, as keywords of JSON Schema. */
export function fieldNotes(field: DescField): FieldNotes {
  const kind = hasOption(field, field_kind) ? getOption(field, field_kind) : FieldKind.UNSPECIFIED;
  const { maxLength, minItems, minimum, maximum, values, format, example, ...rule } = fieldRuleOf(kind);
  const fallback = getOption(field, default_value) || rule.default;
  return {
    required: getOption(field, required),
    schema: {
      ...(format !== "" && { format }),
      ...(values.length > 0 && { enum: values }),
      ...(maxLength > 0 && { maxLength }),
      ...(minItems > 0 && { minItems }),
      ...(minimum !== undefined && { minimum: Number(minimum) }),
      ...(maximum !== undefined && { maximum: Number(maximum) }),
      ...(fallback !== "" && { default: jsonOf(field, fallback) }),
      ...(example !== "" && { examples: [jsonOf(field, example)] }),
    },
  };
}

function jsonOf({ scalar }: DescField, text: string): JsonValue {
  return scalar === ScalarType.STRING ? text : (JSON.parse(text) as JsonValue);
}
