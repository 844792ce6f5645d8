/** A query and the name of its lines in the legend, in which `{{label}}` stands for a value. */
export type Query = readonly [expr: string, legend: string];

export interface PanelOptions {
  readonly title: string;
  /** The text for an operator: what the panel shows, and when to worry. */
  readonly description: string;
  /** The unit by its id in Grafana. */
  readonly unit: "reqps" | "s" | "short" | "percentunit" | "bytes" | "cps";
  readonly queries: readonly Query[];
  /** A line drawn at this value. */
  readonly threshold?: number;
  readonly type?: "timeseries" | "stat";
}

export interface Row {
  readonly title: string;
  readonly panels: readonly PanelOptions[];
}

/** A dashboard as Grafana imports it: the parts that differ from its defaults. */
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly panels: readonly object[];
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: the name of a variable of Grafana.
const SOURCE = { type: "prometheus", uid: "${datasource}" };
const WIDTH = 24;
const HEIGHT = 8;

/** Lays rows of panels out, each row over the whole width. */
export function dashboard(
  { uid, title, description }: Pick<Dashboard, "uid" | "title" | "description">,
  rows: readonly Row[],
): Dashboard {
  let id = 0;
  let y = 0;
  const panels = rows.flatMap((row) => {
    const heading = {
      id: ++id,
      type: "row",
      title: row.title,
      collapsed: false,
      gridPos: { x: 0, y: y++, w: WIDTH, h: 1 },
      panels: [],
    };
    const w = WIDTH / row.panels.length;
    const laid = row.panels.map((options, index) => ({
      id: ++id,
      ...panel(options),
      gridPos: { x: index * w, y, w, h: HEIGHT },
    }));
    y += HEIGHT;
    return [heading, ...laid];
  });
  return Object.assign(
    { uid, title, description, panels },
    {
      tags: ["cloud"],
      editable: true,
      schemaVersion: 39,
      version: 1,
      timezone: "browser",
      refresh: "10s",
      time: { from: "now-1h", to: "now" },
      templating: { list: [{ name: "datasource", type: "datasource", query: "prometheus", label: "Data source" }] },
    },
  );
}

function panel({ title, description, unit, queries, threshold, type = "timeseries" }: PanelOptions) {
  const steps = [
    { color: "green", value: null },
    ...(threshold === undefined ? [] : [{ color: "red", value: threshold }]),
  ];
  return {
    type,
    title,
    description,
    datasource: SOURCE,
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        thresholds: { mode: "absolute", steps },
        ...(type === "timeseries" && {
          custom: {
            fillOpacity: 10,
            lineWidth: 1,
            thresholdsStyle: { mode: threshold === undefined ? "off" : "line" },
          },
        }),
      },
      overrides: [],
    },
    options:
      type === "stat"
        ? { colorMode: "background", reduceOptions: { calcs: ["lastNotNull"] } }
        : { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
    targets: queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode("A".charCodeAt(0) + index),
      datasource: SOURCE,
      expr,
      legendFormat,
    })),
  };
}
