import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { FramePieces } from "./frame-pieces.ts";

/**
 * An HTTP/2 connection whose frames are received in pieces, each in a turn of its client. The HTTP/2 library otherwise reads up
 * to 2 MiB of each connection in one turn of the event loop, and begins every request of it before it serves another
 * connection.
 *
 * Assumption: nobody else reads or writes the socket.
 */
export class PacedConnection extends Duplex {
  readonly #socket: Socket;
  readonly #turn: (requests: number) => Promise<void> | undefined;
  readonly #pieces = new FramePieces();
  /** What was read from the socket and is not in a piece yet. */
  #received: Buffer | undefined;
  #isWanted = false;
  #isWaiting = false;
  #isEnded = false;

  /** @param turn resolves when a piece that begins a number of requests may be received; undefined for at once */
  constructor(socket: Socket, turn: (requests: number) => Promise<void> | undefined) {
    super({ writableHighWaterMark: socket.writableHighWaterMark });
    this.#socket = socket;
    this.#turn = turn;
    socket.on("readable", () => this.#receive());
    socket.once("end", () => {
      this.#isEnded = true;
      this.#receive();
    });
    socket.on("error", (error) => this.destroy(error));
    socket.once("close", () => this.destroy());
  }

  override _read(): void {
    this.#isWanted = true;
    this.#receive();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#socket.cork();
    for (const [n, { chunk }] of chunks.entries())
      this.#socket.write(chunk, n === chunks.length - 1 ? done : undefined);
    this.#socket.uncork();
  }

  override _final(done: () => void): void {
    this.#socket.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  #receive(): void {
    if (!this.#isWanted || this.#isWaiting || this.destroyed) return;
    const received: unknown = this.#received ?? this.#socket.read();
    if (!(received instanceof Buffer)) {
      if (this.#isEnded) this.push(null);
      return;
    }
    const { bytes, requests } = this.#pieces.next(received);
    this.#received = bytes.length < received.length ? received.subarray(bytes.length) : undefined;
    this.#isWaiting = true;
    const turn = this.#turn(requests);
    if (turn === undefined) this.#receivePiece(bytes);
    else void turn.then(() => this.#receivePiece(bytes));
  }

  #receivePiece(bytes: Buffer): void {
    if (this.destroyed) return;
    this.#isWanted = this.push(bytes);
    // The requests of the piece begin after this callback. The next piece waits for them, so that they count.
    setImmediate(() => {
      this.#isWaiting = false;
      this.#receive();
    });
  }
}
