import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { validate } from "@scalar/openapi-parser";
import { Validator } from "@seriousme/openapi-schema-validator";

const text = readFileSync(new URL("../../gateway/openapi.json", import.meta.url), "utf8");

/** Each finds no fault in the document, and one in a document that is broken in its own way. */
const VALIDATORS: Readonly<Record<string, (document: string) => Promise<unknown[]>>> = {
  "the official schema": async (document) => {
    const { valid, errors } = await new Validator().validate(JSON.parse(document) as Record<string, unknown>);
    return valid ? [] : [errors].flat();
  },
  Redocly: async (source) => {
    const config = await createConfig({ extends: ["spec"] });
    const problems = await lintFromString({ source, config });
    return problems.map(({ message, location }) => [message, location[0]?.pointer]);
  },
  Scalar: async (document) => (await validate(document)).errors ?? [],
};

test.each(Object.entries(VALIDATORS))("%s finds no fault in openapi.json", async (_, faultsOf) => {
  expect(await faultsOf(text)).toEqual([]);
});

test.each(Object.entries(VALIDATORS))("%s finds the fault in a broken document", async (_, faultsOf) => {
  expect(await faultsOf(text.replace('"in": "path"', '"in": "nowhere"'))).not.toEqual([]);
});
