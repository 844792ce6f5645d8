import { type Timestamp, timestampFromDate } from "@bufbuild/protobuf/wkt";

/** A column's time as Protobuf has it; null is absent. */
export function timestampToProto(date: Date): Timestamp;
export function timestampToProto(date: Date | null): Timestamp | undefined;
export function timestampToProto(date: Date | null): Timestamp | undefined {
  return date === null ? undefined : timestampFromDate(date);
}
