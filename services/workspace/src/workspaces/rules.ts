import { fail } from "@cloud/access/errors";
import { parseText } from "@cloud/access/values";
import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";

interface Texts {
  readonly name: string;
  readonly description: string;
}

/** Parses the texts of a new workspace. @throws WORKSPACE_CREATE_FAILED when one has over 255 characters. */
export function parseNewTexts({ name, description }: Texts): Texts {
  const tooLong = (field: string) => () => fail(Reason.WORKSPACE_CREATE_FAILED, { field });
  return { name: parseText(name, tooLong("name")), description: parseText(description, tooLong("description")) };
}

interface Changes {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

/** Requires at least one field that can be updated. @throws WORKSPACE_UPDATE_EMPTY. */
export function assertUpdateNotEmpty({ name, description, metadata }: Changes & { readonly metadata?: unknown }): void {
  if (name === undefined && description === undefined && metadata === undefined) {
    throw fail(Reason.WORKSPACE_UPDATE_EMPTY);
  }
}

/** Parses the texts that are sent. @throws WORKSPACE_UPDATE_FAILED when one has over 255 characters. */
export function parseChanges({ name, description }: Changes): {
  readonly name: string | undefined;
  readonly description: string | undefined;
} {
  const parse = (field: string, value: string | undefined) =>
    value === undefined ? undefined : parseText(value, () => fail(Reason.WORKSPACE_UPDATE_FAILED, { field }));
  return { name: parse("name", name), description: parse("description", description) };
}

/** Enforces the minimum of one workspace per organization. @throws LAST_WORKSPACE. */
export function assertNotLastWorkspace(liveWorkspaces: number): void {
  if (liveWorkspaces <= 1) {
    throw fail(Reason.LAST_WORKSPACE);
  }
}
