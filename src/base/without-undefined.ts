/** Fields as they are when those without a value are left out. */
type Given<Fields> = { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };

/** The same without the fields whose value is `undefined`: for types that tell absent from undefined. */
export function withoutUndefined<Fields extends object>(fields: Fields): Given<Fields> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Given<Fields>; // fewer keys; those that are left have a value
}
