import { compileRoutes } from "../src/rules/compile-routes.ts";
import type { HttpRule } from "../src/rules/http-rules.ts";
import { LibraryService } from "./gen/library/v1/library_pb.ts";
import { NO_TRANSPORT } from "./routes.ts";

/** Compiles the routes that LibraryService declares. */
export function declaredRoutes() {
  return compileRoutes([{ service: LibraryService, transport: NO_TRANSPORT }], {});
}

/** Compiles routes to LibraryService from rules by the name of the RPC, instead of the declared ones. */
export function libraryRoutes(rules: Readonly<Record<string, HttpRule>>) {
  return compileRoutes([{ service: LibraryService, transport: NO_TRANSPORT }], { rule: ({ name }) => rules[name] });
}
