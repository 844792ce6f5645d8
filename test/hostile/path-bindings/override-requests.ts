import type { DescField } from "@bufbuild/protobuf";
import type { Random } from "@cloud/testkit/figures";
import { hostileText } from "../wire/hostile-values.ts";

const OTHER = "00000000-0000-7000-8000-00000000bad0";

/** Spellings of a field's name that some reader of names takes for it. */
function spellingsOf({ name, jsonName }: DescField): readonly [string, ...string[]] {
  const snake = jsonName.replace(/[A-Z]/g, (letter) => "_" + letter.toLowerCase());
  return [
    jsonName,
    name,
    snake,
    jsonName.toUpperCase(),
    jsonName.toLowerCase(),
    jsonName[0]?.toUpperCase() + jsonName.slice(1),
    name.toUpperCase(),
    jsonName + "[]",
    jsonName + "[0]",
    jsonName + ".value",
    "." + jsonName,
    jsonName + "\0",
    " " + jsonName,
    `\u{FEFF}${jsonName}`,
    jsonName.replace("i", "\u0131"),
    `[${jsonName}]`,
  ];
}

/** Returns pairs of a query string that name the bound fields, with other values. */
export function overridingQuery(random: Random, bound: readonly DescField[]): string {
  const pairs = bound.flatMap((field) => {
    if (!random.chance(70)) return [];
    const spelling = random.pick(spellingsOf(field));
    const name = random.chance(50) ? percentEncodeAll(spelling) : encodeURIComponent(spelling);
    return [name + "=" + encodeURIComponent(otherValue(random))];
  });
  return [...pairs, ...(random.chance(20) ? pairs : [])].join("&");
}

/** Returns a JSON object that names the bound fields in random order, with random values, and keeps its own fields. */
export function overridingBody(random: Random, bound: readonly DescField[]): string {
  const own = ['"name":"kept"'];
  const members = bound.flatMap((field) => {
    if (!random.chance(80)) return [];
    const name = JSON.stringify(random.pick(spellingsOf(field)));
    const spelled = random.chance(30) ? escapeAll(name) : name;
    return [spelled + ":" + random.pick([JSON.stringify(otherValue(random)), "null", "{}", "[]", "0"])];
  });
  return "{" + random.shuffle([...own, ...members]).join(",") + "}";
}

const otherValue = (random: Random) => (random.chance(60) ? OTHER : hostileText(random).toWellFormed());

const percentEncodeAll = (text: string) =>
  [...Buffer.from(text)].map((byte) => "%" + byte.toString(16).padStart(2, "0")).join("");

/** Writes each letter within the quotes as an escape of JSON. */
const escapeAll = (quoted: string) =>
  quoted.replace(/[a-z]/gi, (letter) => "\\u" + letter.charCodeAt(0).toString(16).padStart(4, "0"));
