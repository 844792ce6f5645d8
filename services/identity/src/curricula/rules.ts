import { fail } from "@cloud/access/errors";
import { type ListParameters, type ListRequest, parseListParameters } from "@cloud/access/lists";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";

/** Returns the slug of a title: its letters and digits of any script, in lower case, with hyphens between the words. */
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

/** The characters of a slug, which leave room for a suffix within the 255 of a text. */
const MAX_LENGTH = 200;

/** Returns the slug, or the slug with the first suffix of -2, -3, … that is not taken. */
export function freeSlug(slug: string, taken: readonly string[]): string {
  const used = new Set(taken);
  let free = slug;
  for (let number = 2; used.has(free); number += 1) {
    free = slug + "-" + String(number);
  }
  return free;
}

/** List parameters of curricula, which unlike other records can also be ordered by title. */
export interface CurriculumListParameters extends Omit<ListParameters, "order"> {
  readonly order: ListParameters["order"] | { readonly column: "title"; readonly direction: "asc" | "desc" };
}

interface CurriculumListRequest extends ListRequest {
  readonly sort: string;
}

/**
 * Parses the list parameters. Published clients send the column as `sort` and the direction alone as `order`; without
 * `sort`, a lone direction applies to the creation time.
 *
 * @throws INVALID_PARAMETER with the name of the parameter and the accepted values.
 */
export function parseCurriculumListParameters(request: CurriculumListRequest): CurriculumListParameters {
  const direction = directionOf(request.order);
  if (direction === undefined && request.sort === "") return parseListParameters(request);
  if (direction === undefined && request.order.trim() !== "") throw refused("order", "asc or desc where sort is given");
  const column = columnOf(request.sort);
  const usual = column === "title" ? "asc" : "desc";
  return { ...parseListParameters({ ...request, order: "" }), order: { column, direction: direction ?? usual } };
}

function directionOf(order: string): "asc" | "desc" | undefined {
  const lower = order.trim().toLowerCase();
  return lower === "asc" || lower === "desc" ? lower : undefined;
}

function columnOf(sort: string): CurriculumListParameters["order"]["column"] {
  switch (sort) {
    case "title":
      return "title";
    case "":
    case "created_at":
    case "createdAt":
      return "created_at";
    case "updated_at":
    case "updatedAt":
      return "updated_at";
    default:
      throw refused("sort", "title, created_at or updated_at");
  }
}

function refused(parameter: string, accepts: string) {
  return fail(Reason.INVALID_PARAMETER, { parameter, accepts });
}
