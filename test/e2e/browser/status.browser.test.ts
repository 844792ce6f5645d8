import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { violationsOf } from "./accessibility.ts";
import { type Look, openPage, startBrowser, type Watched } from "./browser.ts";
import type { Browser } from "./playwright.ts";

let stack: OwnTestStack;
let browser: Browser;
let watched: Watched;
let traffic: ReturnType<typeof startTraffic>;

beforeAll(async () => {
  stack = await startTestStack();
  browser = await startBrowser();
  traffic = startTraffic();
});
afterAll(async () => {
  await traffic?.stop();
  await browser?.close();
  await stack?.stop();
});
afterEach(async () => {
  expect([...watched.origins]).toEqual([stack.operators.gateway]);
  expect(watched.violations).toEqual([]);
  expect(watched.errors).toEqual([]);
  await watched.page.context().close();
});

/** Lists workspaces one request after the other. */
function startTraffic() {
  const stopping = new AbortController();
  const headers = { Authorization: `Bearer ${stack.demo.users.orgAdmin.token}` };
  const url = `${stack.demo.gateway}/api/workspaces?orgId=${stack.demo.organizations[0]?.id}`;
  const run = async () => {
    while (!stopping.signal.aborted) await (await fetch(url, { headers })).text();
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}

async function openStatus(look?: Look) {
  watched = await openPage(browser, look);
  const { page } = watched;
  await page.goto(`${stack.operators.gateway}/status`);
  await page.getByText("live", { exact: true }).waitFor();
  return page;
}

test("shows who calls whom, what is in flight, and the path of events, and follows them", async () => {
  const page = await openStatus();
  await page.getByRole("img", { name: /client calls gateway [\d.,]+ times a second/ }).waitFor();
  await page.getByRole("img", { name: /gateway calls workspace .*workspace calls identity/ }).waitFor();
  await page.getByRole("cell", { name: /^GET \W*api\W*workspaces$/ }).waitFor();
  await page.getByText("NATS connected").waitFor();
  await page.getByText("OrganizationCreated → workspace").waitFor();
  await expect(page.locator("#parked").innerText()).resolves.toContain("none");
  // Four connections for requests, which PATIENT_LIMITS has, and nine for events.
  await expect(page.locator("#map").innerText()).resolves.toMatch(/Postgres \d+\/13/);
});

test("goes on when a connection has reached its age", async () => {
  const page = await openStatus();
  await page.waitForRequest((request) => request.url().endsWith("/status/events"), { timeout: 20_000 });
  await page.getByText("live", { exact: true }).waitFor();
}, 40_000);

test.each<[string, Look]>([
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["390 pixels wide", { width: 390 }],
])(
  "%s: fits, and is accessible",
  async (_, look) => {
    const page = await openStatus(look);
    await page.getByRole("img", { name: /client calls gateway/ }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(look.width ?? 1280);
    const colour = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(colour).toBe(look.colorScheme === "dark" ? "rgb(14, 19, 24)" : "rgb(246, 248, 250)");
    expect(await violationsOf(watched)).toEqual([]);
  },
  60_000,
);

test("control: axe finds an image without a text", async () => {
  const page = await openStatus();
  await page.evaluate("document.querySelector('main').append(document.createElement('img'))");
  expect(JSON.stringify(await violationsOf(watched))).toContain("image-alt");
});
