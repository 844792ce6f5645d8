import type { DescEnum, DescEnumValue, DescField, DescMessage, DescMethod, DescService } from "@bufbuild/protobuf";

type Commented = DescEnum | DescEnumValue | DescField | DescMessage | DescMethod | DescService;

/**
 * Returns the comment before a declaration in its proto file: a line per paragraph; "" if there is none, or if the file
 * was compiled without source information.
 */
export function commentOf(desc: Commented): string {
  const path = pathOf(desc).join();
  const location = fileOf(desc).proto.sourceCodeInfo?.location.find((candidate) => candidate.path.join() === path);
  const paragraphs = (location?.leadingComments ?? "").trim().split(/\n\s*\n/);
  return paragraphs.map((text) => text.trim().replace(/\s+/g, " ")).join("\n\n");
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
    case "enum":
      return desc.parent
        ? [...pathOf(desc.parent), 4, desc.parent.nestedEnums.indexOf(desc)]
        : [5, desc.file.enums.indexOf(desc)];
    case "enum_value":
      return [...pathOf(desc.parent), 2, desc.parent.values.indexOf(desc)];
  }
}

function fileOf(desc: Commented) {
  return "file" in desc ? desc.file : desc.parent.file;
}
