/** Leaves room for a suffix within the 255 characters of a text. */
const MAX_LENGTH = 200;

/** The part of a web address that a title makes: lower-case letters and digits of any script, joined by hyphens. */
export function slugOf(title: string): string {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  const slug = [...words.join("-")].slice(0, MAX_LENGTH).join("").replace(/-$/, "");
  return slug === "" ? "curriculum" : slug;
}

/** The slug itself, or with the first of -2, -3, … that is not taken. */
export function freeSlug(slug: string, taken: readonly string[]): string {
  const used = new Set(taken);
  let free = slug;
  for (let number = 2; used.has(free); number += 1) {
    free = slug + "-" + String(number);
  }
  return free;
}
