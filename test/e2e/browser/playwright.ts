/**
 * The part of Playwright that the tests use. It is installed when they run, so the compiler does not find its types.
 */
export interface Playwright {
  readonly chromium: {
    launch(options: { readonly executablePath: string; readonly args: readonly string[] }): Promise<Browser>;
  };
}

export interface Browser {
  newContext(options: {
    readonly viewport: { readonly width: number; readonly height: number };
    readonly colorScheme: "light" | "dark";
  }): Promise<Context>;
  close(): Promise<void>;
}

export interface Context {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

/** Finds elements, in the whole page or in an element. */
interface Finds {
  getByRole(role: string, options?: { readonly name: string | RegExp }): Locator;
  getByText(text: string, options?: { readonly exact: boolean }): Locator;
  getByPlaceholder(text: string): Locator;
  locator(selector: string, options?: { readonly has: Locator }): Locator;
}

export interface Locator extends Finds {
  all(): Promise<Locator[]>;
  first(): Locator;
  last(): Locator;
  waitFor(): Promise<void>;
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  innerText(): Promise<string>;
}

interface Sent {
  url(): string;
}

interface Received extends Sent {
  status(): number;
}

interface Printed {
  type(): string;
  text(): string;
}

export interface Page extends Finds {
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  context(): Context;
  goto(url: string): Promise<unknown>;
  setContent(html: string): Promise<void>;
  evaluate(expression: string): Promise<unknown>;
  exposeFunction(name: string, callback: (text: string) => void): Promise<unknown>;
  addInitScript(script: string): Promise<unknown>;
  waitForRequest(matches: (request: Sent) => boolean, options?: { readonly timeout: number }): Promise<Sent>;
  waitForResponse(matches: (response: Received) => boolean): Promise<Received>;
  on(event: "request", listener: (request: Sent) => void): unknown;
  on(event: "pageerror", listener: (error: Error) => void): unknown;
  on(event: "console", listener: (message: Printed) => void): unknown;
}
