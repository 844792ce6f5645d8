import { describe, expect, test } from "@jest/globals";
import { exampleTable } from "../../test/example-table.ts";
import { cutTarget } from "../serving/serve.ts";

/** Every route is named by its rule; the fields that its variables bind are of no matter here. */
const table = exampleTable([
  "GET /",
  "GET /v1/things",
  "POST /v1/things",
  "GET /v1/things/{a}",
  "DELETE /v1/things/{a}",
  "GET /v1/things/mine",
  "POST /v1/things/{a}:archive",
  "POST /v1/things/mine:archive",
  "GET /v1/things/{a}:export",
  "HEAD /v1/things/{a}:export",
  "POST /v1/things/{a}/parts/{b}",
  "GET /v1/{a=things/*/parts/*}",
  "GET /v1/{a=files/**}",
  "GET /v1/{a=files/**}:zip",
  "GET /v1/files/{a}/info",
  "GET /v1/a/b/x",
  "GET /v1/a/*/y",
  "GET /v1/*/b/z",
  "GET /v1/caf%C3%A9/a%3Ab",
  "PROPFIND /v1/dav/{a=**}",
  "* /v1/any/{a}",
  "PUT /v1/any/{a}",
  "GET /v1/free/*/{a}",
]);
const forgiving = exampleTable(["GET /", "GET /v1/things", "GET /v1/files/{a=**}"], { trailingSlash: "forgive" });

const find = (method: string, target: string, routes = table) => {
  const { route, values } = routes.match(method, cutTarget(target));
  return [`${route.httpMethod} ${route.template.text}`, ...values];
};
const failure = (method: string, target: string, routes = table) => {
  try {
    return find(method, target, routes);
  } catch (error) {
    return error;
  }
};

describe("a path is unknown", () => {
  test.each([
    ["GET", "*"],
    ["OPTIONS", "*"],
    ["GET", "v1/things"],
    ["GET", "//"],
    ["GET", "//v1/things"],
    ["GET", "/v1"],
    ["GET", "/v1/"],
    ["GET", "/v1//things"],
    ["GET", "/V1/things"],
    ["GET", "/v1/Things"],
    ["GET", "/v1/things/"],
    ["GET", "/v1/things/a/"],
    ["GET", "/v1/things//"],
    ["GET", "/v1/things/a/b"],
    ["GET", "/v1/things/../things"],
    ["GET", "/v1/./things"],
    ["GET", "/v1/%2E/things"],
    ["GET", "/v1/x/../things"],
    ["POST", "/v1/things//parts/x"],
    ["GET", "/v1/things%2Fa"],
    ["GET", "/v1%2Fthings"],
    ["GET", "/v1/things:"],
    ["GET", "/v1/things:archive"],
    ["GET", "/v1/files/"],
    ["GET", "/v1/files//a"],
    ["GET", "/v1/files/a//b"],
    ["GET", "/v1/files/a/"],
    ["GET", "/v1/caf%C3%A9"],
    ["GET", "/v1/cafe/a:b"],
    ["GET", "/v1/a/b/w"],
    ["GET", "/:"],
    ["GET", "/;"],
    ["GET", "/%2F"],
  ])("%s %s", (method, target) => {
    expect(failure(method, target)).toMatchObject({ kind: "route-not-found", message: "no such path" });
  });
});

describe("a method is not allowed", () => {
  test.each([
    ["POST", "/", ["GET", "HEAD"]],
    ["POST", "http://host", ["GET", "HEAD"]],
    ["PATCH", "/v1/things", ["GET", "HEAD", "POST"]],
    ["HEAD", "/v1/things/a/parts/b/c", undefined],
    ["PUT", "/v1/things/a", ["DELETE", "GET", "HEAD"]],
    ["PUT", "/v1/things/mine", ["DELETE", "GET", "HEAD"]],
    ["DELETE", "/v1/things/a/parts/b", ["GET", "HEAD", "POST"]],
    ["PUT", "/v1/things/a:archive", ["DELETE", "GET", "HEAD", "POST"]],
    ["POST", "/v1/things/a%3Aarchive", ["DELETE", "GET", "HEAD"]],
    ["POST", "/v1/things/:archive", ["DELETE", "GET", "HEAD"]],
    ["POST", "/v1/files", ["GET", "HEAD"]],
    ["GET", "/v1/dav", ["PROPFIND"]],
    ["GET", "/v1/dav/a/b", ["PROPFIND"]],
    ["HEAD", "/v1/dav/a/b", ["PROPFIND"]],
    ["get", "/v1/things", ["GET", "HEAD", "POST"]],
    ["*", "/v1/things", ["GET", "HEAD", "POST"]],
    ["OPTIONS", "/v1/a/b/y", ["GET", "HEAD"]],
  ])("%s %s", (method, target, allow) => {
    const expected =
      allow === undefined ? { kind: "route-not-found" } : { kind: "method-not-allowed", detail: { allow } };
    expect(failure(method, target)).toMatchObject(expected);
  });
});

