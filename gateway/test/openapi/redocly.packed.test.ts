import { importFrom, installPackages } from "@cloud/testkit/packages";
import { beforeAll, expect, test } from "@jest/globals";
import { BROKEN_OPENAPI, OPENAPI } from "./read-document.ts";

/** The part of the validator that is used here. */
interface Redocly {
  createConfig(config: { readonly extends: readonly string[] }): Promise<object>;
  lintFromString(what: { readonly source: string; readonly config: object }): Promise<readonly Problem[]>;
}

interface Problem {
  readonly message: string;
  readonly location: readonly { readonly pointer?: string }[];
}

let redocly: Redocly;
beforeAll(async () => {
  redocly = await importFrom(await installPackages(new URL("packages/", import.meta.url)), "@redocly/openapi-core");
}, 120_000);

async function faultsOf(source: string): Promise<unknown[]> {
  const config = await redocly.createConfig({ extends: ["spec"] });
  const problems = await redocly.lintFromString({ source, config });
  return problems.map(({ message, location }) => [message, location[0]?.pointer]);
}

test("Redocly finds no fault in openapi.json", async () => {
  expect(await faultsOf(OPENAPI)).toEqual([]);
});

test("Redocly finds the fault in a broken document", async () => {
  expect(await faultsOf(BROKEN_OPENAPI)).not.toEqual([]);
});
