import { generateKeyPairSync, sign } from "node:crypto";

/**
 * A self-signed certificate for 127.0.0.1 and the names. Node can parse X.509 but not create it, hence the DER below.
 * It expires in 2049 by default.
 */
export function selfSignedCertificate({
  names = ["localhost"],
  notAfter = new Date("2049-01-01T00:00:00Z"),
}: {
  readonly names?: readonly string[];
  readonly notAfter?: Date;
} = {}): {
  readonly key: string;
  readonly certificate: string;
} {
  // YYMMDDHHMMSSZ
  const expiry = `${notAfter.toISOString().slice(2, 19).replaceAll(/[-T:]/g, "")}Z`;
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signatureAlgorithm = sequence(oid("2a8648ce3d040302"));
  const name = sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from("test")))));
  const extensions = sequence(
    sequence(oid("551d13"), der(0x01, Buffer.from([0xff])), der(0x04, sequence(der(0x01, Buffer.from([0xff]))))),
    sequence(
      oid("551d11"),
      der(0x04, sequence(der(0x87, Buffer.from([127, 0, 0, 1])), ...names.map((one) => der(0x82, Buffer.from(one))))),
    ),
  );
  const toBeSigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    signatureAlgorithm,
    name,
    sequence(der(0x17, Buffer.from("200101000000Z")), der(0x17, Buffer.from(expiry))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, extensions),
  );
  const signature = sign("sha256", toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, signatureAlgorithm, der(0x03, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}
