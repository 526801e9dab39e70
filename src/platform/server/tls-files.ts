import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { createSecureContext } from "node:tls";
import type { Logger } from "pino";

/** A certificate with those that vouch for it, and its key, both in PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

export interface TlsFilesOptions {
  readonly certificate: string;
  readonly key: string;
  /** How often the files are looked at (ms). Looking finds what notices miss: links that move, as in Kubernetes. */
  readonly interval?: number;
}

/** The files of a certificate and its key, read again when they change: certificates live for weeks, connections too. */
export class TlsFiles {
  readonly #options: TlsFilesOptions;
  readonly #log: Logger;
  #current: Certificate;

  /** @throws Error where the files cannot be read or do not belong together */
  constructor(options: TlsFilesOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#current = this.#read();
  }

  get current(): Certificate {
    return this.#current;
  }

  /** Tells of each new pair that belongs together; until then the old one stays. @returns how to stop */
  watch(onChange: (certificate: Certificate) => void): () => void {
    const { certificate, key, interval = 5_000 } = this.#options;
    const look = () => {
      try {
        const next = this.#read();
        if (next.certificate === this.#current.certificate && next.key === this.#current.key) return;
        this.#current = next;
        onChange(next);
        this.#log.info({ certificate }, "the certificate was read again");
      } catch (error) {
        // One of the two files may be written before the other: the next look finds both.
        this.#log.warn({ err: error, certificate }, "the new certificate cannot be used; the old one stays");
      }
    };
    for (const file of [certificate, key]) watchFile(file, { interval, persistent: false }, look);
    return () => {
      for (const file of [certificate, key]) unwatchFile(file, look);
    };
  }

  #read(): Certificate {
    const certificate = readFileSync(this.#options.certificate, "utf8");
    const key = readFileSync(this.#options.key, "utf8");
    try {
      belongTogether(certificate, key);
    } catch (cause) {
      throw new Error(
        `${this.#options.certificate} and ${this.#options.key} are not a certificate and its key, both in PEM`,
        { cause },
      );
    }
    return { certificate, key };
  }
}

/** @throws Error where they do not; TLS by itself takes an empty text for none, and would then refuse every client. */
function belongTogether(certificate: string, key: string): void {
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    throw new Error("the key is another certificate's");
  createSecureContext({ cert: certificate, key });
}
