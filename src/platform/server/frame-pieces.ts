/** A part of what a connection received, to be given to the HTTP/2 library at once. */
export interface Piece {
  readonly bytes: Buffer;
  /** The requests that it begins, and what else is as expensive. */
  readonly requests: number;
}

/** The requests of a piece. One that is refused at once takes about half a millisecond, with everything around it. */
const maximumRequests = 4;
/** What counts as much as beginning a request. Each byte of a header block can be a field. */
const asMuchAsRequest = { bodyBytes: 4 * 1024, headerBytes: 1024, otherFrames: 16 };

const [data, headers, continuation] = [0, 1, 9];
const headBytes = 9;
/** The preface of a client, before its first frame. */
const prefaceBytes = 24;

/**
 * Cuts the bytes of an HTTP/2 connection (RFC 9113, 4.1) into pieces that take a few milliseconds each, whatever is in their
 * frames: ten bytes can open a stream, and one byte of a header block can repeat a field of 4 KiB.
 */
export class FramePieces {
  /** The first bytes of a frame whose head is incomplete. */
  readonly #head = Buffer.alloc(headBytes);
  #headLength = 0;
  #type = data;
  /** The bytes of the current frame that have not been received. */
  #rest = prefaceBytes;

  /** Removes the first piece. @param received not empty */
  next(received: Buffer): Piece {
    let requests = 0;
    let at = 0;
    while (at < received.length && requests < maximumRequests) {
      if (this.#rest === 0) {
        at += this.#readHead(received.subarray(at));
        if (this.#headLength === headBytes) requests += this.#beginFrame();
        continue;
      }
      const costly = this.#type === headers || this.#type === continuation;
      const perRequest = costly ? asMuchAsRequest.headerBytes : asMuchAsRequest.bodyBytes;
      const most = Math.ceil((maximumRequests - requests) * perRequest);
      const length = Math.min(this.#rest, received.length - at, most);
      this.#rest -= length;
      at += length;
      requests += length / perRequest;
    }
    return { bytes: received.subarray(0, at), requests };
  }

  /** @returns the number of bytes of the head that were read */
  #readHead(received: Buffer): number {
    const length = received.copy(this.#head, this.#headLength);
    this.#headLength += length;
    return length;
  }

  /** @returns what the frame costs without its payload */
  #beginFrame(): number {
    this.#rest = this.#head.readUIntBE(0, 3);
    this.#type = this.#head[3] ?? data;
    this.#headLength = 0;
    return this.#type === headers ? 1 : 1 / asMuchAsRequest.otherFrames;
  }
}