describe("a path cannot be decoded", () => {
  test.each([
    ["GET", "/nowhere/%zz"],
    ["GET", "/nowhere/%"],
    ["GET", "/nowhere/%4"],
    ["GET", "/nowhere/%ff"],
    ["GET", "/nowhere/%c3"],
    ["GET", "/nowhere/%c0%af"],
    ["GET", "/nowhere/%ed%a0%80"],
    ["GET", "/v1/free/%zz/x"],
    ["GET", "/%zz"],
  ])("%s %s", (method, target) => {
    expect(failure(method, target)).toMatchObject({
      kind: "invalid-path",
      message: "request path is not valid percent-encoded UTF-8",
    });
  });

  test.each([
    ["GET", "/v1/things/%zz", ["GET /v1/things/{a}", undefined]],
    ["GET", "/v1/things/%ff", ["GET /v1/things/{a}", undefined]],
    ["GET", "/v1/files/a/%zz", ["GET /v1/{a=files/**}", undefined]],
    ["GET", "/v1/files/%zz%2f", ["GET /v1/{a=files/**}", undefined]],
    ["GET", "/v1/files/%c3%2f%a4", ["GET /v1/{a=files/**}", undefined]],
    ["POST", "/v1/things/ok/parts/%", ["POST /v1/things/{a}/parts/{b}", "ok", undefined]],
  ])("nor the variable of %s %s", (method, target, expected) => {
    expect(find(method, target)).toEqual(expected);
  });
});

