import { codeOf, type OrganizationId, reasonOf, type WorkspaceId } from "@cloud/rpc";
import { describe, expect, test } from "@jest/globals";
import { changeSelection, type SelectedWorkspace, type Selection, type SelectionChange } from "./selection-rules.ts";

const [one, two] = ["one" as OrganizationId, "two" as OrganizationId];
const inOne: SelectedWorkspace = { id: "w1" as WorkspaceId, organizationId: one };
const inTwo: SelectedWorkspace = { id: "w2" as WorkspaceId, organizationId: two };

const change = (stored: Selection, asked: Partial<SelectionChange>) => {
  try {
    return changeSelection(stored, { organization: undefined, workspace: undefined, ...asked });
  } catch (error) {
    return codeOf(reasonOf(error));
  }
};

describe("given an organization and a workspace of it", () => {
  const stored = { organization: one, workspace: inOne };

  test("nothing sent changes nothing", () => {
    expect(change(stored, {})).toEqual(stored);
  });
  test("the same organization keeps the workspace", () => {
    expect(change(stored, { organization: one })).toEqual(stored);
  });
  test("another organization drops it", () => {
    expect(change(stored, { organization: two })).toEqual({ organization: two, workspace: null });
  });
  test("no organization keeps it", () => {
    expect(change(stored, { organization: null })).toEqual({ organization: null, workspace: inOne });
  });
  test("another organization with a workspace of it selects both", () => {
    expect(change(stored, { organization: two, workspace: inTwo })).toEqual({ organization: two, workspace: inTwo });
  });
  test("a workspace of another organization is refused", () => {
    expect(change(stored, { workspace: inTwo })).toBe("WORKSPACE_NOT_FOUND");
  });
  test("another organization with the stored workspace is refused", () => {
    expect(change(stored, { organization: two, workspace: inOne })).toBe("WORKSPACE_NOT_FOUND");
  });
  test("no workspace clears it alone", () => {
    expect(change(stored, { workspace: null })).toEqual({ organization: one, workspace: null });
  });
});

test("given no organization, a workspace of any is selected, and an organization then drops a foreign one", () => {
  const selected = { organization: null, workspace: inTwo };
  expect(change({ organization: null, workspace: null }, { workspace: inTwo })).toEqual(selected);
  expect(change(selected, { organization: one })).toEqual({ organization: one, workspace: null });
  expect(change(selected, { organization: two })).toEqual({ organization: two, workspace: inTwo });
});
