import { isJsonObject } from "../../base/json.ts";
import { ConfigFault, type ConfigPath } from "../wire/config-shape.ts";

/** Names and values of environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The same value with `${NAME}` and `${NAME:-default}` replaced in every text of it, once: what a
 * variable holds is not looked into again. An empty variable takes the default, as in a shell.
 *
 * Throws a {@link ConfigFault} for a variable that is not set and has no default.
 */
export function expandVariables(value: unknown, env: Environment, path: ConfigPath): unknown {
  if (typeof value === "string") {
    return expandText(value, env, path);
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => expandVariables(item, env, [...path, index]));
  }
  if (isJsonObject(value)) {
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([key, item]) => [key, expandVariables(item, env, [...path, key])]),
    );
  }
  return value;
}

function expandText(text: string, env: Environment, path: ConfigPath): string {
  return text.replace(/\$\{([^}]*)\}/g, (expression, inside: string) => {
    const [, name, fallback] = /^([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inside) ?? [];
    if (name === undefined) {
      throw new ConfigFault(
        path,
        `${expression} in "${keyOf(path)}" is not a variable of the environment: write \${NAME} or \${NAME:-default}.`,
      );
    }
    const value = env[name];
    if (fallback !== undefined) {
      return value === undefined || value === "" ? fallback : value;
    }
    if (value === undefined) {
      throw new ConfigFault(
        path,
        `The environment variable ${name}, used in "${keyOf(path)}", is not set. Set it, or give a default: \${${name}:-default}.`,
      );
    }
    return value;
  });
}

const keyOf = (path: ConfigPath): string => path.join(".");
