import type { buildConnector } from "undici";
import { displayProxy, parseProxy, proxyFor, readProxySettings } from "./proxy-settings.ts";
import type { TunnelOptions, tunnelConnector as loadedConnector } from "./proxy-tunnel.ts";

type TunnelConnector = typeof loadedConnector;

/** The proxies of a process, or of a kubeconfig. The code of tunnels is loaded only where there is a proxy. */
export class Proxies {
  /** The proxy of a target, which may contain a password; undefined if the target is called directly. */
  readonly #route: (target: URL) => URL | undefined;
  readonly #tunnelConnector: TunnelConnector;

  private constructor(route: (target: URL) => URL | undefined, tunnelConnector: TunnelConnector) {
    this.#route = route;
    this.#tunnelConnector = tunnelConnector;
  }

  /**
   * The proxies that HTTPS_PROXY and HTTP_PROXY name, without the hosts of NO_PROXY; undefined if there are none.
   * @throws {InvalidProxyVariable}
   */
  static async fromEnvironment(env: Readonly<Record<string, string | undefined>>): Promise<Proxies | undefined> {
    const settings = readProxySettings(env);
    if (settings.https === undefined && settings.http === undefined) return undefined;
    const { tunnelConnector } = await import("./proxy-tunnel.ts");
    return new Proxies((target) => proxyFor(target, settings), tunnelConnector);
  }

  /** One proxy for every target. Undefined if the text is not the URL of an HTTP proxy. */
  static async forEveryTarget(proxy: string): Promise<Proxies | undefined> {
    const url = parseProxy(proxy);
    if (url === undefined) return undefined;
    const { tunnelConnector } = await import("./proxy-tunnel.ts");
    return new Proxies(() => url, tunnelConnector);
  }

  /** The proxy of a target, for logs: without user name and password. Undefined if the target is called directly. */
  displayFor(target: URL): string | undefined {
    const proxy = this.#route(target);
    return proxy === undefined ? undefined : displayProxy(proxy);
  }

  /** What connects to a target through its proxy, for undici's `connect`; undefined if the target is called directly. */
  connectorFor(target: URL, options: Omit<TunnelOptions, "proxy">): buildConnector.connector | undefined {
    const proxy = this.#route(target);
    return proxy === undefined ? undefined : this.#tunnelConnector({ ...options, proxy });
  }
}
