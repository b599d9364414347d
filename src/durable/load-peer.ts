import { ConfigurationError } from "../base/dragoman-error.ts";

/**
 * Loads a package that only one executor needs. Its types are declared beside that executor, so that
 * nobody must install it to compile.
 *
 * @throws ConfigurationError `missing-package` that names the package to install.
 */
export async function loadPeer(what: string, specifier: string): Promise<unknown> {
  try {
    return await import(specifier);
  } catch (cause) {
    const name = specifier.split("/", 2).join("/");
    throw new ConfigurationError(
      `${what} needs the package ${name}, which is not installed: npm i ${name}`,
      { code: "missing-package", cause },
    );
  }
}
