/** The id of a call without what strict providers refuse in one that another provider has given. */
export const toWireId = (id: string): string => id.replaceAll(/[^A-Za-z0-9_-]/g, "_");
