import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail } from "./fail.ts";
import { isId, type OrganizationId } from "./id.ts";
import { type ListParameters, type ListRequest, parseListParameters } from "./list-parameters.ts";

interface SelectionRequest extends ListRequest {
  readonly organizationId: string;
  /** 16 bytes each. */
  readonly ids: Uint8Array;
  readonly assigned: boolean;
}

/** Selects the records of an organization that are among the ids if `assigned`, else the others. */
export interface SelectionParameters {
  readonly organizationId: OrganizationId;
  /** 16 bytes each. */
  readonly ids: Uint8Array;
  readonly assigned: boolean;
  readonly query: ListParameters;
}

/**
 * Parses the request of a workspace's list to the owner of the records. The number of ids has no bound but the message
 * limit, because a workspace may have 200,000 links.
 *
 * @throws INVALID_PARAMETER.
 */
export function parseSelectionParameters(request: SelectionRequest): SelectionParameters {
  const { ids, assigned } = request;
  if (ids.length % BYTES_OF_ID !== 0) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "ids", accepts: "ids of 16 bytes each" });
  }
  return { ...parseOrganizationList(request), ids, assigned };
}

const BYTES_OF_ID = 16;

/** Returns ids as 16 bytes each; drops malformed ones. */
export function packIds(ids: readonly string[]): Uint8Array {
  return Buffer.from(ids.filter(isId).join("").replaceAll("-", ""), "hex");
}

/** Parses the request of a list of one organization. @throws INVALID_PARAMETER. */
function parseOrganizationList(request: ListRequest & { readonly organizationId: string }) {
  const query = parseListParameters(request);
  if (!isId(request.organizationId)) {
    throw fail(Reason.INVALID_PARAMETER, { parameter: "organization_id", accepts: "the id of an organization" });
  }
  return { organizationId: request.organizationId as OrganizationId, query };
}
