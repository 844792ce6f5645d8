import type { DescMessage } from "@bufbuild/protobuf";
import { messagesWithin } from "./schemas.ts";

/**
 * Spells fields in descriptions as JSON does: comments in proto name `page_token`, clients send `pageToken`. Only names
 * between backticks that are fields of the messages, or of those in them, are replaced.
 */
export function spellNames<T>(part: T, messages: readonly DescMessage[]): T {
  const all = messages.reduce((found, message) => messagesWithin(message, found), new Set<DescMessage>());
  const names = new Map(
    [...all].flatMap(({ fields }) => fields.map(({ name, jsonName }) => [name, jsonName] as const)),
  );
  const spell = (text: string) =>
    text.replace(/`([a-z][a-z0-9]*(?:_[a-z0-9]+)+)`/g, (whole, name: string) => {
      const jsonName = names.get(name);
      return jsonName === undefined ? whole : `\`${jsonName}\``;
    });
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([key, one]) => {
      const isText = key === "description" && typeof one === "string";
      return [key, isText ? spell(one) : visit(one)] as const;
    });
    return Object.fromEntries(entries);
  };
  return visit(part) as T;
}
