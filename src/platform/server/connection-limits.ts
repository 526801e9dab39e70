import type { Socket } from "node:net";
import { Lease } from "../shares/lease.ts";
import { Pool } from "../shares/pool.ts";
import { addressShare, proxiesShares } from "../shares/share.ts";
import type { ClientAddresses } from "./client-address.ts";
import type { PortLimits } from "./port-limits.ts";

/**
 * Closes connections that exceed the limits as soon as they are accepted: the number of all connections, and the number of
 * those that are opening. Addresses share both; trusted proxies, which connect for many clients, have one share together.
 */
export class ConnectionLimits {
  readonly #addresses: ClientAddresses;
  readonly #connections: Pool;
  readonly #openings: Pool;
  readonly #abandonedTime: number;
  /** What opening connections hold, by the address and port of their peer. The socket of a TLS connection is another object. */
  readonly #opening = new Map<string, Lease>();

  constructor(
    { connections, openings, abandonedTime }: Pick<PortLimits, "connections" | "openings" | "abandonedTime">,
    addresses: ClientAddresses,
  ) {
    this.#addresses = addresses;
    this.#abandonedTime = abandonedTime;
    this.#connections = new Pool(connections);
    this.#openings = new Pool(openings);
  }

  /** Records that a connection has sent its first bytes, or completed its TLS handshake. */
  opened(socket: Socket): void {
    this.#endOpening(peerOf(socket));
  }

  /** Counts a connection until it is closed. @returns false, and closes it, if there are too many */
  admit(socket: Socket): boolean {
    const { remoteAddress } = socket;
    // The peer is gone already.
    if (remoteAddress === undefined) {
      socket.destroy();
      return false;
    }
    const shares = this.#addresses.isTrusted(remoteAddress)
      ? proxiesShares
      : [addressShare(this.#addresses.of(remoteAddress, {}))];
    const connection = Lease.take(this.#connections, shares);
    const opening = Lease.take(this.#openings, shares);
    if (connection === undefined || opening === undefined) {
      connection?.release();
      opening?.release();
      socket.destroy();
      return false;
    }
    const peer = peerOf(socket);
    this.#opening.set(peer, opening);
    socket.once("close", () => {
      connection.release();
      this.#abandon(peer);
    });
    return true;
  }

  /**
   * A client that sends the same first bytes again and again, and closes, computes nothing, while each handshake costs the
   * platform half a millisecond. New connections of everybody would wait behind its, of which the event loop accepts one a turn.
   */
  #abandon(peer: string): void {
    const opening = this.#opening.get(peer);
    if (opening === undefined) return;
    this.#opening.delete(peer);
    setTimeout(() => opening.release(), this.#abandonedTime).unref();
  }

  #endOpening(peer: string): void {
    this.#opening.get(peer)?.release();
    this.#opening.delete(peer);
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
