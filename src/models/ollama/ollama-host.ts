/** Where Ollama listens by default. */
export const localOllama = "http://localhost:11434";

/**
 * Where an Ollama server is. As Ollama's own programs have it, the scheme may be missing (then it is
 * http, and the port 11434), and a server that listens everywhere is asked on this machine.
 */
export function toOllamaUrl(host: string | URL | undefined): URL | string {
  if (typeof host !== "string" || host === "") {
    return host || localOllama;
  }
  const hasScheme = host.includes("://");
  const url = URL.parse(hasScheme ? host : `http://${host}`);
  if (url === null) {
    return host; // which is refused, with a message that names the option
  }
  if (!hasScheme && url.port === "" && !/:80(?:$|\/)/.test(host)) {
    url.port = "11434";
  }
  if (url.hostname === "0.0.0.0" || url.hostname === "[::]") {
    url.hostname = "localhost";
  }
  return url;
}
