import type { ComponentChildren, VNode } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import type { JsonObject } from "../../src/base/json.ts";
import { type Drafts, firstDrafts, fromDrafts, toDraft } from "./draft.ts";
import { Field } from "./field.tsx";
import { fieldsOf } from "./schema-field.ts";

/** What a form is made for. */
export interface SchemaFormProps {
  /** Of an object. */
  readonly schema: JsonObject;
  readonly submitLabel: string;
  readonly isBusy?: boolean;
  onSubmit(value: JsonObject): void;
  /** More buttons beside the one that sends. */
  readonly children?: ComponentChildren;
}

/**
 * A form for whatever a JSON Schema describes, which can be written as JSON instead. It says what it can
 * see to be wrong; the server checks the rest.
 */
export function SchemaForm(props: SchemaFormProps): VNode {
  const { schema, submitLabel, isBusy = false, onSubmit, children } = props;
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const [drafts, setDrafts] = useState<Drafts>(() => firstDrafts(fields ?? []));
  const [json, setJson] = useState<string | undefined>(fields === undefined ? "{}" : undefined);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});

  const submit = (event: Event): void => {
    event.preventDefault();
    const written = json === undefined ? fromDrafts(fields ?? [], drafts) : fromJson(json);
    setFaults(written.faults);
    if (Object.keys(written.faults).length === 0) {
      onSubmit(written.value);
    }
  };
  const change = (to: "fields" | "json"): void => {
    if (to === "json") {
      setJson(JSON.stringify(fromDrafts(fields ?? [], drafts).value, null, 2));
      setFaults({});
      return;
    }
    const written = fromJson(json ?? "{}");
    setFaults(written.faults);
    if (Object.keys(written.faults).length === 0) {
      const known = fields ?? [];
      setDrafts(
        Object.fromEntries(
          known.map((field) => [field.name, toDraft(field, written.value[field.name])]),
        ),
      );
      setJson(undefined);
    }
  };
  const hasFields = fields !== undefined && fields.length > 0;
  return (
    <form class="schema-form" onSubmit={submit} noValidate>
      {json === undefined ? (
        <Fields fields={fields ?? []} drafts={drafts} faults={faults} onChange={setDrafts} />
      ) : (
        <JsonField text={json} fault={faults[""]} onChange={setJson} />
      )}
      <div class="form-actions">
        <button type="submit" class="primary" disabled={isBusy}>
          {submitLabel}
        </button>
        {children}
        {hasFields && (
          <button
            type="button"
            class="quiet push"
            onClick={() => change(json === undefined ? "json" : "fields")}
          >
            {json === undefined ? "Write as JSON" : "Fill in fields"}
          </button>
        )}
      </div>
    </form>
  );
}

function Fields({
  fields,
  drafts,
  faults,
  onChange,
}: {
  readonly fields: NonNullable<ReturnType<typeof fieldsOf>>;
  readonly drafts: Drafts;
  readonly faults: Readonly<Record<string, string>>;
  onChange(drafts: Drafts): void;
}): VNode {
  if (fields.length === 0) {
    return <p class="hint">It takes no arguments.</p>;
  }
  return (
    <>
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          path={field.name}
          draft={drafts[field.name]}
          faults={faults}
          onChange={(draft) => onChange({ ...drafts, [field.name]: draft })}
        />
      ))}
    </>
  );
}

function JsonField({
  text,
  fault,
  onChange,
}: {
  readonly text: string;
  readonly fault: string | undefined;
  onChange(text: string): void;
}): VNode {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Arguments as JSON</label>
      <textarea
        id={id}
        class="mono"
        rows={Math.min(16, Math.max(5, text.split("\n").length))}
        spellcheck={false}
        value={text}
        aria-invalid={fault !== undefined}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {fault !== undefined && <p class="fault">{fault}</p>}
    </div>
  );
}

function fromJson(text: string): ReturnType<typeof fromDrafts> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { value: value as JsonObject, faults: {} } // an object that JSON.parse gave
      : { value: {}, faults: { "": "This must be an object: { … }." } };
  } catch (thrown) {
    return { value: {}, faults: { "": `This is not JSON: ${(thrown as Error).message}` } }; // a SyntaxError
  }
}
