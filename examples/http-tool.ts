import { createServer } from "node:http";
import { defineAgent, defineTool, ToolHttpError, toolSuccess } from "dragoman";
import { AddressGuard, guardedFetch, HttpClient, httpClientFor } from "dragoman/http";
import * as z from "zod";

// Stands for an API of orders.
const server = createServer(({ method, url }, response) => {
  console.log("the server saw", method, url);
  const isKnown = url?.startsWith("/v1/orders/7") ?? false;
  response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" });
  response.end(isKnown ? '{"id":"7","state":"shipped"}' : '{"error":"no such order"}');
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as { port: number };
const ordersUrl = `http://127.0.0.1:${port}/v1`;

const orderState = defineTool({
  name: "order_state",
  description: "Look up the state of an order by its id.",
  inputSchema: z.object({ id: z.string() }),
  async execute({ id }, call) {
    const orders = httpClientFor(call, { baseUrl: ordersUrl });
    const response = await orders.get(`orders/${encodeURIComponent(id)}`, {
      query: { fields: "state" },
      headers: { accept: "application/json" },
    });
    return response.json();
  },
});

const agent = defineAgent({ name: "desk", model: "offline", tools: [orderState] });
console.log((await agent.ask('Look up the order state of id "7".')).text);

const client = new HttpClient({
  baseUrl: ordersUrl,
  headers: { "x-api-key": "k-123" },
  options: {
    readTimeoutMs: 60_000,
    retry: { attempts: 3 },
    instrumentor: (event) => event.kind === "request-end" && console.log(event.url, event.status),
  },
});
await client.get("orders/7", { query: { fields: ["state", "id"] } });

const orderOrNothing = async (id: string) => {
  try {
    return toolSuccess((await client.get(`orders/${id}`)).json());
  } catch (error) {
    if (ToolHttpError.is(error) && error.response.status === 404) {
      return toolSuccess(null);
    }
    throw error; // the model reads what the message says
  }
};
console.log(await orderOrNothing("8"));

const inside = guardedFetch({ method: "GET", url: "http://169.254.169.254/latest/meta-data" });
await inside.catch((error: Error) => console.log(error.message));

const guard = new AddressGuard({ allow: [{ host: "127.0.0.1", port }] });
const page = await guardedFetch({ method: "GET", url: `${ordersUrl}/orders/7`, guard });
console.log(await page.text());

server.close();
