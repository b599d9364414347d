import { expect, test } from "vitest";
import { redactUrl } from "./redact-url.ts";

test.each([
  ["https://ann:secret@api.example/v1/users", "https://api.example/v1/users"],
  ["https://api.example/?key=secret&key=b&page=2", "https://api.example/?key=…&page=…"],
  ["http://[::1]:8080/a#secret", "http://[::1]:8080/a"],
  ["https://hooks.example/T00/xoxb1234567890abcdefgh/send", "https://hooks.example/T00/…/send"],
  [
    "https://api.example/a-long-name-of-a-resource/",
    "https://api.example/a-long-name-of-a-resource/",
  ],
  ["user:secret@nowhere", "user:…"],
  ["secret", "(not a URL)"],
])("%s is shown as %s", (url, shown) => {
  expect(redactUrl(url)).toBe(shown);
});
