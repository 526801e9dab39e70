// Lists the repos of the platform, without packages: node list-repos.mjs
// For MUSTER_PLATFORM_CA, set NODE_EXTRA_CA_CERTS to the same file: Node.js reads it when it starts.
import { readFile } from "node:fs/promises";

/** The agent renews the file, so it is read before each request. */
async function request(path, attempts = 2) {
  const token = (await readFile(process.env.MUSTER_TOKEN_FILE, "utf8")).trim();
  const response = await fetch(process.env.MUSTER_PLATFORM_URL + path, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (response.status === 401 && attempts > 1) return request(path, attempts - 1);
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  return response.json();
}

const { repos } = await request("/registry/v2beta1/repos");
for (const { name } of repos) process.stdout.write(`${name}\n`);
