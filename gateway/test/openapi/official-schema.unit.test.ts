import { expect, test } from "@jest/globals";
import { Validator } from "@seriousme/openapi-schema-validator";
import { BROKEN_OPENAPI, OPENAPI } from "./read-document.ts";

async function faultsOf(document: string): Promise<unknown[]> {
  const { valid, errors } = await new Validator().validate(JSON.parse(document) as Record<string, unknown>);
  return valid ? [] : [errors].flat();
}

test("the official schema finds no fault in openapi.json", async () => {
  expect(await faultsOf(OPENAPI)).toEqual([]);
});

test("the official schema finds the fault in a broken document", async () => {
  expect(await faultsOf(BROKEN_OPENAPI)).not.toEqual([]);
});
