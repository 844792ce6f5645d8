import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { StructSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { parseMilliseconds, type SqlText, type TextRow } from "@cloud/postgres";
import type { WireWriter } from "./wire-writer.ts";
import { writeStruct } from "./write-struct.ts";

/** Writes the record of a row whose columns begin at `from`. */
type WriteRecord = (writer: WireWriter, row: TextRow, from: number) => void;

/**
 * Returns what writes the rows of a list of columns as messages. The columns have the names of the fields; a column that
 * is null leaves its field out.
 *
 * @throws TypeError when a field has no column, or one of a type that has no writer
 */
export function recordWriter(record: DescMessage, columns: SqlText): WriteRecord {
  const names = columns.split(",").map((name) => name.trim());
  const fields = [...record.fields].sort((a, b) => a.number - b.number);
  const written = fields.map((field) => {
    const column = names.indexOf(field.name);
    if (column === -1) throw new TypeError(`no column is named ${field.name}, as a field of ${record.typeName}`);
    return { column, write: fieldWriter(field) };
  });
  return (writer, row, from) => {
    for (const { column, write } of written) {
      const text = row[from + column] as string | null;
      if (text !== null) write(writer, text);
    }
  };
}

function fieldWriter(field: DescField): (writer: WireWriter, text: string) => void {
  const { number, fieldKind, scalar, message } = field;
  const lengthTag = (number << 3) | 2;
  if (scalar === ScalarType.STRING && fieldKind === "scalar") {
    return (writer, text) => {
      if (text === "") return;
      writer.varint(lengthTag);
      writer.string(text);
    };
  }
  if (scalar === ScalarType.BOOL && fieldKind === "scalar") {
    return (writer, text) => {
      if (text !== "t") return;
      writer.varint(number << 3);
      writer.varint(1);
    };
  }
  const write = fieldKind === "message" ? messageWriters.get(message.typeName) : undefined;
  if (write === undefined) throw new TypeError(`no column is written as ${field}`);
  return (writer, text) => {
    writer.varint(lengthTag);
    const start = writer.begin(1);
    write(writer, text);
    writer.end(start);
  };
}

const messageWriters = new Map<string, (writer: WireWriter, text: string) => void>([
  [TimestampSchema.typeName, writeTime],
  [StructSchema.typeName, (writer, text) => (text === "{}" ? undefined : writeStruct(writer, JSON.parse(text)))],
]);

/** The tags of google.protobuf.Timestamp. */
const SECONDS = 8;
const NANOS = 16;

function writeTime(writer: WireWriter, text: string): void {
  const milliseconds = parseMilliseconds(text);
  const seconds = Math.floor(milliseconds / 1_000);
  const nanos = (milliseconds - seconds * 1_000) * 1_000_000;
  if (seconds !== 0) {
    writer.varint(SECONDS);
    if (seconds > 0 && seconds < 2 ** 32) writer.varint(seconds);
    else writer.varint64(BigInt(seconds));
  }
  if (nanos === 0) return;
  writer.varint(NANOS);
  writer.varint(nanos);
}
