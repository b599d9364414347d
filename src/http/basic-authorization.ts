/** User name and password as `Basic` credentials (RFC 7617), in UTF-8. */
export function toBasicAuthorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** The `Basic` credentials that the user-info of a URL stands for, where it has one. */
export function basicAuthorizationOf({ username, password }: URL): string | undefined {
  return username === "" && password === ""
    ? undefined
    : toBasicAuthorization(decodeURIComponent(username), decodeURIComponent(password));
}
