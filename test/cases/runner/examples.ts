import type { Case, CaseFile } from "./case-file.ts";
import { readCaseFiles } from "./read-case-files.ts";

/** The first success and the first refusal among the cases of an RPC: a valid request of it, and an invalid one. */
export interface Example {
  /** The full name, such as `workspace.v1.WorkspaceService/AssignTeam`. */
  readonly rpc: string;
  readonly succeeds: Case;
  readonly fails: Case;
}

/**
 * Returns the example of each RPC with a REST form, by its name. @throws Error for an RPC whose cases have no success
 * or no refusal
 */
export function readExamples(): ReadonlyMap<string, Example> {
  const cases = new Map<string, Case[]>();
  for (const file of readCaseFiles() as CaseFile[]) {
    cases.set(file.rpc, [...(cases.get(file.rpc) ?? []), ...file.cases.filter(isAnyRequest)]);
  }
  return new Map(
    [...cases]
      .filter(([, ofRpc]) => ofRpc.length > 0)
      .map(([rpc, ofRpc]) => {
        const succeeds = ofRpc.find(({ expect }) => expect.code === undefined);
        const fails = ofRpc.find(({ expect }) => expect.code !== undefined);
        if (succeeds === undefined || fails === undefined)
          throw new Error(`${rpc} needs a case that succeeds and one that fails`);
        return [rpc, { rpc, succeeds, fails }];
      }),
  );
}

/** Selects cases that are one call of the RPC, the same on every surface. */
const isAnyRequest = ({ surfaces, rest, eventually, headers }: Case) =>
  surfaces.length === 2 && rest === undefined && !eventually && Object.keys(headers).length === 0;
