/** Why there is no token. The message is one line for people, and contains no token. */
export class ExchangeFailure extends Error {
  override readonly name = "ExchangeFailure";
  /** Whether the token service refused the exchange: somebody has to change something before a retry can succeed. */
  readonly refused: boolean;
  /** The pause that the token service asked for. */
  readonly retryAfterMs: number;
  constructor(message: string, options: ErrorOptions & { readonly refused?: boolean; readonly retryAfterMs?: number }) {
    super(message, options);
    this.refused = options.refused ?? false;
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}
