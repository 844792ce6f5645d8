import { getOption, type Message } from "@bufbuild/protobuf";
import { path_entry } from "@cloud/proto/cloud/api/v1/options_pb";
import { InvitationService } from "@cloud/proto/identity/v1/invitation_service_pb";
import { TokenService } from "@cloud/proto/identity/v1/token_service_pb";
import type { Route, TranscoderCall } from "@cloud/transcoder";

/** The fields that published clients leave out, of whatever request has them. */
interface LeftOut extends Message {
  organizationId?: string;
  orgId?: string;
  roleNames?: string[];
  name?: string;
}

/**
 * Fills in what published clients do not send, or send elsewhere than this API has it:
 *
 * - On their own paths, a request that names no organization concerns that of the header `service-current-orgid`.
 * - Who adds a user there names no role: the user is added with the role User.
 * - They send the name of a new token as a query parameter, and no body.
 */
export function adaptPublished({ route, request }: TranscoderCall, message: LeftOut, hasBody: boolean): void {
  if (route === undefined) return;
  if (!hasBody && route.method === TokenService.method.createToken) {
    message.name ||= new URLSearchParams(request.url?.split("?")[1]).get("name") ?? "";
  }
  if (!isPublished(route)) return;
  const current = request.headers["service-current-orgid"];
  if (message.organizationId === "") message.organizationId = textOf(current);
  if (message.orgId === "" && message.organizationId === undefined) message.orgId = textOf(current);
  if (message.roleNames?.length === 0 && route.method === InvitationService.method.addMember) {
    message.roleNames = ["User"];
  }
}

const textOf = (header: string | readonly string[] | undefined) => (typeof header === "string" ? header : "");

const known = new WeakMap<Route, boolean>();

/** Remembered, because an option is decoded each time it is read. */
function isPublished(route: Route): boolean {
  const remembered = known.get(route);
  if (remembered !== undefined) return remembered;
  const { method, template } = route;
  const published = getOption(method, path_entry).some((entry) => entry.published && entry.path === template.text);
  known.set(route, published);
  return published;
}
