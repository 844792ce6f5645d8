// The module that tests import as `@jest/globals`. It stays loaded when a worker goes on to the next file, so its
// exports forward to the globals of the current file.
import { jestExpect } from "@jest/expect";

let current;

/** Makes the exports below forward to these globals. */
export function useGlobals(globals) {
  current = globals;
}

const ofCurrentFile = (name) =>
  new Proxy(() => undefined, {
    apply: (_target, _self, args) => current[name](...args),
    get: (_target, key) => current[name][key],
  });

export const expect = jestExpect;
export const test = ofCurrentFile("test");
export const describe = ofCurrentFile("describe");
export const beforeAll = ofCurrentFile("beforeAll");
export const beforeEach = ofCurrentFile("beforeEach");
export const afterAll = ofCurrentFile("afterAll");
export const afterEach = ofCurrentFile("afterEach");
export const jest = ofCurrentFile("jest");
