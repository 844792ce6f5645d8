/** Returns the name of the file of a flame graph: `gateway-get-one.svg` of `gateway, GET one`. */
export const plotOf = (title: string): string => `${title.replaceAll(/\W+/g, "-").toLowerCase()}.svg`;
