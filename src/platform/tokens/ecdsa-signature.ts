/**
 * An ECDSA signature as OpenSSL has it: the DER of its two numbers, not the numbers themselves (RFC 7518, 3.4). Node can convert both
 * (`dsaEncoding`), but to sign then takes twice as long.
 * @param signature two numbers of equal size, of at most 66 bytes each
 */
export function derOfSignature(signature: Uint8Array): Buffer {
  const size = signature.length / 2;
  const numbers = Buffer.concat([integer(signature.subarray(0, size)), integer(signature.subarray(size))]);
  const length = numbers.length < 0x80 ? [numbers.length] : [0x81, numbers.length];
  return Buffer.concat([Buffer.of(0x30, ...length), numbers]);
}

/** The signature with this DER. @param size of each of its numbers (bytes), at most 32 */
export function signatureOfDer(der: Buffer, size: number): Buffer {
  const signature = Buffer.alloc(2 * size);
  // Each number has a tag and a length. It has no zeros at its start, except for one if it would be negative without it.
  let start = 2;
  for (const end of [size, 2 * size]) {
    const next = start + 2 + (der[start + 1] ?? 0);
    const bytes = der.subarray(Math.max(start + 2, next - size), next);
    signature.set(bytes, end - bytes.length);
    start = next;
  }
  return signature;
}

/** The DER of a number that is not negative: with as few bytes as possible, of which the first one is less than 128. */
function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const least = bytes.subarray(first < 0 ? bytes.length - 1 : first);
  const sign = (least[0] ?? 0) < 0x80 ? [] : [0];
  return Buffer.of(0x02, sign.length + least.length, ...sign, ...least);
}