describe("a route is found", () => {
  test.each([
    ["GET", "/", ["GET /"]],
    ["GET", "/?x=/v1", ["GET /"]],
    ["GET", "http://host", ["GET /"]],
    ["GET", "http://host?x", ["GET /"]],
    ["GET", "/v1/things", ["GET /v1/things"]],
    ["HEAD", "/v1/things?x=y", ["GET /v1/things"]],
    ["GET", "http://host:80/v1/things?q", ["GET /v1/things"]],
    ["GET", "/v1/th%69ngs/min%65", ["GET /v1/things/mine"]],
    ["DELETE", "/v1/things/mine", ["DELETE /v1/things/{a}", "mine"]],
    ["GET", "/v1/things/a%2Fb", ["GET /v1/things/{a}", "a/b"]],
    ["GET", "/v1/things/a%2fparts%2fb", ["GET /v1/things/{a}", "a/parts/b"]],
    ["GET", "/v1/things/%252F", ["GET /v1/things/{a}", "%2F"]],
    ["GET", "/v1/things/..", ["GET /v1/things/{a}", ".."]],
    ["GET", "/v1/things/%2e%2E", ["GET /v1/things/{a}", ".."]],
    ["GET", "/v1/things/%00", ["GET /v1/things/{a}", "\0"]],
    ["GET", "/v1/things/%C3%A4", ["GET /v1/things/{a}", "ä"]],
    ["GET", "/v1/things/\u00c3\u00a4", ["GET /v1/things/{a}", "ä"]],
    ["GET", "/v1/caf%c3%a9/a:b", ["GET /v1/caf%C3%A9/a%3Ab"]],
    ["GET", "/v1/caf\u00c3\u00a9/a%3ab", ["GET /v1/caf%C3%A9/a%3Ab"]],
    ["POST", "/v1/things/a+b/parts/c%20d", ["POST /v1/things/{a}/parts/{b}", "a+b", "c d"]],
    ["GET", "/v1/things/a%2fb/parts/c%20%2F", ["GET /v1/{a=things/*/parts/*}", "things/a%2Fb/parts/c %2F"]],
    ["GET", "/v1/things/a%252fb/parts/c", ["GET /v1/{a=things/*/parts/*}", "things/a%2fb/parts/c"]],
    ["GET", "/v1/files", ["GET /v1/{a=files/**}", "files"]],
    ["GET", "/v1/files/a/../b%2F.", ["GET /v1/{a=files/**}", "files/a/../b%2F."]],
    ["PROPFIND", "/v1/dav", ["PROPFIND /v1/dav/{a=**}", ""]],
    ["PROPFIND", "/v1/dav/x/y", ["PROPFIND /v1/dav/{a=**}", "x/y"]],
  ])("%s %s", (method, target, expected) => {
    expect(find(method, target)).toEqual(expected);
  });

  test.each([
    ["POST", "/v1/things/a:archive", ["POST /v1/things/{a}:archive", "a"]],
    ["POST", "/v1/things/a:b:archive", ["POST /v1/things/{a}:archive", "a:b"]],
    ["POST", "/v1/things/a:%61rchive", ["POST /v1/things/{a}:archive", "a"]],
    ["POST", "/v1/things/a%3Ab:archive", ["POST /v1/things/{a}:archive", "a:b"]],
    ["POST", "/v1/things/mine:archive", ["POST /v1/things/mine:archive"]],
    ["GET", "/v1/things/mine:export", ["GET /v1/things/{a}:export", "mine"]],
    ["GET", "/v1/things/a:archive", ["GET /v1/things/{a}", "a:archive"]],
    ["GET", "/v1/things/a%3Aexport", ["GET /v1/things/{a}", "a:export"]],
    ["GET", "/v1/things/a:unknown", ["GET /v1/things/{a}", "a:unknown"]],
    ["GET", "/v1/things/a:", ["GET /v1/things/{a}", "a:"]],
    ["GET", "/v1/things/:export", ["GET /v1/things/{a}", ":export"]],
    ["GET", "/v1/files:zip", ["GET /v1/{a=files/**}:zip", "files"]],
    ["GET", "/v1/files/a/b:zip", ["GET /v1/{a=files/**}:zip", "files/a/b"]],
    ["GET", "/v1/files/a:zip/b", ["GET /v1/{a=files/**}", "files/a:zip/b"]],
    ["GET", "/v1/files/a:rar", ["GET /v1/{a=files/**}", "files/a:rar"]],
  ])("with its verb: %s %s", (method, target, expected) => {
    expect(find(method, target)).toEqual(expected);
  });

  test.each([
    ["GET", "/v1/files/a/info", ["GET /v1/files/{a}/info", "a"]],
    ["GET", "/v1/files/a/info/b", ["GET /v1/{a=files/**}", "files/a/info/b"]],
    ["GET", "/v1/a/b/x", ["GET /v1/a/b/x"]],
    ["GET", "/v1/a/b/y", ["GET /v1/a/*/y"]],
    ["GET", "/v1/a/b/z", ["GET /v1/*/b/z"]],
    ["GET", "/v1/x/b/z", ["GET /v1/*/b/z"]],
  ])("after going back where a more specific one ends: %s %s", (method, target, expected) => {
    expect(find(method, target)).toEqual(expected);
  });

  test.each([
    ["HEAD", "/v1/things/a:export", ["HEAD /v1/things/{a}:export", "a"]],
    ["HEAD", "/v1/things/a", ["GET /v1/things/{a}", "a"]],
    ["HEAD", "/v1/any/a", ["* /v1/any/{a}", "a"]],
    ["BREW", "/v1/any/a", ["* /v1/any/{a}", "a"]],
    ["PUT", "/v1/any/a", ["PUT /v1/any/{a}", "a"]],
  ])("by its method: %s %s", (method, target, expected) => {
    expect(find(method, target)).toEqual(expected);
  });

  test("whatever the order of declaration", () => {
    const rules = ["GET /{a=**}", "GET /{a}", "GET /x", "GET /x/**", "GET /x/{a}", "POST /x"];
    for (const order of [rules, rules.toReversed()]) {
      const routes = exampleTable(order);
      expect(["/x", "/y", "/x/y", "/x/y/z", "/y/z", "/"].map((path) => find("GET", path, routes)[0])).toEqual([
        "GET /x",
        "GET /{a}",
        "GET /x/{a}",
        "GET /x/**",
        "GET /{a=**}",
        "GET /{a=**}",
      ]);
    }
  });
});

