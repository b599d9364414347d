import { expect, test } from "vitest";
import { closestName, didYouMean } from "./closest-name.ts";

test("the closest name is found across typing mistakes, case and separators", () => {
  const names = ["search", "fetch", "read_text_file"];
  expect(closestName("serach", names)).toBe("search");
  expect(closestName("ReadTextFile", names)).toBe("read_text_file");
  expect(closestName("FETCH", names)).toBe("fetch");
});

test("where none is close, a name that is cut short stands for the shortest that goes on", () => {
  const names = ["list_directory_with_sizes", "list_directory", "move_file"];
  expect(closestName("list_dir", names)).toBe("list_directory");
  expect(closestName("li", names)).toBeUndefined();
});

test("a name that is like none of them has no suggestion", () => {
  expect(closestName("delete_everything", ["search", "fetch"])).toBeUndefined();
  expect(didYouMean("delete_everything", ["search"])).toBe("");
  expect(didYouMean("serch", ["search"])).toBe(' Did you mean "search"?');
});
