import { Reason } from "@cloud/proto/cloud/api/v1/reason_pb";
import { fail, parseText } from "@cloud/rpc";

/** Specification, section 1. */
export const INITIAL_WORKSPACE_NAME = "My Workspace";

interface Texts {
  readonly name: string;
  readonly description: string;
}

/** @throws WORKSPACE_CREATE_FAILED when one is over 255 characters. */
export function parseNewTexts({ name, description }: Texts): Texts {
  const tooLong = (field: string) => () => fail(Reason.WORKSPACE_CREATE_FAILED, { field });
  return { name: parseText(name, tooLong("name")), description: parseText(description, tooLong("description")) };
}

interface Changes {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

/** @throws WORKSPACE_UPDATE_EMPTY when nothing that can change is sent. */
export function assertSomethingSent({ name, description }: Changes): void {
  if (name === undefined && description === undefined) {
    throw fail(Reason.WORKSPACE_UPDATE_EMPTY);
  }
}

/** @throws WORKSPACE_UPDATE_FAILED when one is over 255 characters. */
export function parseChanges({ name, description }: Changes): {
  readonly name: string | undefined;
  readonly description: string | undefined;
} {
  const parse = (field: string, value: string | undefined) =>
    value === undefined ? undefined : parseText(value, () => fail(Reason.WORKSPACE_UPDATE_FAILED, { field }));
  return { name: parse("name", name), description: parse("description", description) };
}

/** The floor: an organization keeps at least one workspace. @throws LAST_WORKSPACE. */
export function assertNotLastWorkspace(liveWorkspaces: number): void {
  if (liveWorkspaces <= 1) {
    throw fail(Reason.LAST_WORKSPACE);
  }
}