describe("routes with the verb of the last segment precede all others:", () => {
  const verbs = exampleTable([
    "GET /v1/projects/{a}",
    "GET /v1/{a=**}:getIamPolicy",
    "POST /v1/projects/{a}:cancel",
    "GET /v1/projects/mine",
    "GET /v1/projects/{a}/parts/{b}",
    "GET /v1/*/{a=*}/parts/*:list",
    "GET /v1/files/a%3Azip",
    "GET /v1/files/{a}:zip",
    "GET /v1/{a}:a%20b",
    "GET /v1/{a}:c%3Ad",
    "GET /v1/{a}:g%C3%B6",
    "GET /v1/{a}",
  ]);

  test.each([
    ["GET", "/v1/projects/p1:getIamPolicy", ["GET /v1/{a=**}:getIamPolicy", "projects/p1"]],
    ["GET", "/v1/projects/mine:getIamPolicy", ["GET /v1/{a=**}:getIamPolicy", "projects/mine"]],
    ["GET", "/v1/projects/a/parts/b:getIamPolicy", ["GET /v1/{a=**}:getIamPolicy", "projects/a/parts/b"]],
    ["HEAD", "/v1/projects/p1:getIamPolicy", ["GET /v1/{a=**}:getIamPolicy", "projects/p1"]],
    ["GET", "/v1:getIamPolicy", ["GET /v1/{a=**}:getIamPolicy", ""]],
    ["GET", "/v1/projects/a/parts/b:list", ["GET /v1/*/{a=*}/parts/*:list", "a"]],
    ["GET", "/v1/projects/a:b:getIamPolicy", ["GET /v1/{a=**}:getIamPolicy", "projects/a:b"]],
    ["GET", "/v1/projects/p1%3AgetIamPolicy", ["GET /v1/projects/{a}", "p1:getIamPolicy"]],
    ["GET", "/v1/projects/p1:getIamPolicies", ["GET /v1/projects/{a}", "p1:getIamPolicies"]],
    ["GET", "/v1/projects/p1:", ["GET /v1/projects/{a}", "p1:"]],
    // The method decides, too: the colon is part of the value where no route with the verb has it.
    ["GET", "/v1/projects/p1:cancel", ["GET /v1/projects/{a}", "p1:cancel"]],
    ["GET", "/v1/files/a:zip", ["GET /v1/files/{a}:zip", "a"]],
    ["GET", "/v1/files/a%3Azip", ["GET /v1/files/a%3Azip"]],
  ])("%s %s", (method, target, expected) => {
    expect(find(method, target, verbs)).toEqual(expected);
  });

  test.each([
    ["/v1/x:a%20b", ["GET /v1/{a}:a%20b", "x"]],
    ["/v1/x%3Ay:%61%20%62", ["GET /v1/{a}:a%20b", "x:y"]],
    ["/v1/x:c%3ad", ["GET /v1/{a}:c%3Ad", "x"]],
    ["/v1/x:g%c3%b6", ["GET /v1/{a}:g%C3%B6", "x"]],
    ["/v1/x:g\u00c3\u00b6", ["GET /v1/{a}:g%C3%B6", "x"]],
    ["/v1/x:c:d", ["GET /v1/{a}", "x:c:d"]],
    ["/v1/x:a+b", ["GET /v1/{a}", "x:a+b"]],
    ["/v1/x:a%20b%20", ["GET /v1/{a}", "x:a b "]],
    ["/v1/x:%zz", ["GET /v1/{a}", undefined]],
  ])("an encoded verb is normalised: %s", (target, expected) => {
    expect(find("GET", target, verbs)).toEqual(expected);
  });

  test("a refusal of another method lists the methods of all shapes", () => {
    const allow = ["GET", "HEAD", "POST"];
    expect(failure("DELETE", "/v1/projects/p1:cancel", verbs)).toMatchObject({ detail: { allow } });
  });
});

describe("a trailing slash that is forgiven", () => {
  test.each([
    ["/", ["GET /"]],
    ["/v1/things/", ["GET /v1/things"]],
    ["/v1/files/", ["GET /v1/files/{a=**}", ""]],
    ["/v1/files/a/b/", ["GET /v1/files/{a=**}", "a/b"]],
  ])("%s", (target, expected) => {
    expect(find("GET", target, forgiving)).toEqual(expected);
  });

  test.each(["//", "/v1//", "/v1/things//", "/v1/things/%2F", "/v1/files//"])("%s is another path", (target) => {
    expect(failure("GET", target, forgiving)).toMatchObject({ kind: "route-not-found" });
  });
});

describe("escapes of reserved characters that are kept", () => {
  const keeping = exampleTable(["GET /v1/{a=things/*}", "GET /v1/files/{a=**}", "GET /v1/one/{a}"], {
    fullyDecodeReservedExpansion: false,
  });

  test.each([
    ["/v1/things/a%2fb%3ac%20%61%c3%a4", ["GET /v1/{a=things/*}", "things/a%2Fb%3Ac aä"]],
    ["/v1/files/%3F%23%5B%5d%40%21%24%26%27%28%29%2a%2B%2c%3B%3D", "%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"],
    ["/v1/files/a:b/%25/%2525", "a:b/%/%25"],
    ["/v1/one/a%2Fb%3Ac", ["GET /v1/one/{a}", "a/b:c"]],
  ])("%s", (target, expected) => {
    const route = typeof expected === "string" ? ["GET /v1/files/{a=**}", expected] : expected;
    expect(find("GET", target, keeping)).toEqual(route);
  });

  test.each(["/v1/files/%3A%", "/v1/files/%c3%3a", "/v1/files/%3A%zz", "/v1/things/%ff%2F"])(
    "%s is malformed",
    (target) => {
      expect(find("GET", target, keeping)[1]).toBeUndefined();
    },
  );
});
