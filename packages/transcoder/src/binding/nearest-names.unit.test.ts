import { describe, expect, test } from "@jest/globals";
import { nearestNames } from "./nearest-names.ts";

const NAMES = ["pageSize", "pageToken", "page", "orderBy", "filter", "name", "etag"];

describe("nearestNames", () => {
  test.each<[string, string[]]>([
    ["", []],
    ["___", []],
    ["x", []],
    ["colour", []],
    ["x".repeat(1_000_000), []],
    ["pagesize", ["pageSize"]],
    ["PAGE_SIZE", ["pageSize"]],
    ["pagSize", ["pageSize"]],
    ["page_tokne", ["pageToken"]],
    ["paeg", ["page"]],
    ["filters", ["filter"]],
    ["order", ["orderBy"]],
    ["mane", ["page", "name"]],
    ["nage", ["page", "name"]],
  ])("of %.20s", (name, expected) => {
    expect(nearestNames(name, NAMES)).toEqual(expected);
  });

  test("are at most three", () => {
    expect(nearestNames("ab", ["aa", "ac", "ad", "ae"])).toEqual(["aa", "ac", "ad"]);
  });
});
