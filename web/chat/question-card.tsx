import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import type { Decision } from "../../src/agent/waiting.ts";
import { SchemaForm } from "../forms/schema-form.tsx";
import { safeLink } from "../markdown/safe-link.ts";
import { formatTime } from "../pieces/format.ts";
import { Icon } from "../pieces/icon.tsx";
import { LongText } from "../pieces/long-text.tsx";
import type { Question } from "./question.ts";

/** What a person is asked, all of it; it goes on when all is decided. */
export function Questions({
  questions,
  isBusy,
  onDecide,
}: {
  readonly questions: readonly Question[];
  readonly isBusy: boolean;
  onDecide(decisions: Readonly<Record<string, Decision>>): void;
}): VNode {
  const [decided, setDecided] = useState<Readonly<Record<string, Decision>>>({});
  const decide = (id: string, decision: Decision): void => {
    const all = { ...decided, [id]: decision };
    setDecided(all);
    if (questions.every((question) => Object.hasOwn(all, question.id))) {
      onDecide(all);
    }
  };
  return (
    <section class="questions" aria-label="Waiting for you">
      {questions.map((question) => (
        <QuestionCard
          key={question.id}
          question={question}
          decision={decided[question.id]}
          isBusy={isBusy}
          onDecide={(decision) => decide(question.id, decision)}
        />
      ))}
      {questions.length > 1 && (
        <p class="hint">
          {`${Object.keys(decided).length} of ${questions.length} decided; it goes on when all are.`}
        </p>
      )}
    </section>
  );
}

function QuestionCard({
  question,
  decision,
  isBusy,
  onDecide,
}: {
  readonly question: Question;
  readonly decision: Decision | undefined;
  readonly isBusy: boolean;
  onDecide(decision: Decision): void;
}): VNode {
  const { kind, message, tool, server, arguments: given, expiresAt } = question;
  const id = useId();
  return (
    <article class="question" aria-labelledby={id}>
      <h3 id={id}>
        <Icon name={kind === "elicitation" ? "server" : "alert"} />
        {titles[kind]}
        {tool !== undefined && <code>{tool}</code>}
        {server !== undefined && <span class="server-name">{server}</span>}
      </h3>
      <p class="question-message">{message}</p>
      {given !== undefined && (
        <LongText text={JSON.stringify(given, null, 2)} label="Arguments of the call" />
      )}
      {expiresAt !== undefined && (
        <p class="hint">{`Until ${formatTime(expiresAt)}; after that it counts as denied.`}</p>
      )}
      {decision === undefined ? (
        <Answer question={question} isBusy={isBusy} onDecide={onDecide} />
      ) : (
        <p class="hint">{decision.kind === "deny" ? "Denied." : "Decided."}</p>
      )}
    </article>
  );
}

const titles: Readonly<Record<Question["kind"], string>> = {
  approval: "Approval needed",
  "confirm-retry": "Call in doubt",
  elicitation: "A server asks",
  "client-tool": "Waits for another program",
};

function Answer(props: {
  readonly question: Question;
  readonly isBusy: boolean;
  onDecide(decision: Decision): void;
}): VNode {
  const { question, isBusy, onDecide } = props;
  switch (question.kind) {
    case "elicitation":
      return <ElicitationAnswer question={question} isBusy={isBusy} onDecide={onDecide} />;
    default:
      return <ApprovalAnswer question={question} isBusy={isBusy} onDecide={onDecide} />;
  }
}

function ApprovalAnswer({
  question: { kind },
  isBusy,
  onDecide,
}: Parameters<typeof Answer>[0]): VNode {
  const [reason, setReason] = useState("");
  const id = useId();
  const deny = (): void =>
    onDecide(reason.trim() === "" ? { kind: "deny" } : { kind: "deny", reason: reason.trim() });
  return (
    <div class="answer">
      {kind !== "client-tool" && (
        <button
          type="button"
          class="primary"
          disabled={isBusy}
          onClick={() => onDecide({ kind: "approve" })}
        >
          {kind === "confirm-retry" ? "Call again" : "Approve"}
        </button>
      )}
      <div class="deny">
        <label class="visually-hidden" for={id}>
          Reason, which the model reads
        </label>
        <input
          id={id}
          type="text"
          placeholder="Reason to deny, for the model (optional)"
          value={reason}
          onInput={(event) => setReason(event.currentTarget.value)}
        />
        <button type="button" disabled={isBusy} onClick={deny}>
          Deny
        </button>
      </div>
    </div>
  );
}

function ElicitationAnswer({
  question: { schema, url },
  isBusy,
  onDecide,
}: Parameters<typeof Answer>[0]): VNode {
  const decline = (
    <button type="button" disabled={isBusy} onClick={() => onDecide({ kind: "deny" })}>
      Decline
    </button>
  );
  const link = url === undefined ? undefined : safeLink(url);
  if (schema !== undefined) {
    return (
      <SchemaForm
        schema={schema}
        submitLabel="Send"
        isBusy={isBusy}
        onSubmit={(value) => onDecide({ kind: "answer", value })}
      >
        {decline}
      </SchemaForm>
    );
  }
  return (
    <>
      {url !== undefined && (
        <p class="question-message">
          {"The server wants you to open "}
          {link === undefined ? (
            <code>{url}</code>
          ) : (
            <a href={link} target="_blank" rel="noopener noreferrer">
              {url}
            </a>
          )}
        </p>
      )}
      <div class="answer">
        <button
          type="button"
          class="primary"
          disabled={isBusy}
          onClick={() => onDecide({ kind: "answer", value: {} })}
        >
          I have done so
        </button>
        {decline}
      </div>
    </>
  );
}
