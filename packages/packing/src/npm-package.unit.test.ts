import { expect, test } from "@jest/globals";
import { publishedManifest } from "./npm-package.ts";

test("a published manifest exports compiled files, and has nothing that only the sources need", () => {
  const source = {
    name: "@cloud/example",
    private: true,
    exports: { ".": "./src/index.ts", "./*": "./src/parts/*.ts", "./testing": "./testing/index.ts" },
    peerDependencies: { other: "^1.0.0" },
    devDependencies: { other: "1.0.0" },
    scripts: { prepack: "node ../packing/sr./npm-package.ts" },
  };
  expect(publishedManifest(source, { rootDir: "src", outDir: "dist" })).toEqual({
    name: "@cloud/example",
    exports: {
      ".": { types: "./dist/index.d.ts", default: "./dist/index.js" },
      "./*": { types: "./dist/parts/*.d.ts", default: "./dist/parts/*.js" },
    },
    peerDependencies: { other: "^1.0.0" },
  });
});
