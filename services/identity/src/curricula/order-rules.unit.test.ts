import { fieldRuleOf } from "@cloud/contract";
import { FieldKind } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import { describe, expect, test } from "@jest/globals";
import { parseCurriculumListParameters } from "./order-rules.ts";

const parse = (sort: string, order: string) =>
  parseCurriculumListParameters({ sort, order, search: "", page: 2n, pageSize: 3n });

describe("the order of curricula", () => {
  test.each([
    ["", "", "created_at", "desc"],
    ["", "updated_at", "updated_at", "desc"],
    ["", "createdAt ASC", "created_at", "asc"],
    ["", " Asc ", "created_at", "asc"],
    ["title", "", "title", "asc"],
    ["title", "DESC", "title", "desc"],
    ["created_at", "", "created_at", "desc"],
    ["createdAt", "asc", "created_at", "asc"],
    ["updated_at", "desc", "updated_at", "desc"],
    ["updatedAt", "", "updated_at", "desc"],
  ])("sort %j, order %j", (sort, order, column, direction) => {
    expect(parse(sort, order)).toEqual({ search: "", page: 2, pageSize: 3, order: { column, direction } });
  });

  test("each sort and order of their kinds of field is taken", () => {
    for (const sort of fieldRuleOf(FieldKind.SORT).values) expect(parse(sort, "").order.column).toBe(sort);
    for (const order of fieldRuleOf(FieldKind.ORDER_OR_DIRECTION).values) expect(() => parse("", order)).not.toThrow();
  });

  test.each([
    ["level", "", "sort must be title, created_at or updated_at"],
    ["title; drop table curricula", "asc", "sort must be title, created_at or updated_at"],
    ["title", "up", "order must be asc or desc where sort is given"],
    ["title", "title asc", "order must be asc or desc where sort is given"],
    ["", "title", "order must be created_at or updated_at, optionally with asc or desc"],
  ])("sort %j, order %j is refused", (sort, order, message) => {
    expect(() => parse(sort, order)).toThrow(message);
  });
});
