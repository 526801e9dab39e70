import { describe, expect, it } from "vitest";
import { type Piece, FramePieces } from "./frame-pieces.ts";

const types = { data: 0, headers: 1, reset: 3, continuation: 9 } as const;

function frame(type: keyof typeof types, length: number): Buffer {
  const bytes = Buffer.alloc(9 + length, type[0]);
  bytes.writeUIntBE(length, 0, 3);
  bytes[3] = types[type];
  return bytes;
}

/** What an opened connection is cut into, when it is received in chunks of a size. */
function cut(frames: readonly Buffer[], chunk = Number.POSITIVE_INFINITY): Piece[] {
  const cutter = new FramePieces();
  cutter.next(Buffer.alloc(24));
  const all = Buffer.concat(frames);
  const pieces: Piece[] = [];
  for (let start = 0; start < all.length; start += chunk)
    for (let rest = all.subarray(start, start + chunk); rest.length > 0; ) {
      const piece = cutter.next(rest);
      rest = rest.subarray(piece.bytes.length);
      pieces.push(piece);
    }
  expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).equals(all)).toBe(true);
  return pieces;
}

const most = (pieces: readonly Piece[]) => Math.max(...pieces.map(({ bytes }) => bytes.length));

describe("FramePieces", () => {
  it("begin at most four requests each", () => {
    const request = [frame("headers", 20), frame("data", 5)];
    const pieces = cut(Array.from({ length: 100 }, () => request).flat());
    expect(pieces.length).toBeGreaterThanOrEqual(25);
    expect(most(pieces)).toBeLessThan(5 * Buffer.concat(request).length);
  });

  it("have few bytes of a header block, in the frames that continue it too", () => {
    expect(most(cut([frame("headers", 16_000)]))).toBeLessThanOrEqual(4_096);
    expect(
      most(cut([frame("headers", 1), ...Array.from({ length: 50 }, () => frame("continuation", 16_000))])),
    ).toBeLessThanOrEqual(4_200);
  });

  it("have a frame of a body as a whole", () => {
    expect(cut([frame("data", 16_000)])).toHaveLength(1);
  });

  it("have few frames that are empty", () => {
    const pieces = cut(Array.from({ length: 1_000 }, () => frame("reset", 4)));
    expect(most(pieces)).toBeLessThan(70 * 13);
  });

  it("do not depend on where chunks end", () => {
    const frames = Array.from({ length: 40 }, (_, n) => [frame("headers", n), frame("data", 100 * n)]).flat();
    for (const size of [1, 2, 8, 9, 10, 700]) {
      const begun = cut(frames, size).reduce((sum, { requests }) => sum + requests, 0);
      expect(begun).toBeCloseTo(cut(frames).reduce((sum, { requests }) => sum + requests, 0));
    }
  });
});
