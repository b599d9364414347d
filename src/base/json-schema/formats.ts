/**
 * Whether a text is of a format of JSON Schema; a format that is not known holds any text. The
 * expressions take time in proportion to the text, and a longer one than any real value is of none.
 */
export function isOfFormat(name: string, text: string): boolean {
  const check = formats.get(name);
  return check === undefined || (text.length <= longest && check(text));
}

const longest = 8_192;

const date = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const time =
  /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
const ipv4 = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const mailbox = /^[^\s@"]{1,64}$|^"[^"]{1,62}"$/;

const isDate = (text: string): boolean => {
  const [year, month, day] = text.split("-").map(Number);
  return (
    date.test(text) && new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day)).getUTCDate() === day
  );
};

const isHostname = (text: string): boolean =>
  text.length <= 253 && text.split(".").every((part) => label.test(part));

const isIpv6 = (text: string): boolean =>
  /^[0-9a-f:.]{2,45}$/i.test(text) && URL.canParse(`http://[${text}]/`);

const isEmail = (text: string): boolean => {
  const at = text.lastIndexOf("@");
  const host = text.slice(at + 1);
  return at > 0 && mailbox.test(text.slice(0, at)) && (isHostname(host) || /^\[\S+\]$/.test(host));
};

const isUri = (text: string): boolean =>
  /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]*$/i.test(text) && URL.canParse(text);

const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date", isDate],
  ["time", (text) => time.test(text)],
  [
    "date-time",
    (text) =>
      isDate(text.slice(0, 10)) && /^[t ]$/i.test(text.charAt(10)) && time.test(text.slice(11)),
  ],
  ["email", isEmail],
  ["hostname", isHostname],
  ["ipv4", (text) => ipv4.test(text)],
  ["ipv6", isIpv6],
  ["uri", isUri],
  ["url", isUri],
  ["uuid", (text) => uuid.test(text)],
]);
