import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** The files of a certificate and its key. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

interface Subject {
  /** As openssl writes it, such as `/O=system:nodes/CN=system:node:node`. */
  readonly subject: string;
  /** What a server is called, such as `DNS:localhost,IP:127.0.0.1`. */
  readonly names?: string;
  readonly days?: number;
}

const validFor = (days: number) => ["-days", String(days)];
const defaultDays = 30;
const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** The certificate authority of a cluster, with its files in a folder. */
export class CertificateAuthority implements Certificate {
  readonly certificate: string;
  readonly key: string;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.certificate = join(folder, "ca.crt");
    this.key = join(folder, "ca.key");
  }

  static async create(folder: string): Promise<CertificateAuthority> {
    const authority = new CertificateAuthority(folder);
    const files = ["-keyout", authority.key, "-out", authority.certificate];
    await execute("openssl", [
      "req",
      "-x509",
      ...newKey,
      ...validFor(defaultDays),
      "-subj",
      "/CN=kubernetes",
      ...files,
    ]);
    return authority;
  }

  /** @param name the name of the files */
  async issue(name: string, { subject, names, days = defaultDays }: Subject): Promise<Certificate> {
    const file = (ending: string) => join(this.#folder, `${name}.${ending}`);
    const [key, request, certificate, extensions] = [file("key"), file("csr"), file("crt"), file("ext")];
    await writeFile(
      extensions,
      `extendedKeyUsage = serverAuth, clientAuth\n${names === undefined ? "" : `subjectAltName = ${names}\n`}`,
    );
    await execute("openssl", ["req", "-new", ...newKey, "-subj", subject, "-keyout", key, "-out", request]);
    const authority = ["-CA", this.certificate, "-CAkey", this.key, "-CAcreateserial"];
    const files = ["-in", request, "-extfile", extensions, "-out", certificate];
    await execute("openssl", ["x509", "-req", ...validFor(days), ...authority, ...files]);
    return { certificate, key };
  }
}
