import { fieldRuleOf } from "@cloud/access/lists";
import { FieldKind } from "@cloud/proto/cloud/api/v1/field_kind_pb";
import { describe, expect, test } from "@jest/globals";
import { freeSlug, parseCurriculumListParameters, slugOf } from "./rules.ts";

describe("slugOf", () => {
  test.each([
    ["", "curriculum"],
    [" -- ", "curriculum"],
    ["Café: the Basics!", "cafe-the-basics"],
    ["C++ & Go 1.26", "c-go-1-26"],
    ["日本語 入門", "日本語-入門"],
    ["a/../b?c#d%2F", "a-b-c-d-2f"],
    ["x".repeat(255), "x".repeat(200)],
    ["x".repeat(199) + " y", "x".repeat(199)],
  ])("of %j is %j", (title, slug) => {
    expect(slugOf(title)).toBe(slug);
  });
});

describe("freeSlug", () => {
  test.each([
    ["go", [], "go"],
    ["go", ["go-2", "golang"], "go"],
    ["go", ["go"], "go-2"],
    ["go", ["go", "go-2", "go-4"], "go-3"],
  ])("for %j with %j taken is %j", (slug, taken, free) => {
    expect(freeSlug(slug, taken)).toBe(free);
  });
});

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
