import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { signIn } from "../wire/api.ts";

/** Asks for the token of a server that lets only those in who have it. */
export function SignIn(): VNode {
  const [token, setToken] = useState("");
  const id = useId();
  const submit = (event: Event): void => {
    event.preventDefault();
    if (token.trim() !== "") {
      signIn(token.trim());
    }
  };
  return (
    <div class="page narrow">
      <h1>Who are you?</h1>
      <p>
        This server wants a token: the one that it was started with (<code>--token</code>,{" "}
        <code>DRAGOMAN_TOKEN</code> or <code>auth</code>). Where you sign in to an application
        instead, do that there and load this page again.
      </p>
      <form class="sign-in" onSubmit={submit}>
        <label for={id}>Token</label>
        <div class="row">
          <input
            id={id}
            type="password"
            autocomplete="off"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          <button type="submit" class="primary" disabled={token.trim() === ""}>
            Go on
          </button>
        </div>
        <p class="hint">It is kept in this tab, and sent to this server only.</p>
      </form>
    </div>
  );
}
