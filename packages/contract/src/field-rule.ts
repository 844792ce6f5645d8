import { getOption } from "@bufbuild/protobuf";
import { type FieldKind, FieldKindSchema, type FieldRule, field_rule } from "@cloud/proto/cloud/api/v1/field_kind_pb";

/** Returns what fields of a kind take or contain, by the catalogue in proto/cloud/api/v1/field_kind.proto. */
export function fieldRuleOf(kind: FieldKind): FieldRule {
  const rule = rules.get(kind);
  if (rule === undefined) {
    throw new TypeError(`no such kind of field: ${String(kind)}`);
  }
  return rule;
}

/** Read once, as the rules of reasons are. */
const rules = new Map(FieldKindSchema.values.map((value) => [value.number as FieldKind, getOption(value, field_rule)]));
