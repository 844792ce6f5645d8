import { describe, expect, test } from "@jest/globals";
import { pageOf, parseShortListParameters } from "./rules.ts";

const entries = ["Ada", "Grace", "Grète"].map((name) => ({ name }));
const parse = (pageSize: bigint, page = 0n, search = "", order = "") =>
  parseShortListParameters({ search, order, page, pageSize });

describe("parseShortListParameters", () => {
  test("without a size, a page has 100 entries, the most that one may have", () => {
    expect(parse(0n)).toMatchObject({ page: 0, pageSize: 100 });
    expect(parse(1000n, 2n)).toMatchObject({ page: 2, pageSize: 100 });
  });

  test("refuses negative numbers", () => {
    expect(() => parse(-1n)).toThrow("page_size");
    expect(() => parse(1n, -1n)).toThrow("page");
  });
});

describe("pageOf", () => {
  test("returns the page and the number of all", () => {
    expect(pageOf(entries, parse(2n, 1n))).toEqual({
      page: 1,
      pageSize: 2,
      totalCount: 3,
      entries: [{ name: "Grète" }],
    });
    expect(pageOf(entries, parse(2n, 9n))).toEqual({ page: 9, pageSize: 2, totalCount: 3, entries: [] });
  });

  test("a search ignores the case", () => {
    expect(pageOf(entries, parse(0n, 0n, "GR"))).toMatchObject({ totalCount: 2, entries: entries.slice(1) });
    expect(pageOf(entries, parse(0n, 0n, "RÈTE"))).toMatchObject({ totalCount: 1, entries: entries.slice(2) });
    expect(pageOf(entries, parse(0n, 0n, "%"))).toMatchObject({ totalCount: 0, entries: [] });
  });

  test.each([
    ["", ["Ada", "Grace", "Grète"]],
    ["updated_at desc", ["Ada", "Grace", "Grète"]],
    ["name", ["Ada", "Grace", "Grète"]],
    ["name desc", ["Grète", "Grace", "Ada"]],
  ])("the order %j", (order, names) => {
    expect(pageOf(entries, parse(0n, 0n, "", order)).entries.map(({ name }) => name)).toEqual(names);
  });

  test("an unknown order is refused", () => {
    expect(() => parse(0n, 0n, "", "position")).toThrow("order must be created_at, updated_at or name");
  });
});
