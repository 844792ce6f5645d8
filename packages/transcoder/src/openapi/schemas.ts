import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";
import type { FieldPath } from "../index.ts";
import { commentOf } from "./comments.ts";
import type { Schema } from "./document.ts";
import { fieldSchema, isAlwaysWritten, isRequired, type Way, wellKnownSchema } from "./field-schema.ts";
import type { OpenapiOptions } from "./openapi-options.ts";

/** The schemas of messages and enums, which operations refer to by name. */
export interface SchemaCollection {
  readonly schemas: ReadonlyMap<string, Schema>;
  /** Returns the schema of a message, as a reference to a component unless ProtoJSON has a form of its own for it. */
  message(way: Way, message: DescMessage): Schema;
  /** Returns the schema of a field, with its comment. */
  field(way: Way, field: DescField): Schema;
  /** Returns a reference to the schema of a request body: a message without the fields that the path binds. */
  body(message: DescMessage, bound: readonly FieldPath[], name: string): Schema;
}

/**
 * Creates an empty collection. `replied` are the messages that replies contain: such a message has a second schema for
 * requests, since presence and unknown fields differ.
 */
export function createSchemaCollection(options: OpenapiOptions, replied: ReadonlySet<DescMessage>): SchemaCollection {
  const schemas = new Map<string, Schema>();
  const owners = new Map<string, string>();

  /** Adds a schema under the first name that is free or of the same owner; one that refers to itself is found then. */
  function add(names: readonly string[], owner: string, create: () => Schema): Schema {
    const name = names.find((one) => (owners.get(one) ?? owner) === owner);
    if (name === undefined) throw new Error(`${owner} and ${owners.get(names[0] ?? "")} would be one schema`);
    if (!owners.has(name)) {
      owners.set(name, owner);
      schemas.set(name, create());
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  function message(way: Way, desc: DescMessage): Schema {
    const own = wellKnownSchema(way, desc);
    if (own !== undefined) return own;
    const suffix = way !== "output" && replied.has(desc) ? "Input" : "";
    const names = [desc.name, desc.typeName].map((name) => `${name}${suffix}`);
    return add(names, `${desc.typeName}${suffix}`, () => ({ ...object(way, desc, []), ...describe(desc) }));
  }

  function enumeration(desc: DescEnum): Schema {
    if (desc.typeName === "google.protobuf.NullValue") return { type: "null" };
    const isNumber = options.json?.enums === "numbers";
    const values = desc.values.map(({ name, number }) => (isNumber ? number : name));
    const schema: Schema = { type: isNumber ? "integer" : "string", enum: values, ...describe(desc) };
    return add([desc.name, desc.typeName], desc.typeName, () => schema);
  }

  function field(way: Way, desc: DescField): Schema {
    return fieldSchema(options, way, desc, { message, enumeration });
  }

  function body(desc: DescMessage, bound: readonly FieldPath[], name: string): Schema {
    if (bound.length === 0) return message("input", desc);
    const owner = `${desc.typeName} without ${bound.map((fields) => fields.map((one) => one.name).join(".")).join()}`;
    return add([name, `${name}2`, `${name}3`], owner, () => ({ ...object("input", desc, bound), ...describe(desc) }));
  }

  function object(way: Way, desc: DescMessage, bound: readonly FieldPath[]): Schema {
    const isOutput = way === "output";
    const fields = desc.fields.filter((one) => !bound.some((path) => path.length === 1 && path[0] === one));
    const properties = fields.map((one) => {
      const below = bound.filter(([first, ...rest]) => first === one && rest.length > 0).map(([, ...rest]) => rest);
      const isCut = below.length > 0 && one.message !== undefined;
      const schema = isCut ? { ...object(way, one.message, below), ...describe(one) } : field(way, one);
      return [options.json?.names === "proto" && isOutput ? one.name : one.jsonName, schema] as const;
    });
    const isThere = (one: DescField) => (isOutput ? isAlwaysWritten(options, one) : isRequired(options, one));
    const required = properties.flatMap(([name], index) => (fields[index] && isThere(fields[index]) ? [name] : []));
    const rivals = isOutput ? [] : desc.oneofs.flatMap((one) => pairsOf(one.fields.filter((f) => fields.includes(f))));
    const isClosed = !isOutput && options.binding?.unknownFields !== "ignore";
    return {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      ...(rivals.length > 0 && { not: { anyOf: rivals.map((pair) => ({ required: pair })) } }),
      ...(isClosed && { additionalProperties: false }),
    };
  }

  function describe(desc: DescEnum | DescField | DescMessage): Pick<Schema, "description"> {
    const description = commentOf(desc);
    return description === "" ? {} : { description };
  }

  return { schemas, message, field, body };
}

/** Returns every message that a reply with this one contains. */
export function messagesWithin(message: DescMessage, found = new Set<DescMessage>()): Set<DescMessage> {
  if (found.has(message)) return found;
  found.add(message);
  for (const { message: inner } of message.fields) if (inner) messagesWithin(inner, found);
  return found;
}

/**
 * Spells fields in descriptions as JSON does: comments in proto name `page_token`, clients send `pageToken`. Only names
 * between backticks that are fields of the messages, or of messages within them, are replaced.
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

/** Returns the JSON names of every two members of a oneof. `optional` makes a oneof of one. */
function pairsOf(members: readonly DescField[]): string[][] {
  return members.flatMap((one, index) => members.slice(index + 1).map((other) => [one.jsonName, other.jsonName]));
}
