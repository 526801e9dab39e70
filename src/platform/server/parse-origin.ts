const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * The origin of pages, as browsers send it in the header Origin.
 * @throws Error that names what to write instead
 */
export function parseOrigin(text: string): string {
  if (text.includes("*") || text === "null")
    throw new Error(`"${text}" is not one origin: name each origin, such as https://console.example.com`);
  const url = URL.parse(text);
  if (url === null || !["https:", "http:"].includes(url.protocol))
    throw new Error(`"${text}" is not an origin, such as https://console.example.com`);
  if (url.protocol === "http:" && !loopback.test(url.hostname))
    throw new Error(`"${text}" must use https, because anybody on the network can change a page that http delivers`);
  if (url.origin !== text) throw new Error(`"${text}" is not an origin as browsers send it: write "${url.origin}"`);
  return text;
}
