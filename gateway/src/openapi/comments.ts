import type { DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";
import { codeOf } from "@cloud/contract";
import { type Reason, ReasonSchema } from "@cloud/proto/cloud/api/v1/reason_pb";

type Commented = DescField | DescMessage | DescMethod | DescService;

/** Returns the comment before a declaration in its proto file, on one line; "" if there is none. */
export function commentOf(desc: Commented): string {
  const path = pathOf(desc).join();
  const location = fileOf(desc).proto.sourceCodeInfo?.location.find((candidate) => candidate.path.join() === path);
  return (location?.leadingComments ?? "").trim().replace(/\s+/g, " ");
}

/** Splits a method's comment into its description and the reasons it lists. */
export function methodComment(method: DescMethod): { summary: string; description: string; reasons: Reason[] } {
  const [description = "", errors = ""] = commentOf(method).split(/ ?Errors: /, 2);
  const named = new Set(errors.match(/[A-Z][A-Z_]+[A-Z]/g) ?? []);
  const reasons = ReasonSchema.values
    .map((value) => value.number as Reason)
    .filter((reason) => named.has(codeOf(reason)));
  const unknown = [...named].filter((name) => name.includes("_") && !reasons.some((reason) => codeOf(reason) === name));
  if (unknown.length > 0) throw new Error(`${method.name}: no such reason: ${unknown.join(", ")}`);
  return { summary: description.split(/(?<=[.;]) /, 1)[0]?.replace(/[.;]$/, "") ?? "", description, reasons };
}

// The numbers are field numbers of google.protobuf.FileDescriptorProto and its parts.
function pathOf(desc: Commented): number[] {
  switch (desc.kind) {
    case "service":
      return [6, desc.file.services.indexOf(desc)];
    case "rpc":
      return [...pathOf(desc.parent), 2, desc.parent.methods.indexOf(desc)];
    case "message":
      return desc.parent
        ? [...pathOf(desc.parent), 3, desc.parent.nestedMessages.indexOf(desc)]
        : [4, desc.file.messages.indexOf(desc)];
    case "field":
      return [...pathOf(desc.parent), 2, desc.parent.fields.indexOf(desc)];
  }
}

function fileOf(desc: Commented) {
  return desc.kind === "rpc" || desc.kind === "field" ? desc.parent.file : desc.file;
}
