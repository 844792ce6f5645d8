/**
 * Loaded into a program before its own code (`node --import`): writes a line for each module of OpenTelemetry's SDK
 * that it loads. Its API is loaded by prom-client, for exemplars.
 */
import { registerHooks } from "node:module";

registerHooks({
  load: (url, context, next) => {
    const [, name] = /\/@opentelemetry\/(?!api\/)(.*)$/.exec(url) ?? [];
    if (name !== undefined) process.stderr.write(`loaded ${name}\n`);
    return next(url, context);
  },
});
