import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { timestampToProto } from "@cloud/access/values";

/** A row with a column for each field of the message, of the name that the field has in `proto/`. */
export type RowOf<Type extends DescMessage> = {
  readonly [Field in Exclude<keyof MessageShape<Type> & string, `$${string}`> as SnakeCase<Field>]-?: unknown;
};

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : "";

/**
 * Returns the function that converts a row to its API message, like `pageEncoder` for lists. A column that is null
 * leaves its field out; a column without a field is not sent.
 */
export function recordToProto<Type extends DescMessage>(type: Type): (row: RowOf<Type>) => MessageShape<Type> {
  return (row) => {
    const columns = row as Readonly<Record<string, unknown>>;
    const message = create(type);
    const fields = message as Record<string, unknown>;
    for (const { name, localName } of type.fields) {
      const value = columns[name];
      if (value !== null) fields[localName] = value instanceof Date ? timestampToProto(value) : value;
    }
    return message;
  };
}
