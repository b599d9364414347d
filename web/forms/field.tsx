import type { ComponentChildren, VNode } from "preact";
import { useId } from "preact/hooks";
import { Icon } from "../pieces/icon.tsx";
import { type Draft, type Drafts, toDraft } from "./draft.ts";
import type { SchemaField } from "./schema-field.ts";

interface FieldProps<Kind extends SchemaField["kind"] = SchemaField["kind"]> {
  readonly field: Extract<SchemaField, { readonly kind: Kind }>;
  /** Where it is in the form: `address.lines[0]`. */
  readonly path: string;
  readonly draft: Draft | undefined;
  readonly faults: Readonly<Record<string, string>>;
  onChange(draft: Draft): void;
}

/** One field of a form. */
export function Field({ field, ...rest }: FieldProps): VNode {
  switch (field.kind) {
    case "boolean":
      return <BooleanField field={field} {...rest} />;
    case "group":
      return <GroupField field={field} {...rest} />;
    case "list":
      return <ListField field={field} {...rest} />;
    case "choices":
      return <ChoicesField field={field} {...rest} />;
    default:
      return <TextField field={field} {...rest} />;
  }
}

/** What stands around a field: its name, what it is for, what is wrong with it. */
function Labelled({
  field,
  id,
  fault,
  children,
}: {
  readonly field: SchemaField;
  readonly id: string;
  readonly fault: string | undefined;
  readonly children: ComponentChildren;
}): VNode {
  const { label, name, isRequired, description } = field;
  return (
    <div class="field">
      <label for={id}>
        {label || "Entry"}
        {label !== name && name !== "" && <code class="field-name">{name}</code>}
        {!isRequired && <span class="hint">optional</span>}
      </label>
      {children}
      {description !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {description}
        </p>
      )}
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

function TextField({
  field,
  path,
  draft,
  faults,
  onChange,
}: FieldProps<"text" | "number" | "choice" | "json">): VNode {
  const id = useId();
  const fault = faults[path];
  const value = typeof draft === "string" ? draft : "";
  const common = {
    id,
    value,
    "aria-invalid": fault !== undefined,
    "aria-required": field.isRequired,
    "aria-describedby": describedBy(id, field, fault),
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      onChange(event.currentTarget.value),
  };
  return (
    <Labelled field={field} id={id} fault={fault}>
      <Control field={field} common={common} />
    </Labelled>
  );
}

function describedBy(
  id: string,
  field: SchemaField,
  fault: string | undefined,
): string | undefined {
  const ids = [
    ...(field.description === undefined ? [] : [`${id}-hint`]),
    ...(fault === undefined ? [] : [`${id}-fault`]),
  ];
  return ids.length === 0 ? undefined : ids.join(" ");
}

function Control({
  field,
  common,
}: {
  readonly field: Extract<SchemaField, { readonly kind: "text" | "number" | "choice" | "json" }>;
  readonly common: {
    readonly id: string;
    readonly value: string;
    onInput(event: { readonly currentTarget: { readonly value: string } }): void;
  };
}): VNode {
  if (field.kind === "choice") {
    return (
      <select {...common}>
        <option value="">{field.isRequired ? "Choose…" : "—"}</option>
        {field.choices.map(({ label }, index) => (
          <option key={label} value={String(index)}>
            {label}
          </option>
        ))}
      </select>
    );
  }
  if (field.kind === "json") {
    return <textarea {...common} class="mono" rows={4} spellcheck={false} placeholder="JSON" />;
  }
  if (field.kind === "number") {
    return <input {...common} type="text" inputMode={field.isWhole ? "numeric" : "decimal"} />;
  }
  if (field.format === "long") {
    const rows = Math.min(12, Math.max(1, common.value.split("\n").length));
    return <textarea {...common} rows={rows} maxLength={field.maxLength} />;
  }
  const type = field.format as "text"; // each of them is a kind of text field
  return <input {...common} type={type} maxLength={field.maxLength} />;
}

function BooleanField({ field, draft, onChange }: FieldProps<"boolean">): VNode {
  const id = useId();
  const { label, description } = field;
  return (
    <div class="field">
      <label class="checkbox">
        <input
          type="checkbox"
          checked={draft === true}
          aria-describedby={description === undefined ? undefined : `${id}-hint`}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {label || "Yes"}
      </label>
      {description !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {description}
        </p>
      )}
    </div>
  );
}

function GroupField({ field, path, draft, faults, onChange }: FieldProps<"group">): VNode {
  const drafts = (typeof draft === "object" && !Array.isArray(draft) ? draft : {}) as Drafts; // a group's
  return (
    <fieldset class="field">
      <legend>
        {field.label || "Entry"}
        {!field.isRequired && <span class="hint">optional</span>}
      </legend>
      {field.description !== undefined && <p class="hint">{field.description}</p>}
      {field.fields.map((one) => (
        <Field
          key={one.name}
          field={one}
          path={`${path}.${one.name}`}
          draft={drafts[one.name]}
          faults={faults}
          onChange={(changed) => onChange({ ...drafts, [one.name]: changed })}
        />
      ))}
    </fieldset>
  );
}

function ListField({ field, path, draft, faults, onChange }: FieldProps<"list">): VNode {
  const drafts = Array.isArray(draft) ? (draft as readonly Draft[]) : []; // a list's
  return (
    <fieldset class="field">
      <legend>
        {field.label || "List"}
        {!field.isRequired && <span class="hint">optional</span>}
      </legend>
      {field.description !== undefined && <p class="hint">{field.description}</p>}
      {drafts.map((one, index) => (
        <div class="list-entry" key={index}>
          <Field
            field={field.entry}
            path={`${path}[${index}]`}
            draft={one}
            faults={faults}
            onChange={(changed) => onChange(drafts.with(index, changed))}
          />
          <button
            type="button"
            class="quiet icon-button"
            aria-label={`Remove entry ${index + 1}`}
            onClick={() => onChange(drafts.toSpliced(index, 1))}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
      <button
        type="button"
        class="quiet small"
        onClick={() => onChange([...drafts, toDraft(field.entry, field.entry.initial)])}
      >
        <Icon name="plus" />
        Add an entry
      </button>
    </fieldset>
  );
}

function ChoicesField({ field, draft, onChange }: FieldProps<"choices">): VNode {
  const chosen = Array.isArray(draft) ? (draft as readonly Draft[]) : []; // a list's
  return (
    <fieldset class="field">
      <legend>
        {field.label || "Choices"}
        {!field.isRequired && <span class="hint">optional</span>}
      </legend>
      {field.description !== undefined && <p class="hint">{field.description}</p>}
      {field.choices.map(({ label }, at) => {
        const index = String(at);
        return (
          <label class="checkbox" key={label}>
            <input
              type="checkbox"
              checked={chosen.includes(index)}
              onChange={(event) =>
                onChange(
                  event.currentTarget.checked
                    ? [...chosen, index]
                    : chosen.filter((one) => one !== index),
                )
              }
            />
            {label}
          </label>
        );
      })}
    </fieldset>
  );
}
