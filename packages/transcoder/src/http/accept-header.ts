/**
 * Returns whether an Accept header names the media type `problem` with at least the weight that it gives to `standard`,
 * by name or by a wildcard. Without either name, no client of the standard form is surprised.
 */
export function prefers(accept: string | undefined, problem: string, standard: string): boolean {
  if (accept === undefined || accept.length > LONGEST) return false;
  const weights = new Map(accept.split(",").map(readRange));
  const wanted = weights.get(problem) ?? 0;
  const [kind] = standard.split("/");
  return wanted > 0 && wanted >= (weights.get(standard) ?? weights.get(`${kind}/*`) ?? weights.get("*/*") ?? 0);
}

function readRange(range: string): [type: string, weight: number] {
  const [type = "", ...parameters] = range
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
  return [type, weight === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0];
}

/** No client names so many types. */
const LONGEST = 1_000;
