/** The supported part of `google.api.HttpRule`; messages generated from google/api/http.proto are compatible. */
export interface HttpRule {
  readonly pattern: HttpPattern;
  /** "" (no body), "*" (every field that the path does not bind) or the name of one field. */
  readonly body: string;
  /** "" (the whole reply) or the name of one field of it. */
  readonly responseBody: string;
  readonly additionalBindings: readonly HttpRule[];
}

export type HttpPattern =
  | { readonly case: "get" | "put" | "post" | "delete" | "patch"; readonly value: string }
  | { readonly case: "custom"; readonly value: { readonly kind: string; readonly path: string } }
  | { readonly case: undefined; readonly value?: undefined };
