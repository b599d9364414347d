// `npm start`: an agent answers a question about this project's docs through a real MCP server,
// without a key and without a network. `npm start -- run --help` reaches the command line itself.
import { fileURLToPath } from "node:url";
import { commandNames, runCli } from "../src/cli/run-cli.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const fileServer = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
);
const defaultQuestion = "Which files are in the docs folder?";

/** The command line that a person's words stand for. */
function toArguments(words: readonly string[]): readonly string[] {
  const [first] = words;
  if (first !== undefined && [...commandNames(), "help"].includes(first)) {
    return words;
  }
  const question = first === undefined || first.startsWith("-") ? [defaultQuestion] : [];
  const server = `"${process.execPath}" "${fileServer}" "${root}docs"`;
  const model = asksForModel(words) ? [] : ["--model", "offline"];
  return ["run", ...question, ...words, "--server", server, ...model];
}

/** Keys and hosts of this machine stay out of it, unless a model is asked for. */
function environment(words: readonly string[]): NodeJS.ProcessEnv {
  if (asksForModel(words)) {
    return process.env;
  }
  const {
    GOOGLE_API_KEY: _1,
    GEMINI_API_KEY: _2,
    OPENAI_API_KEY: _3,
    OLLAMA_HOST: _4,
    ...rest
  } = process.env;
  return rest;
}

function asksForModel(words: readonly string[]): boolean {
  return words.some((word) => word === "--model" || word.startsWith("--model="));
}

const controller = new AbortController();
process.once("SIGINT", () => controller.abort("SIGINT"));
const words = process.argv.slice(2);
process.exitCode = await runCli(toArguments(words), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: environment(words),
  signal: controller.signal,
});
