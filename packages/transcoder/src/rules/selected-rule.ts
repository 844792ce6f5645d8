/** A rule in the JSON of `google.api.HttpRule`, whose names may also be spelled as in proto: `response_body`. */
export interface RuleJson {
  readonly get?: string;
  readonly put?: string;
  readonly post?: string;
  readonly delete?: string;
  readonly patch?: string;
  readonly custom?: { readonly kind: string; readonly path: string };
  readonly body?: string;
  readonly responseBody?: string;
  readonly additionalBindings?: readonly RuleJson[];
}

/**
 * A rule for the methods that it selects: an item of `http.rules` in a service configuration (google.api.Service). The
 * selector is a list of patterns, separated by commas: the full name of a method, such as
 * `library.v1.LibraryService.GetBook`, or the beginning of one with `*` in place of one or more last components.
 */
export interface SelectedRule extends RuleJson {
  readonly selector: string;
}
