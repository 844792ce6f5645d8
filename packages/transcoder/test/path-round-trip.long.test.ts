import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { cutTarget } from "../src/serving/serve.ts";
import { exampleTable } from "./example-table.ts";

/** A part of a template, its variable if it is one, and how to make a value of texts that are never empty. */
interface Part {
  readonly template: string;
  readonly value: string;
  readonly isMulti: boolean;
}

const text = fc.string({ unit: "binary", minLength: 1, maxLength: 8 }).filter((one) => one.isWellFormed());
const awkward = fc.constantFrom(
  "a:b",
  ":",
  "%2F",
  "%",
  "..",
  ".",
  "+",
  " ",
  "?",
  "#",
  "a:go",
  "*",
  "**",
  "{a}",
  "ä",
  "\0",
);
const one = fc.oneof(text, awkward);
const withoutSlash = one.map((value) => value.replaceAll("/", "-"));
const several = fc.array(withoutSlash, { maxLength: 4 }).map((parts) => parts.join("/"));

const single = one.map((value) => ({ template: "=*", value, isMulti: false }));
const nested = withoutSlash.map((value) => ({ template: "=x/*", value: `x/${value}`, isMulti: true }));
const middle = fc.array(fc.oneof(single, nested), { maxLength: 4 });
const deep = several.map((value) => ({ template: "=**", value, isMulti: true }));
const parts = fc
  .tuple(middle, fc.option(deep, { nil: undefined }))
  .map(([first, last]) => [...first, ...(last ? [last] : [])]);

/** Expands a variable as google/api/http.proto says. */
function expand({ value, isMulti }: Part): string {
  return isMulti ? value.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(value);
}

test("values that a template is expanded with are the values of the path", () => {
  fc.assert(
    fc.property(parts, fc.constantFrom("", ":go", ":a.b"), (chosen, verb) => {
      const rule = `GET /v1${chosen.map(({ template }, index) => `/l${index}/{v${index}${template}}`).join("")}/end`;
      // A template of `**` ends with it.
      const whole = (chosen.at(-1)?.template === "=**" ? rule.slice(0, -"/end".length) : rule) + verb;
      const path = `/v1${chosen.map((part, index) => `/l${index}${part.value === "" ? "" : `/${expand(part)}`}`).join("")}`;
      const end = chosen.at(-1)?.template === "=**" ? "" : "/end";
      const { values } = exampleTable([whole]).match("GET", cutTarget(path + end + verb));
      expect(values).toEqual(chosen.map(({ value }) => value));
    }),
    { numRuns: 300 },
  );
});
