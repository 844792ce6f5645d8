import { parse } from "yaml";
import {
  type Case,
  type CaseFile,
  type Expectation,
  type ExpectedEvent,
  type Given,
  type RestRequest,
  SURFACES,
} from "./case-file.ts";
import { GIVEN_OPTIONS } from "./givens.ts";
import { readList, readMapping, readText } from "./read-mapping.ts";

const CASE_KEYS = "name, proves, given, as, headers, request, rest, only, eventually, expect, events, log".split(", ");
const EXPECT_KEYS = ["status", "headers", "body", "error", "code", "rpc"];
const REST_KEYS = ["method", "path", "body", "bytes", "contentType"];

/** Parses a file of cases. Throws an Error with the file and the place if the format is violated. */
export function parseCaseFile(file: string, text: string): CaseFile {
  const top = readMapping(parse(text, { merge: true }), file, ["operation", "rpc", "cases"]);
  const rpc = readText(top["rpc"], `${file}: rpc`);
  const cases = readList(top["cases"], `${file}: cases`, readCase);
  const names = cases.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`${file}: two cases are named "${twice}"`);
  if (cases.length === 0) throw new Error(`${file}: has no cases`);
  return { file, operation: readText(top["operation"], `${file}: operation`), rpc, cases };
}

function readCase(value: unknown, where: string): Case {
  const fields = readMapping(value, where, CASE_KEYS);
  const rest = fields["rest"] === undefined ? undefined : readRest(fields["rest"], `${where}.rest`);
  const request = fields["request"] === undefined ? undefined : readMapping(fields["request"], `${where}.request`);
  const only = SURFACES.find((surface) => surface === fields["only"]);
  if (fields["only"] !== undefined && only === undefined) throw new Error(`${where}.only: must be rest or rpc`);
  if (only !== "rest" && request === undefined) throw new Error(`${where}: needs a request, or "only: rest" and rest`);
  if (only === "rest" && request === undefined && rest === undefined)
    throw new Error(`${where}: needs rest or request`);
  return {
    name: readText(fields["name"], `${where}.name`),
    proves: readList(fields["proves"], `${where}.proves`, readRow),
    given: readList(fields["given"], `${where}.given`, readGiven),
    as: readText(fields["as"] ?? "orgAdmin", `${where}.as`),
    headers: readMapping(fields["headers"] ?? {}, `${where}.headers`) as Record<string, string>,
    request,
    rest,
    surfaces: only === undefined ? SURFACES : [only],
    eventually: readFlag(fields["eventually"], `${where}.eventually`),
    expect: readExpectation(fields["expect"], `${where}.expect`),
    events: fields["events"] === undefined ? undefined : readList(fields["events"], `${where}.events`, readEvent),
    log: readText(fields["log"] ?? "w", `${where}.log`).replace(/^\$/, ""),
  };
}

function readFlag(value: unknown, where: string): boolean {
  if (value !== undefined && typeof value !== "boolean") throw new Error(`${where}: must be true or false`);
  return value ?? false;
}

function readRow(value: unknown, where: string): string {
  if (typeof value === "string" && /^\d+\.\d+$/.test(value)) return value;
  throw new Error(`${where}: must be a row as quoted text, such as "3.2"`);
}

function readEvent(value: unknown, where: string): ExpectedEvent {
  return typeof value === "string" ? value : readMapping(value, where);
}

function readGiven(value: unknown, where: string): Given {
  const step = readMapping(value, where);
  const kind = Object.keys(step)[0] ?? "";
  const options = GIVEN_OPTIONS[kind];
  if (options === undefined) {
    throw new Error(`${where}: unknown step "${kind}"; known are ${Object.keys(GIVEN_OPTIONS).join(", ")}`);
  }
  const { [kind]: made, ...others } = readMapping(step, where, [kind, ...options]);
  return { kind, value: made, options: others };
}

function readRest(value: unknown, where: string): RestRequest {
  const fields = readMapping(value, where, REST_KEYS);
  return {
    method: readText(fields["method"], `${where}.method`),
    path: readText(fields["path"], `${where}.path`),
    ...(fields["body"] === undefined ? {} : { body: fields["body"] }),
    ...(fields["bytes"] === undefined ? {} : { bytes: readText(fields["bytes"], `${where}.bytes`) }),
    ...(fields["contentType"] === undefined
      ? {}
      : { contentType: readText(fields["contentType"], `${where}.contentType`) }),
  };
}

function readExpectation(value: unknown, where: string): Expectation {
  const fields = readMapping(value, where, EXPECT_KEYS);
  const { status, error, code, rpc } = fields;
  if (typeof status !== "number") throw new Error(`${where}.status: must be a number`);
  if ((error === undefined) !== (code === undefined)) throw new Error(`${where}: error and code go together`);
  if (error === undefined && status >= 400) throw new Error(`${where}: a failure has error and code`);
  const optional = (name: string) =>
    fields[name] === undefined ? undefined : readText(fields[name], `${where}.${name}`);
  return {
    status,
    headers: readMapping(fields["headers"] ?? {}, `${where}.headers`),
    body: fields["body"],
    error: optional("error"),
    code: optional("code"),
    rpc: rpc === undefined ? undefined : optional("rpc"),
  };
}
