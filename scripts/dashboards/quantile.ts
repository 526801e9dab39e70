import type { Query } from "./dashboard.ts";

/**
 * PromQL of a quantile of a histogram, from the events of the last interval of the graph.
 * @param share from 0 to 1 @param labels by which the series are separated
 */
export function quantile(share: number, histogram: string, ...labels: readonly string[]): string {
  return `histogram_quantile(${share}, sum by (${["le", ...labels].join(", ")}) (rate(${histogram}_bucket[$__rate_interval])))`;
}

/** The median, and what 90 and 99 % stay within. */
export function percentiles(histogram: string): Query[] {
  return [0.5, 0.9, 0.99].map((share) => ({ expr: quantile(share, histogram), legend: `p${share * 100}` }));
}
