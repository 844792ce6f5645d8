import * as z from "zod";
import { secret } from "./settings.ts";

/** A secret, and whose it is. */
export interface Credential<Name extends string> {
  readonly name: Name;
  readonly secret: string;
}

/**
 * Accepted credentials, as `name:secret` separated by commas. A name may have several, so that one can be replaced
 * without a pause. No problem that it reports contains a part of the text.
 */
export const credentials = <Name extends string>(...names: readonly Name[]) =>
  z.string({ error: "is required" }).transform((text, context): readonly Credential<Name>[] => {
    const read = text.split(",").map((entry) => readEntry(names, entry));
    for (const [index, entry] of read.entries()) {
      const problem = typeof entry === "string" ? entry : repetition(read.slice(0, index), entry);
      if (problem !== undefined) context.addIssue(`entry ${index + 1} ${problem}`);
    }
    return read.filter((entry) => typeof entry !== "string");
  });

/** Returns the credential, or what is wrong with it. */
function readEntry<Name extends string>(names: readonly Name[], entry: string): Credential<Name> | string {
  const colon = entry.indexOf(":");
  const name = names.find((known) => known === entry.slice(0, Math.max(colon, 0)).trim());
  if (name === undefined) return `must be <name>:<secret> with one of the names ${names.join(", ")}`;
  const { data, error } = secret().safeParse(entry.slice(colon + 1));
  return data === undefined ? (error?.issues[0]?.message ?? "") : { name, secret: data };
}

/** A secret of two names would not show who calls. */
function repetition<Name extends string>(
  earlier: readonly (Credential<Name> | string)[],
  { name, secret: text }: Credential<Name>,
): string | undefined {
  const same = earlier.findIndex((other) => typeof other !== "string" && other.name !== name && other.secret === text);
  return same < 0 ? undefined : `has the secret of entry ${same + 1}, which has another name`;
}
