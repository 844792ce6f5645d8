import { FieldKind } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import { expect, test } from "@jest/globals";
import { fieldRuleOf } from "./field-rule.ts";
import { parseListParameters, VISIBILITIES } from "./list-parameters.ts";

const parse = (order: string, orderByName: boolean) => () =>
  parseListParameters({ search: "", order, page: 0n, pageSize: 0n }, { orderByName });

test("the visibilities are those of their kind of field", () => {
  expect(fieldRuleOf(FieldKind.VISIBILITY).values).toEqual(VISIBILITIES);
});

test("each order of its kind of field is taken, and no column of another kind", () => {
  const [plain, orName] = [FieldKind.ORDER, FieldKind.ORDER_OR_NAME].map((kind) => fieldRuleOf(kind).values);
  for (const order of plain ?? []) expect(parse(order, false)).not.toThrow();
  for (const order of orName ?? []) expect(parse(order, true)).not.toThrow();
  const byName = (orName ?? []).filter((order) => !plain?.includes(order));
  expect(byName).toEqual(["name", "name asc", "name desc"]);
  for (const order of byName) expect(parse(order, false)).toThrow("order must be created_at or updated_at");
});
