import type { Dispatcher } from "undici";
import type { Clock } from "#src/time/clock.ts";

export interface HttpResponse {
  readonly status: number;
  /** The Retry-After header, as it was sent. */
  readonly retryAfter: string | string[] | undefined;
  readonly text: string;
}

export interface SendOptions {
  readonly clock: Clock;
  /** The time limit in milliseconds, from the call to the last byte of the response. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Called just before the request is sent, after it has waited for a connection. An error that it throws ends the call. */
  readonly beforeSending?: () => void;
}

/**
 * Sends one request and reads the whole response, on the connections of a dispatcher: what the operator sends, thousands of requests
 * at a time. What runs in pods, and short commands, use `HttpClient`. It uses undici's handlers, because its streams and abort signals
 * would take most of the CPU time of a request.
 * @throws the reason of `signal`, the error of `beforeSending`, or an Error if there is no complete response in time
 */
export function sendRequest(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { clock, deadlineMs, signal, beforeSending }: SendOptions,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    let controller: Dispatcher.DispatchController | undefined;
    let ended = false;
    let status = 0;
    let retryAfter: HttpResponse["retryAfter"];
    const chunks: Buffer[] = [];
    const end = () => {
      ended = true;
      cancelDeadline();
      signal.removeEventListener("abort", abort);
    };
    const fail = (reason: unknown) => {
      if (ended) return;
      end();
      controller?.abort(new Error("the call has ended"));
      reject(reason);
    };
    const abort = () => fail(signal.reason);
    const cancelDeadline = clock.setTimer(() => fail(new Error(`no response within ${deadlineMs} ms`)), deadlineMs);
    signal.addEventListener("abort", abort, { once: true });
    dispatcher.dispatch(request, {
      onRequestStart: (started) => {
        controller = started;
        try {
          if (!ended) beforeSending?.();
        } catch (error) {
          fail(error);
        }
        // The call ended while it waited for a connection: the request is not sent.
        if (ended) started.abort(new Error("the call has ended"));
      },
      onResponseStart: (_, statusCode, headers) => {
        status = statusCode;
        retryAfter = headers["retry-after"];
      },
      onResponseData: (_, chunk) => {
        chunks.push(chunk);
      },
      onResponseEnd: () => {
        if (ended) return;
        end();
        const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
        resolve({ status, retryAfter, text: bytes.toString("utf8") });
      },
      onResponseError: (_, error) => fail(error),
    });
  });
}
