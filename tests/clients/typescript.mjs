// The TypeScript SDK's client against a gitmail server; prints one line of JSON.
// Arguments: JSON of {era, url, token} or {era, command, args, cwd}, and {project, me, to}.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const asked = JSON.parse(process.argv[2]);
const find = createRequire(`${process.cwd()}/package.json`);
const load = (name) => import(pathToFileURL(find.resolve(name)).href);
const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");

const mode = asked.era === "modern" ? { pin: "2026-07-28" } : "legacy";
const client = new Client(
  { name: "gitmail-tests", version: "1" },
  asked.era === "default" ? {} : { versionNegotiation: { mode } },
);
const transport = asked.url
  ? new StreamableHTTPClientTransport(new URL(asked.url), {
      requestInit: { headers: { Authorization: `Bearer ${asked.token}` } },
    })
  : new StdioClientTransport({
      command: asked.command,
      args: asked.args,
      cwd: asked.cwd,
      env: asked.env,
    });
await client.connect(transport);

const call = (name, given) => client.callTool({ name, arguments: given });
const key = { project_key: asked.project };
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const sent = await call("send_message", {
  ...key, sender_name: asked.me, to: [asked.to], subject: "From TypeScript", body_md: "Grüße ☃",
});
const refused = await call("fetch_inbox", { ...key, agent_name: asked.to });
const mine = await call("fetch_inbox", { ...key, agent_name: asked.me, include_bodies: true });
const agents = await client.readResource({ uri: "gitmail://agents" });
console.log(JSON.stringify({
  tools,
  sent: sent.structuredContent,
  refused: { isError: refused.isError, ...refused.structuredContent },
  inbox: mine.structuredContent,
  agents: JSON.parse(agents.contents[0].text),
}));
await client.close();
