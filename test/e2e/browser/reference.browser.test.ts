import { type OwnTestStack, startTestStack } from "@cloud/local-stack/test-stack";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type Look, openPage, startBrowser, type Watched } from "./browser.ts";
import type { Browser } from "./playwright.ts";

let stack: OwnTestStack;
let browser: Browser;
let watched: Watched;

beforeAll(async () => {
  stack = await startTestStack();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await stack?.stop();
});

async function openReference(look?: Look) {
  watched = await openPage(browser, look);
  const { page } = watched;
  await page.goto(stack.demo.gateway + "/api/docs");
  await page.getByRole("heading", { name: "Cloud management API" }).waitFor();
  return page;
}

// Scalar tries whether it may compile the validators of its schemas, and interprets them as it may not.
const KNOWN_VIOLATION = "script-src eval";

afterEach(async () => {
  expect([...watched.origins]).toEqual([stack.demo.gateway]);
  expect(watched.violations.filter((violation) => violation !== KNOWN_VIOLATION)).toEqual([]);
  expect(watched.errors).toEqual([]);
  await watched.page.context().close();
});

describe("/api/docs", () => {
  test("finds an operation by another word for it", async () => {
    const page = await openReference();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("attach environment");
    const [first] = await page.getByRole("option").all();
    await expect(first?.innerText()).resolves.toContain("Assign environment");
    await first?.click();
    await page.getByRole("heading", { name: "Assign environment" }).waitFor();
  });

  test("sends a request with a pasted token, and keeps the token nowhere", async () => {
    const page = await openReference();
    const token = stack.demo.users["orgAdmin"]?.token ?? "";
    await page.getByPlaceholder("Token").fill(token);
    await page.goto(stack.demo.gateway + "/api/docs#tag/user/GET/api/identity/users/profile");
    const operation = page.locator("section", { has: page.getByRole("heading", { name: "Get profile" }) }).last();
    await operation.getByRole("button", { name: /Test Request/ }).click();
    const replied = page.waitForResponse((response) => response.url().endsWith("/api/identity/users/profile"));
    await page.getByRole("button", { name: /^Send/ }).first().click();
    expect((await replied).status()).toBe(200);
    await page.getByText("200 OK").first().waitFor();
    const stored = await page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])");
    expect(stored).not.toContain(token);
  });

  test.each<[string, Look]>([
    ["dark", { colorScheme: "dark" }],
    ["390 pixels wide", { width: 390 }],
    ["390 pixels wide, dark", { width: 390, colorScheme: "dark" }],
  ])("%s", async (_, look) => {
    const page = await openReference(look);
    const colour = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(colour).toBe(look.colorScheme === "dark" ? "rgb(15, 15, 15)" : "rgb(255, 255, 255)");
    const { width = 1280 } = look;
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
  });
});
