import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { createSecureContext } from "node:tls";
import type { Logger } from "pino";

/** A certificate chain and its private key, both in PEM. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

export interface TlsFilesOptions {
  readonly certificate: string;
  readonly key: string;
  /** The polling interval (ms). Unlike file system events, polling detects changed symlinks, as in Kubernetes volumes. */
  readonly interval?: number;
}

/** The files of a certificate and its key. They are read again when they change, so that renewal needs no restart. */
export class TlsFiles {
  readonly #options: TlsFilesOptions;
  readonly #log: Logger;
  #current: Certificate;

  /** @throws Error if the files cannot be read or the key does not match the certificate */
  constructor(options: TlsFilesOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
    this.#current = this.#read();
  }

  get current(): Certificate {
    return this.#current;
  }

  /** When the certificate in use expires, in milliseconds since the epoch. */
  get expiresAt(): number {
    return new X509Certificate(this.#current.certificate).validToDate.getTime();
  }

  /** Calls back for each new certificate with a matching key. @returns a function that stops watching */
  watch(onChange: (certificate: Certificate) => void): () => void {
    const { certificate, key, interval = 5_000 } = this.#options;
    const check = () => {
      try {
        const next = this.#read();
        if (next.certificate === this.#current.certificate && next.key === this.#current.key) return;
        this.#current = next;
        onChange(next);
        this.#log.info({ certificate }, "certificate reloaded");
      } catch (error) {
        // The two files may be written one after the other. The next check succeeds.
        this.#log.warn({ err: error, certificate }, "the new certificate is invalid; the old one stays in use");
      }
    };
    for (const file of [certificate, key]) watchFile(file, { interval, persistent: false }, check);
    return () => {
      for (const file of [certificate, key]) unwatchFile(file, check);
    };
  }

  #read(): Certificate {
    const certificate = readFileSync(this.#options.certificate, "utf8");
    const key = readFileSync(this.#options.key, "utf8");
    try {
      checkPair(certificate, key);
    } catch (cause) {
      throw new Error(
        `${this.#options.certificate} and ${this.#options.key} are not a certificate and its key, both in PEM`,
        { cause },
      );
    }
    return { certificate, key };
  }
}

/** Requires a valid pair. TLS itself accepts empty files, and then rejects every client. @throws Error */
function checkPair(certificate: string, key: string): void {
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    throw new Error("the key does not match the certificate");
  createSecureContext({ cert: certificate, key });
}
