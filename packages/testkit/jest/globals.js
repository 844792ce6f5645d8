// What tests import from `@jest/globals`: it stays when a worker goes on to the next file, and leads to what is of that file.
import { jestExpect } from "@jest/expect";

let current;

/** From now on, tests are declared with these. */
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
