import { codeOf, reasonOf } from "@cloud/access/errors";
import type { OrganizationId, WorkspaceId } from "@cloud/access/values";
import { describe, expect, test } from "@jest/globals";
import { changeSelection, type SelectedWorkspace, type Selection, type SelectionChange } from "./rules.ts";

const [one, two] = ["one" as OrganizationId, "two" as OrganizationId];
const inOne: SelectedWorkspace = { id: "w1" as WorkspaceId, organizationId: one };
const inTwo: SelectedWorkspace = { id: "w2" as WorkspaceId, organizationId: two };

const change = (stored: Selection, sent: Partial<SelectionChange>) => {
  try {
    return changeSelection(stored, { organizationId: undefined, workspace: undefined, ...sent });
  } catch (error) {
    return codeOf(reasonOf(error));
  }
};

describe("given an organization and a workspace of it", () => {
  const stored = { organizationId: one, workspace: inOne };

  test("nothing sent changes nothing", () => {
    expect(change(stored, {})).toEqual(stored);
  });
  test("the same organization keeps the workspace", () => {
    expect(change(stored, { organizationId: one })).toEqual(stored);
  });
  test("another organization drops it", () => {
    expect(change(stored, { organizationId: two })).toEqual({ organizationId: two, workspace: null });
  });
  test("no organization keeps it", () => {
    expect(change(stored, { organizationId: null })).toEqual({ organizationId: null, workspace: inOne });
  });
  test("another organization with a workspace of it selects both", () => {
    expect(change(stored, { organizationId: two, workspace: inTwo })).toEqual({
      organizationId: two,
      workspace: inTwo,
    });
  });
  test("a workspace of another organization is refused", () => {
    expect(change(stored, { workspace: inTwo })).toBe("WORKSPACE_NOT_FOUND");
  });
  test("another organization with the stored workspace is refused", () => {
    expect(change(stored, { organizationId: two, workspace: inOne })).toBe("WORKSPACE_NOT_FOUND");
  });
  test("no workspace clears it alone", () => {
    expect(change(stored, { workspace: null })).toEqual({ organizationId: one, workspace: null });
  });
});

test("without an organization, a workspace of any is selected; selecting an organization then drops a foreign one", () => {
  const selected = { organizationId: null, workspace: inTwo };
  expect(change({ organizationId: null, workspace: null }, { workspace: inTwo })).toEqual(selected);
  expect(change(selected, { organizationId: one })).toEqual({ organizationId: one, workspace: null });
  expect(change(selected, { organizationId: two })).toEqual({ organizationId: two, workspace: inTwo });
});
