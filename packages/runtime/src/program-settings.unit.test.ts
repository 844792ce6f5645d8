import { describe, expect, test } from "@jest/globals";
import { tracingOptions, tracingSettings } from "./program-settings.ts";
import { readConfig } from "./settings/settings.ts";

const optionsOf = (env: Record<string, string>) => tracingOptions(readConfig(tracingSettings(), env), "workspace");
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };

describe("tracing", () => {
  test.each([
    [{}],
    [{ OTEL_SERVICE_NAME: "x" }],
    [{ ...ENDPOINT, OTEL_SDK_DISABLED: "True" }],
    [{ ...ENDPOINT, OTEL_TRACES_EXPORTER: "none" }],
  ])("is off with %j", (env) => {
    expect(optionsOf(env)).toBeUndefined();
  });

  test.each([
    [ENDPOINT],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://collector/v1/traces" }],
    [{ OTEL_TRACES_EXPORTER: "otlp" }],
    [{ ...ENDPOINT, OTEL_SDK_DISABLED: "false" }],
  ])("is on with %j", (env) => {
    expect(optionsOf(env)).toEqual({
      serviceName: "workspace",
      resource: {},
      sampler: "parentbased_always_on",
      ratio: 1,
      protocol: "http/protobuf",
      batches: {
        scheduledDelayMillis: 5_000,
        exportTimeoutMillis: 30_000,
        maxQueueSize: 2_048,
        maxExportBatchSize: 512,
      },
    });
  });
});

test("names, attributes, sampler and protocol follow the specification", () => {
  const options = optionsOf({
    ...ENDPOINT,
    OTEL_SERVICE_NAME: "api",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=a%2Cb, service.version=2",
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/json",
    OTEL_BSP_MAX_QUEUE_SIZE: "100",
  });
  expect(options).toMatchObject({
    serviceName: "api",
    resource: { "deployment.environment.name": "a,b", "service.version": "2" },
    sampler: "parentbased_traceidratio",
    ratio: 0.25,
    protocol: "http/json",
    batches: { maxQueueSize: 100, maxExportBatchSize: 100 },
  });
});

test("bad values are reported with what is accepted, all together", () => {
  const bad = {
    OTEL_SDK_DISABLED: "yes",
    OTEL_TRACES_EXPORTER: "zipkin",
    OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_RESOURCE_ATTRIBUTES: "a=%zz",
    OTEL_PROPAGATORS: "b3",
    OTEL_TRACES_SAMPLER: "jaeger_remote",
    OTEL_TRACES_SAMPLER_ARG: "2",
    OTEL_BSP_MAX_QUEUE_SIZE: "0",
  };
  expect(() => optionsOf(bad)).toThrow(
    [
      "the configuration is not usable:",
      "OTEL_SDK_DISABLED: must be true or false",
      "OTEL_TRACES_EXPORTER: must be otlp or none",
      "OTEL_EXPORTER_OTLP_ENDPOINT: must be a URL that starts with http:// or https://",
      "OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf or http/json",
      "OTEL_RESOURCE_ATTRIBUTES: must be key=value pairs, percent-encoded and separated by commas",
      "OTEL_PROPAGATORS: must be tracecontext",
      "OTEL_TRACES_SAMPLER: must be one of always_on, always_off, traceidratio, parentbased_always_on, parentbased_always_off, parentbased_traceidratio",
      "OTEL_TRACES_SAMPLER_ARG: must be 0 to 1",
      "OTEL_BSP_MAX_QUEUE_SIZE: must be a whole number from 1 to 65536",
    ].join("\n  "),
  );
});
