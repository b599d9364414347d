import { EncryptedFileStore } from "../src/credentials/encrypted-file-store.ts";

// Run as a process of its own: writes so many records, and counts them in one that all writers share.
const [path = "", secretKey, name = "", times] = process.argv.slice(2);
const store = new EncryptedFileStore({ path, secretKey });
for (let index = 0; index < Number(times); index += 1) {
  await store.write(`${name}${index}`, { name });
  await store.exclusively("count", async () => {
    const count = Number((await store.read("count"))?.["count"] ?? 0);
    await store.write("count", { count: count + 1 });
  });
}
