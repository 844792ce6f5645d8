import type { DescField, DescMessage, DescMethod } from "@bufbuild/protobuf";

/** Returns the field of a reply with the one record in it, if that has an entity tag. */
export function taggedRecordOf({ output }: DescMethod): DescField | undefined {
  return output.fields.find(({ fieldKind, message }) => fieldKind === "message" && hasEtag(message));
}

/** Returns whether a request may name the entity tag that the record must have. */
export const takesEtag = ({ input }: DescMethod): boolean => hasEtag(input);

const hasEtag = (message: DescMessage | undefined) => message?.fields.some(({ name }) => name === "etag") === true;
