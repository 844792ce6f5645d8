import { type DescMethod, getOption, hasOption } from "@bufbuild/protobuf";
import { compileRoutes } from "../src/rules/compile-routes.ts";
import type { HttpRule } from "../src/rules/http-rule.ts";
import { http } from "./gen/google/api/annotations_pb.ts";
import { LibraryService } from "./gen/library/v1/library_pb.ts";
import { NO_TRANSPORT } from "./routes.ts";

/** Compiles the routes that LibraryService declares. */
export function declaredRoutes() {
  return compileRoutes([{ service: LibraryService, transport: NO_TRANSPORT }], declaredRule);
}

/** Compiles routes to LibraryService from rules by the name of the RPC, instead of those that it declares. */
export function libraryRoutes(rules: Readonly<Record<string, HttpRule>>) {
  return compileRoutes([{ service: LibraryService, transport: NO_TRANSPORT }], (method) => rules[method.name]);
}

/** Returns the rule that a method declares. */
export function declaredRule(method: DescMethod): HttpRule | undefined {
  return hasOption(method, http) ? getOption(method, http) : undefined;
}
