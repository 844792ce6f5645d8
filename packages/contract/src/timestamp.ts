import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";

/** Converts a column's time; null becomes undefined. */
export function timestampToProto(date: Date): Timestamp;
export function timestampToProto(date: Date | null): Timestamp | undefined;
export function timestampToProto(date: Date | null): Timestamp | undefined {
  return date === null ? undefined : timestampFromDate(date);
}
