import type { HttpRequest } from "../server/http-handler.ts";

/**
 * Whether a request is a remote procedure call, and whether it streams. The content type of gRPC decides, so that a call of
 * an unknown method gets a gRPC response whatever its name. A Connect call has the content type of REST, so its path decides.
 */
export function kindOf({ url = "", headers }: HttpRequest): "http" | "rpc" | "stream" {
  if (isStreamPath(url)) return "stream";
  return isGrpcType(headers["content-type"]) || isGrpcPath(url) ? "rpc" : "http";
}

/** The types of gRPC and of gRPC-web. */
function isGrpcType(contentType: string | undefined): boolean {
  return contentType?.startsWith("application/grpc") ?? false;
}

/** Whether the path has the form `/package.Service/Method`. No REST path but `/.well-known` has a dot in its first segment. */
function isGrpcPath(path: string): boolean {
  return /^\/[a-zA-Z]\w*(\.\w+)+\/\w+$/.test(path);
}

/** Whether the method streams. Only methods of the standard services do. */
function isStreamPath(path: string): boolean {
  return path === "/grpc.health.v1.Health/Watch" || path.startsWith("/grpc.reflection.");
}
