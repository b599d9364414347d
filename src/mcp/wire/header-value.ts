/**
 * A text as the value of an HTTP header (MCP 2026-07-28, basic/transports/streamable-http, value
 * encoding): as it is where it is plain ASCII without spaces around it, else in Base64 with marks.
 */
export function encodeHeaderValue(text: string): string {
  const isPlain = /^(?:[!-~](?:[ -~]*[!-~])?)?$/.test(text);
  const looksEncoded = text.startsWith("=?base64?") && text.endsWith("?=");
  return isPlain && !looksEncoded ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
