import { EXCEPTIONS } from "./exceptions.ts";
import type { Seen, Tried } from "./try-foreign.ts";

/** Returns what is wrong with the two answers; nothing if the other organization's record cannot be told from none. */
export function judgeTried({ name, foreign, missing }: Tried): string[] {
  const exception = EXCEPTIONS[name.replace(/ \w+$/, "")];
  const both = `${short(foreign)} / ${short(missing)}`;
  if (exception?.kind === "ignored") return foreign.status === missing.status ? [] : [`${name}: not ignored: ${both}`];
  if (foreign.status < 400) return [`${name}: served: ${both}`];
  const isExpected =
    exception !== undefined && foreign.body.includes(exception.foreign) && missing.body.includes(exception.missing);
  const isEqual = JSON.stringify(foreign) === JSON.stringify(missing);
  return isEqual || isExpected ? [] : [`${name}: different: ${both}`];
}

const short = ({ status, headers, body }: Seen) => `${status} ${body.slice(0, 160)} ${status < 400 ? "" : headers}`;
