import { readFileSync } from "node:fs";

const DOCKERFILE = readFileSync(new URL("../../deploy/docker/Dockerfile", import.meta.url), "utf8");
const VARIABLE = /^ENV (\w+)=(\S+)$/gm;

/** The environment variables of the images, with which a program is measured as it runs in production. */
export const IMAGE_ENVIRONMENT: Readonly<Record<string, string>> = Object.fromEntries(
  [...DOCKERFILE.matchAll(VARIABLE)].map(([, name = "", value = ""]) => [name, value]),
);
