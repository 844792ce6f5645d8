import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { list, readText } from "./documents.ts";

interface Manifest {
  readonly version: string;
  readonly license: string;
}

const manifests = list(["package.json", "{packages,services}/*/package.json", "{gateway,proto}/package.json"]).map(
  (path) => ({ path, ...(JSON.parse(readText(path)) as Manifest) }),
);
const { version } = JSON.parse(readText("package.json")) as Manifest;

test("every package has the version and the licence of the root", () => {
  expect(manifests.filter((manifest) => manifest.version !== version)).toEqual([]);
  expect(manifests.filter(({ license }) => license !== "Apache-2.0")).toEqual([]);
  expect(readText("LICENSE")).toContain("Apache License");
});

test("the last release in CHANGELOG.md is that version, after Unreleased", () => {
  const releases = [...readText("CHANGELOG.md").matchAll(/^## \[([^\]]+)\](?: - (\S+))?$/gm)];
  expect(releases[0]?.[1]).toBe("Unreleased");
  expect(releases[1]?.[1]).toBe(version);
  expect(releases.slice(1).filter(([, , date = ""]) => !/^\d{4}-\d\d-\d\d$/.test(date))).toEqual([]);
});

test("proto/releases has the image of the API of every release", () => {
  const releases = [...readText("CHANGELOG.md").matchAll(/^## \[(\d[^\]]*)\]/gm)].map(([, release]) => release);
  expect(list(["proto/releases/*"]).sort()).toEqual(
    releases.map((release) => `proto/releases/${release}.binpb`).sort(),
  );
});

test("the example overlay deploys that version", () => {
  const { images } = parse(readText("deploy/overlays/example/kustomization.yaml")) as { images: { newTag: string }[] };
  expect(new Set(images.map(({ newTag }) => newTag))).toEqual(new Set([version]));
});
