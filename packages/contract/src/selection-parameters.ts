import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "./fail.ts";
import { type Id, isId, type OrganizationId } from "./id.ts";
import { type ListParameters, type ListRequest, parseListParameters } from "./list-parameters.ts";

interface SelectionRequest extends ListRequest {
  readonly organizationId: string;
  readonly ids: readonly string[];
  readonly assigned: boolean;
}

/** Selects the records of an organization that are among the ids if `assigned`, else the others. */
export interface SelectionParameters<T extends Id> {
  readonly organizationId: OrganizationId;
  readonly ids: readonly T[];
  readonly assigned: boolean;
  readonly query: ListParameters;
}

/**
 * Parses the request of a workspace's list to the owner of the records. Drops malformed ids. The number of ids has no
 * bound but the message limit, because a workspace may have any number of links.
 *
 * @throws INVALID_PARAMETER.
 */
export function parseSelectionParameters<T extends Id>(request: SelectionRequest): SelectionParameters<T> {
  return { ...parseOrganizationList(request), ids: request.ids.filter(isId) as T[], assigned: request.assigned };
}

/** Parses the request of a list of one organization. @throws INVALID_PARAMETER. */
export function parseOrganizationList(request: ListRequest & { readonly organizationId: string }) {
  const query = parseListParameters(request);
  if (!isId(request.organizationId)) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "organization_id", accepts: "the id of an organization" });
  }
  return { organizationId: request.organizationId as OrganizationId, query };
}
