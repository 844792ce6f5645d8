import { existsSync } from "node:fs";
import { importFrom, installPackages } from "@cloud/testkit/packages";
import type { Browser, Page, Playwright } from "./playwright.ts";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/opt/google/chrome/chrome",
];

/** Installs what drives and examines the browser; returns the folder. */
export const installBrowserPackages = () => installPackages(new URL("packages/", import.meta.url));

/** Starts the machine's Chromium, or that of `CHROMIUM`. @throws Error if there is none */
export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"] ?? PLACES.find((place) => existsSync(place));
  if (executablePath === undefined) {
    throw new Error("no Chromium: `apt-get install chromium`, or set CHROMIUM to the path of one");
  }
  // Containers run as root, for whom Chromium has no sandbox; the only page is the gateway's own.
  const { chromium } = await importFrom<Playwright>(await installBrowserPackages(), "playwright-core");
  return await chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** A page, and the effects that it had besides showing itself. */
export interface Watched {
  readonly page: Page;
  /** The origins of all requests. */
  readonly origins: Set<string>;
  /** Directive and blocked resource of each violation of the content security policy. */
  readonly violations: string[];
  readonly errors: string[];
}

export interface Look {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
}

/** Opens a page of its own, without cookies or storage, and watches it from its first request on. */
export async function openPage(browser: Browser, { width = 1280, colorScheme = "light" }: Look = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const watched: Watched = { page, origins: new Set(), violations: [], errors: [] };
  page.on("request", (request) => {
    if (/^https?:/.test(request.url())) watched.origins.add(new URL(request.url()).origin);
  });
  page.on("pageerror", (error) => watched.errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") watched.errors.push(message.text());
  });
  await page.exposeFunction("reportViolation", (text: string) => watched.violations.push(text));
  await page.addInitScript(
    'addEventListener("securitypolicyviolation", (e) => reportViolation(e.violatedDirective + " " + e.blockedURI))',
  );
  return watched;
}
