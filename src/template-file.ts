import { fillTemplate } from "./agent/prompts.ts";
import { ConfigurationError, messageOf } from "./base/dragoman-error.ts";
import type { Binding } from "./tool/binding.ts";

/** What stands for `{{name}}` in a template. */
export type TemplateValues = Readonly<Record<string, string | number | boolean>>;

/**
 * Instructions from a file in which `{{name}}` stands for a value: for an agent's `instructions`. The
 * file is read for each run, so that a change holds from the next run on.
 *
 * @param values or a function that gives them for a run.
 * @throws ConfigurationError when a run begins, where the file cannot be read or a value is missing;
 *   the run then fails with it.
 */
export function templateFile(
  path: string,
  values: TemplateValues | ((binding: Binding) => TemplateValues | Promise<TemplateValues>) = {},
): (binding: Binding) => Promise<string> {
  return async (binding) => {
    const { readFile } = await import("node:fs/promises");
    const template = await readFile(path, "utf8").catch((cause: unknown) => {
      throw new ConfigurationError(
        `The template ${JSON.stringify(path)} cannot be read: ${messageOf(cause)}`,
        { code: "invalid-configuration", cause },
      );
    });
    const given = typeof values === "function" ? await values(binding) : values;
    return fillTemplate(template, given, `template ${JSON.stringify(path)}`);
  };
}
