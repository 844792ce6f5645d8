import { create, type DescField, type DescMessage, type Message, ScalarType } from "@bufbuild/protobuf";
import { type ReflectList, reflect } from "@bufbuild/protobuf/reflect";
import { newId, type OrganizationId } from "@cloud/access/values";
import type { Random } from "@cloud/testkit/figures";
import { hostileText } from "../wire/hostile-values.ts";

/** Generates a well-formed message with random fields: ids are in `known`, or belong to no record. */
export function generateMessage(desc: DescMessage, random: Random, known: readonly [string, ...string[]]): Message {
  const message = create(desc);
  const target = reflect(desc, message);
  for (const field of desc.fields) {
    if (!random.chance(70)) continue;
    if (field.fieldKind === "scalar") target.set(field, scalar(field, random, known) as never);
    else if (field.fieldKind === "enum") target.set(field, random.between(0, 20) as never);
    else if (field.fieldKind === "list" && field.listKind === "scalar") {
      const list = target.get(field) as ReflectList;
      for (let count = random.between(0, 3); count > 0; count--) list.add(scalar(field, random, known) as never);
    }
  }
  return message;
}

function scalar(field: DescField, random: Random, known: readonly [string, ...string[]]): unknown {
  switch (field.scalar) {
    case ScalarType.STRING:
      if (!/(^|_)ids?$/.test(field.name)) return hostileText(random).toWellFormed();
      return random.chance(40)
        ? random.pick(known)
        : random.chance(50)
          ? newId<OrganizationId>()
          : hostileText(random).toWellFormed();
    case ScalarType.BOOL:
      return random.chance(50);
    case ScalarType.BYTES:
      return new Uint8Array(random.between(0, 20));
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return BigInt(random.between(0, 1000));
    default:
      return random.between(0, 1000);
  }
}
