import { expect } from "@jest/globals";
import type { Manifest } from "./build-manifests.ts";
import { changed, type Json, text } from "./json.ts";

export const asJson = (manifests: readonly Manifest[]) => manifests as unknown as readonly Json[];

/** Returns the manifests with one value of one of them changed. */
export function withChange(
  manifests: readonly Manifest[],
  title: string,
  path: string,
  value: Json | undefined,
): Manifest[] {
  const isMeant = (object: Json) => `${text(object, "kind")} ${text(object, "metadata.name")}`.startsWith(title);
  expect(asJson(manifests).filter(isMeant)).not.toEqual([]);
  const objects = asJson(manifests).map((object) =>
    isMeant(object) ? changed(object, path.split("."), value) : object,
  );
  return objects as unknown as Manifest[];
}
