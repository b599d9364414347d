import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SandboxView } from "./sandbox-view.ts";

let folder = "";
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "dragoman-view-")));
  await mkdir(join(folder, "app/bin"), { recursive: true });
  await mkdir(join(folder, "data"));
  await writeFile(join(folder, "app/bin/tool"), "#!/bin/sh\n");
  await chmod(join(folder, "app/bin/tool"), 0o755);
  await symlink("app/bin/tool", join(folder, "tool-link"));
});
afterAll(() => rm(folder, { recursive: true }));

test("a folder is shown at its own place, or where it is said", () => {
  const view = new SandboxView(["app", { path: "data", at: "/data", writable: true }], folder);
  expect(view.placeOf(join(folder, "app/bin"))).toBe(join(folder, "app/bin"));
  expect(view.placeOf(join(folder, "data/x"))).toBe("/data/x");
  expect(view.placeOf(join(folder, "database"))).toBeUndefined();
  expect(view.placeOf("/usr/bin")).toBe("/usr/bin");
  expect(view.placeOf("/etc/passwd")).toBeUndefined();
  expect(view.mounts).toContainEqual({ path: join(folder, "data"), at: "/data", writable: true });
});

test("an outer folder comes before one within it, and what the system shows is not shown twice", () => {
  const view = new SandboxView([`${folder}/app/bin`, `${folder}/app`, "/usr/bin"], "/");
  expect(view.mounts.map(({ at }) => at)).toEqual([`${folder}/app`, `${folder}/app/bin`]);
});

test("a program is found in the PATH, by its path and through a link", () => {
  const view = new SandboxView([{ path: "app", at: "/app" }], folder);
  expect(view.findProgram("tool", join(folder, "app/bin"), folder)).toBe("/app/bin/tool");
  expect(view.findProgram("./app/bin/tool", "", folder)).toBe("/app/bin/tool");
  expect(view.findProgram("tool-link", folder, folder)).toBe("/app/bin/tool");
  expect(view.findProgram("/app/made/there", "", folder)).toBe("/app/made/there");
  expect(view.findProgram("sh", "/bin", folder)).toBe("/bin/sh");
  expect(() => view.findProgram("no-such-tool", "/bin", folder)).toThrow("no program");
});

test("a program that is here, but not shown, is refused with what to add", () => {
  const view = new SandboxView(["data"], folder);
  expect(() => view.findProgram("tool", join(folder, "app/bin"), folder)).toThrow(
    `is ${folder}/app/bin/tool, which the sandbox does not show. Add its folder`,
  );
});

test("of a PATH there is what the sandbox shows", () => {
  const view = new SandboxView([{ path: "app", at: "/app" }], folder);
  const path = `${folder}/app/bin:relative:${folder}/data:/app/own:/usr/bin`;
  expect(view.pathWithin(path)).toBe(
    "/app/bin:/app/own:/usr/bin:/usr/local/bin:/bin:/usr/sbin:/sbin",
  );
});

test("a missing folder, two at one place, and one where the sandbox has its own are refused", () => {
  expect(() => new SandboxView(["nowhere"], folder)).toThrow("does not exist");
  const two = [
    { path: "app", at: "/data" },
    { path: "data", at: "/data" },
  ];
  expect(() => new SandboxView(two, folder)).toThrow("would be at /data");
  expect(() => new SandboxView(["/etc"], "/")).toThrow("cannot show /etc");
  expect(() => new SandboxView(["/"], "/")).toThrow("cannot show /");
  expect(() => new SandboxView(["/proc/self"], "/")).toThrow("cannot show");
});
