import type { HttpRequest } from "../server/http-handler.ts";

/**
 * Tells remote procedure calls, and those that stream, from other requests. A path of the form of a method decides; a call of
 * a method with another name, which is unknown, has the content type of gRPC and no path of REST.
 * @param isRestPath whether the REST API serves POST on a path without a query
 */
export function kindOfRequest(isRestPath: (path: string) => boolean) {
  return ({ url = "", method, headers }: HttpRequest): "http" | "rpc" | "stream" => {
    if (isStreamPath(url)) return "stream";
    if (isGrpcPath(url)) return "rpc";
    if (method !== "POST" || !isGrpcType(headers["content-type"])) return "http";
    return isRestPath(url.replace(/\?.*$/s, "")) ? "http" : "rpc";
  };
}

/** The types of gRPC and of gRPC-web. */
function isGrpcType(contentType: string | undefined): boolean {
  return contentType?.startsWith("application/grpc") ?? false;
}

/** Whether the path has the form `/package.Service/Method`. No REST path but `/.well-known` has a dot in its first segment. */
export function isGrpcPath(path: string): boolean {
  return /^\/[a-zA-Z]\w*(\.\w+)+\/\w+$/.test(path);
}

/** Whether the method streams. Only methods of the standard services do. */
function isStreamPath(path: string): boolean {
  return path === "/grpc.health.v1.Health/Watch" || path.startsWith("/grpc.reflection.");
}
