import { Store } from "./store.ts";

/** Where the server's routes begin: this page is in a folder of it. */
const base = new URL("../", document.baseURI);

const tokenKey = "dragoman-token";

/** Whether the server wants to know who we are, and has not been told. */
export const signedOut: Store<boolean> = new Store(false);

/** What went wrong with a request, in the server's words where it had any. */
export class ApiError extends Error {
  /** The server's code, or `unreachable`. */
  readonly code: string;
  /** 0 where there was no answer. */
  readonly status: number;

  constructor(
    message: string,
    {
      code,
      status,
      cause,
    }: { readonly code: string; readonly status: number; readonly cause?: unknown },
  ) {
    super(message, { cause });
    this.code = code;
    this.status = status;
  }
}

/** Keeps a token for this tab, and tries again. */
export function signIn(token: string): void {
  sessionStorage.setItem(tokenKey, token);
  signedOut.set(false);
}

/** A request to the server. @throws ApiError for whatever is no success. */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const token = sessionStorage.getItem(tokenKey);
  const headers = new Headers(init.headers);
  if (token !== null) {
    headers.set("authorization", `Bearer ${token}`);
  }
  let response: Response;
  try {
    response = await fetch(new URL(path.replace(/^\//, ""), base), { ...init, headers });
  } catch (cause) {
    if (init.signal?.aborted) {
      throw cause;
    }
    const message = "The server cannot be reached. Is it still running?";
    throw new ApiError(message, { code: "unreachable", status: 0, cause });
  }
  if (response.status === 401) {
    signedOut.set(true);
  }
  if (!response.ok) {
    throw await toError(response);
  }
  return response;
}

/** JSON of the server. @throws ApiError. */
export async function getJson<Value>(path: string, init?: RequestInit): Promise<Value> {
  const response = await ask(path, init);
  return (await response.json()) as Value; // the caller names the type that the server's code has
}

/** Sends JSON. @throws ApiError. */
export const post = (path: string, body: unknown, init: RequestInit = {}): Promise<Response> =>
  ask(path, {
    method: "POST",
    ...init,
    headers: { "content-type": "application/json", ...init.headers },
    body: JSON.stringify(body),
  });

async function toError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  const { status } = response;
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } }; // or it throws
    return new ApiError(error.message, { code: error.code, status });
  } catch {
    return new ApiError(`The server answered with status ${status}.`, {
      code: `status-${status}`,
      status,
    });
  }
}
