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

test("the images have that version as a label", () => {
  expect(readText("deploy/docker/Dockerfile")).toContain(`ARG VERSION=${version}\n`);
});

test("the production overlay deploys that version", () => {
  const tags = list(["deploy/overlays/production/*/kustomization.yaml"]).flatMap((path) => {
    const { images = [] } = parse(readText(path)) as { images?: { newTag: string }[] };
    return images.map(({ newTag }) => newTag);
  });
  expect(tags).toEqual(Array(5).fill(version));
});
